/* How SIMT efficiency is shown: its columns, and what is no table of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simt/simt_efficiency.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/output/plot.h"
#include "warpscope/output/table.h"
#include "warpscope/spirv/code.h"

#define HISTOGRAM_MOST 6 /* bins shown per block */
#define STAGES         14

static const struct ws_simt_results *results_of(const struct ws_row *row)
{
    return row->user;
}

static void set_text(struct ws_value *value, const char *text)
{
    value->kind = WS_VALUE_TEXT;
    value->text = text;
}

/* Launches. */

static const struct ws_launch_record *launch_of(const struct ws_row *row)
{
    static const struct ws_launch_record unknown = {.label = "", .command_buffer = "", .pipeline = WS_NONE};
    const struct ws_launch_record *launch = ws_catalog_launch(row->catalog, row->key);
    return launch != NULL ? launch : &unknown;
}

static void launch_draws(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, launch_of(row)->draws);
    value->unknown = launch_of(row)->kind != WS_LAUNCH_RENDER_PASS;
}

static void launch_pipeline(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_launch_record *launch = launch_of(row);
    set_text(value, "");
    if (launch->pipeline != WS_NONE)
        set_text(value, ws_pipeline_name(row->catalog, launch->pipeline));
    else if (launch->pipeline_count > 0)
        ws_value_text(value, "%" PRIu32 " pipeline%s", launch->pipeline_count,
                      ws_plural(launch->pipeline_count, "s"));
}

static void launch_command_buffer(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, launch_of(row)->command_buffer);
}

static void launch_indirect(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, (launch_of(row)->flags & WS_LAUNCH_INDIRECT) != 0);
}

static void launch_generated(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, (launch_of(row)->flags & WS_LAUNCH_GENERATED) != 0);
}

static void launch_resumed(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, (launch_of(row)->flags & WS_LAUNCH_SUSPENDED) != 0);
}

static void launch_overlapped(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, launch_of(row)->overlapped);
}

static void launch_pipeline_id(const struct ws_row *row, struct ws_value *value)
{
    const uint32_t pipeline = launch_of(row)->pipeline;
    if (pipeline != WS_NONE)
        ws_value_count(value, row->catalog->pipelines[pipeline].id);
}

static void launch_pipelines(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, launch_of(row)->pipeline_count);
}

static const struct ws_field launch_fields[] = {
    {"draws", "draws of a render pass", WS_COUNT, .value = launch_draws},
    {"launch_pipeline", "its pipeline, or how many it has", WS_TEXT, .value = launch_pipeline},
    {"command_buffer", "name of its command buffer", WS_TEXT, .value = launch_command_buffer},
    {"launch_pipeline_id", "id of its pipeline, if it has one", WS_COUNT, .value = launch_pipeline_id},
    {"launch_pipelines", "how many pipelines it has", WS_COUNT, .value = launch_pipelines},
    {"indirect", "its size comes from a buffer", WS_FLAG, .flags = WS_BLANK_ZERO, .value = launch_indirect},
    {"generated", "any number of dispatches or traces, which the device wrote; its size is the largest",
     WS_FLAG, .value = launch_generated},
    {"resumed", "a render pass that was suspended and resumed", WS_FLAG, .value = launch_resumed},
    {"overlapped", "launches of other submissions ran beside it", WS_FLAG, .value = launch_overlapped},
    {NULL},
};

/* Pipelines. */

static void pipeline_kind(const struct ws_row *row, struct ws_value *value)
{
    static const char *const kinds[] = {"graphics", "compute", "ray_tracing", "shader_object"};
    if (row->key == WS_KEY_SEVERAL)
        return;
    const uint32_t kind = row->catalog->pipelines[row->key].kind;
    set_text(value, kind < 4 ? kinds[kind] : "unknown");
}

static cJSON *pipeline_shaders(const struct ws_row *row)
{
    const struct ws_pipeline_record *pipeline = &row->catalog->pipelines[row->key];
    cJSON *shaders = cJSON_CreateArray();
    for (uint32_t i = 0; i < pipeline->shader_count && shaders != NULL; ++i)
        ws_json_append(shaders, cJSON_CreateNumber(row->catalog->shaders[pipeline->shaders[i]].id));
    return shaders;
}

static void pipeline_launches(const struct ws_row *row, struct ws_value *value)
{
    if (row->key != WS_KEY_SEVERAL)
        ws_value_count(value, results_of(row)->pipeline_launches[row->key]);
}

