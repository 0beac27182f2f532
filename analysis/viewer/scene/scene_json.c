/* scene.json?launch=N: the scene of a launch, for drawing. `mesh` (mesh.h) has the primitives of its contents.
 *
 *     {
 *       "launch": 3,
 *       "bounds": [smallest x, y, z, largest x, y, z] | null,  box around the instances that are drawn, in the world
 *       "tops": [{"structure": id, "name": "world", "content": 1, "bounds": [6] | null, "instances": 6}, ...],
 *       "live": 1,        different top-level structures that have a build for the launch
 *       "unplaced": 0,    rays, of those that tell it, whose top-level structure is not known
 *       "contents": [{"content": 0, "structure": id of the first with it, "name": "mesh", "instances": 3,
 *                     "bounds": [6] | null, "primitives": 12, "detail": 0, "too_large": false,
 *                     "geometries": [{...}, ...]}, ...],
 *       "instances": [{"top": 0, "index": 2, "custom_index": 8, "mask": 255, "sbt_offset": 0, "flags": 1,
 *                      "structure": id, "content": 0, "transform": [12]}, ...],
 *       "left_out": {"instances": 0, "unknown": 0, "not_finite": 0},
 *       "cameras": [{"name": "primary rays" | "all", "transform": [12], "orthographic": false, "yfov": 0.7,
 *                    "aspect": 1.5, "magnify_x": 0, "magnify_y": 0}, ...],
 *       "extent": [width, height] | null,    pixels of the launch's camera
 *       "fields": [{"name": "any_hits_per_hit", "help": "...", "kind": "count" | "share" | "ratio"}, ...],
 *       "figures": {"geometries": [{"instance": 2, "custom_index": 8, "geometry": 0, "hits": 352, ...}, ...]} | null
 *       "rates": [{"name": "l1_accesses", "of": "accesses", "column": "l1", "title": "...", "help": "..."}, ...]
 *     }
 *
 * RATES: hit rates that primitives can be coloured by (rates.c): of the program's own accesses, and of the model BVH.
 * TOPS are those in which the rays of the launch hit, as in the glTF of `warpscope export` (gltf_tops.h). An instance is
 * of the top with that place in `tops`, and has that place among its instances; its content is in `contents`.
 * LEFT OUT are instances of no known bottom-level structure (`unknown`), those whose transform is not finite, and those
 * beyond INSTANCES_MOST (`instances` counts all three).
 * DETAIL: the detail of `mesh` (mesh.h) that is for while a camera moves; 0 = all of it is small enough. TOO LARGE:
 * `mesh` refuses.
 * A geometry has the members that `built_of` of `warpscope report --json geometry` has. FIGURES are the rows of
 * `warpscope report --json --launch N ray_events`, table `geometries`; null without rays. `fields` are those of them
 * that geometry can be coloured by. With several tops an instance's figures are those of all instances with its index
 * and custom index: the records do not tell them apart.
 * Transforms have three rows of four. Cameras are as gltf_camera.h says: camera to world. */
#include <inttypes.h>
#include <string.h>

#include "analysis/export/gltf_camera.h"
#include "analysis/scene/geometry.h"
#include "analysis/scene/scene_transform.h"
#include "analysis/viewer/launches_shown.h"
#include "analysis/viewer/scene/mesh.h"
#include "analysis/viewer/scene/rates.h"
#include "analysis/viewer/scene/scene_shown.h"
#include "warpscope/capture/budget.h"
#include "warpscope/output/json.h"

static cJSON *floats(const float *values, int count)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < count; ++i)
        ws_json_append(list, ws_json_number_item((double)values[i]));
    return list;
}

/* Null for a box of nothing. */
static cJSON *box(const float bounds[6])
{
    return bounds[0] <= bounds[3] && ws_all_finite(bounds, 6) ? floats(bounds, 6) : cJSON_CreateNull();
}

static cJSON *box_of_build(const struct ws_scene *scene, uint32_t build)
{
    float bounds[6];
    return ws_scene_bounds(scene, build, bounds) ? box(bounds) : cJSON_CreateNull();
}

static cJSON *describe_instance(const struct ws_scene *scene, uint32_t top, uint32_t index,
                                const struct ws_scene_instance *instance)
{
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "top", top);
    ws_json_integer(object, "index", index);
    ws_json_integer(object, "custom_index", instance->custom_index);
    ws_json_integer(object, "mask", instance->mask);
    ws_json_integer(object, "sbt_offset", instance->sbt_offset);
    ws_json_integer(object, "flags", instance->flags);
    ws_json_integer(object, "structure", scene->structures[instance->structure].id);
    ws_json_integer(object, "content", scene->builds[instance->build].content);
    ws_json_add(object, "transform", floats(instance->transform, 12));
    return object;
}

