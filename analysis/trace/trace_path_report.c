/* Traces of threads and warps that --thread or --warp chooses: as text, JSON and CSV. */
#include <inttypes.h>
#include <string.h>

#include "analysis/trace/execution_trace.h"
#include "warpscope/base/text.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/names.h"
#include "warpscope/model/work_id.h"
#include "warpscope/output/json.h"
#include "warpscope/output/table.h"
#include "warpscope/report/analysis.h"

#define NAME_SIZE     384
#define DEPTH_MOST    32 /* Vulkan allows 31 levels of rays, and callable shaders some more */
#define PICTURE_LANES 32 /* more lanes are written as hexadecimal masks */

/* A trace being printed. */
struct printer {
    const struct ws_trace_results *results;
    const struct ws_trace_path *path;
    FILE *stream;
    uint32_t lanes;             /* the largest subgroup size of its steps: width of the picture of lanes */
    uint32_t lines;             /* printed so far */
    uint64_t blocks;            /* block executions that these lines stand for */
    uint32_t context;           /* of the last line; WS_NONE = no line yet */
    uint32_t calls[DEPTH_MOST]; /* by depth of shaders: how many function calls deep its last block is */
};

/* The sign of a lane: # active and chosen, + active and of another thread or warp, . inactive, blank not in
 * this execution of the shader. */
static char lane_sign(const struct ws_trace_step *step, const struct ws_lanes *entered, uint32_t lane)
{
    if (lane >= step->lane_count)
        return ' ';
    if (ws_lanes_has(step->lanes, lane))
        return ws_lanes_has(step->own, lane) ? '#' : '+';
    return ws_lanes_has(*entered, lane) ? '.' : ' ';
}

static void print_lanes(const struct printer *printer, const struct ws_trace_step *step)
{
    if (printer->lanes <= PICTURE_LANES) {
        fputs("  |", printer->stream);
        for (uint32_t lane = 0; lane < printer->lanes; ++lane)
            fputc(step != NULL ? lane_sign(step, &step->entered, lane) : ' ', printer->stream);
        fputs("| ", printer->stream);
        return;
    }
    int digits = (int)(printer->lanes / 4);
    if (step == NULL)
        fprintf(printer->stream, "  %*s ", digits, "");
    else if (digits > 16)
        fprintf(printer->stream, "  %0*" PRIx64 "%016" PRIx64 " ", digits - 16, step->lanes.high,
                step->lanes.low);
    else
        fprintf(printer->stream, "  %0*" PRIx64 " ", digits, step->lanes.low);
}

static void print_shader(const struct printer *printer, const struct ws_trace_step *step)
{
    char name[NAME_SIZE];
    ws_trace_shader_text(printer->results->catalog, step->shader, name, sizeof(name));
    ws_text_print(printer->stream, name);
}

static void print_block(const struct printer *printer, const struct ws_trace_step *step)
{
    const struct ws_catalog *catalog = printer->results->catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[step->shader].module];
    const struct ws_block_record *block = &module->blocks[step->block];
    const struct ws_function_record *function = ws_catalog_function(module, block->info.function);
    char place[NAME_SIZE];
    ws_block_place(block, place, sizeof(place));
    fprintf(printer->stream, "%%%" PRIu32, block->info.label);
    if (block->part > 0)
        fprintf(printer->stream, "+%" PRIu32, block->part);
    if (place[0] != '\0') {
        fputs("  ", printer->stream);
        ws_text_print(printer->stream, place);
    }
    if (step->calls > 0 && function != NULL && function->name[0] != '\0') {
        fputs("  in ", printer->stream);
        ws_text_print(printer->stream, function->name);
    } else if (step->calls > 0) {
        fprintf(printer->stream, "  in function %%%" PRIu32, block->info.function);
    }
}

/* Columns of indent before a step within `nesting` repetitions. A called shader or function stands further in
 * than its caller. */
static int indent_of(const struct printer *printer, const struct ws_trace_step *step, uint32_t nesting)
{
    uint32_t levels = nesting + step->depth + step->calls;
    for (uint32_t depth = 0; depth < step->depth && depth < DEPTH_MOST; ++depth)
        levels += printer->calls[depth];
    return (int)(2 * levels);
}