static const struct ws_field pipeline_fields[] = {
    {"pipeline_launches", "launches that used the pipeline", WS_COUNT, .flags = WS_DASH,
     .value = pipeline_launches},
    {"pipeline_kind", "graphics, compute, ray_tracing or shader_object", WS_TEXT, .value = pipeline_kind},
    {"pipeline_shader_ids", "ids of its shaders", .json = pipeline_shaders, .type = "integer[]?"},
    {NULL},
};

/* Shaders. */

static const struct ws_shader_record *shader_of(const struct ws_row *row)
{
    return &row->catalog->shaders[row->key];
}

static void shader_launches(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, results_of(row)->shaders[row->key].launches);
}

static void shader_module(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, row->catalog->modules[shader_of(row)->module].name);
}

static void shader_source(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_file_name(row->catalog->modules[shader_of(row)->module].source));
}

static void shader_hash(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%016" PRIx64, row->catalog->modules[shader_of(row)->module].hash);
}

static void shader_entry(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, shader_of(row)->name);
}

static void shader_instrumented(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, shader_of(row)->entry != WS_NONE);
}

static void shader_constants(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, shader_of(row)->specialization_count);
}

static const struct ws_field shader_fields[] = {
    {"shader_launches", "launches in which the shader ran", WS_COUNT, .value = shader_launches},
    {"module", "name of its module", WS_TEXT, .value = shader_module},
    {"module_source", "file name of the module's source, if known", WS_TEXT, .value = shader_source},
    {"hash", "of the module, 16 hexadecimal digits", WS_TEXT, .value = shader_hash},
    {"entry", "name of the entry point", WS_TEXT, .value = shader_entry},
    {"instrumented", "whether it was counted", WS_FLAG, .value = shader_instrumented},
    {"specialization_constants", "how many specialization constants were set", WS_COUNT,
     .value = shader_constants},
    {NULL},
};

/* Blocks. */

static const struct ws_block_record *block_of(const struct ws_row *row)
{
    return &row->catalog->modules[row->catalog->shaders[row->key >> 32].module].blocks[(uint32_t)row->key];
}

static void block_length(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, block_of(row)->info.instruction_count);
}

static void block_line_last(const struct ws_row *row, struct ws_value *value)
{
    if (block_of(row)->file != NULL)
        ws_value_count(value, block_of(row)->line_last);
}

static void block_counted(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, block_of(row)->row != WS_NONE);
}

static const struct ws_field block_fields[] = {
    {"length", "its instructions", WS_COUNT, .value = block_length},
    {"line_last", "last line of its instructions in that file", WS_COUNT, .value = block_line_last},
    {"counted", "whether the block has a counter", WS_FLAG, .value = block_counted},
    {NULL},
};

/* Opcodes. */

static void opcode_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void opcode_name(const struct ws_row *row, struct ws_value *value)
{
    const char *name = ws_opcode_name((uint32_t)row->key);
    if (name != NULL)
        set_text(value, name);
    else
        ws_value_text(value, "Op%" PRIu64, row->key);
}

static const struct ws_field opcode_fields[] = {
    {"opcode_number", "of the opcode in SPIR-V", WS_COUNT, .value = opcode_number},
    {"opcode", "its name", WS_TEXT, .value = opcode_name},
    {NULL},
};

const struct ws_dimension ws_simt_dimensions[] = {
    [WS_SIMT_LAUNCH] = {WS_DIMENSION_LAUNCH, .more = launch_fields},
    [WS_SIMT_PIPELINE] = {WS_DIMENSION_PIPELINE, .more = pipeline_fields},
    [WS_SIMT_STAGE] = {WS_DIMENSION_STAGE},
    [WS_SIMT_SHADER] = {WS_DIMENSION_SHADER, .more = shader_fields, .implies = 1u << WS_SIMT_STAGE},
    [WS_SIMT_BLOCK] = {WS_DIMENSION_BLOCK, .more = block_fields, .implies = 1u << WS_SIMT_SHADER},
    [WS_SIMT_OPCODE] = {"opcode", "SPIR-V opcode", opcode_fields},
    [WS_SIMT_DIMENSIONS] = {NULL},
};

/* Measures. Of an opcode it is only known how many of its instructions were executed. */

static const struct ws_simt_counts *counts_of(const struct ws_row *row)
{
    return &((const struct ws_simt_group *)row->sums)->counts;
}

static bool is_opcode(const struct ws_row *row)
{
    return row->keys[WS_SIMT_OPCODE] != WS_KEY_NONE;
}

