/* The report as one JSON object. */
#include "analysis/output/json.h"
#include "analysis/report/report.h"

static uint64_t unreadable_modules(const struct ws_catalog *catalog)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < catalog->module_count; ++i)
        count += catalog->modules[i].unreadable;
    return count;
}

static cJSON *describe_capture(const struct ws_report *report)
{
    const struct ws_overview *overview = &report->overview;
    const struct ws_reader_summary *reading = &overview->reading;
    cJSON *capture = cJSON_CreateObject();
    cJSON_AddStringToObject(capture, "file", report->path);
    cJSON_AddStringToObject(capture, "warpscope", overview->version);
    cJSON_AddStringToObject(capture, "application", overview->application);
    cJSON_AddStringToObject(capture, "engine", overview->engine);
    cJSON_AddStringToObject(capture, "command_line", overview->command_line);
    ws_json_integer(capture, "process_id", overview->process_id);
    ws_json_integer(capture, "start_ns", overview->start);
    cJSON *passes = cJSON_AddArrayToObject(capture, "passes");
    for (uint32_t i = 0; i < overview->pass_count; ++i)
        cJSON_AddItemToArray(passes, cJSON_CreateString(overview->passes[i]));
    cJSON *settings = cJSON_AddObjectToObject(capture, "settings");
    for (uint32_t i = 0; i < overview->setting_count; ++i)
        cJSON_AddStringToObject(settings, overview->settings[i].key, overview->settings[i].value);
    ws_json_integer(capture, "submissions", overview->submissions);
    ws_json_integer(capture, "launches", overview->launches);
    ws_json_integer(capture, "launches_outside_range", overview->outside);
    ws_json_integer(capture, "launches_overlapped", overview->overlapped);
    ws_json_integer(capture, "frames", overview->frames);
    ws_json_integer(capture, "modules_unreadable", unreadable_modules(&report->catalog));
    ws_json_integer(capture, "chunks", reading->chunks);
    ws_json_integer(capture, "chunks_damaged", reading->damaged);
    ws_json_integer(capture, "chunks_orphaned", reading->orphaned);
    ws_json_integer(capture, "chunks_unknown", reading->unknown);
    ws_json_integer(capture, "bytes", reading->bytes);
    cJSON_AddBoolToObject(capture, "cut_short", reading->broken || !reading->closed);
    if (report->stopped.message[0] != '\0')
        cJSON_AddStringToObject(capture, "read_in_part", report->stopped.message);
    return capture;
}

static cJSON *describe_replay(const struct ws_replay_losses *losses)
{
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "launches", losses->launches);
    ws_json_integer(object, "records", losses->records);
    ws_json_integer(object, "bytes", losses->bytes);
    ws_json_integer(object, "missing_words", losses->missing);
    ws_json_integer(object, "sufficient_words", losses->sufficient);
    ws_json_integer(object, "launches_truncated", losses->truncated);
    ws_json_integer(object, "records_malformed", losses->malformed);
    ws_json_integer(object, "contexts_regrouped", losses->regrouped);
    ws_json_integer(object, "contexts_continued", losses->continued);
    ws_json_integer(object, "contexts_unrooted", losses->unrooted);
    ws_json_integer(object, "warps_unsized", losses->unsized);
    return object;
}