static void print_step(struct printer *printer, const struct ws_trace_step *step, uint32_t nesting)
{
    bool back = step->context != printer->context && printer->context != WS_NONE;
    uint32_t lane = ws_lanes_lowest(step->own);
    print_lanes(printer, step);
    fprintf(printer->stream, "%*s", indent_of(printer, step, nesting), "");
    if (step->depth < DEPTH_MOST)
        printer->calls[step->depth] = step->calls;
    switch (step->kind) {
    case WS_TRACE_ENTER:
        fputs("> ", printer->stream);
        print_shader(printer, step);
        if (!printer->path->is_warp)
            fprintf(printer->stream, ", lane %" PRIu32, lane);
        break;
    case WS_TRACE_BLOCK:
        fputs("  ", printer->stream);
        print_block(printer, step);
        break;
    case WS_TRACE_LEAVE: fputs("< end", printer->stream); break;
    case WS_TRACE_CONTINUE:
        fputs("~ ", printer->stream);
        print_shader(printer, step);
        fputs(" continues in another warp", printer->stream);
        if (!printer->path->is_warp)
            fprintf(printer->stream, ", lane %" PRIu32, lane);
        break;
    default: fputs("! the records end within it", printer->stream); break;
    }
    if (back && step->kind != WS_TRACE_ENTER && step->kind != WS_TRACE_CONTINUE) {
        fputs("  [", printer->stream);
        print_shader(printer, step);
        fputc(']', printer->stream);
    }
    fputc('\n', printer->stream);
    printer->context = step->context;
}

/* Prints the steps first .. end - 1, which are within `nesting` repetitions and so executed `times` times.
 * False when the limit of lines is reached. */
static bool print_steps(struct printer *printer, uint32_t first, uint32_t end, uint64_t times,
                        uint32_t nesting)
{
    const struct ws_trace_path *path = printer->path;
    for (uint32_t i = first; i < end; ++i) {
        const struct ws_trace_step *step = &path->steps[i];
        if (printer->lines == path->limit)
            return false;
        printer->lines++;
        if (step->kind != WS_TRACE_REPEAT) {
            printer->blocks += step->kind == WS_TRACE_BLOCK ? times : 0;
            print_step(printer, step, nesting);
            continue;
        }
        const struct ws_trace_step *body = &path->steps[i + 1];
        while (body->kind == WS_TRACE_REPEAT)
            ++body;
        print_lanes(printer, NULL);
        fprintf(printer->stream, "%*s%" PRIu64 " time%s:\n", indent_of(printer, body, nesting), "",
                step->count, ws_plural(step->count, "s"));
        if (!print_steps(printer, i + 1, i + 1 + step->length, times * step->count, nesting + 1))
            return false;
        i += step->length;
    }
    return true;
}

static void print_heading(const struct ws_trace_results *results, const struct ws_trace_path *path,
                          FILE *stream)
{
    char name[NAME_SIZE];
    char work[64];
    ws_trace_shader_text(results->catalog, path->shader, name, sizeof(name));
    ws_work_text(path->stage, path->work, work, sizeof(work));
    if (path->is_warp)
        fprintf(stream, "\nTrace of warp %" PRIu32 " (%s of its first lane %s), ", path->warp,
                ws_work_name(path->stage), work);
    else
        fprintf(stream, "\nTrace of %s %s (lane %" PRIu32 " of warp %" PRIu32 "), ",
                ws_work_name(path->stage), work, path->lane, path->warp);
    ws_text_print(stream, name);
    fprintf(stream, ", launch %" PRIu64 "\n", path->launch);
    fprintf(stream, "  %" PRIu64 " block execution%s in %" PRIu64 " shader execution%s\n", path->blocks,
            ws_plural(path->blocks, "s"), path->executions, ws_plural(path->executions, "s"));
    if (path->regrouped > 0)
        fprintf(stream, "  note: %" PRIu64 " of them ran in warps that the device put together anew\n",
                path->regrouped);
    if (path->truncated)
        fputs("  note: records of this launch are missing: the trace may be of a part\n", stream);
}