/* Whether the row is of a fragment shader whose tests came late because it counts. */
static bool has_late_tests(const struct ws_row *row)
{
    const uint64_t shader = row->keys[WS_SIMT_SHADER];
    return shader < row->catalog->shader_count && row->keys[WS_SIMT_BLOCK] == WS_KEY_NONE &&
           (row->catalog->shaders[shader].flags & WS_SHADER_LATE_TESTS) != 0;
}

/* Whether nothing is known of the row: its shader was left as it was, or its block has no counter. */
static bool is_uncounted(const struct ws_row *row)
{
    const uint64_t shader = row->keys[WS_SIMT_SHADER];
    const uint64_t block = row->keys[WS_SIMT_BLOCK];
    if (shader >= row->catalog->shader_count)
        return false;
    const struct ws_shader_record *record = &row->catalog->shaders[shader];
    return record->entry == WS_NONE ||
           (block < WS_KEY_SEVERAL &&
            row->catalog->modules[record->module].blocks[(uint32_t)block].row == WS_NONE);
}

static void put_count(const struct ws_row *row, struct ws_value *value, uint64_t count)
{
    if (is_opcode(row))
        return;
    ws_value_count(value, count);
    value->unknown = is_uncounted(row);
}

static void executions(const struct ws_row *row, struct ws_value *value)
{
    put_count(row, value, counts_of(row)->warps);
}

static void threads(const struct ws_row *row, struct ws_value *value)
{
    put_count(row, value, counts_of(row)->threads);
}

static void runs(const struct ws_row *row, struct ws_value *value)
{
    put_count(row, value, counts_of(row)->warps + counts_of(row)->threads);
}

static void active_lanes(const struct ws_row *row, struct ws_value *value)
{
    put_count(row, value, counts_of(row)->active);
}

static void lane_slots(const struct ws_row *row, struct ws_value *value)
{
    double ignored = 0;
    if (ws_simt_efficiency(counts_of(row), &ignored) == WS_SIMT_SURE)
        ws_value_count(value, counts_of(row)->slots);
}

static void instructions(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, counts_of(row)->instructions);
    value->unknown = is_uncounted(row);
}

static void put_share(enum ws_simt_doubt doubt, double share, struct ws_value *value)
{
    if (doubt == WS_SIMT_SURE)
        ws_value_real(value, share);
}

static void efficiency(const struct ws_row *row, struct ws_value *value)
{
    double share = 0;
    const enum ws_simt_doubt doubt = ws_simt_efficiency(counts_of(row), &share);
    put_share(doubt, share, value);
}

static const struct ws_simt_group *group_of(const struct ws_row *row)
{
    return row->sums;
}

static void executions_error(const struct ws_row *row, struct ws_value *value)
{
    double error = 0;
    if (is_opcode(row) || group_of(row)->sets == NULL)
        return;
    const bool known = ws_simt_executions_error(group_of(row), &error);
    ws_value_count_error(value, known, error);
}

static void instructions_error(const struct ws_row *row, struct ws_value *value)
{
    double error = 0;
    if (group_of(row)->sets == NULL)
        return;
    const bool known = ws_simt_instructions_error(group_of(row), &error);
    ws_value_count_error(value, known, error);
}

static void efficiency_error(const struct ws_row *row, struct ws_value *value)
{
    double share = 0;
    double error = 0;
    if (is_opcode(row) || group_of(row)->sets == NULL ||
        ws_simt_efficiency(counts_of(row), &share) != WS_SIMT_SURE)
        return;
    const bool known = ws_simt_efficiency_error(group_of(row), share, &error);
    ws_value_error(value, known, error);
}

static void efficiency_weighted_error(const struct ws_row *row, struct ws_value *value)
{
    double share = 0;
    double error = 0;
    if (is_opcode(row) || group_of(row)->sets == NULL ||
        ws_simt_efficiency_weighted(counts_of(row), &share) != WS_SIMT_SURE)
        return;
    const bool known = ws_simt_efficiency_weighted_error(group_of(row), share, &error);
    ws_value_error(value, known, error);
}

static void instruction_slots(const struct ws_row *row, struct ws_value *value)
{
    if (!is_opcode(row))
        ws_value_count(value, ws_simt_slots(counts_of(row)));
}

static void efficiency_weighted(const struct ws_row *row, struct ws_value *value)
{
    double share = 0;
    const enum ws_simt_doubt doubt = ws_simt_efficiency_weighted(counts_of(row), &share);
    put_share(doubt, share, value);
}

