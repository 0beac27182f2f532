/* The report for programs: one JSON object. Lists are written element by element, so that their length
 * costs no memory. Integers are written in full: readers that have only doubles may round them. */
#include <inttypes.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "code.h"
#include "report.h"

#define NAME_SIZE 256

/* A list or object being written. */
struct writer {
    FILE *stream;
    bool first;  /* no element was written to the open list yet */
    bool failed; /* no memory */
};

static void add_integer(cJSON *object, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    cJSON_AddRawToObject(object, key, text);
}

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
            add_integer(bins, lanes, histogram->counts[i - 1]);
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
    add_integer(object, "executions", counts->warps);
    add_integer(object, "threads", counts->threads);
    add_integer(object, "active_lanes", counts->active);
    if (doubt == WS_SIMT_SURE)
        add_integer(object, "lane_slots", counts->slots);
    else
        cJSON_AddNullToObject(object, "lane_slots");
    add_share(object, "efficiency", doubt, efficiency);
    add_share(object, "efficiency_weighted", weighted_doubt, weighted);
    add_share(object, "partial_warps", partial_doubt, partial);
    if (doubt != WS_SIMT_SURE)
        cJSON_AddStringToObject(object, "withheld", ws_simt_doubt_text(doubt, counts, text, sizeof(text)));
    add_integer(object, "instructions", counts->instructions);
    cJSON *sizes = cJSON_AddArrayToObject(object, "subgroup_sizes");
    for (uint32_t bit = 0; bit < 8; ++bit)
        if ((counts->sizes >> bit & 1) != 0)
            cJSON_AddItemToArray(sizes, cJSON_CreateNumber(1u << bit));
    add_histogram(object, histogram);
}

/* Writes `element`, and frees it. cJSON escapes only the control characters that JSON forbids; DEL and C1,
 * which can stand only in texts, are escaped here, so that they do not reach a terminal. */
static void write_value(struct writer *writer, cJSON *element)
{
    char *text = cJSON_PrintUnformatted(element);
    cJSON_Delete(element);
    if (text == NULL) {
        writer->failed = true;
        return;
    }
    for (const char *at = text; *at != '\0';) {
        size_t control = ws_text_control_length(at);
        if (control > 0)
            fprintf(writer->stream, "\\u%04x", (unsigned char)at[control - 1]);
        else
            fputc(*at, writer->stream);
        at += control > 0 ? control : 1;
    }
    cJSON_free(text);
    writer->first = false;
}

/* Writes one element of the open list and frees it. */
static void write_element(struct writer *writer, cJSON *element)
{
    fputs(writer->first ? "\n    " : ",\n    ", writer->stream);
    write_value(writer, element);
}

static void open_list(struct writer *writer, const char *key)
{
    fprintf(writer->stream, ",\n  \"%s\": [", key);
    writer->first = true;
}

static void close_list(struct writer *writer)
{
    fputs(writer->first ? "]" : "\n  ]", writer->stream);
}

/* Writes `"key": element` of the outermost object, and frees the element. */
static void write_member(struct writer *writer, const char *key, cJSON *element)
{
    fprintf(writer->stream, "%s  \"%s\": ", writer->first ? "\n" : ",\n", key);
    write_value(writer, element);
}

static cJSON *describe_capture(const struct ws_analysis *analysis)
{
    const struct ws_overview *overview = &analysis->overview;
    const struct ws_reader_summary *reading = &overview->reading;
    cJSON *capture = cJSON_CreateObject();
    cJSON_AddStringToObject(capture, "file", analysis->path);
    cJSON_AddStringToObject(capture, "warpscope", overview->version);
    cJSON_AddStringToObject(capture, "application", overview->application);
    cJSON_AddStringToObject(capture, "engine", overview->engine);
    cJSON_AddStringToObject(capture, "command_line", overview->command_line);
    add_integer(capture, "process_id", overview->process_id);
    add_integer(capture, "start_ns", overview->start);
    cJSON *passes = cJSON_AddArrayToObject(capture, "passes");
    for (uint32_t i = 0; i < overview->pass_count; ++i)
        cJSON_AddItemToArray(passes, cJSON_CreateString(overview->passes[i]));
    cJSON *settings = cJSON_AddObjectToObject(capture, "settings");
    for (uint32_t i = 0; i < overview->setting_count; ++i)
        cJSON_AddStringToObject(settings, overview->settings[i].key, overview->settings[i].value);
    add_integer(capture, "submissions", overview->submissions);
    add_integer(capture, "invocations", analysis->simt.invocation_count);
    add_integer(capture, "invocations_outside_range", overview->outside);
    add_integer(capture, "invocations_overlapped", analysis->simt.overlapped);
    add_integer(capture, "frames", overview->frames);
    add_integer(capture, "executions_too_wide", analysis->simt.total.counts.wide);
    add_integer(capture, "modules_unreadable", analysis->simt.unreadable_modules);
    add_integer(capture, "chunks", reading->chunks);
    add_integer(capture, "chunks_damaged", reading->damaged);
    add_integer(capture, "chunks_orphaned", reading->orphaned);
    add_integer(capture, "chunks_unknown", reading->unknown);
    add_integer(capture, "bytes", reading->bytes);
    cJSON_AddBoolToObject(capture, "cut_short", reading->broken || !reading->closed);
    return capture;
}