static void write_tops(const struct ws_scene_shown *shown, struct ws_json *json)
{
    const struct ws_scene *scene = shown->view->scene;
    ws_json_open_list(json, "tops");
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const uint32_t build = ws_scene_shown_top(shown->view, i);
        if (build == WS_NONE)
            continue;
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "structure", scene->structures[i].id);
        cJSON_AddStringToObject(object, "name", scene->structures[i].name);
        ws_json_integer(object, "content", scene->builds[build].content);
        ws_json_add(object, "bounds", box_of_build(scene, build));
        ws_json_integer(object, "instances", scene->builds[build].primitives);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void write_instances(const struct ws_scene_shown *shown, struct ws_json *json)
{
    const struct ws_scene *scene = shown->view->scene;
    uint32_t top = 0;
    uint64_t drawn = 0;
    ws_json_open_list(json, "instances");
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const uint32_t build = ws_scene_shown_top(shown->view, i);
        const uint32_t count = build != WS_NONE ? ws_scene_instance_count(scene, build) : 0;
        for (uint32_t j = 0; j < count && drawn < shown->drawn; ++j) {
            struct ws_scene_instance instance;
            if (!ws_scene_instance(scene, build, j, &instance) || !ws_scene_shown_can(scene, &instance))
                continue;
            ws_json_element(json, describe_instance(scene, top, j, &instance));
            drawn++;
        }
        top += build != WS_NONE;
    }
    ws_json_close_list(json);
}

static void write_contents(const struct ws_scene_shown *shown, struct ws_json *json)
{
    const struct ws_scene *scene = shown->view->scene;
    ws_json_open_list(json, "contents");
    for (uint32_t i = 0; i < scene->content_count; ++i) {
        const struct ws_scene_shown_content *content = &shown->contents[i];
        if (content->build == WS_NONE)
            continue;
        const struct ws_scene_build *build = &scene->builds[content->build];
        const uint32_t structure = scene->builds[ws_mesh_build(scene, i)].structure;
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "content", i);
        ws_json_integer(object, "structure", scene->structures[structure].id);
        cJSON_AddStringToObject(object, "name", scene->structures[structure].name);
        ws_json_integer(object, "instances", content->instances);
        ws_json_add(object, "bounds", box_of_build(scene, content->build));
        ws_json_integer(object, "primitives", content->primitives);
        ws_json_integer(object, "detail", content->detail);
        cJSON_AddBoolToObject(object, "too_large", ws_mesh_bytes(scene, content->build) > WS_MESH_BYTES_MOST);
        cJSON *geometries = cJSON_AddArrayToObject(object, "geometries");
        for (uint32_t j = 0; j < build->geometry_count; ++j)
            ws_json_append(geometries, ws_geometry_json(&build->geometries[j]));
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void write_camera(const char *name, const struct ws_gltf_view *view, struct ws_json *json)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    ws_json_add(object, "transform", floats(view->transform, 12));
    cJSON_AddBoolToObject(object, "orthographic", view->orthographic);
    ws_json_number(object, "yfov", view->yfov);
    ws_json_number(object, "aspect", view->aspect);
    ws_json_number(object, "magnify_x", view->magnify_x);
    ws_json_number(object, "magnify_y", view->magnify_y);
    ws_json_element(json, object);
}

static void write_cameras(const struct ws_scene_shown *shown, struct ws_json *json)
{
    const struct ws_launch_view *view = shown->view;
    double mean[3] = {0, 0, -1};
    struct ws_gltf_view camera;
    ws_json_open_list(json, "cameras");
    if (view->seen != NULL)
        ws_gltf_view_mean(view->seen, mean);
    if (view->seen != NULL && ws_gltf_view_fit(view->seen, view->pixels->seen.extent, &camera))
        write_camera("primary rays", &camera, json);
    if (shown->bounds[0] <= shown->bounds[3]) {
        ws_gltf_view_all(shown->bounds, mean, &camera);
        write_camera("all", &camera, json);
    }
    ws_json_close_list(json);
    cJSON *extent = view->seen != NULL ? cJSON_CreateArray() : cJSON_CreateNull();
    for (int i = 0; i < 2 && view->seen != NULL; ++i)
        ws_json_append(extent, ws_json_integer_item(view->pixels->seen.extent[i]));
    ws_json_member(json, "extent", extent);
}