static void partial_warps(const struct ws_row *row, struct ws_value *value)
{
    double share = 0;
    const enum ws_simt_doubt doubt = ws_simt_partial(counts_of(row), &share);
    put_share(doubt, share, value);
}

static void helper_lanes(const struct ws_row *row, struct ws_value *value)
{
    double share = 0;
    const enum ws_simt_doubt doubt = ws_simt_helpers(counts_of(row), &share);
    if (counts_of(row)->fragment_slots > 0)
        put_share(doubt, share, value);
}

/* Of all instructions executed; of opcodes, of those whose opcodes are known. */
static void share(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_simt_results *results = row->user;
    const uint64_t all = is_opcode(row) ? results->opcode_instructions : results->total.counts.instructions;
    if (all > 0)
        ws_value_real(value, (double)counts_of(row)->instructions / (double)all);
}

static void withheld(const struct ws_row *row, struct ws_value *value)
{
    double ignored = 0;
    const enum ws_simt_doubt doubt = ws_simt_efficiency(counts_of(row), &ignored);
    if (doubt == WS_SIMT_SURE || is_opcode(row))
        return;
    ws_simt_doubt_text(doubt, counts_of(row), value->buffer, sizeof(value->buffer));
    set_text(value, value->buffer);
}

static void note(const struct ws_row *row, struct ws_value *value)
{
    double ignored = 0;
    withheld(row, value);
    if (is_uncounted(row))
        set_text(value, "not instrumented");
    else if (ws_simt_efficiency(counts_of(row), &ignored) == WS_SIMT_NOTHING)
        set_text(value, "");
    else if (has_late_tests(row))
        set_text(value, "late tests"); /* the notes of the report explain it */
}

static void histogram(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_simt_histogram *histogram = &((const struct ws_simt_group *)row->sums)->histogram;
    ws_histogram_text(histogram, UINT32_MAX, value->buffer, sizeof(value->buffer));
    set_text(value, value->buffer);
}

static void lanes(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_simt_histogram *histogram = &((const struct ws_simt_group *)row->sums)->histogram;
    ws_histogram_text(histogram, HISTOGRAM_MOST, value->buffer, sizeof(value->buffer));
    set_text(value, value->buffer);
}

static cJSON *histogram_json(const struct ws_row *row)
{
    const struct ws_simt_histogram *histogram = &((const struct ws_simt_group *)row->sums)->histogram;
    cJSON *bins = cJSON_CreateObject();
    for (uint32_t i = histogram->bins; i > 0 && bins != NULL; --i) {
        char lanes[16];
        snprintf(lanes, sizeof(lanes), "%" PRIu32, i);
        if (histogram->counts[i - 1] > 0)
            ws_json_integer(bins, lanes, histogram->counts[i - 1]);
    }
    return bins;
}

static cJSON *subgroup_sizes(const struct ws_row *row)
{
    cJSON *sizes = cJSON_CreateArray();
    for (uint32_t bit = 0; bit < 8 && sizes != NULL; ++bit)
        if ((counts_of(row)->sizes >> bit & 1) != 0)
            ws_json_append(sizes, cJSON_CreateNumber(1u << bit));
    return sizes;
}

/* Device time (warpscope/model/times.h), of rows that are all launches, a launch or a pipeline. */

static bool is_alone(const struct ws_row *row, enum ws_simt_dimension dimension)
{
    for (uint32_t i = 0; i < WS_SIMT_DIMENSIONS; ++i)
        if (i != dimension && row->keys[i] != WS_KEY_NONE)
            return false;
    return row->keys[dimension] < WS_KEY_SEVERAL;
}

static bool is_total(const struct ws_row *row)
{
    for (uint32_t i = 0; i < WS_SIMT_DIMENSIONS; ++i)
        if (row->keys[i] != WS_KEY_NONE)
            return false;
    return true;
}

static bool find_time(const struct ws_row *row, uint64_t *nanoseconds)
{
    const struct ws_catalog *catalog = row->catalog;
    *nanoseconds = ws_times_total(catalog);
    if (!ws_times_any(catalog) || is_total(row))
        return ws_times_any(catalog);
    if (is_alone(row, WS_SIMT_LAUNCH))
        return ws_times_launch(catalog, row->keys[WS_SIMT_LAUNCH], nanoseconds);
    return is_alone(row, WS_SIMT_PIPELINE) &&
           ws_times_pipeline(catalog, (uint32_t)row->keys[WS_SIMT_PIPELINE], nanoseconds);
}

