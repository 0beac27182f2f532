/* The report: for people, as JSON and as CSV. The traces of chosen threads and warps are printed in
 * trace_path_text.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/model/work_id.h"
#include "analysis/output/csv.h"
#include "analysis/output/table.h"
#include "analysis/report/report.h"
#include "analysis/trace/execution_trace.h"
#include "passes/base/text.h"

#define NAME_SIZE  384
#define BINS       20 /* of a histogram */
#define ROWS_USUAL 20 /* of the table of launches */
#define STAGES     16 /* launched shaders that are shown one by one, where the user does not say */

static uint32_t rows_of(const struct ws_trace_results *results, uint32_t usual)
{
    return results->options.rows > 0 ? results->options.rows : usual;
}

static bool print_table(struct ws_table *table, uint64_t left_out, FILE *stream)
{
    bool printed = !table->failed;
    if (printed) {
        ws_table_print(table, 2, stream);
        if (left_out > 0)
            fprintf(stream, "  ... and %" PRIu64 " more: --json and --csv hold them all\n", left_out);
    }
    ws_table_finish(table);
    return printed;
}

static void add_summary(struct ws_table *table, const struct ws_trace_summary *summary)
{
    ws_table_add(table, "%" PRIu64, summary->minimum);
    ws_table_add(table, "%" PRIu64, summary->median);
    ws_table_add(table, "%.1f", summary->total > 0 ? (double)summary->sum / (double)summary->total : 0);
    ws_table_add(table, "%" PRIu64, summary->ninety);
    ws_table_add(table, "%" PRIu64, summary->maximum);
}

static bool print_summary(const struct ws_trace_stage *stage, FILE *stream)
{
    static const struct ws_column columns[] = {{"", false},      {"number", true}, {"minimum", true},
                                               {"median", true}, {"mean", true},   {"90 %", true},
                                               {"maximum", true}};
    struct ws_table table;
    ws_table_init(&table, columns, 7);
    ws_table_add(&table, "threads");
    ws_table_add(&table, "%" PRIu64, stage->threads.summary.total);
    add_summary(&table, &stage->threads.summary);
    ws_table_add(&table, "warps");
    ws_table_add(&table, "%" PRIu64, stage->warps.summary.total);
    add_summary(&table, &stage->warps.summary);
    return print_table(&table, 0, stream);
}

/* The share of a bin, with a bar of up to 24 characters for the largest of the histogram. */
static void add_bar(struct ws_table *table, uint64_t count, uint64_t total, uint64_t most)
{
    static const char bar[] = "########################";
    if (count > 0)
        ws_table_add(table, "%.1f %%", 100 * ((double)count / (double)total));
    else
        ws_table_add(table, "%s", "");
    ws_table_add(table, "%.*s",
                 (int)(most > 0 ? (sizeof(bar) - 1) * ((double)count / (double)most) + 0.5 : 0), bar);
}

static bool print_histogram(const struct ws_trace_stage *stage, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"blocks", true}, {"threads", true}, {"", false}, {"warps", true}, {"", false}};
    const struct ws_trace_counts *counts[2] = {&stage->threads.lifetimes, &stage->warps.lifetimes};
    const struct ws_trace_summary *a = &stage->threads.summary;
    const struct ws_trace_summary *b = &stage->warps.summary;
    uint64_t first = a->minimum < b->minimum ? a->minimum : b->minimum;
    uint64_t last = a->maximum > b->maximum ? a->maximum : b->maximum;
    uint64_t width = ws_trace_bin_width(first, last, BINS);
    uint64_t within[2][BINS] = {{0}};
    uint64_t most[2] = {0, 0};
    uint32_t bins = (uint32_t)(last / width - first / width + 1);
    struct ws_table table;
    for (uint32_t bin = 0; bin < bins; ++bin)
        for (uint32_t i = 0; i < 2; ++i) {
            uint64_t begin = (first / width + bin) * width;
            within[i][bin] = ws_trace_counts_within(counts[i], begin, begin + (width - 1));
            most[i] = within[i][bin] > most[i] ? within[i][bin] : most[i];
        }
    ws_table_init(&table, columns, 5);
    for (uint32_t bin = 0; bin < bins; ++bin) {
        uint64_t begin = (first / width + bin) * width;
        if (width > 1)
            ws_table_add(&table, "%" PRIu64 "-%" PRIu64, begin, begin + (width - 1));
        else
            ws_table_add(&table, "%" PRIu64, begin);
        for (uint32_t i = 0; i < 2; ++i)
            add_bar(&table, within[i][bin], counts[i]->total, most[i]);
    }
    fputc('\n', stream);
    return print_table(&table, 0, stream);
}