static void print_path(const struct ws_trace_results *results, const struct ws_trace_path *path, FILE *stream)
{
    struct printer printer = {.results = results, .path = path, .stream = stream, .context = WS_NONE};
    for (uint32_t i = 0; i < path->step_count; ++i)
        if (path->steps[i].lane_count > printer.lanes)
            printer.lanes = path->steps[i].lane_count;
    print_heading(results, path, stream);
    if (printer.lanes > PICTURE_LANES)
        fputs("  masks: the lowest lane is the last bit\n\n", stream);
    else
        fprintf(stream, "  lanes: # %s, + active beside it, . inactive, blank not in this execution\n\n",
                path->is_warp ? "of this warp" : "this thread");
    const bool whole = print_steps(&printer, 0, path->step_count, 1, 0) && !path->full;
    const uint64_t left_out = path->blocks - printer.blocks;
    if (!whole && left_out > 0)
        fprintf(stream, "  ... and %" PRIu64 " more block execution%s: --rows 0 shows them all\n", left_out,
                ws_plural(left_out, "s"));
    else if (!whole)
        fputs("  ... and more, but no block: --rows 0 shows it\n", stream);
}

static void print_missing(const struct ws_trace_results *results, FILE *stream)
{
    const struct ws_analysis_options *options = &results->options;
    if (options->has_warp)
        fprintf(stream, "\nNo block of warp %" PRIu32 " was recorded\n", options->warp);
    else
        fprintf(stream, "\nNo block of thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 " was recorded\n",
                options->thread[0], options->thread[1], options->thread[2]);
}

bool ws_trace_text_paths(const struct ws_trace_results *results, FILE *stream)
{
    if (results->path_count == 0)
        print_missing(results, stream);
    for (uint32_t i = 0; i < results->path_count; ++i)
        print_path(results, results->paths[i], stream);
    if (results->paths_left_out > 0)
        fprintf(stream, "\n  ... and %" PRIu64 " more of that id in the same launch\n",
                results->paths_left_out);
    if (results->path_launches > 0)
        fprintf(stream, "\n  It ran in %" PRIu64 " other launch%s, too: choose with --launch\n",
                results->path_launches, ws_plural(results->path_launches, "es"));
    return true;
}

/* By enum ws_trace_step_kind. */
static const char *const events[] = {"enter", "block", "end", "cut", "continue", "repeat"};

#define LANES_SIZE 40

/* Lanes of a step as a hexadecimal mask, the lowest lane the last bit. */
static const char *lanes_text(const struct ws_trace_step *step, struct ws_lanes lanes, char text[LANES_SIZE])
{
    if (step->lane_count > 64)
        snprintf(text, LANES_SIZE, "%016" PRIx64 "%016" PRIx64, lanes.high, lanes.low);
    else
        snprintf(text, LANES_SIZE, "%0*" PRIx64, step->lane_count < 4 ? 1 : (int)(step->lane_count / 4),
                 lanes.low);
    return text;
}

static const struct ws_block_record *block_of(const struct ws_catalog *catalog,
                                              const struct ws_trace_step *step)
{
    return &catalog->modules[catalog->shaders[step->shader].module].blocks[step->block];
}

/* Members of JSON (members.h) of json_next. */
static const struct ws_member step_members[] = {
    {"event", "string", "enter, block, end, cut, continue or repeat"},
    {"depth", "integer?", "of shaders: 0 = launched; null for repeat"},
    {"shader_id", "integer?", "id of the shader; null for repeat"},
    {"lanes", "string?", "hexadecimal mask of active lanes, the lowest lane the last bit; null for repeat"},
    {"own", "string?", "likewise: those lanes that are the thread, or threads of the warp"},
    {"entered", "string?", "likewise: all lanes that entered this execution of the shader"},
    {"subgroup_size", "integer?", "lanes of its warp; null for repeat"},
    {"block", "integer?", "of block: id of the block's label"},
    {"part", "integer?", "of block: 1, 2, ... behind the places where lanes may end; null: its beginning"},
    {"function", "integer?", "of block: id of its function"},
    {"calls", "integer?", "of block: how many function calls deep it is in its shader"},
    {"source", "string?", "of block: where it is in the source; null: not known"},
    {"file", "string?", "of block: source file; null: not known"},
    {"line", "integer?", "of block: its first line in that file; null: not known"},
    {"times", "integer?", "of repeat: how often `steps` ran"},
    {"steps", "self[]?", "of repeat: what ran so often"},
    {NULL}};