/* What geometry can be coloured by, with the words of ray_events. */
static void write_fields(struct ws_json *json)
{
    static const char *const names[] = {"hits",          "any_hits_per_hit", "intersections_per_report",
                                        "hit_rate",      "any_hits",         "ignored_share",
                                        "intersections", "reports",          "candidates"};
    ws_json_open_list(json, "fields");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        for (const struct ws_field *field = ws_ray_events_columns.measures; field->name != NULL; ++field) {
            if (strcmp(field->name, names[i]) != 0)
                continue;
            cJSON *object = cJSON_CreateObject();
            cJSON_AddStringToObject(object, "name", field->name);
            cJSON_AddStringToObject(object, "help", field->help);
            cJSON_AddStringToObject(object, "kind",
                                    field->format == WS_SHARE                                 ? "share"
                                    : field->format == WS_RATIO || field->format == WS_NUMBER ? "ratio"
                                                                                              : "count");
            ws_json_element(json, object);
        }
    ws_json_close_list(json);
}

static bool write_figures(const struct ws_launch_view *view, struct ws_json *json)
{
    if (view->events == NULL) {
        ws_json_member(json, "figures", cJSON_CreateNull());
        return true;
    }
    ws_json_open_object(json, "figures");
    const bool written = ws_groups_json(view->events->groups, WS_RAY_EVENTS_BY_GEOMETRY, json);
    ws_json_close_object(json);
    return written;
}

/* The hit rates that there are. */
static void write_rates(const struct ws_viewer_capture *capture, const struct ws_launch_view *view,
                        struct ws_json *json)
{
    static const struct {
        const char *name, *of, *column, *title, *help;
    } rates[] = {
        {"l1_accesses", "accesses", "l1", "L1 hit rate, accesses of shaders",
         "of sectors that the program's own loads ask for: the indices of a triangle, and its three "
         "vertices"},
        {"l2_accesses", "accesses", "l2", "L2 hit rate, accesses of shaders",
         "likewise, of sectors that come to the L2"},
        {"l1_model", "model", "l1", "L1 hit rate, model BVH",
         "of sectors of a triangle that rays ask for in a model of the tree (warpscope help bvh_model)"},
        {"l2_model", "model", "l2", "L2 hit rate, model BVH", "likewise, of sectors that come to the L2"}};
    ws_json_open_list(json, "rates");
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); ++i) {
        if (i < 2 ? !ws_rates_have_accesses(capture) : !ws_rates_have_model(view))
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", rates[i].name);
        cJSON_AddStringToObject(object, "of", rates[i].of);
        cJSON_AddStringToObject(object, "column", rates[i].column);
        cJSON_AddStringToObject(object, "title", rates[i].title);
        cJSON_AddStringToObject(object, "help", rates[i].help);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static bool write_scene(const struct ws_viewer_capture *capture, const struct ws_scene_shown *shown,
                        struct ws_json *json)
{
    ws_json_member(json, "launch", ws_json_integer_item(shown->view->launch));
    ws_json_member(json, "bounds", box(shown->bounds));
    write_tops(shown, json);
    ws_json_member(json, "live", ws_json_integer_item(shown->view->tops.live));
    ws_json_member(json, "unplaced", ws_json_integer_item(shown->view->tops.unplaced));
    write_contents(shown, json);
    write_instances(shown, json);
    cJSON *left_out = cJSON_CreateObject();
    ws_json_integer(left_out, "instances", shown->unknown + shown->not_finite + shown->beyond);
    ws_json_integer(left_out, "unknown", shown->unknown);
    ws_json_integer(left_out, "not_finite", shown->not_finite);
    ws_json_member(json, "left_out", left_out);
    write_cameras(shown, json);
    write_fields(json);
    write_rates(capture, shown->view, json);
    return write_figures(shown->view, json);
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    const struct ws_launch_view *view = ws_launch_view(viewer, capture, query, error);
    struct ws_scene_shown shown;
    struct ws_json json;
    if (view == NULL)
        return false;
    if (!ws_scene_shown_init(&shown, view))
        return !ws_budget_spend(0) && ws_budget_exceeded(error) && false;
    ws_json_begin(&json, stream);
    const bool written = write_scene(capture, &shown, &json);
    ws_scene_shown_finish(&shown);
    return ws_json_end(&json) && written;
}

/* The scene of each launch that is shown; the first is what the page opens with. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *embed, void *user)
{
    bool embedded =
        ws_launches_shown_embed(capture, "scene.json", WS_RANK_ALWAYS, WS_RANK_LINKED, embed, user);
    (void)viewer, (void)budget;
    for (uint32_t i = WS_LAUNCHES_SHOWN; embedded && i < capture->report.catalog.launches.count; ++i)
        embedded = embed(user, "scene.json", WS_RANK_NEVER);
    return embedded;
}

const struct ws_viewer_resource ws_viewer_resource_scene = {
    .name = "scene.json",
    .help = "instances, contents, cameras and figures of the scene of a launch",
    .keys = "launch",
    .answer = answer,
    .embed = embed,
};