static void print_note(bool truncated, uint64_t regrouped, uint64_t called, FILE *stream)
{
    char note[NAME_SIZE];
    ws_trace_note(truncated, regrouped, called, note, sizeof(note));
    if (note[0] != '\0')
        fprintf(stream, "  note: %s\n", note);
}

/* How often called shaders ran. */
static bool print_called(const struct ws_trace_stage *stage, FILE *stream)
{
    static const struct ws_column columns[] = {{"shaders called", false},
                                               {"by threads", true},
                                               {"a thread", true},
                                               {"by warps", true},
                                               {"a warp", true}};
    const struct ws_trace_population *threads = &stage->threads;
    const struct ws_trace_population *warps = &stage->warps;
    struct ws_table table;
    if (stage->called == 0)
        return true;
    ws_table_init(&table, columns, 5);
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i) {
        if (warps->called[i] == 0)
            continue;
        ws_table_add(&table, "%s", ws_stage_name(ws_trace_called_stage(i)));
        ws_table_add(&table, "%" PRIu64, threads->called[i]);
        ws_table_add(&table, "%.2f", (double)threads->called[i] / (double)threads->summary.total);
        ws_table_add(&table, "%" PRIu64, warps->called[i]);
        ws_table_add(&table, "%.2f", (double)warps->called[i] / (double)warps->summary.total);
    }
    fputc('\n', stream);
    return print_table(&table, 0, stream);
}

static bool print_lifetimes(const struct ws_trace_results *results, FILE *stream)
{
    uint32_t most = rows_of(results, STAGES);
    bool printed = true;
    for (uint32_t i = 0; i < results->stage_count && i < most && printed; ++i) {
        const struct ws_trace_stage *stage = &results->stages[i];
        char name[NAME_SIZE];
        ws_trace_shader_text(results->catalog, stage->shader, name, sizeof(name));
        fputs("\nLifetimes in blocks executed, ", stream);
        ws_text_print(stream, name);
        fprintf(stream, ", %" PRIu64 " launch%s\n", stage->launches, ws_plural(stage->launches, "es"));
        print_note(stage->truncated > 0, stage->regrouped, stage->called, stream);
        printed =
            print_summary(stage, stream) && print_histogram(stage, stream) && print_called(stage, stream);
    }
    if (results->stage_count > most)
        fprintf(stream, "\n  ... and %" PRIu32 " more launched shaders: --json and --csv hold them all\n",
                results->stage_count - most);
    return printed;
}

/* Rows of a list of the largest: of threads the work id, of warps the index and the lowest work id. */
static void add_most(struct ws_table *table, const char *what, const struct ws_trace_most *most,
                     uint32_t stage)
{
    for (uint32_t i = 0; i < most->count; ++i) {
        const struct ws_trace_place *place = &most->places[i];
        char work[64];
        ws_work_text(stage, place->work, work, sizeof(work));
        ws_table_add(table, "%s", i == 0 ? what : "");
        ws_table_add(table, "%" PRIu64, place->value);
        ws_table_add(table, "%s", work);
        ws_table_add(table, "%" PRIu32, place->warp);
        ws_table_add(table, "%" PRIu64, place->launch);
    }
}

static bool print_most(const struct ws_trace_results *results, FILE *stream)
{
    uint32_t shown = rows_of(results, STAGES);
    bool printed = true;
    for (uint32_t i = 0; i < results->stage_count && i < shown && printed; ++i) {
        const struct ws_trace_stage *stage = &results->stages[i];
        const struct ws_column columns[] = {{"", false},
                                            {"number", true},
                                            {ws_work_name(stage->stage), true},
                                            {"warp", true},
                                            {"launch", true}};
        struct ws_table table;
        char name[NAME_SIZE];
        ws_trace_shader_text(results->catalog, stage->shader, name, sizeof(name));
        fputs("\nMost executed, ", stream);
        ws_text_print(stream, name);
        fputs(" (each thread and warp once; of a warp its lowest id)\n", stream);
        ws_table_init(&table, columns, 5);
        add_most(&table, "blocks of a thread", &stage->threads.blocks, stage->stage);
        add_most(&table, "blocks of a warp", &stage->warps.blocks, stage->stage);
        /* Elsewhere each thread and warp runs the one shader that it was launched for. */
        if (stage->stage == WS_STAGE_RAYGEN) {
            add_most(&table, "shaders of a thread", &stage->threads.executions, stage->stage);
            add_most(&table, "shaders of a warp", &stage->warps.executions, stage->stage);
        }
        printed = print_table(&table, 0, stream);
    }
    return printed;
}

