/* rays.json: how many rays of a launch fit a filter, and what they are: for legends, lists of choices and sums.
 *
 * Keys: launch, and those of filters (ray_filter.h).
 *
 *     {
 *       "launch": 3, "rays": 40960, "matches": 1200,
 *       "scene": [x, y, z, x, y, z] | null,       the box that lines of rays without a hit end a little behind
 *       "ends": {"unknown": 0, "hit": 800, "miss": 400, "implicit_hit": 0, "no_shader": 0},
 *       "kinds": {"trace": 1000, "skip_closest_hit": 200, "query": 0},
 *       "depths": [600, 400, 200],                by depth; the last one counts all that are deeper than 255
 *       "any_hits": 312, "intersections": 40,     runs; of each ray at most 65535
 *       "sites": [{"site": 0, "name": "traceRay at raygen.rgen:19", "shader_id": 7, "shader": "raygen.rgen:main",
 *                  "file": "raygen.rgen" | null, "line": 19 | null, "rays": 600, "total": 16384}, ...],
 *       "instances": [{"instance": 3, "rays": 500}, ...],    that were hit: the 1000 with most rays
 *       "instance_count": 12,                     how many were hit
 *       "rules": [{"rule": "opaque", "rays": 20}, ...]       of advice, that some of them are evidence for
 *     }
 *
 * Counts are of the rays that fit; `total` of a site is of all. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_transform.h"
#include "analysis/viewer/rays/ray_query.h"
#include "analysis/viewer/rays/ray_story.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"

#define DEPTHS         257
#define INSTANCES_MOST 1000

struct counts {
    uint64_t ends[WS_RAY_NO_SHADER + 1];
    uint64_t kinds[WS_RAY_KINDS];
    uint64_t depths[DEPTHS];
    uint64_t any_hits;
    uint64_t intersections;
    uint64_t rules[WS_MARK_RULES];
    uint64_t *sites;            /* by number */
    struct ws_id_map instances; /* that were hit -> rays; counts stop at UINT32_MAX */
};

/* False = no memory. */
static bool count_ray(struct counts *counts, const struct ws_ray_store *store, uint32_t ray)
{
    const struct ws_ray_block *block = ws_ray_store_block(store, ray / WS_RAY_BLOCK);
    const uint32_t i = ray % WS_RAY_BLOCK;
    const uint32_t rules = store->rules != NULL ? store->rules[ray] : 0;
    uint32_t before = 0;
    counts->ends[block->end[i]]++;
    counts->kinds[block->kind[i]]++;
    counts->depths[block->depth[i] < DEPTHS ? block->depth[i] : DEPTHS - 1]++;
    counts->any_hits += block->any_hits[i];
    counts->intersections += block->intersections[i];
    if (block->site[i] < store->call_count)
        counts->sites[block->site[i]]++;
    for (uint32_t rule = 0; rules >> rule != 0; ++rule) {
        counts->rules[rule] += rules >> rule & 1;
        if (rule == WS_MARK_RULES - 1)
            break;
    }
    if (block->instance[i] == WS_NONE)
        return true;
    if (!ws_id_map_get(&counts->instances, block->instance[i], &before))
        before = 0;
    return before == UINT32_MAX || ws_id_map_put(&counts->instances, block->instance[i], before + 1);
}

static void write_named(struct ws_json *json, const char *key, const uint64_t *counts, uint32_t count,
                        const char *(*name)(uint32_t))
{
    cJSON *object = cJSON_CreateObject();
    for (uint32_t i = 0; i < count; ++i)
        ws_json_integer(object, name(i), counts[i]);
    ws_json_member(json, key, object);
}

static void write_depths(struct ws_json *json, const struct counts *counts)
{
    cJSON *list = cJSON_CreateArray();
    uint32_t last = DEPTHS;
    while (last > 0 && counts->depths[last - 1] == 0)
        --last;
    for (uint32_t i = 0; i < last; ++i)
        ws_json_append(list, ws_json_integer_item(counts->depths[i]));
    ws_json_member(json, "depths", list);
}

/* The source line of a call site; false where it is not known. */
static bool find_line(const struct ws_catalog *catalog, const struct ws_ray_call *call, const char **file,
                      uint32_t *line)
{
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[call->of.shader].module];
    if (call->of.site >= module->site_count)
        return false;
    *line = module->sites[call->of.site].line;
    *file = module->sites[call->of.site].file;
    return *line > 0 && *file != NULL && (*file)[0] != '\0';
}

/* With the structure, where there are several: calls of one site are told apart by it. */
static void name_call(const struct ws_catalog *catalog, const struct ws_ray_store *store, uint32_t number,
                      const struct ws_scene *scene, char *name, size_t size)
{
    const struct ws_ray_call *call = &store->calls[number];
    char structure[256];
    ws_call_name(catalog, call->of.shader, ws_site_offset(catalog, call->of.shader, call->of.site), name,
                 size);
    const size_t length = strlen(name);
    if (ws_ray_structure_text(store, number, scene, structure, sizeof(structure)))
        snprintf(name + length, size - length, " through %s", structure);
    else if (call->of.structure.source == WS_STRUCTURE_BY_ADDRESS)
        snprintf(name + length, size - length, " through structure %" PRIu32, call->of.structure.id);
}

