/* The same as JSON. Lanes are hexadecimal masks, the lowest lane the last bit. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/report/report.h"
#include "analysis/trace/trace.h"

#define NAME_SIZE 384

/* Numbers beyond 2^53 would lose digits in a double. */
static bool add_number(cJSON *object, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    return cJSON_AddRawToObject(object, key, text) != NULL;
}

static bool add_triple(cJSON *object, const char *key, const uint32_t value[3])
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    bool added = array != NULL;
    for (uint32_t i = 0; i < 3 && added; ++i)
        added = cJSON_AddItemToArray(array, cJSON_CreateNumber(value[i]));
    return added;
}

static cJSON *add_element(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

static bool add_shader(const struct ws_trace_results *results, uint32_t shader, cJSON *object)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, shader, name, sizeof(name));
    return add_number(object, "shader", record->id) &&
           cJSON_AddStringToObject(object, "name", name) != NULL &&
           cJSON_AddStringToObject(object, "stage", ws_stage_name(record->stage)) != NULL;
}

static bool add_summary(cJSON *object, const char *key, const struct ws_trace_summary *summary)
{
    cJSON *to = cJSON_AddObjectToObject(object, key);
    return to != NULL && add_number(to, "number", summary->total) && add_number(to, "blocks", summary->sum) &&
           add_number(to, "minimum", summary->minimum) && add_number(to, "median", summary->median) &&
           add_number(to, "ninety_percent", summary->ninety) && add_number(to, "maximum", summary->maximum);
}

static bool add_histogram(cJSON *object, const char *key, const struct ws_trace_counts *counts)
{
    cJSON *to = cJSON_AddObjectToObject(object, key);
    bool added = to != NULL;
    for (uint32_t i = 0; i < counts->count && added; ++i) {
        char blocks[32];
        snprintf(blocks, sizeof(blocks), "%" PRIu64, counts->counts[i].value);
        added = add_number(to, blocks, counts->counts[i].count);
    }
    return added;
}

static bool add_most(cJSON *object, const char *key, const struct ws_trace_most *most, uint32_t stage)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    bool added = array != NULL;
    for (uint32_t i = 0; i < most->count && added; ++i) {
        const struct ws_trace_place *place = &most->places[i];
        cJSON *to = add_element(array);
        char work[64];
        ws_trace_work_text(stage, place->work, work, sizeof(work));
        added = to != NULL && add_number(to, "value", place->value) &&
                add_number(to, "launch", place->launch) && add_number(to, "warp", place->warp) &&
                cJSON_AddStringToObject(to, "work", work) != NULL;
    }
    return added;
}

static bool add_called(cJSON *object, const char *key, const struct ws_trace_population *population)
{
    cJSON *to = cJSON_AddObjectToObject(object, key);
    bool added = to != NULL;
    for (uint32_t i = 0; i < WS_TRACE_CALLED && added; ++i)
        added = population->called[i] == 0 ||
                add_number(to, ws_stage_name(ws_trace_called_stage(i)), population->called[i]);
    return added;
}

static bool add_stage(const struct ws_trace_results *results, const struct ws_trace_stage *stage, cJSON *to)
{
    const char *no_map = ws_trace_no_map(stage->stage);
    const char *no_picture = ws_trace_no_picture(stage->stage);
    return to != NULL && add_shader(results, stage->shader, to) &&
           add_number(to, "launches", stage->launches) &&
           add_number(to, "launches_truncated", stage->truncated) &&
           add_number(to, "called", stage->called) && add_number(to, "regrouped", stage->regrouped) &&
           cJSON_AddStringToObject(to, "work_id", ws_trace_work_name(stage->stage)) != NULL &&
           (no_map == NULL || cJSON_AddStringToObject(to, "no_map", no_map) != NULL) &&
           (no_picture == NULL || cJSON_AddStringToObject(to, "no_picture", no_picture) != NULL) &&
           add_summary(to, "threads", &stage->threads.summary) &&
           add_summary(to, "warps", &stage->warps.summary) &&
           add_called(to, "called_by_threads", &stage->threads) &&
           add_called(to, "called_by_warps", &stage->warps) &&
           add_histogram(to, "threads_by_blocks", &stage->threads.lifetimes) &&
           add_histogram(to, "warps_by_blocks", &stage->warps.lifetimes) &&
           add_most(to, "threads_most_blocks", &stage->threads.blocks, stage->stage) &&
           add_most(to, "warps_most_blocks", &stage->warps.blocks, stage->stage) &&
           add_most(to, "threads_most_shaders", &stage->threads.executions, stage->stage) &&
           add_most(to, "warps_most_shaders", &stage->warps.executions, stage->stage);
}

static bool add_work_map(const struct ws_trace_shader *launched, cJSON *object)
{
    char text[96];
    uint64_t fitting = 0;
    cJSON *to = cJSON_AddObjectToObject(object, "warps_made_of");
    bool added = to != NULL && add_number(to, "subgroup_size", launched->work.lanes) &&
                 add_number(to, "full", launched->work.full) &&
                 add_number(to, "partial", launched->work.partial);
    if (!added || ws_trace_no_map(launched->stage) != NULL)
        return added;
    ws_trace_work_map_text(&launched->work, text, sizeof(text), &fitting);
    return cJSON_AddStringToObject(to, "pattern", text) != NULL && add_number(to, "fitting", fitting);
}

