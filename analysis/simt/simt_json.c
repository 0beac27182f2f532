/* The report of SIMT efficiency for programs. */
#include <inttypes.h>

#include "analysis/output/json.h"
#include "analysis/report/report.h"
#include "analysis/simt/simt_report.h"
#include "passes/spirv/code.h"

#define NAME_SIZE 256

static void add_share(cJSON *object, const char *key, enum ws_simt_doubt doubt, double value)
{
    if (doubt == WS_SIMT_SURE)
        cJSON_AddNumberToObject(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_histogram(cJSON *object, const struct ws_simt_histogram *histogram)
{
    cJSON *bins = cJSON_AddObjectToObject(object, "histogram");
    for (uint32_t i = histogram->bins; i > 0; --i) {
        char lanes[16];
        snprintf(lanes, sizeof(lanes), "%" PRIu32, i);
        if (histogram->counts[i - 1] > 0)
            ws_json_integer(bins, lanes, histogram->counts[i - 1]);
    }
}

static void add_group(cJSON *object, const struct ws_simt_counts *counts,
                      const struct ws_simt_histogram *histogram)
{
    char text[NAME_SIZE];
    double efficiency = 0;
    double weighted = 0;
    double partial = 0;
    enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &efficiency);
    enum ws_simt_doubt weighted_doubt = ws_simt_efficiency_weighted(counts, &weighted);
    enum ws_simt_doubt partial_doubt = ws_simt_partial(counts, &partial);
    ws_json_integer(object, "executions", counts->warps);
    ws_json_integer(object, "threads", counts->threads);
    ws_json_integer(object, "active_lanes", counts->active);
    if (doubt == WS_SIMT_SURE)
        ws_json_integer(object, "lane_slots", counts->slots);
    else
        cJSON_AddNullToObject(object, "lane_slots");
    add_share(object, "efficiency", doubt, efficiency);
    add_share(object, "efficiency_weighted", weighted_doubt, weighted);
    add_share(object, "partial_warps", partial_doubt, partial);
    if (doubt != WS_SIMT_SURE)
        cJSON_AddStringToObject(object, "withheld", ws_simt_doubt_text(doubt, counts, text, sizeof(text)));
    ws_json_integer(object, "instructions", counts->instructions);
    cJSON *sizes = cJSON_AddArrayToObject(object, "subgroup_sizes");
    for (uint32_t bit = 0; bit < 8; ++bit)
        if ((counts->sizes >> bit & 1) != 0)
            cJSON_AddItemToArray(sizes, cJSON_CreateNumber(1u << bit));
    add_histogram(object, histogram);
}

static void write_stages(struct ws_json *json, const struct ws_simt_results *results)
{
    ws_json_open_list(json, "stages");
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i) {
        const struct ws_simt_group *group = &results->stages[i];
        if (group->counts.warps == 0 && group->counts.threads == 0)
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "stage", ws_stage_name(1u << i));
        add_group(object, &group->counts, &group->histogram);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void write_pipelines(struct ws_json *json, const struct ws_simt_results *results)
{
    static const char *const kinds[] = {"graphics", "compute", "ray_tracing", "shader_object"};
    ws_json_open_list(json, "pipelines");
    for (uint32_t i = 0; i < results->pipeline_count; ++i) {
        const struct ws_pipeline_record *pipeline = &results->catalog->pipelines[i];
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "id", pipeline->id);
        cJSON_AddStringToObject(object, "kind", pipeline->kind < 4 ? kinds[pipeline->kind] : "unknown");
        cJSON_AddStringToObject(object, "name", pipeline->name);
        cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
        for (uint32_t j = 0; j < pipeline->shader_count; ++j)
            cJSON_AddItemToArray(shaders,
                                 cJSON_CreateNumber(results->catalog->shaders[pipeline->shaders[j]].id));
        ws_json_integer(object, "launches", results->pipelines[i].launches);
        add_group(object, &results->pipelines[i].group.counts, &results->pipelines[i].group.histogram);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
    cJSON *shared = cJSON_CreateObject();
    add_group(shared, &results->shared_pipelines.counts, &results->shared_pipelines.histogram);
    ws_json_member(json, "shaders_of_several_pipelines", shared);
}

static void write_shaders(struct ws_json *json, const struct ws_simt_results *results)
{
    ws_json_open_list(json, "shaders");
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        const struct ws_simt_shader *sums = &results->shaders[i];
        const struct ws_shader_record *shader = &results->catalog->shaders[i];
        const struct ws_module_record *module = &results->catalog->modules[shader->module];
        cJSON *object = cJSON_CreateObject();
        char hash[20];
        char name[NAME_SIZE];
        snprintf(hash, sizeof(hash), "%016" PRIx64, module->hash);
        ws_catalog_shader_name(results->catalog, i, name, sizeof(name));
        ws_json_integer(object, "id", shader->id);
        cJSON_AddStringToObject(object, "name", name);
        cJSON_AddStringToObject(object, "module", module->name);
        cJSON_AddStringToObject(object, "source", module->source);
        cJSON_AddStringToObject(object, "hash", hash);
        cJSON_AddStringToObject(object, "entry", shader->name);
        cJSON_AddStringToObject(object, "stage", ws_stage_name(shader->stage));
        cJSON_AddBoolToObject(object, "instrumented", shader->entry != WS_NONE);
        ws_json_integer(object, "specialization_constants", shader->specialization_count);
        ws_json_integer(object, "launches", sums->launches);
        add_group(object, &sums->group.counts, &sums->group.histogram);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static cJSON *describe_block(const struct ws_simt_results *results, uint32_t shader, uint32_t index)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    const struct ws_block_record *block = &results->catalog->modules[record->module].blocks[index];
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    cJSON *object = cJSON_CreateObject();
    ws_simt_block(results, shader, index, &counts, &histogram);
    ws_json_integer(object, "shader", record->id);
    ws_json_integer(object, "block", block->info.label);
    ws_json_integer(object, "offset", block->info.offset);
    ws_json_integer(object, "length", block->info.instruction_count);
    if (block->file != NULL) {
        cJSON_AddStringToObject(object, "file", block->file);
        ws_json_integer(object, "line", block->line);
        ws_json_integer(object, "line_last", block->line_last);
    }
    cJSON_AddBoolToObject(object, "counted", block->row != WS_NONE);
    add_group(object, &counts, &histogram);
    return object;
}

static void write_blocks(struct ws_json *json, const struct ws_simt_results *results)
{
    ws_json_open_list(json, "blocks");
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        const struct ws_entry_record *entry = ws_catalog_entry(results->catalog, i);
        for (uint32_t j = 0; entry != NULL && j < entry->block_count; ++j)
            ws_json_element(json, describe_block(results, i, entry->blocks[j]));
    }
    ws_json_close_list(json);
}