static void add_size(struct ws_table *table, const uint32_t size[3])
{
    if (size[0] == 0 && size[1] == 0 && size[2] == 0)
        ws_table_add(table, "not known");
    else
        ws_table_add(table, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
}

static void add_lifetimes(struct ws_table *table, const struct ws_trace_summary *summary)
{
    ws_table_add(table, "%" PRIu64, summary->total);
    ws_table_add(table, "%" PRIu64 " %" PRIu64 " %" PRIu64, summary->minimum, summary->median,
                 summary->maximum);
}

static void add_launch(struct ws_table *table, const struct ws_trace_results *results,
                       const struct ws_trace_launch *launch, const struct ws_trace_shader *launched)
{
    char text[NAME_SIZE];
    ws_table_add(table, "%" PRIu64, launch->launch.index);
    ws_table_add(table, "%s", ws_launch_kind_name(launch->launch.kind));
    add_size(table, launch->launch.size);
    ws_table_add(table, "%s", launch->launch.label);
    ws_trace_shader_text(results->catalog, launched->shader, text, sizeof(text));
    ws_table_add(table, "%s", text);
    add_lifetimes(table, &launched->threads);
    add_lifetimes(table, &launched->warps);
    ws_trace_note(launch->launch.truncated, launched->regrouped, 0, text, sizeof(text));
    ws_table_add(table, "%s", text);
}

static void add_work_map(struct ws_table *table, const struct ws_trace_results *results,
                         const struct ws_trace_launch *launch, const struct ws_trace_shader *launched)
{
    char text[NAME_SIZE];
    uint64_t fitting = 0;
    ws_table_add(table, "%" PRIu64, launch->launch.index);
    ws_trace_shader_text(results->catalog, launched->shader, text, sizeof(text));
    ws_table_add(table, "%s", text);
    ws_table_add(table, "%" PRIu64, launched->work.full + launched->work.partial);
    ws_table_add(table, "%" PRIu64, launched->work.partial);
    ws_trace_work_map_text(&launched->work, text, sizeof(text), &fitting);
    ws_table_add(table, "%s", text);
    ws_table_add(table, "%" PRIu64, fitting);
}

/* How work ids were given to warps. */
static bool print_work_maps(const struct ws_trace_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"number", true},
                                               {"shader", false},
                                               {"warps", true},
                                               {"partial", true},
                                               {"work ids of a full warp", false},
                                               {"warps so", true}};
    uint32_t most = rows_of(results, ROWS_USUAL);
    uint64_t shaders = 0;
    struct ws_table table;
    ws_table_init(&table, columns, 6);
    for (uint32_t i = 0; i < results->launch_count; ++i)
        for (uint32_t j = 0; j < results->launches[i].shader_count; ++j) {
            const struct ws_trace_shader *launched = &results->launches[i].shaders[j];
            if (ws_trace_no_map(launched->stage) == NULL && shaders++ < most)
                add_work_map(&table, results, &results->launches[i], launched);
        }
    if (shaders == 0) {
        ws_table_finish(&table);
        return true;
    }
    fputs("\nLaunches, how work ids were given to warps\n", stream);
    return print_table(&table, shaders > most ? shaders - most : 0, stream);
}