static void time_ns(const struct ws_row *row, struct ws_value *value)
{
    uint64_t nanoseconds;
    if (find_time(row, &nanoseconds))
        ws_value_count(value, nanoseconds);
}

static void time_shown(const struct ws_row *row, struct ws_value *value)
{
    uint64_t nanoseconds;
    if (find_time(row, &nanoseconds))
        set_text(value, ws_time_text((double)nanoseconds, value->buffer));
}

static void time_share(const struct ws_row *row, struct ws_value *value)
{
    uint64_t nanoseconds;
    if (find_time(row, &nanoseconds) && !is_total(row) && ws_times_total(row->catalog) > 0)
        ws_value_real(value, ws_times_share(row->catalog, nanoseconds));
}

bool ws_simt_add_times(struct ws_simt_results *results)
{
    const struct ws_catalog *catalog = results->catalog;
    const struct ws_times *times = &catalog->times;
    results->timed = calloc((size_t)catalog->pipeline_count + 1, sizeof(*results->timed));
    for (uint32_t i = 0; results->timed != NULL && i < times->count; ++i) {
        const struct ws_launch_record *launch = ws_catalog_launch(catalog, times->launches[i].launch);
        const struct ws_simt_group *group =
            ws_simt_row(results, WS_SIMT_BY_LAUNCH, times->launches[i].launch);
        const double time = (double)times->launches[i].nanoseconds;
        double share = 0;
        if (times->launches[i].state != WS_TIME_TAKEN || launch == NULL || group == NULL ||
            ws_simt_efficiency_weighted(&group->counts, &share) != WS_SIMT_SURE)
            continue;
        struct ws_simt_timed *to[] = {
            &results->timed[catalog->pipeline_count],
            launch->pipeline != WS_NONE ? &results->timed[launch->pipeline] : NULL,
        };
        for (size_t j = 0; j < 2 && to[j] != NULL; ++j) {
            to[j]->time += time;
            to[j]->weighted += time * share;
        }
    }
    return results->timed != NULL;
}

bool ws_simt_efficiency_by_time(const struct ws_simt_results *results, uint32_t pipeline, double *efficiency)
{
    const uint32_t place = pipeline != WS_NONE ? pipeline : results->catalog->pipeline_count;
    if (results->timed == NULL || results->timed[place].time <= 0)
        return false;
    *efficiency = results->timed[place].weighted / results->timed[place].time;
    return true;
}

static void efficiency_by_time(const struct ws_row *row, struct ws_value *value)
{
    const bool total = is_total(row);
    double share;
    if ((total || is_alone(row, WS_SIMT_PIPELINE)) &&
        ws_simt_efficiency_by_time(row->user, total ? WS_NONE : (uint32_t)row->keys[WS_SIMT_PIPELINE],
                                   &share))
        ws_value_real(value, share);
}