static void write_devices(struct writer *writer, const struct ws_catalog *catalog)
{
    open_list(writer, "devices");
    for (uint32_t i = 0; i < catalog->device_count; ++i) {
        const struct ws_device_record *device = &catalog->devices[i];
        cJSON *object = cJSON_CreateObject();
        char version[32];
        snprintf(version, sizeof(version), "%u.%u.%u", device->api_version >> 22 & 0x7f,
                 device->api_version >> 12 & 0x3ff, device->api_version & 0xfff);
        add_integer(object, "id", device->id);
        cJSON_AddStringToObject(object, "name", device->name);
        cJSON_AddStringToObject(object, "driver", device->driver_name);
        cJSON_AddStringToObject(object, "driver_info", device->driver_info);
        cJSON_AddStringToObject(object, "vulkan", version);
        add_integer(object, "subgroup_size", device->subgroup_size);
        add_integer(object, "subgroup_size_min", device->subgroup_size_min);
        add_integer(object, "subgroup_size_max", device->subgroup_size_max);
        write_element(writer, object);
    }
    close_list(writer);
}

static void write_stages(struct writer *writer, const struct ws_simt_results *results)
{
    open_list(writer, "stages");
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i) {
        const struct ws_simt_group *group = &results->stages[i];
        if (group->counts.warps == 0 && group->counts.threads == 0)
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "stage", ws_stage_name(1u << i));
        add_group(object, &group->counts, &group->histogram);
        write_element(writer, object);
    }
    close_list(writer);
}

static void write_pipelines(struct writer *writer, const struct ws_analysis *analysis)
{
    static const char *const kinds[] = {"graphics", "compute", "ray_tracing", "shader_object"};
    const struct ws_simt_results *results = &analysis->simt;
    open_list(writer, "pipelines");
    for (uint32_t i = 0; i < results->pipeline_count; ++i) {
        const struct ws_pipeline_record *pipeline = &analysis->catalog.pipelines[i];
        cJSON *object = cJSON_CreateObject();
        add_integer(object, "id", pipeline->id);
        cJSON_AddStringToObject(object, "kind", pipeline->kind < 4 ? kinds[pipeline->kind] : "unknown");
        cJSON_AddStringToObject(object, "name", pipeline->name);
        cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
        for (uint32_t j = 0; j < pipeline->shader_count; ++j)
            cJSON_AddItemToArray(shaders,
                                 cJSON_CreateNumber(analysis->catalog.shaders[pipeline->shaders[j]].id));
        add_integer(object, "invocations", results->pipelines[i].invocations);
        add_group(object, &results->pipelines[i].group.counts, &results->pipelines[i].group.histogram);
        write_element(writer, object);
    }
    close_list(writer);
    cJSON *shared = cJSON_CreateObject();
    add_group(shared, &results->shared_pipelines.counts, &results->shared_pipelines.histogram);
    writer->first = false;
    write_member(writer, "shaders_of_several_pipelines", shared);
}

static void write_shaders(struct writer *writer, const struct ws_analysis *analysis)
{
    open_list(writer, "shaders");
    for (uint32_t i = 0; i < analysis->simt.shader_count; ++i) {
        const struct ws_simt_shader *sums = &analysis->simt.shaders[i];
        const struct ws_shader_record *shader = &analysis->catalog.shaders[i];
        const struct ws_module_record *module = &analysis->catalog.modules[shader->module];
        cJSON *object = cJSON_CreateObject();
        char hash[20];
        snprintf(hash, sizeof(hash), "%016" PRIx64, module->hash);
        add_integer(object, "id", shader->id);
        cJSON_AddStringToObject(object, "module", module->name);
        cJSON_AddStringToObject(object, "source", module->source);
        cJSON_AddStringToObject(object, "hash", hash);
        cJSON_AddStringToObject(object, "entry", shader->name);
        cJSON_AddStringToObject(object, "stage", ws_stage_name(shader->stage));
        cJSON_AddBoolToObject(object, "instrumented", shader->entry != WS_NONE);
        add_integer(object, "specialization_constants", shader->specialization_count);
        add_integer(object, "invocations", sums->invocations);
        add_group(object, &sums->group.counts, &sums->group.histogram);
        write_element(writer, object);
    }
    close_list(writer);
}

static cJSON *describe_block(const struct ws_analysis *analysis, uint32_t shader, uint32_t index)
{
    const struct ws_shader_record *record = &analysis->catalog.shaders[shader];
    const struct ws_block_record *block = &analysis->catalog.modules[record->module].blocks[index];
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    cJSON *object = cJSON_CreateObject();
    ws_simt_block(&analysis->simt, shader, index, &counts, &histogram);
    add_integer(object, "shader", record->id);
    add_integer(object, "label", block->info.label);
    add_integer(object, "offset", block->info.offset);
    add_integer(object, "length", block->info.instruction_count);
    if (block->file != NULL) {
        cJSON_AddStringToObject(object, "file", block->file);
        add_integer(object, "line", block->line);
        add_integer(object, "line_last", block->line_last);
    }
    cJSON_AddBoolToObject(object, "counted", block->row != WS_NONE);
    add_group(object, &counts, &histogram);
    return object;
}