static bool print_launches(const struct ws_trace_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"number", true},
                                               {"kind", false},
                                               {"size", true},
                                               {"label", false},
                                               {"shader", false},
                                               {"threads", true},
                                               {"min median\nmax", true},
                                               {"warps", true},
                                               {"min median\nmax", true},
                                               {"note", false}};
    uint32_t most = rows_of(results, ROWS_USUAL);
    uint64_t shaders = 0;
    struct ws_table table;
    fputs("\nLaunches, with lifetimes in blocks executed\n", stream);
    ws_table_init(&table, columns, 10);
    for (uint32_t i = 0; i < results->launch_count; ++i)
        for (uint32_t j = 0; j < results->launches[i].shader_count; ++j, ++shaders)
            if (shaders < most)
                add_launch(&table, results, &results->launches[i], &results->launches[i].shaders[j]);
    return print_table(&table, shaders > most ? shaders - most : 0, stream);
}

bool ws_trace_text(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    if (ws_trace_is_chosen(results))
        return ws_trace_text_paths(results, stream);
    if (results->stage_count == 0) {
        if (results->options.has_launch)
            fprintf(stream, "\nNo thread of launch %" PRIu64 " was recorded\n", results->options.launch);
        else
            fputs("\nNo thread was recorded\n", stream);
        return true;
    }
    return print_lifetimes(results, stream) && print_most(results, stream) &&
           print_launches(results, stream) && print_work_maps(results, stream);
}

/* What is not told of a stage, and why. */
void ws_trace_notes(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    uint32_t told = 0;
    if (results->sampled != NULL)
        fputs("  lifetimes, shares and the numbers of warps are of the recorded threads only\n", stream);
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        uint32_t stage = results->stages[i].stage;
        if ((told & stage) != 0)
            continue;
        told |= stage;
        if (ws_trace_no_map(stage) != NULL)
            fprintf(stream, "  %s shaders have no map of work ids: %s\n", ws_stage_name(stage),
                    ws_trace_no_map(stage));
        if (ws_trace_no_picture(stage) != NULL)
            fprintf(stream, "  %s shaders have no heat maps: %s\n", ws_stage_name(stage),
                    ws_trace_no_picture(stage));
    }
    if (results->pictures_left_out > 0)
        fprintf(stream,
                "  pictures are drawn of the first %d launched shaders and sizes; %" PRIu64
                " more launches have none: choose one with --launch\n",
                WS_TRACE_PICTURES, results->pictures_left_out);
    for (uint32_t i = 0; i < results->picture_count; ++i)
        if (results->pictures[i].outside > 0)
            fprintf(stream, "  %" PRIu64 " threads of %s shaders are outside their picture\n",
                    results->pictures[i].outside, ws_stage_name(results->pictures[i].stage));
}

/* Numbers beyond 2^53 would lose digits in a double. */
static bool json_number(cJSON *object, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    return cJSON_AddRawToObject(object, key, text) != NULL;
}

static bool json_triple(cJSON *object, const char *key, const uint32_t value[3])
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    bool added = array != NULL;
    for (uint32_t i = 0; i < 3 && added; ++i)
        added = cJSON_AddItemToArray(array, cJSON_CreateNumber(value[i]));
    return added;
}

static cJSON *json_element(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

static bool json_shader(const struct ws_trace_results *results, uint32_t shader, cJSON *object)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, shader, name, sizeof(name));
    return json_number(object, "shader", record->id) &&
           cJSON_AddStringToObject(object, "name", name) != NULL &&
           cJSON_AddStringToObject(object, "stage", ws_stage_name(record->stage)) != NULL;
}

static bool json_summary(cJSON *object, const char *key, const struct ws_trace_summary *summary)
{
    cJSON *to = cJSON_AddObjectToObject(object, key);
    return to != NULL && json_number(to, "number", summary->total) &&
           json_number(to, "blocks", summary->sum) && json_number(to, "minimum", summary->minimum) &&
           json_number(to, "median", summary->median) && json_number(to, "ninety_percent", summary->ninety) &&
           json_number(to, "maximum", summary->maximum);
}

static bool json_histogram(cJSON *object, const char *key, const struct ws_trace_counts *counts)
{
    cJSON *to = cJSON_AddObjectToObject(object, key);
    bool added = to != NULL;
    for (uint32_t i = 0; i < counts->count && added; ++i) {
        char blocks[32];
        snprintf(blocks, sizeof(blocks), "%" PRIu64, counts->counts[i].value);
        added = json_number(to, blocks, counts->counts[i].count);
    }
    return added;
}

