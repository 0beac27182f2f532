/* shaders.json: every shader of the capture.
 *
 *     {"shaders": [{
 *         shader_id, shader, stage, module    as in reports; the module's hash in hexadecimal
 *         pipeline                            the one pipeline that has it; null = none, or several
 *         instrumented                        false: it has no figures
 *         source                              whether its module holds its source
 *         executions, efficiency              as in simt_efficiency; null where not known
 *         slots, share                        instruction slots (ws_simt_slots), and their share of those of all shaders
 *     }]} */
#include <inttypes.h>

#include "analysis/annotate/annotate.h"
#include "analysis/annotate/report_simt.h"
#include "analysis/viewer/shaders/modules.h"
#include "warpscope/model/launch.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"

/* Whether the module of the shader holds its source. */
static bool has_source(const struct ws_catalog *catalog, uint32_t shader,
                       const struct ws_shader_words *module, struct ws_json *json)
{
    struct ws_error unread = {{0}};
    if (module->words == NULL)
        return false;
    struct ws_code *code = ws_code_create(module->words, module->count, &unread);
    json->failed = json->failed || ws_error_is_memory(&unread);
    const bool found = code != NULL && ws_annotate_has_source(catalog, shader, code);
    ws_code_destroy(code);
    return found;
}

static uint64_t slots_of(const struct ws_simt_results *simt, uint32_t shader)
{
    return simt != NULL ? ws_simt_slots(&simt->shaders[shader].counts) : 0;
}

static void add_figures(cJSON *object, const struct ws_simt_results *simt, uint32_t shader, uint64_t slots)
{
    double efficiency = 0;
    if (simt == NULL) {
        cJSON_AddNullToObject(object, "executions");
        cJSON_AddNullToObject(object, "efficiency");
        cJSON_AddNullToObject(object, "slots");
        cJSON_AddNullToObject(object, "share");
        return;
    }
    const struct ws_simt_counts *counts = &simt->shaders[shader].counts;
    ws_json_integer(object, "executions", ws_simt_sum(counts->warps, counts->threads));
    if (ws_simt_efficiency(counts, &efficiency) == WS_SIMT_SURE)
        ws_json_number(object, "efficiency", efficiency);
    else
        cJSON_AddNullToObject(object, "efficiency");
    ws_json_integer(object, "slots", slots_of(simt, shader));
    if (slots > 0)
        ws_json_number(object, "share", (double)slots_of(simt, shader) / (double)slots);
    else
        cJSON_AddNullToObject(object, "share");
}

static cJSON *shader_object(const struct ws_catalog *catalog, const struct ws_simt_results *simt,
                            uint32_t index, uint64_t slots, bool source)
{
    const struct ws_shader_record *shader = &catalog->shaders[index];
    char hash[20];
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "shader_id", shader->id);
    cJSON_AddStringToObject(object, "shader", ws_shader_name(catalog, index));
    cJSON_AddStringToObject(object, "stage", ws_stage_name(shader->stage));
    snprintf(hash, sizeof(hash), "%016" PRIx64, catalog->modules[shader->module].hash);
    cJSON_AddStringToObject(object, "module", hash);
    if (shader->pipeline < catalog->pipeline_count)
        cJSON_AddStringToObject(object, "pipeline", ws_pipeline_name(catalog, shader->pipeline));
    else
        cJSON_AddNullToObject(object, "pipeline");
    cJSON_AddBoolToObject(object, "instrumented", shader->entry != WS_NONE);
    cJSON_AddBoolToObject(object, "source", source);
    add_figures(object, simt, index, slots);
    return object;
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    const struct ws_catalog *catalog = &capture->report.catalog;
    const struct ws_simt_results *simt = ws_report_simt(&capture->report);
    const struct ws_shader_words *modules = ws_viewer_modules(capture, error);
    uint64_t slots = 0;
    struct ws_json json;
    (void)viewer, (void)query;
    if (modules == NULL)
        return false;
    for (uint32_t i = 0; i < catalog->shader_count; ++i)
        slots = ws_simt_sum(slots, slots_of(simt, i));
    ws_json_begin(&json, stream);
    ws_json_open_list(&json, "shaders");
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        const bool source = has_source(catalog, i, &modules[catalog->shaders[i].module], &json);
        ws_json_element(&json, shader_object(catalog, simt, i, slots, source));
    }
    ws_json_close_list(&json);
    return ws_json_end(&json);
}

const struct ws_viewer_resource ws_viewer_resource_shaders = {
    .name = "shaders.json",
    .help = "every shader, with its share of the work",
    .answer = answer,
};