static const struct ws_field measures[] = {
    {"executions", "block executions by warps", WS_COUNT, .flags = WS_DASH, .value = executions,
     .better = WS_BETTER_LESS},
    {"threads", "block executions in stages that are counted per thread", WS_COUNT, .flags = WS_BLANK_ZERO,
     .value = threads},
    {"runs", "executions by warps, or by threads where these are counted", WS_COUNT, .flags = WS_TABLES,
     .value = runs},
    {"active_lanes", "sum of active lanes over executions", WS_COUNT, .value = active_lanes},
    {"lane_slots", "sum of subgroup sizes over executions; nothing where it is withheld", WS_COUNT,
     .value = lane_slots, .better = WS_BETTER_LESS},
    {"slots",
     "instruction slots: instructions of all lanes, idle ones among them; of what is counted\n"
     "per thread, or whose subgroup size is not known, no less than `instructions`",
     WS_COUNT, .value = instruction_slots},
    {"efficiency", "active_lanes / lane_slots, 0 to 1; nothing where it is withheld", WS_SHARE,
     .flags = WS_DASH, .value = efficiency, .better = WS_BETTER_MORE},
    {"efficiency_weighted", "the same, weighted by the blocks' instructions", WS_SHARE, .flags = WS_DASH,
     .value = efficiency_weighted, .better = WS_BETTER_MORE},
    {"executions_error", "standard error of executions and threads, where counters were sampled (--sample)",
     WS_COUNT, .value = executions_error},
    {"instructions_error", "the same of instructions", WS_COUNT, .value = instructions_error},
    {"efficiency_error",
     "the same of efficiency, in its unit; not known (-) where all warps drawn were alike", WS_SHARE,
     .value = efficiency_error},
    {"efficiency_weighted_error", "the same of efficiency_weighted", WS_SHARE,
     .value = efficiency_weighted_error},
    {"efficiency_by_time",
     "efficiency_weighted of launches, each weighted by its device time; of all and of\n"
     "pipelines, where times are known (pass time, --time)",
     WS_SHARE, .value = efficiency_by_time, .better = WS_BETTER_MORE, .flags = WS_MEASURED},
    {"time_ns", "device time; of all, launches and pipelines, where it is known", WS_COUNT, .value = time_ns,
     .better = WS_BETTER_LESS, .flags = WS_MEASURED},
    {"time", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = time_shown},
    {"time_share", "of the device time of all launches", WS_SHARE, .value = time_share, .flags = WS_MEASURED},
    {"partial_warps", "share of lane slots lost on entry; launched stages only", WS_SHARE, .flags = WS_DASH,
     .value = partial_warps, .better = WS_BETTER_LESS},
    {"helper_lanes", "the same of fragment shaders: helper lanes, and lanes that the device left empty",
     WS_SHARE, .value = helper_lanes, .better = WS_BETTER_LESS},
    {"instructions", "dynamic instruction count: sum of active lanes x instructions", WS_COUNT,
     .flags = WS_DASH, .value = instructions, .better = WS_BETTER_LESS},
    {"share", "of all instructions executed", WS_SHARE, .value = share},
    {"withheld", "why efficiencies are missing", WS_TEXT, .value = withheld},
    {"note", "the same, in tables", WS_TEXT, .flags = WS_TABLES, .value = note},
    {"histogram", "LANES:EXECUTIONS pairs, separated by spaces", WS_TEXT, .value = histogram,
     .json = histogram_json, .type = "integer{}"},
    {"lanes", "the same, cut for tables", WS_TEXT, .flags = WS_TABLES, .value = lanes},
    {"subgroup_sizes", "subgroup sizes of the executions", .json = subgroup_sizes, .type = "integer[]"},
    {NULL},
};

#define GROUP                                                                                                \
    " executions threads executions_error efficiency efficiency_error efficiency_weighted "                  \
    "efficiency_weighted_error partial_warps helper_lanes instructions note"
#define GROUP_DATA                                                                                           \
    " executions threads executions_error active_lanes lane_slots slots efficiency efficiency_error "        \
    "efficiency_weighted efficiency_weighted_error partial_warps helper_lanes instructions share withheld "  \
    "histogram subgroup_sizes"

static const struct ws_level levels[] = {
    [WS_SIMT_BY_ALL] = {"total", "SIMT efficiency", .text = GROUP " efficiency_by_time"},
    [WS_SIMT_BY_LAUNCH] =
        {"launches", "Launches", .by = 1u << WS_SIMT_LAUNCH,
         .text = "launch frame launch_kind indirect launch_size draws launch_pipeline label" GROUP
                 " time time_share"},
    [WS_SIMT_BY_PIPELINE] = {"pipelines", "Pipelines", .by = 1u << WS_SIMT_PIPELINE, .sort = "-instructions",
                             .filter = "pipeline_launches > 0",
                             .text = "pipeline_id pipeline pipeline_launches" GROUP
                                     " time time_share efficiency_by_time"},
    [WS_SIMT_BY_STAGE] = {"stages", "Stages", .by = 1u << WS_SIMT_STAGE, .rows = UINT32_MAX,
                          .text = "stage" GROUP},
    [WS_SIMT_BY_SHADER] = {"shaders", "Shaders", .by = 1u << WS_SIMT_SHADER, .sort = "-instructions",
                           .rows = 40, .text = "shader_id shader stage" GROUP},
    [WS_SIMT_BY_BLOCK] =
        {"blocks", "Hottest blocks, by share of all instructions executed", .by = 1u << WS_SIMT_BLOCK,
         .sort = "-instructions", .filter = "runs > 0",
         .text = "share runs efficiency efficiency_error length shader stage block part source lanes",
         .data = "shader_id shader stage block part source offset file line line_last length "
                 "counted" GROUP_DATA},
    [WS_SIMT_BY_OPCODE] = {"opcodes", "Instructions executed, by opcode", .by = 1u << WS_SIMT_OPCODE,
                           .sort = "-instructions", .ordered = true, .text = "opcode instructions share",
                           .data = "opcode_number opcode instructions share"},
    {NULL},
};

