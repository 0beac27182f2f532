/* The report as one JSON object (report.h). */
#include "analysis/report/report.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"

static const struct ws_member device_members[] = {
    {"id", "integer", "id of the device"},
    {"name", "string", "its name"},
    {"driver", "string", "name of its driver"},
    {"driver_info", "string", "version of its driver, as the driver says it"},
    {"vulkan", "string", "version of Vulkan that it has: 1.3.250"},
    {"subgroup_size", "integer", "lanes of a warp, if a shader chooses no other"},
    {"subgroup_size_min", "integer", "least that a shader may choose"},
    {"subgroup_size_max", "integer", "largest"},
    {NULL}};

const struct ws_member ws_report_capture_members[] = {
    {"file", "string", "path of the capture, as it was given"},
    {"warpscope", "string", "version that recorded it"},
    {"application", "string", "VkApplicationInfo::pApplicationName"},
    {"engine", "string", "VkApplicationInfo::pEngineName"},
    {"command_line", "string", "of the program, as a shell takes it"},
    {"process_id", "integer", "of the program"},
    {"start_ns", "integer", "when it started: nanoseconds since 1970-01-01 00:00:00 UTC"},
    {"passes", "string[]", "what was recorded"},
    {"settings", "string{}", "settings of the layer, by key"},
    {"submissions", "integer", "queue submissions"},
    {"launches", "integer", "traces, dispatches and render passes that were recorded"},
    {"frames", "integer", "different frames, which presents end; 1 where nothing is presented"},
    {"chunks", "integer", "chunks of the file"},
    {"bytes", "integer", "bytes of the file that were read"},
    {"devices", "object[]", "devices that the program created", device_members},
    {NULL}};

static const struct ws_member selection_members[] = {
    {"thread", "integer[]?", "--thread: x, y, z"},
    {"warp", "integer?", "--warp"},
    {"shader", "string[]", "each --shader"},
    {"pipeline", "string[]", "each --pipeline"},
    {"label", "string[]", "each --label"},
    {"stage", "string[]", "each --stage"},
    {"frame", "string[]", "each --frame"},
    {"launch", "string[]", "each --launch"},
    {"launches", "integer?", "launches that these chose; null: all"},
    {"of_launches", "integer?", "of so many in the capture"},
    {"shaders", "string[]?", "names of shaders that these chose; null: all"},
    {"by", "string?", "--by; then each analysis has the table `rows` only"},
    {"sort", "string?", "--sort"},
    {"fields", "string?", "--fields; then rows have these members only"},
    {"filters", "string[]", "each --filter"},
    {NULL}};

static const struct ws_member cut_launch_members[] = {
    {"launch", "integer", "its index"},
    {"threads", "integer?", "that it launched; null: not known"},
    {"threads_whole", "integer", "threads that the figures are of"},
    {"threads_cut", "integer", "threads of warps that are left out, since their records end early"},
    {"warps_cut", "integer", "these warps"},
    {"tile_step", "integer?", "--tile WxH/STEP with it would have held the records; null: not known"},
    {"map_tile", "integer?", "edge of the map's tiles, in threads; null: no map"},
    {"map", "string[]", "rows of tiles: # all threads are whole, + some, . none"},
    {NULL}};

static const struct ws_member replay_members[] = {
    {"launches", "integer", "launches with records"},
    {"records", "integer", "records that were read"},
    {"bytes", "integer", "of these"},
    {"missing_words", "integer", "words of 4 bytes that did not fit into the device's buffer"},
    {"sufficient_words", "integer", "size of the buffer, in words of 4 bytes, that would have held them"},
    {"launches_truncated", "integer", "launches of which records are missing"},
    {"records_malformed", "integer", "records that make no sense"},
    {"contexts_regrouped", "integer", "shader executions by warps that the device put together anew"},
    {"contexts_continued", "integer", "shader executions that went on in another warp"},
    {"contexts_unrooted", "integer", "shader executions whose caller is not known"},
    {"warps_unsized", "integer", "warps whose size is not known"},
    {"warps_cut", "integer", "warps that are left out, since their records end early"},
    {"threads_cut", "integer", "threads of these"},
    {"cut_launches", "object[]", "the first launches whose records end early", cut_launch_members},
    {NULL}};

static const struct ws_member given_up_members[] = {
    {"analysis", "string", "its name"}, {"reason", "string", "why"}, {NULL}};

static const struct ws_member left_out_members[] = {{"kind", "string", "what was left out"},
                                                    {"pass", "string?", "by which pass; null: by all"},
                                                    {"reason", "string", "why"},
                                                    {"count", "integer", "how many"},
                                                    {"shaders", "string[]", "names of some shaders"},
                                                    {"shaders_more", "integer", "how many shaders more"},
                                                    {NULL}};

static const struct ws_member no_place_members[] = {{"count", "integer", "how many"},
                                                    {"shaders", "string[]", "names of some shaders"},
                                                    {"shaders_more", "integer", "how many shaders more"},
                                                    {NULL}};

static const struct ws_member message_members[] = {
    {"severity", "string", "information, warning, error or unknown"},
    {"text", "string", "what the layer said"},
    {"count", "integer", "how often"},
    {NULL}};