static bool add_launch(const struct ws_trace_results *results, const struct ws_trace_launch *launch,
                       cJSON *to)
{
    bool added = to != NULL && add_number(to, "index", launch->index) &&
                 add_number(to, "submission", launch->submission) &&
                 cJSON_AddStringToObject(to, "kind", ws_launch_kind_name(launch->kind)) != NULL &&
                 add_triple(to, "size", launch->size) &&
                 cJSON_AddStringToObject(to, "label", launch->label) != NULL &&
                 cJSON_AddBoolToObject(to, "truncated", launch->truncated) != NULL;
    cJSON *shaders = added ? cJSON_AddArrayToObject(to, "shaders") : NULL;
    added = shaders != NULL;
    for (uint32_t i = 0; i < launch->shader_count && added; ++i) {
        const struct ws_trace_shader *launched = &launch->shaders[i];
        cJSON *element = add_element(shaders);
        added = element != NULL && add_shader(results, launched->shader, element) &&
                add_number(element, "regrouped", launched->regrouped) &&
                add_summary(element, "threads", &launched->threads) &&
                add_summary(element, "warps", &launched->warps) && add_work_map(launched, element);
    }
    return added;
}

static bool add_lanes(cJSON *object, const struct ws_trace_step *step)
{
    char text[40];
    if (step->lane_count > 64)
        snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, step->lanes.high, step->lanes.low);
    else
        snprintf(text, sizeof(text), "%0*" PRIx64, step->lane_count < 4 ? 1 : (int)(step->lane_count / 4),
                 step->lanes.low);
    return cJSON_AddStringToObject(object, "lanes", text) != NULL;
}

static bool add_step(const struct ws_trace_results *results, const struct ws_trace_step *step, cJSON *to)
{
    static const char *const kinds[] = {"enter", "block", "end", "cut", "continue"};
    const struct ws_shader_record *shader = &results->catalog->shaders[step->shader];
    const struct ws_block_record *block = &results->catalog->modules[shader->module].blocks[step->block];
    return to != NULL && cJSON_AddStringToObject(to, "event", kinds[step->kind]) != NULL &&
           add_number(to, "depth", step->depth) && add_number(to, "shader", shader->id) &&
           add_lanes(to, step) &&
           (step->kind != WS_TRACE_BLOCK ||
            (add_number(to, "block", block->info.label) && add_number(to, "function", block->info.function)));
}

/* Adds the steps first .. end - 1, as long as there are lines left. */
static bool add_steps(const struct ws_trace_results *results, const struct ws_trace_path *path,
                      uint32_t first, uint32_t end, uint32_t *lines, cJSON *array)
{
    bool added = array != NULL;
    for (uint32_t i = first; i < end && added && *lines > 0; ++i) {
        const struct ws_trace_step *step = &path->steps[i];
        cJSON *to = add_element(array);
        --*lines;
        if (step->kind != WS_TRACE_REPEAT) {
            added = add_step(results, step, to);
            continue;
        }
        added =
            to != NULL && add_number(to, "times", step->count) &&
            add_steps(results, path, i + 1, i + 1 + step->length, lines, cJSON_AddArrayToObject(to, "steps"));
        i += step->length;
    }
    return added;
}

static bool add_path(const struct ws_trace_results *results, const struct ws_trace_path *path, cJSON *to)
{
    char work[64];
    uint32_t lines = path->limit;
    ws_trace_work_text(path->stage, path->work, work, sizeof(work));
    return to != NULL && cJSON_AddStringToObject(to, "of", path->is_warp ? "warp" : "thread") != NULL &&
           add_number(to, "launch", path->launch) && add_shader(results, path->shader, to) &&
           cJSON_AddStringToObject(to, "work", work) != NULL && add_number(to, "warp", path->warp) &&
           add_number(to, "lane", path->lane) && add_number(to, "blocks", path->blocks) &&
           add_number(to, "executions", path->executions) && add_number(to, "regrouped", path->regrouped) &&
           cJSON_AddBoolToObject(to, "truncated", path->truncated) != NULL &&
           cJSON_AddBoolToObject(to, "cut", path->step_count > path->limit) != NULL &&
           add_steps(results, path, 0, path->step_count, &lines, cJSON_AddArrayToObject(to, "steps"));
}

bool ws_trace_json(const void *user, cJSON *object)
{
    const struct ws_trace_results *results = user;
    bool added = results->sampled == NULL ||
                 cJSON_AddStringToObject(object, "recorded_threads", results->sampled) != NULL;
    cJSON *array = cJSON_AddArrayToObject(object, "stages");
    added = added && array != NULL;
    for (uint32_t i = 0; i < results->stage_count && added; ++i)
        added = add_stage(results, &results->stages[i], add_element(array));
    array = cJSON_AddArrayToObject(object, "launches");
    added = added && array != NULL;
    for (uint32_t i = 0; i < results->launch_count && added; ++i)
        added = add_launch(results, &results->launches[i], add_element(array));
    if (!ws_trace_is_chosen(results))
        return added;
    array = cJSON_AddArrayToObject(object, "traces");
    added = added && array != NULL && add_number(object, "traces_left_out", results->paths_left_out) &&
            add_number(object, "traces_in_other_launches", results->path_launches);
    for (uint32_t i = 0; i < results->path_count && added; ++i)
        added = add_path(results, results->paths[i], add_element(array));
    return added;
}