static bool json_most(cJSON *object, const char *key, const struct ws_trace_most *most, uint32_t stage)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    bool added = array != NULL;
    for (uint32_t i = 0; i < most->count && added; ++i) {
        const struct ws_trace_place *place = &most->places[i];
        cJSON *to = json_element(array);
        char work[64];
        ws_work_text(stage, place->work, work, sizeof(work));
        added = to != NULL && json_number(to, "value", place->value) &&
                json_number(to, "launch", place->launch) && json_number(to, "warp", place->warp) &&
                cJSON_AddStringToObject(to, "work", work) != NULL;
    }
    return added;
}

static bool json_called(cJSON *object, const char *key, const struct ws_trace_population *population)
{
    cJSON *to = cJSON_AddObjectToObject(object, key);
    bool added = to != NULL;
    for (uint32_t i = 0; i < WS_TRACE_CALLED && added; ++i)
        added = population->called[i] == 0 ||
                json_number(to, ws_stage_name(ws_trace_called_stage(i)), population->called[i]);
    return added;
}

static bool json_stage(const struct ws_trace_results *results, const struct ws_trace_stage *stage, cJSON *to)
{
    const char *no_map = ws_trace_no_map(stage->stage);
    const char *no_picture = ws_trace_no_picture(stage->stage);
    return to != NULL && json_shader(results, stage->shader, to) &&
           json_number(to, "launches", stage->launches) &&
           json_number(to, "launches_truncated", stage->truncated) &&
           json_number(to, "called", stage->called) && json_number(to, "regrouped", stage->regrouped) &&
           cJSON_AddStringToObject(to, "work_id", ws_work_name(stage->stage)) != NULL &&
           (no_map == NULL || cJSON_AddStringToObject(to, "no_map", no_map) != NULL) &&
           (no_picture == NULL || cJSON_AddStringToObject(to, "no_picture", no_picture) != NULL) &&
           json_summary(to, "threads", &stage->threads.summary) &&
           json_summary(to, "warps", &stage->warps.summary) &&
           json_called(to, "called_by_threads", &stage->threads) &&
           json_called(to, "called_by_warps", &stage->warps) &&
           json_histogram(to, "threads_by_blocks", &stage->threads.lifetimes) &&
           json_histogram(to, "warps_by_blocks", &stage->warps.lifetimes) &&
           json_most(to, "threads_most_blocks", &stage->threads.blocks, stage->stage) &&
           json_most(to, "warps_most_blocks", &stage->warps.blocks, stage->stage) &&
           json_most(to, "threads_most_shaders", &stage->threads.executions, stage->stage) &&
           json_most(to, "warps_most_shaders", &stage->warps.executions, stage->stage);
}

static bool json_work_map(const struct ws_trace_shader *launched, cJSON *object)
{
    char text[96];
    uint64_t fitting = 0;
    cJSON *to = cJSON_AddObjectToObject(object, "warps_made_of");
    bool added = to != NULL && json_number(to, "subgroup_size", launched->work.lanes) &&
                 json_number(to, "full", launched->work.full) &&
                 json_number(to, "partial", launched->work.partial);
    if (!added || ws_trace_no_map(launched->stage) != NULL)
        return added;
    ws_trace_work_map_text(&launched->work, text, sizeof(text), &fitting);
    return cJSON_AddStringToObject(to, "pattern", text) != NULL && json_number(to, "fitting", fitting);
}

static bool json_launch(const struct ws_trace_results *results, const struct ws_trace_launch *launch,
                        cJSON *to)
{
    bool added = to != NULL && json_number(to, "index", launch->launch.index) &&
                 json_number(to, "submission", launch->launch.submission) &&
                 cJSON_AddStringToObject(to, "kind", ws_launch_kind_name(launch->launch.kind)) != NULL &&
                 json_triple(to, "size", launch->launch.size) &&
                 cJSON_AddStringToObject(to, "label", launch->launch.label) != NULL &&
                 cJSON_AddBoolToObject(to, "truncated", launch->launch.truncated) != NULL;
    cJSON *shaders = added ? cJSON_AddArrayToObject(to, "shaders") : NULL;
    added = shaders != NULL;
    for (uint32_t i = 0; i < launch->shader_count && added; ++i) {
        const struct ws_trace_shader *launched = &launch->shaders[i];
        cJSON *element = json_element(shaders);
        added = element != NULL && json_shader(results, launched->shader, element) &&
                json_number(element, "regrouped", launched->regrouped) &&
                json_summary(element, "threads", &launched->threads) &&
                json_summary(element, "warps", &launched->warps) && json_work_map(launched, element);
    }
    return added;
}