static const struct ws_member losses_members[] = {
    {"cut_short", "boolean", "the capture ends early: the program died, or the file is damaged"},
    {"read_in_part", "string?", "why only a part of the capture was read; null: all of it was"},
    {"chunks_damaged", "integer", "chunks whose checksum is wrong"},
    {"chunks_orphaned", "integer", "chunks that refer to something which is not there"},
    {"chunks_unknown", "integer", "chunks of types that this version does not know"},
    {"modules_unreadable", "integer", "shader modules whose SPIR-V could not be parsed"},
    {"launches_outside_range", "integer", "launches that --frames, --launches or a trigger left out"},
    {"launches_overlapped", "integer", "launches that ran beside others, so that counts may be of both"},
    {"replay", "object?", "what the replay of records met; null: no analysis needed it", replay_members},
    {"given_up", "object[]", "analyses that could not be brought to their end", given_up_members},
    {"left_out", "object[]", "shaders and sites that were not instrumented", left_out_members},
    {"no_place", "object", "blocks that have no place for a counter", no_place_members},
    {"messages", "object[]", "what the layer said while it recorded", message_members},
    {NULL}};

const struct ws_member ws_report_members[] = {
    {"capture", "object", "what was recorded", ws_report_capture_members},
    {"selection", "object", "what was asked for; null: it was not", selection_members},
    {"losses", "object", "what the figures leave out, and how far to trust them", losses_members},
    {NULL}};

static uint64_t unreadable_modules(const struct ws_catalog *catalog)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < catalog->module_count; ++i)
        count += catalog->modules[i].unreadable;
    return count;
}

static bool add_devices(cJSON *capture, const struct ws_catalog *catalog)
{
    cJSON *devices = cJSON_AddArrayToObject(capture, "devices");
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
        if (ws_json_append(devices, object) == NULL)
            return false;
    }
    return devices != NULL;
}

cJSON *ws_report_json_capture(const struct ws_report *report)
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
        ws_json_append(passes, cJSON_CreateString(overview->passes[i]));
    cJSON *settings = cJSON_AddObjectToObject(capture, "settings");
    for (uint32_t i = 0; i < overview->setting_count; ++i)
        cJSON_AddStringToObject(settings, overview->settings[i].key, overview->settings[i].value);
    ws_json_integer(capture, "submissions", overview->submissions);
    ws_json_integer(capture, "launches", overview->launches);
    ws_json_integer(capture, "frames", overview->frames);
    ws_json_integer(capture, "chunks", reading->chunks);
    ws_json_integer(capture, "bytes", reading->bytes);
    if (add_devices(capture, &report->catalog))
        return capture;
    cJSON_Delete(capture);
    return NULL;
}

static void add_text(cJSON *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        cJSON_AddStringToObject(object, key, text);
    else
        cJSON_AddNullToObject(object, key);
}

/* What was asked for of launches and shaders, and how much of the capture that is. */
static void add_chosen(const struct ws_report *report, cJSON *object)
{
    const struct ws_selection *selection = &report->selection;
    const bool is_set = ws_selection_is_set(selection);
    for (uint32_t option = 0; option < WS_SELECT_COUNT; ++option) {
        cJSON *texts = cJSON_AddArrayToObject(object, ws_selection_option_name(option) + 2);
        for (uint32_t i = 0; i < selection->counts[option]; ++i)
            ws_json_append(texts, cJSON_CreateString(selection->texts[option][i]));
    }
    ws_json_add(object, "launches",
                is_set ? ws_json_integer_item(selection->launch_count) : cJSON_CreateNull());
    ws_json_add(object, "of_launches",
                is_set ? ws_json_integer_item(selection->all.count) : cJSON_CreateNull());
    cJSON *shaders = ws_selection_has_shaders(selection) ? cJSON_AddArrayToObject(object, "shaders")
                                                         : cJSON_AddNullToObject(object, "shaders");
    for (uint32_t i = 0; ws_selection_has_shaders(selection) && i < report->catalog.shader_count; ++i)
        if (selection->shaders[i])
            ws_json_append(shaders, cJSON_CreateString(ws_shader_name(&report->catalog, i)));
}

static cJSON *describe_selection(const struct ws_report *report)
{
    const struct ws_analysis_options *options = &report->options;
    cJSON *selection = cJSON_CreateObject();
    cJSON *thread = options->has_thread ? cJSON_AddArrayToObject(selection, "thread")
                                        : cJSON_AddNullToObject(selection, "thread");
    for (int i = 0; i < 3 && options->has_thread; ++i)
        ws_json_append(thread, ws_json_integer_item(options->thread[i]));
    ws_json_add(selection, "warp",
                options->has_warp ? ws_json_integer_item(options->warp) : cJSON_CreateNull());
    add_chosen(report, selection);
    add_text(selection, "by", report->view.by);
    add_text(selection, "sort", report->view.sort);
    add_text(selection, "fields", report->view.fields);
    cJSON *filters = cJSON_AddArrayToObject(selection, "filters");
    for (uint32_t i = 0; i < report->view.filter_count; ++i)
        ws_json_append(filters, cJSON_CreateString(report->view.filters[i]));
    return selection;
}

