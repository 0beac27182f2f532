#include "analysis/scene/bvh/hit_rates.h"

#include <stdlib.h>

#include "analysis/memory/caches_results.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/built.h"
#include "warpscope/passes.h"

static double share(uint64_t hits, uint64_t sectors)
{
    return sectors > 0 ? (double)hits / (double)sectors : -1;
}

double ws_hit_rate_l1(const struct ws_hit_rate *rate)
{
    return share(rate->l1_hits, rate->l1_sectors);
}

double ws_hit_rate_l2(const struct ws_hit_rate *rate)
{
    return share(rate->l2_hits, rate->l2_sectors);
}

/* ---- accesses ---- */

/* The arrays that a geometry of some builds was read from, each once: builds may share the vertices, and have indices of their
 * own. */
struct arrays {
    uint32_t *list;
    uint32_t count;
    uint32_t capacity;
};

static bool add_array(struct arrays *arrays, uint32_t array)
{
    if (array == WS_NONE)
        return true;
    for (uint32_t i = 0; i < arrays->count; ++i)
        if (arrays->list[i] == array)
            return true;
    uint32_t *list = ws_array_grow(arrays->list, &arrays->capacity, arrays->count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    arrays->list = list;
    list[arrays->count++] = array;
    return ws_budget_spend(arrays->count);
}

/* Adds where the geometry of a build lay, if that is known. */
static bool add_build(const struct ws_catalog *catalog, const struct ws_scene *scene, uint32_t build,
                      uint32_t geometry, struct arrays *arrays)
{
    uint32_t data;
    uint32_t indices;
    ws_built_of(catalog, scene->structures[scene->builds[build].structure].id, scene->builds[build].moment,
                geometry, &data, &indices);
    return add_array(arrays, data) && add_array(arrays, indices);
}

static bool add_sums(struct ws_hit_rate *rate, const struct ws_caches_sums *sums)
{
    if (sums == NULL)
        return false;
    rate->requests += sums->requests;
    rate->l1_sectors += sums->l1_sectors;
    rate->l1_hits += sums->l1_hits;
    rate->l2_sectors += sums->l2_sectors;
    rate->l2_hits += sums->l2_hits;
    return true;
}

/* Adds what a primitive comes to in one array; whether anything touched it. */
static bool add_primitive(const struct ws_catalog *catalog, const void *results, uint32_t array,
                          const uint32_t *vertices, struct ws_hit_rate *rate)
{
    bool any = false;
    if (ws_built_array(catalog, array)->kind != WS_BUILT_VERTICES)
        return add_sums(rate, ws_caches_built(results, array, rate->primitive, true));
    for (int i = 0; vertices != NULL && i < 3; ++i) {
        const bool again = (i > 0 && vertices[i] == vertices[0]) || (i > 1 && vertices[i] == vertices[1]);
        any = (!again && add_sums(rate, ws_caches_built(results, array, vertices[i], false))) || any;
    }
    return any;
}

/* Finds what a primitive comes to in all arrays. */
static bool find_primitive(const struct ws_catalog *catalog, const struct ws_scene *scene,
                           const void *results, uint32_t build, const struct arrays *arrays,
                           struct ws_hit_rate *rate)
{
    uint32_t vertices[3];
    bool any = false;
    const bool has_vertices =
        ws_scene_triangle_indices(scene, build, rate->geometry, rate->primitive, vertices);
    for (uint32_t i = 0; i < arrays->count; ++i)
        any = add_primitive(catalog, results, arrays->list[i], has_vertices ? vertices : NULL, rate) || any;
    return any;
}

bool ws_hit_rate_of_accesses(const struct ws_catalog *catalog, const struct ws_scene *scene,
                             const void *results, uint32_t build, uint32_t geometry, uint32_t primitive,
                             struct ws_hit_rate *rate)
{
    struct arrays arrays = {.count = 0};
    *rate = (struct ws_hit_rate){.geometry = geometry, .primitive = primitive};
    const bool found = add_build(catalog, scene, build, geometry, &arrays) &&
                       find_primitive(catalog, scene, results, build, &arrays, rate);
    free(arrays.list);
    return found;
}

/* Gives the primitives of one geometry of the content. `build` is the first with it. */
static bool give_geometry(const struct ws_catalog *catalog, const struct ws_scene *scene, const void *results,
                          uint32_t build, uint32_t geometry, ws_hit_rate_take *take, void *user)
{
    const struct ws_scene_build *first = &scene->builds[build];
    const uint32_t count = first->geometries[geometry].info.primitive_count;
    struct arrays arrays = {.count = 0};
    bool given = ws_budget_spend(scene->build_count);
    for (uint32_t i = build; given && i < scene->build_count; ++i)
        if (scene->builds[i].content == first->content && !scene->builds[i].top)
            given = add_build(catalog, scene, i, geometry, &arrays);
    /* Builds of one content may have been read from as many places. */
    given = given && ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count * arrays.count);
    for (uint32_t i = 0; given && arrays.count > 0 && i < count; ++i) {
        struct ws_hit_rate rate = {.geometry = geometry, .primitive = i};
        if (find_primitive(catalog, scene, results, build, &arrays, &rate))
            given = take(user, &rate);
    }
    free(arrays.list);
    return given;
}

bool ws_hit_rates_of_accesses(const struct ws_catalog *catalog, const struct ws_scene *scene,
                              const void *results, uint32_t content, ws_hit_rate_take *take, void *user)
{
    uint32_t build = 0;
    bool given = true;
    while (build < scene->build_count &&
           (scene->builds[build].content != content || scene->builds[build].top))
        build++;
    for (uint32_t i = 0; build < scene->build_count && given && i < scene->builds[build].geometry_count; ++i)
        given = give_geometry(catalog, scene, results, build, i, take, user);
    return given;
}