static void write_opcodes(struct ws_json *json, const struct ws_simt_results *results)
{
    ws_json_open_list(json, "opcodes");
    for (uint32_t i = 0; i < results->opcode_count; ++i) {
        const char *name = ws_opcode_name(results->opcodes[i].opcode);
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "opcode", results->opcodes[i].opcode);
        cJSON_AddStringToObject(object, "name", name != NULL ? name : "");
        ws_json_integer(object, "instructions", results->opcodes[i].instructions);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void write_launches(struct ws_json *json, const struct ws_simt_results *results)
{
    ws_json_open_list(json, "launches");
    for (uint32_t i = 0; i < results->launch_count; ++i) {
        const struct ws_simt_launch *launch = &results->launches[i];
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "index", launch->index);
        ws_json_integer(object, "frame", launch->frame);
        ws_json_integer(object, "submission", launch->submission);
        cJSON_AddStringToObject(object, "kind", ws_launch_kind_name(launch->kind));
        cJSON *size = cJSON_AddArrayToObject(object, "size");
        for (int j = 0; j < 3; ++j)
            cJSON_AddItemToArray(size, cJSON_CreateNumber(launch->size[j]));
        cJSON_AddBoolToObject(object, "indirect", (launch->flags & WS_LAUNCH_INDIRECT) != 0);
        cJSON_AddBoolToObject(object, "resumed", (launch->flags & WS_LAUNCH_SUSPENDED) != 0);
        cJSON_AddBoolToObject(object, "overlapped", launch->overlapped);
        ws_json_integer(object, "draws", launch->draws);
        cJSON_AddStringToObject(object, "label", launch->label);
        cJSON_AddStringToObject(object, "command_buffer", launch->command_buffer);
        if (launch->pipeline != WS_NONE)
            ws_json_integer(object, "pipeline", results->catalog->pipelines[launch->pipeline].id);
        else
            cJSON_AddNullToObject(object, "pipeline");
        ws_json_integer(object, "pipelines", launch->pipeline_count);
        add_group(object, &launch->group.counts, &launch->group.histogram);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

bool ws_simt_json(const struct ws_simt_results *results, struct ws_json *json)
{
    cJSON *total = cJSON_CreateObject();
    add_group(total, &results->total.counts, &results->total.histogram);
    ws_json_member(json, "total", total);
    ws_json_member(json, "executions_too_wide", ws_json_integer_item(results->total.counts.wide));
    write_stages(json, results);
    write_pipelines(json, results);
    write_shaders(json, results);
    write_blocks(json, results);
    write_opcodes(json, results);
    write_launches(json, results);
    return !json->failed;
}