static const struct ws_member trace_members[] = {
    {"of", "string", "thread or warp"},
    {"launch", "integer", "number of the launch"},
    {"shader_id", "integer", "id of the launched shader"},
    {"shader", "string", "its name"},
    {"stage", "string", "its stage"},
    {"thread", "string", "id of the thread, or the lowest of the warp"},
    {"warp", "integer", "index of the warp in its launch"},
    {"lane", "integer", "lane of the thread"},
    {"blocks", "integer", "blocks executed"},
    {"executions", "integer", "shaders executed"},
    {"regrouped", "integer", "of these, in warps that the device put together anew"},
    {"truncated", "boolean", "some records of the launch are missing"},
    {"cut", "boolean", "there are more steps than are kept"},
    {"steps", "object[]", "what was executed, in order", step_members},
    {NULL}};

const struct ws_member ws_trace_members[] = {
    {"recorded_threads", "string?", "the settings that chose threads when recording; null: all threads"},
    {"traces", "object[]?", "with --thread or --warp: what it executed; null: without", trace_members},
    {"traces_left_out", "integer", "more traces of the same launch, which are not shown"},
    {"traces_in_other_launches", "integer", "other launches that have that thread or warp"},
    {NULL}};

static void add_or_null(cJSON *object, const char *key, bool has, uint64_t value)
{
    if (has)
        ws_json_integer(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_lanes(cJSON *object, const char *key, const struct ws_trace_step *step, struct ws_lanes lanes)
{
    char text[LANES_SIZE];
    if (step->kind == WS_TRACE_REPEAT)
        cJSON_AddNullToObject(object, key);
    else
        cJSON_AddStringToObject(object, key, lanes_text(step, lanes, text));
}

static void add_text_or_null(cJSON *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        cJSON_AddStringToObject(object, key, text);
    else
        cJSON_AddNullToObject(object, key);
}

static cJSON *json_steps(const struct ws_catalog *catalog, const struct ws_trace_path *path, uint32_t first,
                         uint32_t end);

/* The step at `*index`, a repetition with its body, and sets `*index` to the next. */
static cJSON *json_next(const struct ws_catalog *catalog, const struct ws_trace_path *path, uint32_t *index)
{
    const struct ws_trace_step *step = &path->steps[(*index)++];
    const bool repeat = step->kind == WS_TRACE_REPEAT;
    const struct ws_block_record *block = step->kind == WS_TRACE_BLOCK ? block_of(catalog, step) : NULL;
    char place[NAME_SIZE] = "";
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "event", events[step->kind]);
    add_or_null(object, "depth", !repeat, step->depth);
    add_or_null(object, "shader_id", !repeat, repeat ? 0 : catalog->shaders[step->shader].id);
    add_lanes(object, "lanes", step, step->lanes);
    add_lanes(object, "own", step, step->own);
    add_lanes(object, "entered", step, step->entered);
    add_or_null(object, "subgroup_size", !repeat, step->lane_count);
    add_or_null(object, "block", block != NULL, block != NULL ? block->info.label : 0);
    add_or_null(object, "part", block != NULL && block->part > 0, block != NULL ? block->part : 0);
    add_or_null(object, "function", block != NULL, block != NULL ? block->info.function : 0);
    if (block != NULL)
        ws_block_place(block, place, sizeof(place));
    add_or_null(object, "calls", block != NULL, step->calls);
    add_text_or_null(object, "source", place);
    add_text_or_null(object, "file", block != NULL ? block->file : NULL);
    add_or_null(object, "line", block != NULL && block->file != NULL, block != NULL ? block->line : 0);
    add_or_null(object, "times", repeat, step->count);
    if (repeat) {
        ws_json_add(object, "steps", json_steps(catalog, path, *index, *index + step->length));
        *index += step->length;
    } else {
        cJSON_AddNullToObject(object, "steps");
    }
    return object;
}

/* The steps first .. end - 1 as a list. */
static cJSON *json_steps(const struct ws_catalog *catalog, const struct ws_trace_path *path, uint32_t first,
                         uint32_t end)
{
    cJSON *array = cJSON_CreateArray();
    while (first < end)
        ws_json_append(array, json_next(catalog, path, &first));
    return array;
}

void ws_trace_json_path(const struct ws_catalog *catalog, const struct ws_trace_path *path,
                        struct ws_json *json)
{
    char work[64];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "of", path->is_warp ? "warp" : "thread");
    ws_json_integer(object, "launch", path->launch);
    ws_json_integer(object, "shader_id", catalog->shaders[path->shader].id);
    cJSON_AddStringToObject(object, "shader", ws_shader_name(catalog, path->shader));
    cJSON_AddStringToObject(object, "stage", ws_stage_name(path->stage));
    ws_work_text(path->stage, path->work, work, sizeof(work));
    cJSON_AddStringToObject(object, "thread", work);
    ws_json_integer(object, "warp", path->warp);
    ws_json_integer(object, "lane", path->lane);
    ws_json_integer(object, "blocks", path->blocks);
    ws_json_integer(object, "executions", path->executions);
    ws_json_integer(object, "regrouped", path->regrouped);
    cJSON_AddBoolToObject(object, "truncated", path->truncated);
    cJSON_AddBoolToObject(object, "cut", path->full || path->step_count > path->limit);
    ws_json_open_element(json);
    ws_json_members(json, object);
    ws_json_open_list(json, "steps");
    for (uint32_t i = 0; i < path->step_count && i < path->limit;)
        ws_json_element(json, json_next(catalog, path, &i));
    ws_json_close_list(json);
    ws_json_close_element(json);
}