static void add_known(cJSON *object, const char *name, uint64_t value)
{
    ws_json_add(object, name, value > 0 ? ws_json_integer_item(value) : cJSON_CreateNull());
}

static cJSON *describe_lost(const struct ws_replay_lost *lost)
{
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "launch", lost->launch);
    add_known(object, "threads", lost->threads);
    ws_json_integer(object, "threads_whole", lost->kept);
    ws_json_integer(object, "threads_cut", lost->cut_threads);
    ws_json_integer(object, "warps_cut", lost->cut_warps);
    add_known(object, "tile_step", lost->step);
    add_known(object, "map_tile", lost->tile);
    cJSON *map = cJSON_AddArrayToObject(object, "map");
    for (uint32_t row = 0; row < lost->rows; ++row)
        ws_json_append(map, cJSON_CreateString(lost->map[row]));
    return object;
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
    ws_json_integer(object, "warps_cut", losses->cut_warps);
    ws_json_integer(object, "threads_cut", losses->cut_threads);
    cJSON *lost = cJSON_AddArrayToObject(object, "cut_launches");
    for (uint32_t i = 0; i < losses->lost_count; ++i)
        ws_json_append(lost, describe_lost(&losses->lost[i]));
    return object;
}

static void add_shaders(cJSON *object, const struct ws_catalog *catalog, const struct ws_overview_skip *skip)
{
    cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
    for (uint32_t i = 0; i < skip->shader_count; ++i) {
        char name[256];
        ws_overview_shader_name(catalog, &skip->shaders[i], name, sizeof(name));
        ws_json_append(shaders, cJSON_CreateString(name));
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

static void write_given_up(struct ws_json *json, const struct ws_report *report)
{
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
        add_text(object, "pass", skip->pass);
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

/* What the figures leave out. */
static void write_losses(struct ws_json *json, const struct ws_report *report)
{
    const struct ws_overview *overview = &report->overview;
    const struct ws_reader_summary *reading = &overview->reading;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "cut_short", reading->broken || !reading->closed);
    add_text(object, "read_in_part", report->stopped.message);
    ws_json_integer(object, "chunks_damaged", reading->damaged);
    ws_json_integer(object, "chunks_orphaned", reading->orphaned);
    ws_json_integer(object, "chunks_unknown", reading->unknown);
    ws_json_integer(object, "modules_unreadable", unreadable_modules(&report->catalog));
    ws_json_integer(object, "launches_outside_range", overview->outside);
    ws_json_integer(object, "launches_overlapped", overview->overlapped);
    ws_json_open_object(json, "losses");
    ws_json_members(json, object);
    ws_json_member(json, "replay",
                   report->replay != NULL ? describe_replay(ws_replay_losses(report->replay))
                                          : cJSON_CreateNull());
    write_given_up(json, report);
    write_left_out(json, &report->catalog, overview);
    ws_json_close_object(json);
}

/* An analysis, with the first `most` rows of each of its tables. */
static bool write_part(const struct ws_report *report, const struct ws_report_part *part, uint32_t most,
                       struct ws_json *json)
{
    const struct ws_analysis *analysis = part->analysis;
    const struct ws_groups *groups = ws_report_part_groups(part);
    const uint32_t levels = groups != NULL ? ws_groups_level_count(groups) : 0;
    bool written = true;
    ws_json_open_object(json, analysis->name);
    for (uint32_t i = 0; i < levels && written; ++i)
        written = ws_groups_json_first(groups, i, most, json);
    if (written && report->view.by == NULL && analysis->json != NULL)
        written = analysis->json(part->results, json);
    ws_json_close_object(json);
    return written;
}

bool ws_report_json_part(const struct ws_report *report, const struct ws_report_part *part, uint32_t most,
                         FILE *stream)
{
    struct ws_json json;
    ws_json_begin(&json, stream);
    const bool written = write_part(report, part, most, &json);
    return ws_json_end(&json) && written;
}

void ws_report_json_begin(const struct ws_report *report, struct ws_json *json, FILE *stream)
{
    ws_json_begin(json, stream);
    ws_json_member(json, "format", cJSON_CreateString(WS_REPORT_FORMAT));
    ws_json_member(json, "version", ws_json_integer_item(WS_REPORT_VERSION));
    ws_json_member(json, "capture", ws_report_json_capture(report));
    ws_json_member(json, "selection", describe_selection(report));
}

bool ws_report_json_end(const struct ws_report *report, struct ws_json *json)
{
    write_losses(json, report);
    return ws_json_end(json);
}

bool ws_report_json(const struct ws_report *report, FILE *stream)
{
    struct ws_json json;
    bool written = true;
    ws_report_json_begin(report, &json, stream);
    ws_json_open_object(&json, "analyses");
    for (size_t i = 0; i < report->part_count; ++i)
        written = write_part(report, &report->parts[i], UINT32_MAX, &json) && written;
    ws_json_close_object(&json);
    return ws_report_json_end(report, &json) && written;
}