static void *create_accesses(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                             struct ws_error *error)
{
    struct ws_analysis_options own = *options;
    own.view = (struct ws_view){.by = "vertex"};
    own.plots = false;
    void *results = ws_analysis_caches.create(catalog, &own, error);
    if (results != NULL) {
        ws_caches_keep_built(results);
        ws_caches_leave_out_curve(results);
    }
    return results;
}

static void destroy_accesses(void *results)
{
    ws_analysis_caches.destroy(results);
}

static void attach_accesses(void *results, uint32_t number)
{
    ws_analysis_caches.attach(results, number);
}

static bool end_accesses(void *results, struct ws_error *error)
{
    return ws_analysis_caches.end(results, error);
}

static void note_accesses(const void *results, FILE *stream)
{
    ws_analysis_caches.notes(results, stream);
}

static const char *const access_passes[] = {WS_PASS_MEMORY_TRACE, NULL};

const struct ws_analysis ws_analysis_face_accesses = {
    .name = "caches",
    .summary = "what accesses to captured geometry come to",
    .passes = access_passes,
    .create = create_accesses,
    .destroy = destroy_accesses,
    .attach = attach_accesses,
    .replay = &ws_caches_replay,
    .end = end_accesses,
    .notes = note_accesses,
};

/* ---- the model ---- */

static struct ws_hit_rate rate_of_row(const struct ws_bvh_row *row)
{
    const bool is_primitive = row->part == WS_BVH_TRIANGLE || row->part == WS_BVH_BOX;
    return (struct ws_hit_rate){.geometry = row->geometry,
                                .primitive = row->number,
                                .depth = row->depth,
                                .bounds = is_primitive ? NULL : row->bounds,
                                .requests = row->sums.requests,
                                .l1_sectors = row->sums.l1_sectors,
                                .l1_hits = row->sums.l1_hits,
                                .l2_sectors = row->sums.l2_sectors,
                                .l2_hits = row->sums.l2_hits};
}

/* Gives the element of that number, if rays visited it. */
static bool give(const void *results, uint32_t part, uint32_t build, uint32_t index, ws_hit_rate_take *take,
                 void *user)
{
    const struct ws_bvh_row *row = ws_bvh_model_find(results, part, build, index);
    if (row == NULL)
        return true;
    const struct ws_hit_rate rate = rate_of_row(row);
    return take(user, &rate);
}

bool ws_hit_rates_of_model(const void *results, uint32_t content, bool boxes, ws_hit_rate_take *take,
                           void *user)
{
    const struct ws_bvh_scene *bvh = ws_bvh_model_bvh(results);
    if (bvh == NULL || content >= bvh->scene->content_count || !bvh->bottoms[content].made)
        return true;
    const struct ws_bvh_bottom *bottom = &bvh->bottoms[content];
    bool given = ws_budget_spend(bottom->tree.item_count + (uint64_t)bottom->tree.node_count);
    for (uint32_t i = 0; given && !boxes && i < bottom->tree.item_count; ++i)
        given = give(results, bottom->primitives[i].box ? WS_BVH_BOX : WS_BVH_TRIANGLE, bottom->build, i,
                     take, user);
    for (uint32_t i = 0; given && boxes && i < bottom->tree.node_count; ++i)
        given = give(results, WS_BVH_BOTTOM_NODE, bottom->build, i, take, user);
    return given;
}

bool ws_hit_rates_of_tops(const void *results, ws_hit_rate_take *take, void *user)
{
    const struct ws_bvh_scene *bvh = ws_bvh_model_bvh(results);
    bool given = true;
    for (uint32_t i = 0; bvh != NULL && given && i < bvh->top_count; ++i) {
        const struct ws_bvh_top *top = bvh->tops[i];
        given = ws_budget_spend(top->tree.item_count + (uint64_t)top->tree.node_count);
        for (uint32_t j = 0; given && j < top->tree.node_count; ++j)
            given = give(results, WS_BVH_TOP_NODE, top->build, j, take, user);
        for (uint32_t j = 0; given && j < top->tree.item_count; ++j)
            given = give(results, WS_BVH_INSTANCE, top->build, j, take, user);
    }
    return given;
}

static void *create_model(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                          struct ws_error *error)
{
    struct ws_analysis_options own = *options;
    own.view = (struct ws_view){.by = "element"};
    return ws_analysis_bvh_model.create(catalog, &own, error);
}

static void destroy_model(void *results)
{
    ws_analysis_bvh_model.destroy(results);
}

static void attach_model(void *results, uint32_t number)
{
    ws_analysis_bvh_model.attach(results, number);
}

static bool hear_model(void *results, struct ws_replay *replay)
{
    return ws_analysis_bvh_model.hear(results, replay);
}

static void note_model(const void *results, FILE *stream)
{
    ws_analysis_bvh_model.notes(results, stream);
}

static const char *const ray_passes[] = {WS_PASS_RAY_EVENTS, NULL};

const struct ws_analysis ws_analysis_model_elements = {
    .name = "bvh_model",
    .summary = "what the elements of a model BVH come to",
    .passes = ray_passes,
    .create = create_model,
    .destroy = destroy_model,
    .replay = &ws_rays_replay_of,
    .attach = attach_model,
    .hear = hear_model,
    .notes = note_model,
};