bool ws_trace_json_paths(const struct ws_trace_results *results, struct ws_json *json)
{
    if (!ws_trace_is_chosen(results)) {
        ws_json_member(json, "traces", cJSON_CreateNull());
    } else {
        ws_json_open_list(json, "traces");
        for (uint32_t i = 0; i < results->path_count && !json->failed; ++i)
            ws_trace_json_path(results->catalog, results->paths[i], json);
        ws_json_close_list(json);
    }
    ws_json_member(json, "traces_left_out", ws_json_integer_item(results->paths_left_out));
    ws_json_member(json, "traces_in_other_launches", ws_json_integer_item(results->path_launches));
    return !json->failed;
}

const char ws_trace_csv_help[] =
    "With --thread or --warp, the steps of the trace instead:\n"
    "  event                enter, block, end, cut, continue, or repeat\n"
    "  depth                of shaders: 0 = launched\n"
    "  block                id of the block's label; \"7+1\": behind the first place of block 7 where\n"
    "                       lanes may end\n"
    "  times, lines         of repeat: how often how many of the following lines ran\n"
    "  lanes                hexadecimal mask, the lowest lane the last bit\n";

static void put_step(const struct ws_trace_results *results, const struct ws_trace_path *path,
                     const struct ws_trace_step *step, FILE *stream)
{
    const bool repeat = step->kind == WS_TRACE_REPEAT;
    const struct ws_catalog *catalog = results->catalog;
    const uint32_t shader = repeat ? path->shader : step->shader;
    char text[NAME_SIZE];
    fprintf(stream, "%" PRIu64 ",%s,%" PRIu32 ",", path->launch,
            ws_stage_name(catalog->shaders[shader].stage), catalog->shaders[shader].id);
    ws_csv_text(stream, ws_shader_name(catalog, shader));
    fprintf(stream, ",%s,", events[step->kind]);
    if (repeat) {
        fprintf(stream, ",,%" PRIu64 ",%" PRIu32 ",", step->count, step->length);
    } else {
        fprintf(stream, "%" PRIu32 ",", step->depth);
        if (step->kind == WS_TRACE_BLOCK)
            fprintf(stream, "%" PRIu32, block_of(catalog, step)->info.label);
        if (step->kind == WS_TRACE_BLOCK && block_of(catalog, step)->part > 0)
            fprintf(stream, "+%" PRIu32, block_of(catalog, step)->part);
        fprintf(stream, ",,,%s", lanes_text(step, step->lanes, text));
    }
    fprintf(stream, ",%" PRIu32 "\n", path->warp);
}

bool ws_trace_csv_paths(const struct ws_trace_results *results, FILE *stream)
{
    fputs("launch,stage,shader_id,shader,event,depth,block,times,lines,lanes,warp\n", stream);
    for (uint32_t i = 0; i < results->path_count; ++i) {
        const struct ws_trace_path *path = results->paths[i];
        for (uint32_t j = 0; j < path->step_count && j < path->limit; ++j)
            put_step(results, path, &path->steps[j], stream);
    }
    return true;
}
