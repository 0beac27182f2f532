/* ray.json: all that is known of one ray.
 *
 * Keys: launch; ray, its number in the launch (ray_store.h). Or `first` and `count` (WS_RAYS_TOLD at most): the rays from
 * that number on, {"rays": [...]}; a single file holds them by parts.
 *
 *     {
 *       "launch": 3, "ray": 1234, "total": 40960,      rays of the launch
 *       "exact": {...},                                as `warpscope export --rays OUT.jsonl` writes it, with its candidates
 *       "call": "traceRay at raygen.rgen:19", "site": 0,
 *       "thread": [12, 40, 0],                         as in `rays`
 *       "ends": [x, y, z, x, y, z] | null,             where its line begins and ends; null = not finite
 *       "path": [1230, 1231, 1234],                    the rays that led to it, the first one first, and itself; the last 256
 *       "path_count": 3,                               how many these are
 *       "children": [1240, ...], "child_count": 2,     rays that its shaders traced; the first 256
 *       "thread_rays": [1230, 1239],                   the first and the last ray of its thread
 *       "hit_record": 5 | null,                        of the hit table of the binding table: instance's offset + geometry *
 *                                                      stride + offset of the call; null = no hit or no instance is known
 *       "structure": 2 | null,                         id of the top-level structure through which it flew, of several that the
 *                                                      launch has; null = not known, or there is one
 *       "instance_name": "glass" | null,               of the structure that was hit
 *       "rules": ["opaque", ...],                      rules of advice that it is evidence for
 *       "story": [{"text": "It hits instance 3 ...",   sentence by sentence. What it speaks of, where there is such:
 *                  "at": [x, y, z],                     a place in the world
 *                  "instance": 3, "geometry": 0, "primitive": 17,    what was met there
 *                  "ray": 1231}, ...]                   another ray
 *     } */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/export/rays.h"
#include "analysis/scene/scene.h"
#include "analysis/scene/scene_line.h"
#include "analysis/viewer/rays/ray_load.h"
#include "analysis/viewer/rays/ray_query.h"
#include "analysis/viewer/rays/ray_story.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"

#define CHILDREN_MOST 256
#define PATH_MOST     256

static cJSON *integers(const uint32_t *values, uint32_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < count; ++i)
        ws_json_append(list, ws_json_integer_item(values[i]));
    return list;
}

static cJSON *exact_of(const struct ws_ray_subject *subject)
{
    const struct ws_ray_owner *owner = ws_ray_store_owner(subject->store, subject->number);
    struct ws_ray_thread thread;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    ws_ray_store_thread(subject->store, owner, &thread);
    ws_rays_export_jsonl(&(struct ws_rays_export_place){subject->catalog, subject->launch, &thread},
                         subject->number - owner->ray_first, stream);
    cJSON *exact = NULL;
    if (fclose(stream) == 0) {
        text[strcspn(text, "\n")] = '\0';
        exact = cJSON_CreateRaw(text);
    }
    free(text);
    return exact;
}

static cJSON *ends_of(const struct ws_ray_subject *subject)
{
    const struct ws_ray *ray = ws_ray_store_ray(subject->store, subject->number);
    float ends[6];
    if (!ws_scene_line(ray->origin, ray->direction, ray->has_hit ? ray->hit.t : ray->tmax, ray->has_hit,
                       subject->store->scene, ends))
        return cJSON_CreateNull();
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < 6; ++i)
        ws_json_append(list, ws_json_number_item((double)ends[i]));
    return list;
}

static void add_path(const struct ws_ray_subject *subject, struct ws_json *json)
{
    const struct ws_ray_owner *owner = ws_ray_store_owner(subject->store, subject->number);
    uint32_t path[PATH_MOST];
    uint32_t count = 0;
    for (uint32_t at = subject->number, parent = 0; parent != WS_NONE; at = owner->ray_first + parent) {
        if (count < PATH_MOST)
            path[PATH_MOST - 1 - count] = at;
        count++;
        parent = ws_ray_store_ray(subject->store, at)->parent;
    }
    const uint32_t shown = count < PATH_MOST ? count : PATH_MOST;
    ws_json_member(json, "path", integers(&path[PATH_MOST - shown], shown));
    ws_json_member(json, "path_count", ws_json_integer_item(count));
}

static void add_children(const struct ws_ray_subject *subject, struct ws_json *json)
{
    uint32_t children[CHILDREN_MOST];
    const uint32_t count = ws_ray_children(subject->store, subject->number, children, CHILDREN_MOST);
    ws_json_member(json, "children", integers(children, count < CHILDREN_MOST ? count : CHILDREN_MOST));
    ws_json_member(json, "child_count", ws_json_integer_item(count));
}

/* The structure, where the launch has several. */
static cJSON *structure_of(const struct ws_ray_subject *subject)
{
    const struct ws_ray_store *store = subject->store;
    const uint32_t call = ws_ray_store_call(store, subject->number);
    const uint32_t top = call < store->call_count ? store->calls[call].top : WS_NONE;
    if (store->top_count < 2 || top == WS_NONE)
        return cJSON_CreateNull();
    return ws_json_integer_item(subject->scene->structures[subject->scene->builds[top].structure].id);
}