/* Lanes are hexadecimal masks, the lowest lane the last bit. */
static bool json_lanes(cJSON *object, const struct ws_trace_step *step)
{
    char text[40];
    if (step->lane_count > 64)
        snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, step->lanes.high, step->lanes.low);
    else
        snprintf(text, sizeof(text), "%0*" PRIx64, step->lane_count < 4 ? 1 : (int)(step->lane_count / 4),
                 step->lanes.low);
    return cJSON_AddStringToObject(object, "lanes", text) != NULL;
}

static bool json_step(const struct ws_trace_results *results, const struct ws_trace_step *step, cJSON *to)
{
    static const char *const kinds[] = {"enter", "block", "end", "cut", "continue"};
    const struct ws_shader_record *shader = &results->catalog->shaders[step->shader];
    const struct ws_block_record *block = &results->catalog->modules[shader->module].blocks[step->block];
    return to != NULL && cJSON_AddStringToObject(to, "event", kinds[step->kind]) != NULL &&
           json_number(to, "depth", step->depth) && json_number(to, "shader", shader->id) &&
           json_lanes(to, step) &&
           (step->kind != WS_TRACE_BLOCK || (json_number(to, "block", block->info.label) &&
                                             json_number(to, "function", block->info.function)));
}

/* Adds the steps first .. end - 1, as long as there are lines left. */
static bool json_steps(const struct ws_trace_results *results, const struct ws_trace_path *path,
                       uint32_t first, uint32_t end, uint32_t *lines, cJSON *array)
{
    bool added = array != NULL;
    for (uint32_t i = first; i < end && added && *lines > 0; ++i) {
        const struct ws_trace_step *step = &path->steps[i];
        cJSON *to = json_element(array);
        --*lines;
        if (step->kind != WS_TRACE_REPEAT) {
            added = json_step(results, step, to);
            continue;
        }
        added = to != NULL && json_number(to, "times", step->count) &&
                json_steps(results, path, i + 1, i + 1 + step->length, lines,
                           cJSON_AddArrayToObject(to, "steps"));
        i += step->length;
    }
    return added;
}

static bool json_path(const struct ws_trace_results *results, const struct ws_trace_path *path, cJSON *to)
{
    char work[64];
    uint32_t lines = path->limit;
    ws_work_text(path->stage, path->work, work, sizeof(work));
    return to != NULL && cJSON_AddStringToObject(to, "of", path->is_warp ? "warp" : "thread") != NULL &&
           json_number(to, "launch", path->launch) && json_shader(results, path->shader, to) &&
           cJSON_AddStringToObject(to, "work", work) != NULL && json_number(to, "warp", path->warp) &&
           json_number(to, "lane", path->lane) && json_number(to, "blocks", path->blocks) &&
           json_number(to, "executions", path->executions) && json_number(to, "regrouped", path->regrouped) &&
           cJSON_AddBoolToObject(to, "truncated", path->truncated) != NULL &&
           cJSON_AddBoolToObject(to, "cut", path->step_count > path->limit) != NULL &&
           json_steps(results, path, 0, path->step_count, &lines, cJSON_AddArrayToObject(to, "steps"));
}

bool ws_trace_json(const void *user, cJSON *object)
{
    const struct ws_trace_results *results = user;
    bool added = results->sampled == NULL ||
                 cJSON_AddStringToObject(object, "recorded_threads", results->sampled) != NULL;
    cJSON *array = cJSON_AddArrayToObject(object, "stages");
    added = added && array != NULL;
    for (uint32_t i = 0; i < results->stage_count && added; ++i)
        added = json_stage(results, &results->stages[i], json_element(array));
    array = cJSON_AddArrayToObject(object, "launches");
    added = added && array != NULL;
    for (uint32_t i = 0; i < results->launch_count && added; ++i)
        added = json_launch(results, &results->launches[i], json_element(array));
    if (!ws_trace_is_chosen(results))
        return added;
    array = cJSON_AddArrayToObject(object, "traces");
    added = added && array != NULL && json_number(object, "traces_left_out", results->paths_left_out) &&
            json_number(object, "traces_in_other_launches", results->path_launches);
    for (uint32_t i = 0; i < results->path_count && added; ++i)
        added = json_path(results, results->paths[i], json_element(array));
    return added;
}