const struct ws_columns ws_simt_columns = {ws_simt_dimensions,
                                           measures,
                                           levels,
                                           sizeof(struct ws_simt_group),
                                           .shown = GROUP,
                                           .add = ws_simt_group_add,
                                           .finish = ws_simt_group_finish,
                                           .main = "efficiency_weighted efficiency instructions time_ns",
                                           .weight = "instructions"};

const char ws_simt_words[] =
    "An execution is one warp running one basic block. Efficiency is the share of its\n"
    "lanes that are active; weighted counts a block as many times as it has instructions.\n"
    "Partial is the share of lanes that launches left empty: the last warp of a launch or\n"
    "workgroup. It has no meaning for hit, intersection, miss and callable shaders: rows of\n"
    "several stages have it of the others only, but the efficiencies of all, so it is no\n"
    "part of what those lack. Helpers are the same of fragment shaders, where nearly all\n"
    "such lanes run beside a fragment for its derivatives. Instructions are counted once\n"
    "for each active lane. Length is a block's instructions; its active lanes are\n"
    "LANES:EXECUTIONS. By time is the weighted efficiency of launches, each counted by the\n"
    "time that it took on the device, where that is known (pass time, --time).\n";

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_simt_results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    ws_simt_begin(results, catalog);
    results->selection = options->selection;
    results->groups = ws_groups_create(&ws_simt_columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    free(results);
    return NULL;
}

static void destroy(void *pointer)
{
    struct ws_simt_results *results = pointer;
    ws_groups_destroy(results->groups);
    ws_simt_finish(results);
    free(results);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_simt_record(results, chunk, error);
}

static bool end(void *results, struct ws_error *error)
{
    return ws_simt_end(results, error) &&
           (ws_simt_add_times(results) || ws_error_set(error, "no memory for the times of launches"));
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct ws_simt_results *results = pointer;
    return results->groups;
}

const struct ws_simt_group *ws_simt_row(const struct ws_simt_results *results, enum ws_simt_level level,
                                        uint64_t key)
{
    uint64_t keys[WS_SIMT_DIMENSIONS] = {key, key, key, key, key, key};
    if (level == WS_SIMT_BY_SHADER)
        keys[WS_SIMT_STAGE] = ws_key_stage(results->catalog->shaders[key].stage);
    return ws_groups_find(results->groups, level, keys);
}

/* Whether something ran for which the share of partial warps has a meaning, and something else. */
static bool partial_is_of_a_part(const struct ws_simt_results *results)
{
    bool launched = false, called = false;
    for (uint32_t i = 0; i < STAGES; ++i) {
        const struct ws_simt_group *stage = ws_simt_row(results, WS_SIMT_BY_STAGE, 1u << i);
        const bool ran = stage != NULL && stage->counts.warps > 0;
        launched = launched || (ran && ws_simt_is_launched(1u << i));
        called = called || (ran && !ws_simt_is_launched(1u << i));
    }
    return launched && called;
}

static bool print_histogram(const struct ws_simt_histogram *histogram, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"lanes", true}, {"executions", true}, {"share", true}, {"", false}};
    struct ws_table table;
    uint64_t sum = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < histogram->bins; ++i) {
        sum = ws_simt_sum(sum, histogram->counts[i]);
        most = histogram->counts[i] > most ? histogram->counts[i] : most;
    }
    if (sum == 0)
        return true;
    fputs("\nActive lanes\n", stream);
    ws_table_init(&table, columns, 4);
    for (uint32_t i = histogram->bins; i > 0; --i) {
        static const char bar[] = "########################################";
        uint64_t count = histogram->counts[i - 1];
        if (count == 0)
            continue;
        ws_table_add(&table, "%" PRIu32, i);
        ws_table_add(&table, "%" PRIu64, count);
        ws_table_add(&table, "%.1f %%", 100 * ((double)count / (double)sum));
        ws_table_add(&table, "%.*s", (int)((sizeof(bar) - 1) * ((double)count / (double)most) + 0.5), bar);
    }
    const bool printed = !table.failed;
    if (printed)
        ws_table_print(&table, 2, stream);
    ws_table_finish(&table);
    return printed;
}