/* What the geometry says of the hit. */
static void add_hit(const struct ws_ray_subject *subject, struct ws_json *json)
{
    const struct ws_ray *ray = ws_ray_store_ray(subject->store, subject->number);
    struct ws_scene_instance instance;
    const bool known = ray->has_hit && ws_ray_subject_instance(subject, &ray->hit, &instance);
    const char *name =
        known && instance.structure != WS_NONE ? subject->scene->structures[instance.structure].name : "";
    ws_json_member(json, "hit_record",
                   known && !ray->query
                       ? ws_json_integer_item((uint64_t)instance.sbt_offset +
                                              (uint64_t)ray->hit.geometry * ray->sbt_stride + ray->sbt_offset)
                       : cJSON_CreateNull());
    ws_json_member(json, "instance_name", name[0] != '\0' ? cJSON_CreateString(name) : cJSON_CreateNull());
}

static cJSON *rules_of(const struct ws_ray_subject *subject)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    const uint32_t bits = subject->store->rules != NULL ? subject->store->rules[subject->number] : 0;
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; rules[i] != NULL && i < 32; ++i)
        if ((bits >> i & 1) != 0)
            ws_json_append(list, cJSON_CreateString(rules[i]->name));
    return list;
}

/* Writes the members of a ray. */
static void write_ray(const struct ws_ray_subject *subject, struct ws_json *json)
{
    const struct ws_ray *ray = ws_ray_store_ray(subject->store, subject->number);
    const struct ws_ray_owner *owner = ws_ray_store_owner(subject->store, subject->number);
    const uint32_t last = owner->ray_first + owner->ray_count - 1;
    char call[512];
    ws_call_name(subject->catalog, ray->shader, ws_site_offset(subject->catalog, ray->shader, ray->site),
                 call, sizeof(call));
    ws_json_member(json, "launch", ws_json_integer_item(subject->launch->index));
    ws_json_member(json, "ray", ws_json_integer_item(subject->number));
    ws_json_member(json, "total", ws_json_integer_item(subject->store->count));
    ws_json_member(json, "exact", exact_of(subject));
    ws_json_member(json, "call", cJSON_CreateString(call));
    ws_json_member(json, "site", ws_json_integer_item(ws_ray_store_call(subject->store, subject->number)));
    ws_json_member(json, "thread", integers(owner->place, 3));
    ws_json_member(json, "ends", ends_of(subject));
    add_path(subject, json);
    add_children(subject, json);
    ws_json_member(json, "thread_rays", integers((const uint32_t[]){owner->ray_first, last}, 2));
    ws_json_member(json, "structure", structure_of(subject));
    add_hit(subject, json);
    ws_json_member(json, "rules", rules_of(subject));
    ws_json_member(json, "story", ws_ray_story(subject));
}

/* Writes the rays that are asked for. */
static bool write_rays(struct ws_ray_subject *subject, uint32_t first, uint32_t count, bool list,
                       FILE *stream)
{
    struct ws_json json;
    ws_json_begin(&json, stream);
    if (list)
        ws_json_open_list(&json, "rays");
    for (uint32_t i = 0; i < count && !json.failed; ++i) {
        if (list)
            ws_json_open_element(&json);
        subject->number = first + i;
        write_ray(subject, &json);
        if (list)
            ws_json_close_element(&json);
    }
    if (list)
        ws_json_close_list(&json);
    return ws_json_end(&json);
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    struct ws_ray_subject subject = {.catalog = &capture->report.catalog,
                                     .launch = ws_viewer_launch(capture, query, error)};
    const bool list = ws_viewer_query_text(query, "first") != NULL;
    uint64_t number = 0;
    uint64_t count = 1;
    if (subject.launch == NULL ||
        !ws_viewer_query_number(query, list ? "first" : "ray", UINT64_MAX, UINT32_MAX, &number, error) ||
        !ws_viewer_query_number(query, "count", list ? WS_RAYS_TOLD : 1, WS_RAYS_TOLD, &count, error))
        return false;
    if ((ws_viewer_query_text(query, "ray") != NULL) == list)
        return ws_error_set(error, "ray.json needs ray=N, or first=N");
    subject.scene = ws_viewer_scene(capture, error);
    subject.store = subject.scene != NULL ? ws_viewer_rays(viewer, capture, subject.launch, error) : NULL;
    if (subject.store == NULL)
        return false;
    if (number >= subject.store->count)
        return ws_error_set(error, "launch %" PRIu64 " has no ray %" PRIu64 ": it has %" PRIu32,
                            subject.launch->index, number, subject.store->count);
    const uint64_t left = subject.store->count - number;
    return write_rays(&subject, (uint32_t)number, (uint32_t)(count < left ? count : left), list, stream);
}

/* Which rays the single file tells of, `rays` decides. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *give, void *user)
{
    (void)viewer, (void)capture, (void)budget, (void)give, (void)user;
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_ray = {
    .name = "ray.json",
    .help = "one ray: exactly, with its candidates, the rays around it, and its story in words",
    .keys = "launch ray first count",
    .answer = answer,
    .embed = embed,
};