const char ws_trace_csv_help[] =
    "  level        lifetimes: of a launched shader over all launches; launch: the\n"
    "               same of one; called: `value` executions of the shaders of a stage;\n"
    "               blocks: how many have a lifetime of `value` blocks; most: the largest\n"
    "               `value`s; step: of the trace of --thread or --warp, which is then all\n"
    "  launch   its number\n"
    "  shader, name, stage\n"
    "  of           threads or warps; of level most with what was counted: threads blocks,\n"
    "               warps shaders, ...; of level step: enter, block, end, cut, continue, repeat\n"
    "  number       of threads or warps; of step its depth, of repeat how often\n"
    "  value        blocks or shader executions; of step the block's label, of\n"
    "               repeat how many of the following lines\n"
    "  minimum, median, mean, ninety_percent, maximum   lifetimes\n"
    "  partial      warps that are not full\n"
    "  pattern      work ids of a warp, and\n"
    "  fitting      how many full warps are made so\n"
    "  work, warp   of level most; of step the lanes as a hexadecimal mask\n"
    "  note         what the figures leave out\n";

/* Level to stage; `launch` may be NULL. */
static void put_head(const struct ws_trace_results *results, const char *level, const uint64_t *launch,
                     uint32_t shader, FILE *stream)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, shader, name, sizeof(name));
    fprintf(stream, "%s,", level);
    if (launch != NULL)
        fprintf(stream, "%" PRIu64, *launch);
    fprintf(stream, ",%" PRIu32 ",", record->id);
    ws_csv_text(stream, name);
    fprintf(stream, ",%s,", ws_stage_name(record->stage));
}

static void put_summary(const char *of, const struct ws_trace_summary *summary, FILE *stream)
{
    fprintf(stream, "%s,%" PRIu64 ",,%" PRIu64 ",%" PRIu64 ",%.9g,%" PRIu64 ",%" PRIu64 ",", of,
            summary->total, summary->minimum, summary->median,
            summary->total > 0 ? (double)summary->sum / (double)summary->total : 0, summary->ninety,
            summary->maximum);
}

static void put_stage(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                      FILE *stream)
{
    char note[NAME_SIZE];
    ws_trace_note(stage->truncated > 0, stage->regrouped, stage->called, note, sizeof(note));
    for (uint32_t i = 0; i < 2; ++i) {
        const struct ws_trace_population *population = i == 0 ? &stage->threads : &stage->warps;
        put_head(results, "lifetimes", NULL, stage->shader, stream);
        put_summary(i == 0 ? "threads" : "warps", &population->summary, stream);
        fputs(",,,,,", stream);
        ws_csv_text(stream, note);
        fputc('\n', stream);
    }
}

static void put_shader(const struct ws_trace_results *results, const struct ws_trace_launch *launch,
                       const struct ws_trace_shader *launched, FILE *stream)
{
    char note[NAME_SIZE];
    char pattern[96];
    uint64_t fitting = 0;
    ws_trace_note(launch->launch.truncated, launched->regrouped, 0, note, sizeof(note));
    put_head(results, "launch", &launch->launch.index, launched->shader, stream);
    put_summary("threads", &launched->threads, stream);
    fputs(",,,,,", stream);
    ws_csv_text(stream, note);
    fputc('\n', stream);
    put_head(results, "launch", &launch->launch.index, launched->shader, stream);
    put_summary("warps", &launched->warps, stream);
    fprintf(stream, "%" PRIu64 ",", launched->work.partial);
    if (ws_trace_no_map(launched->stage) == NULL) {
        ws_trace_work_map_text(&launched->work, pattern, sizeof(pattern), &fitting);
        ws_csv_text(stream, pattern);
        fprintf(stream, ",%" PRIu64, fitting);
    } else {
        fputc(',', stream);
    }
    fputs(",,,", stream);
    ws_csv_text(stream, note);
    fputc('\n', stream);
}