static void write_blocks(struct writer *writer, const struct ws_analysis *analysis)
{
    open_list(writer, "blocks");
    for (uint32_t i = 0; i < analysis->simt.shader_count; ++i) {
        const struct ws_entry_record *entry = ws_catalog_entry(&analysis->catalog, i);
        for (uint32_t j = 0; entry != NULL && j < entry->block_count; ++j)
            write_element(writer, describe_block(analysis, i, entry->blocks[j]));
    }
    close_list(writer);
}

static void write_opcodes(struct writer *writer, const struct ws_simt_results *results)
{
    open_list(writer, "opcodes");
    for (uint32_t i = 0; i < results->opcode_count; ++i) {
        const char *name = ws_opcode_name(results->opcodes[i].opcode);
        cJSON *object = cJSON_CreateObject();
        add_integer(object, "opcode", results->opcodes[i].opcode);
        cJSON_AddStringToObject(object, "name", name != NULL ? name : "");
        add_integer(object, "instructions", results->opcodes[i].instructions);
        write_element(writer, object);
    }
    close_list(writer);
}

static void write_invocations(struct writer *writer, const struct ws_analysis *analysis)
{
    open_list(writer, "invocations");
    for (uint32_t i = 0; i < analysis->simt.invocation_count; ++i) {
        const struct ws_simt_invocation *invocation = &analysis->simt.invocations[i];
        cJSON *object = cJSON_CreateObject();
        add_integer(object, "index", invocation->index);
        add_integer(object, "frame", invocation->frame);
        add_integer(object, "submission", invocation->submission);
        cJSON_AddStringToObject(object, "kind", ws_invocation_kind_name(invocation->kind));
        cJSON *size = cJSON_AddArrayToObject(object, "size");
        for (int j = 0; j < 3; ++j)
            cJSON_AddItemToArray(size, cJSON_CreateNumber(invocation->size[j]));
        cJSON_AddBoolToObject(object, "indirect", (invocation->flags & WS_INVOCATION_INDIRECT) != 0);
        cJSON_AddBoolToObject(object, "resumed", (invocation->flags & WS_INVOCATION_SUSPENDED) != 0);
        cJSON_AddBoolToObject(object, "overlapped", invocation->overlapped);
        add_integer(object, "draws", invocation->draws);
        cJSON_AddStringToObject(object, "label", invocation->label);
        cJSON_AddStringToObject(object, "command_buffer", invocation->command_buffer);
        if (invocation->pipeline != WS_NONE)
            add_integer(object, "pipeline", analysis->catalog.pipelines[invocation->pipeline].id);
        else
            cJSON_AddNullToObject(object, "pipeline");
        add_integer(object, "pipelines", invocation->pipeline_count);
        add_group(object, &invocation->group.counts, &invocation->group.histogram);
        write_element(writer, object);
    }
    close_list(writer);
}

static void write_left_out(struct writer *writer, const struct ws_overview *overview)
{
    static const char *const severities[] = {"information", "warning", "error"};
    open_list(writer, "left_out");
    for (uint32_t i = 0; i < overview->skip_count; ++i) {
        const struct ws_overview_skip *skip = &overview->skips[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "kind", ws_skip_kind_name(skip->kind));
        cJSON_AddStringToObject(object, "pass", skip->pass != NULL ? skip->pass : "");
        cJSON_AddStringToObject(object, "reason", skip->reason);
        add_integer(object, "count", skip->count);
        write_element(writer, object);
    }
    close_list(writer);
    open_list(writer, "messages");
    for (uint32_t i = 0; i < overview->message_count; ++i) {
        const struct ws_overview_message *message = &overview->messages[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "severity",
                                message->severity < 3 ? severities[message->severity] : "unknown");
        cJSON_AddStringToObject(object, "text", message->text);
        add_integer(object, "count", message->count);
        write_element(writer, object);
    }
    close_list(writer);
}

bool ws_report_json(const struct ws_analysis *analysis, FILE *stream)
{
    struct writer writer = {.stream = stream, .first = true};
    cJSON *total = cJSON_CreateObject();
    add_group(total, &analysis->simt.total.counts, &analysis->simt.total.histogram);
    fputc('{', stream);
    write_member(&writer, "capture", describe_capture(analysis));
    write_member(&writer, "total", total);
    write_devices(&writer, &analysis->catalog);
    write_stages(&writer, &analysis->simt);
    write_pipelines(&writer, analysis);
    write_shaders(&writer, analysis);
    write_blocks(&writer, analysis);
    write_opcodes(&writer, &analysis->simt);
    write_invocations(&writer, analysis);
    write_left_out(&writer, &analysis->overview);
    fputs("\n}\n", stream);
    return !writer.failed;
}