static bool text(const void *pointer, FILE *stream)
{
    const struct ws_simt_results *results = pointer;
    const struct ws_simt_counts *total = &results->total.counts;
    bool printed = true;
    if (total->warps == 0 && total->threads == 0)
        fputs("\nNothing was counted.\n", stream);
    else
        printed = ws_groups_text(results->groups, WS_SIMT_BY_ALL, stream);
    if (partial_is_of_a_part(results) && ws_groups_shows(results->groups, WS_SIMT_BY_ALL, "partial_warps"))
        fputs("  partial: of launches' lanes when they begin; the efficiencies: of all stages\n", stream);
    printed = printed && print_histogram(&results->total.histogram, stream);
    for (uint32_t i = WS_SIMT_BY_LAUNCH; i <= WS_SIMT_BY_OPCODE && printed; ++i)
        printed = ws_groups_text(results->groups, i, stream);
    return printed;
}

static void notes(const void *pointer, FILE *stream)
{
    const struct ws_simt_counts *total = &((const struct ws_simt_results *)pointer)->total.counts;
    if (total->wide > 0)
        fprintf(stream,
                "  wrong data: %" PRIu64 " execution%s more active lanes than the subgroup size; the "
                "efficiencies they touch are withheld\n",
                total->wide, total->wide == 1 ? " has" : "s have");
    if (total->saturated)
        fputs("  some sums exceed 64 bits and stand at the largest number there is\n", stream);
}

static const struct ws_member members[] = {
    {"executions_too_wide", "integer",
     "executions with more active lanes than the subgroup size: wrong data, whose efficiencies are withheld"},
    {NULL}};

static bool json(const void *pointer, struct ws_json *json)
{
    const struct ws_simt_results *results = pointer;
    ws_json_member(json, "executions_too_wide", ws_json_integer_item(results->total.counts.wide));
    return !json->failed;
}

/* Active lanes of block executions, stage on stage. */
static bool plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_simt_results *results = pointer;
    const uint32_t bins = results->total.histogram.bins;
    const double warps = (double)results->total.counts.warps;
    double *values = calloc((size_t)bins * (STAGES + 1) + 1, sizeof(*values));
    double *lane_counts = values + (size_t)bins * STAGES;
    struct ws_series series[STAGES];
    size_t count = 0;
    if (values == NULL)
        return ws_error_set(error, "no memory for the pictures");
    for (uint32_t i = 0; i < bins; ++i)
        lane_counts[i] = i + 1;
    for (uint32_t stage = 0; stage < STAGES && warps > 0; ++stage) {
        const struct ws_simt_group *group = ws_simt_row(results, WS_SIMT_BY_STAGE, 1u << stage);
        double *shares = values + (size_t)bins * count;
        if (group == NULL || group->counts.warps == 0)
            continue;
        for (uint32_t i = 0; i < group->histogram.bins && i < bins; ++i)
            shares[i] = 100 * ((double)group->histogram.counts[i] / warps);
        series[count++] = (struct ws_series){
            .name = ws_stage_name(1u << stage), .x = lane_counts, .y = shares, .count = bins};
    }
    const struct ws_plot plot = {.kind = WS_PLOT_STACKS,
                                 .title = "How full the warps were, by stage",
                                 .about =
                                     "Each execution of a basic block by a warp counts at the number of its "
                                     "lanes that were active. The further left, the emptier the warps.",
                                 .unit = " %",
                                 .x_label = "active lanes",
                                 .y_label = "% of block executions by warps",
                                 .series = series,
                                 .series_count = count};
    const bool plotted = count == 0 || ws_plots_plot(plots, "lanes", &plot, error);
    free(values);
    return plotted;
}

const char *ws_simt_no_instructions(const struct ws_catalog *catalog)
{
    uint32_t unreadable = 0;
    uint32_t readable = 0;
    for (uint32_t i = 0; i < catalog->module_count; ++i) {
        unreadable += catalog->modules[i].unreadable;
        readable += catalog->modules[i].site_count > 0 && !catalog->modules[i].unreadable;
    }
    return unreadable > 0 && readable == 0 ? "no module could be parsed" : "no instruction was executed";
}

static const char *const passes[] = {"simt_efficiency", NULL};

const struct ws_analysis ws_analysis_simt_efficiency = {
    .name = "simt_efficiency",
    .summary = "how full the warps were: per launch, pipeline, stage, shader and block",
    .answers = "how full warps are, and what shaders cost",
    .passes = passes,
    .columns = &ws_simt_columns,
    .words = ws_simt_words,
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .record = record,
    .end = end,
    .text = text,
    .notes = notes,
    .members = members,
    .json = json,
    .plots = plots,
};
