/* capture.json: what there is to see, the first thing that the page asks for. It is of both captures.
 *
 *     {
 *       "format": "warpscope-view", "version": 1,
 *       "captures": [{
 *         "key": "a",
 *         "capture": {...},                 as in report.json
 *         "analyses": ["divergence", ...],  that report.json has
 *         "evidence_missing": text | null,
 *         "launches": [{"index": 3, "frame": 0, "label": "shadow" | null, "kind": "trace rays",
 *                       "pipeline": name | null (none, or several), "pipelines": 1, "size": [128, 128, 1],
 *                       "subgroup_size": 8, "draws": 0, "rays": 40960, "scene": true, "image": false,
 *                       "time_ns": 81920 | null, "truncated": false}, ...]
 *       }, ...],
 *       "rules": [{"name": "opaque", "title": "Mark geometry opaque", "summary": ..., "evidence": "rays"}, ...],
 *       "all_passes": ["simt_efficiency", ...],
 *       "single_file": false,
 *       "budget": bytes of the single file | null,
 *       "left_out": [{"what": "rays", "answers": 12, "first": "rays?launch=3", "why": ..., "command": ...}, ...]
 *     }
 *
 * Bit i of a mask of rules is rule i. What the evidence of a rule is: "rays" (which `rays?rule=NAME` gives), "threads",
 * "geometry" or "shader". `evidence_missing` says why some of these rays are not known. `scene`: the launch has top-level
 * structures. `rays` counts those that the filters of the view choose. `all_passes` is what record -p all stands for.
 * `left_out` is of the single file alone: how many answers of which resource it does not hold, the first of them, and
 * why. */
#include "analysis/advice/rule.h"
#include "analysis/image/launch_image.h"
#include "analysis/rays/ray_events.h"
#include "analysis/scene/scene.h"
#include "analysis/viewer/viewer.h"
#include "warpscope/instrument.h"
#include "warpscope/model/launch.h"
#include "warpscope/output/json.h"

static void add_text(cJSON *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        cJSON_AddStringToObject(object, key, text);
    else
        cJSON_AddNullToObject(object, key);
}

static bool has_image(const struct ws_catalog *catalog, const struct ws_launch_record *launch)
{
    const struct ws_chunk_image *image = ws_launch_image_find(catalog, launch);
    struct ws_error error = {{0}};
    uint64_t size;
    return image != NULL && ws_texels_size(image, &size, &error);
}

static cJSON *describe_launch(const struct ws_report *report, const struct ws_scene *scene,
                              const struct ws_launch_record *launch)
{
    const struct ws_catalog *catalog = &report->catalog;
    cJSON *object = cJSON_CreateObject();
    uint64_t time = 0;
    ws_json_integer(object, "index", launch->index);
    ws_json_integer(object, "frame", launch->frame);
    add_text(object, "label", launch->label);
    cJSON_AddStringToObject(object, "kind", ws_launch_kind_name(launch->kind));
    add_text(object, "pipeline",
             launch->pipeline < catalog->pipeline_count ? catalog->pipelines[launch->pipeline].shown : NULL);
    ws_json_integer(object, "pipelines", launch->pipeline_count);
    cJSON *size = cJSON_AddArrayToObject(object, "size");
    for (int i = 0; i < 3; ++i)
        ws_json_append(size, ws_json_integer_item(launch->size[i]));
    ws_json_integer(object, "subgroup_size", launch->subgroup_size);
    ws_json_integer(object, "draws", launch->draws);
    ws_json_integer(object, "rays",
                    ws_ray_events_of(ws_report_results(report, &ws_analysis_ray_events), launch->index));
    cJSON_AddBoolToObject(
        object, "scene",
        launch->device < catalog->device_count &&
            ws_scene_tops(scene, catalog->devices[launch->device].id, launch->index, NULL, 0) > 0);
    cJSON_AddBoolToObject(object, "image", has_image(catalog, launch));
    if (ws_times_launch(catalog, launch->index, &time))
        ws_json_integer(object, "time_ns", time);
    else
        cJSON_AddNullToObject(object, "time_ns");
    cJSON_AddBoolToObject(object, "truncated", launch->truncated);
    return object;
}