static void write_sites(struct ws_json *json, const struct ws_catalog *catalog,
                        const struct ws_ray_store *store, const struct ws_scene *scene,
                        const struct counts *counts)
{
    ws_json_open_list(json, "sites");
    for (uint32_t i = 0; i < store->call_count; ++i) {
        const struct ws_ray_call *call = &store->calls[i];
        const char *file = NULL;
        uint32_t line = 0;
        char name[512];
        cJSON *object = cJSON_CreateObject();
        const bool known = find_line(catalog, call, &file, &line);
        name_call(catalog, store, i, scene, name, sizeof(name));
        ws_json_integer(object, "site", i);
        cJSON_AddStringToObject(object, "name", name);
        ws_json_integer(object, "shader_id", catalog->shaders[call->of.shader].id);
        cJSON_AddStringToObject(object, "shader", ws_shader_name(catalog, call->of.shader));
        ws_json_add(object, "file", known ? cJSON_CreateString(file) : cJSON_CreateNull());
        ws_json_add(object, "line", known ? ws_json_integer_item(line) : cJSON_CreateNull());
        ws_json_integer(object, "rays", counts->sites[i]);
        ws_json_integer(object, "total", call->rays);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static int compare_instances(const void *left, const void *right)
{
    const struct ws_id_slot *a = left;
    const struct ws_id_slot *b = right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* False = no memory. */
static bool write_instances(struct ws_json *json, const struct counts *counts)
{
    struct ws_id_slot *slots = malloc(((size_t)counts->instances.count + 1) * sizeof(*slots));
    uint32_t count = 0;
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < counts->instances.capacity; ++i)
        if (counts->instances.slots[i].used)
            slots[count++] = counts->instances.slots[i];
    qsort(slots, count, sizeof(*slots), compare_instances);
    ws_json_open_list(json, "instances");
    for (uint32_t i = 0; i < count && i < INSTANCES_MOST; ++i) {
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "instance", slots[i].key);
        ws_json_integer(object, "rays", slots[i].value);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
    ws_json_member(json, "instance_count", ws_json_integer_item(count));
    free(slots);
    return true;
}

static void write_rules(struct ws_json *json, const struct counts *counts)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    ws_json_open_list(json, "rules");
    for (uint32_t i = 0; rules[i] != NULL; ++i) {
        if (counts->rules[i] == 0)
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "rule", rules[i]->name);
        ws_json_integer(object, "rays", counts->rules[i]);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static cJSON *box_of(const float box[6])
{
    if (box[0] > box[3] || !ws_all_finite(box, 6))
        return cJSON_CreateNull();
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < 6; ++i)
        ws_json_append(list, ws_json_number_item((double)box[i]));
    return list;
}

static bool write_counts(const struct ws_catalog *catalog, const struct ws_ray_question *question,
                         const struct ws_scene *scene, const struct counts *counts, FILE *stream)
{
    struct ws_json json;
    ws_json_begin(&json, stream);
    ws_json_member(&json, "launch", ws_json_integer_item(question->launch->index));
    ws_json_member(&json, "rays", ws_json_integer_item(question->store->count));
    ws_json_member(&json, "matches", ws_json_integer_item(question->matches));
    ws_json_member(&json, "scene", box_of(question->store->scene));
    write_named(&json, "ends", counts->ends, WS_RAY_NO_SHADER + 1, ws_ray_end_name);
    write_named(&json, "kinds", counts->kinds, WS_RAY_KINDS, ws_ray_kind_name);
    write_depths(&json, counts);
    ws_json_member(&json, "any_hits", ws_json_integer_item(counts->any_hits));
    ws_json_member(&json, "intersections", ws_json_integer_item(counts->intersections));
    write_sites(&json, catalog, question->store, scene, counts);
    const bool written = write_instances(&json, counts);
    write_rules(&json, counts);
    return ws_json_end(&json) && written;
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    struct ws_ray_question question;
    if (!ws_ray_question_read(viewer, capture, query, &question, error))
        return false;
    const struct ws_scene *scene = ws_viewer_scene(capture, error);
    if (scene == NULL)
        return false;
    struct counts counts = {.sites = calloc((size_t)question.store->call_count + 1, sizeof(uint64_t))};
    bool counted = counts.sites != NULL;
    for (uint32_t ray = 0; ray < question.store->count && counted; ++ray)
        counted = !ws_ray_question_has(&question, ray) || count_ray(&counts, question.store, ray);
    counted = counted && write_counts(&capture->report.catalog, &question, scene, &counts, stream);
    free(counts.sites);
    ws_id_map_finish(&counts.instances);
    return counted || ws_error_set(error, "no memory to count rays");
}

/* Which launches the single file has, `rays` decides. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *give, void *user)
{
    (void)viewer, (void)capture, (void)budget, (void)give, (void)user;
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_rays_facts = {
    .name = "rays.json",
    .help = "how many rays of a launch fit a filter, by outcome, kind, depth, call site, instance and rule",
    .keys = "launch " WS_RAY_FILTER_KEYS,
    .answer = answer,
    .embed = embed,
};