static void write_devices(struct ws_json *json, const struct ws_catalog *catalog)
{
    ws_json_open_list(json, "devices");
    for (uint32_t i = 0; i < catalog->device_count; ++i) {
        const struct ws_device_record *device = &catalog->devices[i];
        cJSON *object = cJSON_CreateObject();
        char version[32];
        snprintf(version, sizeof(version), "%u.%u.%u", device->api_version >> 22 & 0x7f,
                 device->api_version >> 12 & 0x3ff, device->api_version & 0xfff);
        ws_json_integer(object, "id", device->id);
        cJSON_AddStringToObject(object, "name", device->name);
        cJSON_AddStringToObject(object, "driver", device->driver_name);
        cJSON_AddStringToObject(object, "driver_info", device->driver_info);
        cJSON_AddStringToObject(object, "vulkan", version);
        ws_json_integer(object, "subgroup_size", device->subgroup_size);
        ws_json_integer(object, "subgroup_size_min", device->subgroup_size_min);
        ws_json_integer(object, "subgroup_size_max", device->subgroup_size_max);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void add_shaders(cJSON *object, const struct ws_catalog *catalog, const struct ws_overview_skip *skip)
{
    cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
    for (uint32_t i = 0; i < skip->shader_count; ++i) {
        char name[256];
        ws_overview_shader_name(catalog, &skip->shaders[i], name, sizeof(name));
        cJSON_AddItemToArray(shaders, cJSON_CreateString(name));
    }
    ws_json_integer(object, "shaders_more", skip->shaders_more);
}

static void write_no_place(struct ws_json *json, const struct ws_catalog *catalog,
                           const struct ws_overview_skip *skip)
{
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "count", skip->count);
    add_shaders(object, catalog, skip);
    ws_json_member(json, "no_place", object);
}

/* Analyses that were given up; no member where none was. */
static void write_given_up(struct ws_json *json, const struct ws_report *report)
{
    if (report->given_up_count == 0)
        return;
    ws_json_open_list(json, "given_up");
    for (size_t i = 0; i < report->given_up_count; ++i) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "analysis", report->given_up[i].analysis->name);
        cJSON_AddStringToObject(object, "reason", report->given_up[i].error.message);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void write_left_out(struct ws_json *json, const struct ws_catalog *catalog,
                           const struct ws_overview *overview)
{
    static const char *const severities[] = {"information", "warning", "error"};
    ws_json_open_list(json, "left_out");
    for (uint32_t i = 0; i < overview->skip_count; ++i) {
        const struct ws_overview_skip *skip = &overview->skips[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "kind", ws_skip_kind_name(skip->kind));
        cJSON_AddStringToObject(object, "pass", skip->pass != NULL ? skip->pass : "");
        cJSON_AddStringToObject(object, "reason", skip->reason);
        ws_json_integer(object, "count", skip->count);
        add_shaders(object, catalog, skip);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
    write_no_place(json, catalog, &overview->no_place);
    ws_json_open_list(json, "messages");
    for (uint32_t i = 0; i < overview->message_count; ++i) {
        const struct ws_overview_message *message = &overview->messages[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "severity",
                                message->severity < 3 ? severities[message->severity] : "unknown");
        cJSON_AddStringToObject(object, "text", message->text);
        ws_json_integer(object, "count", message->count);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static bool write_part(struct ws_json *json, const struct ws_report_part *part, bool alone, bool by)
{
    const struct ws_analysis *analysis = part->analysis;
    const bool members = analysis->json_members != NULL && !by;
    const bool named = !members || !alone;
    bool written = false;
    if (named)
        ws_json_open_object(json, analysis->name);
    if (members)
        written = analysis->json_members(part->results, json);
    else if (by || analysis->json == NULL)
        written = ws_groups_json_all(ws_report_part_groups(part), json);
    else
        written = analysis->json(part->results, json);
    if (named)
        ws_json_close_object(json);
    return written;
}

bool ws_report_json(const struct ws_report *report, FILE *stream)
{
    struct ws_json json;
    bool written = true;
    ws_json_begin(&json, stream);
    ws_json_member(&json, "capture", describe_capture(report));
    if (report->replay != NULL)
        ws_json_member(&json, "replay", describe_replay(ws_replay_losses(report->replay)));
    write_devices(&json, &report->catalog);
    for (size_t i = 0; i < report->part_count; ++i)
        written =
            write_part(&json, &report->parts[i], report->part_count == 1, report->view.by != NULL) && written;
    write_given_up(&json, report);
    write_left_out(&json, &report->catalog, &report->overview);
    return ws_json_end(&json) && written;
}