static bool write_capture(struct ws_json *json, struct ws_viewer_capture *capture, struct ws_error *error)
{
    const struct ws_report *report = &capture->report;
    const struct ws_scene *scene = ws_viewer_scene(capture, error);
    if (scene == NULL)
        return false;
    ws_json_open_element(json);
    ws_json_member(json, "key", cJSON_CreateString(capture->key));
    ws_json_member(json, "capture", ws_report_json_capture(report));
    cJSON *analyses = cJSON_CreateArray();
    for (size_t i = 0; i < report->part_count; ++i)
        ws_json_append(analyses, cJSON_CreateString(report->parts[i].analysis->name));
    ws_json_member(json, "analyses", analyses);
    const char *missing = capture->marks->error.message;
    ws_json_member(json, "evidence_missing",
                   missing[0] != '\0' ? cJSON_CreateString(missing) : cJSON_CreateNull());
    ws_json_open_list(json, "launches");
    for (uint32_t i = 0; i < report->catalog.launches.count; ++i)
        ws_json_element(json, describe_launch(report, scene, &report->catalog.launches.launches[i]));
    ws_json_close_list(json);
    ws_json_close_element(json);
    return true;
}

static void write_rules(struct ws_json *json)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    ws_json_open_list(json, "rules");
    for (size_t i = 0; rules[i] != NULL; ++i) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", rules[i]->name);
        cJSON_AddStringToObject(object, "title", rules[i]->title);
        cJSON_AddStringToObject(object, "summary", rules[i]->summary);
        cJSON_AddStringToObject(object, "evidence", ws_advice_evidence_name(rules[i]->evidence));
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static cJSON *describe_all_passes(void)
{
    size_t listed = 0;
    size_t first = 0;
    size_t count = 0;
    const struct ws_pass_description *passes = ws_pass_list(&listed);
    cJSON *names = cJSON_CreateArray();
    ws_pass_choose("all", 3, &first, &count);
    for (size_t i = first; i < first + count; ++i)
        ws_json_append(names, cJSON_CreateString(passes[i].name));
    return names;
}

static cJSON *describe_left_out(const struct ws_viewer_left_out *left_out)
{
    static const char *const whys[WS_VIEWER_WHYS] = {
        "the budget of the file is spent",
        "the file shows 8 launches: the first with rays, and those with most; else the first of all",
        "there is no answer",
    };
    static const char *const commands[WS_VIEWER_WHYS] = {
        "warpscope view shows all, warpscope html --budget SIZE more",
        "warpscope view shows all, warpscope html --launch N those that you choose",
        "warpscope view shows what there is",
    };
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "what", left_out->resource->name);
    cJSON_AddStringToObject(object, "help", left_out->resource->help);
    ws_json_integer(object, "answers", left_out->answers);
    cJSON_AddStringToObject(object, "first", left_out->first);
    cJSON_AddStringToObject(object, "why",
                            left_out->words[0] != '\0' ? left_out->words : whys[left_out->why]);
    cJSON_AddStringToObject(object, "command", commands[left_out->why]);
    return object;
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    (void)capture, (void)query;
    struct ws_json json;
    ws_json_begin(&json, stream);
    ws_json_member(&json, "format", cJSON_CreateString(WS_VIEWER_FORMAT));
    ws_json_member(&json, "version", ws_json_integer_item(WS_VIEWER_VERSION));
    ws_json_open_list(&json, "captures");
    for (uint32_t i = 0; i < viewer->capture_count; ++i)
        if (!write_capture(&json, &viewer->captures[i], error))
            return false;
    ws_json_close_list(&json);
    write_rules(&json);
    ws_json_member(&json, "all_passes", describe_all_passes());
    ws_json_member(&json, "single_file", cJSON_CreateBool(viewer->single_file));
    ws_json_member(&json, "budget",
                   viewer->single_file ? ws_json_integer_item(viewer->budget) : cJSON_CreateNull());
    ws_json_open_list(&json, "left_out");
    for (uint32_t i = 0; i < viewer->left_out_count; ++i)
        ws_json_element(&json, describe_left_out(&viewer->left_out[i]));
    ws_json_close_list(&json);
    return ws_json_end(&json);
}

/* It is of both captures, and the single file writes it last, when it knows what was left out. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *give, void *user)
{
    (void)viewer, (void)capture, (void)budget, (void)give, (void)user;
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_capture = {
    .name = "capture.json",
    .help = "the captures, their launches, and what was left out",
    .answer = answer,
    .embed = embed};