static void put_counts(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                       const char *of, const struct ws_trace_counts *counts, FILE *stream)
{
    for (uint32_t i = 0; i < counts->count; ++i) {
        put_head(results, "blocks", NULL, stage->shader, stream);
        fprintf(stream, "%s,%" PRIu64 ",%" PRIu64 ",,,,,,,,,,,\n", of, counts->counts[i].count,
                counts->counts[i].value);
    }
}

static void put_most(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                     const char *of, const struct ws_trace_most *most, FILE *stream)
{
    for (uint32_t i = 0; i < most->count; ++i) {
        const struct ws_trace_place *place = &most->places[i];
        char work[64];
        ws_work_text(stage->stage, place->work, work, sizeof(work));
        put_head(results, "most", &place->launch, stage->shader, stream);
        fprintf(stream, "%s,,%" PRIu64 ",,,,,,,,,", of, place->value);
        ws_csv_text(stream, work);
        fprintf(stream, ",%" PRIu32 ",\n", place->warp);
    }
}

static void put_called(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                       FILE *stream)
{
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i) {
        const char *called = ws_stage_name(ws_trace_called_stage(i));
        if (stage->warps.called[i] == 0)
            continue;
        put_head(results, "called", NULL, stage->shader, stream);
        fprintf(stream, "threads %s,,%" PRIu64 ",,,,,,,,,,,\n", called, stage->threads.called[i]);
        put_head(results, "called", NULL, stage->shader, stream);
        fprintf(stream, "warps %s,,%" PRIu64 ",,,,,,,,,,,\n", called, stage->warps.called[i]);
    }
}

/* Steps in the order of the text; the body of a repetition follows it and ends with less depth or the next.
 */
static void put_path(const struct ws_trace_results *results, const struct ws_trace_path *path, FILE *stream)
{
    static const char *const kinds[] = {"enter", "block", "end", "cut", "continue", "repeat"};
    for (uint32_t i = 0; i < path->step_count && i < path->limit; ++i) {
        const struct ws_trace_step *step = &path->steps[i];
        bool repeat = step->kind == WS_TRACE_REPEAT;
        uint32_t shader = repeat ? path->shader : step->shader;
        put_head(results, "step", &path->launch, shader, stream);
        fprintf(stream, "%s,%" PRIu64 ",", kinds[step->kind], repeat ? step->count : step->depth);
        if (repeat)
            fprintf(stream, "%" PRIu32, step->length);
        if (step->kind == WS_TRACE_BLOCK)
            fprintf(stream, "%" PRIu32,
                    results->catalog->modules[results->catalog->shaders[shader].module]
                        .blocks[step->block]
                        .info.label);
        fputs(",,,,,,,,,", stream);
        if (!repeat && step->lane_count > 64)
            fprintf(stream, "%016" PRIx64, step->lanes.high);
        if (!repeat)
            fprintf(stream, "%0*" PRIx64,
                    step->lane_count > 64  ? 16
                    : step->lane_count < 4 ? 1
                                           : (int)(step->lane_count / 4),
                    step->lanes.low);
        fprintf(stream, ",%" PRIu32 ",\n", path->warp);
    }
}

bool ws_trace_csv(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    fputs("level,launch,shader,name,stage,of,number,value,minimum,median,mean,ninety_percent,maximum,"
          "partial,pattern,fitting,work,warp,note\n",
          stream);
    for (uint32_t i = 0; i < results->path_count; ++i)
        put_path(results, results->paths[i], stream);
    if (ws_trace_is_chosen(results))
        return true;
    for (uint32_t i = 0; i < results->stage_count; ++i)
        put_stage(results, &results->stages[i], stream);
    for (uint32_t i = 0; i < results->launch_count; ++i)
        for (uint32_t j = 0; j < results->launches[i].shader_count; ++j)
            put_shader(results, &results->launches[i], &results->launches[i].shaders[j], stream);
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        const struct ws_trace_stage *stage = &results->stages[i];
        put_called(results, stage, stream);
        put_counts(results, stage, "threads", &stage->threads.lifetimes, stream);
        put_counts(results, stage, "warps", &stage->warps.lifetimes, stream);
        put_most(results, stage, "threads blocks", &stage->threads.blocks, stream);
        put_most(results, stage, "warps blocks", &stage->warps.blocks, stream);
        put_most(results, stage, "threads shaders", &stage->threads.executions, stream);
        put_most(results, stage, "warps shaders", &stage->warps.executions, stream);
    }
    return true;
}
