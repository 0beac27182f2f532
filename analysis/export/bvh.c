#include "analysis/export/bvh.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/export/geometry.h"
#include "analysis/output/gltf.h"
#include "analysis/scene/bvh/bvh_model.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"
#include "warpscope/passes.h"

#define BOX_TRIANGLES 8 /* a box has as many vertices as so many triangles */

/* Vertices of one primitive of glTF. */
struct shape {
    float *positions;
    float *colours;
    float *rates;
    uint32_t count;
    uint32_t capacities[3];
    bool failed;
};

struct drawing {
    const struct ws_bvh_scene *bvh;
    const void *results; /* of bvh_model */
    struct ws_bvh_export *export;
    struct ws_gltf gltf;
    uint32_t material;
    bool stopped; /* the budget is spent */
};

/* ---- colours ---- */

static double rate_of(uint64_t hits, uint64_t sectors)
{
    return sectors > 0 ? (double)hits / (double)sectors : -1;
}

/* Light, not what a screen is told: glTF has the colours of vertices so. */
static float light_of(double shown)
{
    return (float)pow(shown, 2.2);
}

static void colour_of(const struct ws_bvh_sums *sums, float colour[3])
{
    static const double stops[3][3] = {{0.05, 0.03, 0.53}, {0.80, 0.28, 0.47}, {0.94, 0.98, 0.13}};
    const double rate = sums != NULL ? rate_of(sums->l1_hits, sums->l1_sectors) : -1;
    const double place = 2 * fmax(rate, 0);
    const int stop = place < 1 ? 0 : 1;
    for (int i = 0; i < 3; ++i)
        colour[i] = rate < 0
                        ? light_of(0.35)
                        : light_of(stops[stop][i] + (place - stop) * (stops[stop + 1][i] - stops[stop][i]));
}

/* ---- shapes ---- */

static bool grow(float **array, uint32_t *capacity, uint32_t count)
{
    float *grown = ws_array_grow(*array, capacity, 3 * count, sizeof(*grown));
    if (grown != NULL)
        *array = grown;
    return grown != NULL;
}

/* Adds a vertex, moved by a transform; NULL = it is in the world. */
static void add_vertex(struct shape *shape, const float position[3], const float *transform,
                       const struct ws_bvh_sums *sums)
{
    const uint32_t count = shape->count + 1;
    if (shape->failed || count > UINT32_MAX / 8 || !grow(&shape->positions, &shape->capacities[0], count) ||
        !grow(&shape->colours, &shape->capacities[1], count) ||
        !grow(&shape->rates, &shape->capacities[2], count)) {
        shape->failed = true;
        return;
    }
    float *placed = &shape->positions[3 * (size_t)shape->count];
    float *rates = &shape->rates[3 * (size_t)shape->count];
    for (int i = 0; i < 3; ++i)
        placed[i] = position[i];
    if (transform != NULL)
        ws_transform_point(transform, position, placed);
    colour_of(sums, &shape->colours[3 * (size_t)shape->count]);
    rates[0] = sums != NULL ? (float)rate_of(sums->l1_hits, sums->l1_sectors) : -1;
    rates[1] = sums != NULL ? (float)rate_of(sums->l2_hits, sums->l2_sectors) : -1;
    rates[2] = sums != NULL ? (float)sums->visits : 0;
    shape->count = count;
}

/* Adds the edges of a box. */
static void add_box(struct shape *shape, const float bounds[6], const float *transform,
                    const struct ws_bvh_sums *sums)
{
    static const int edges[24] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
    float corners[8][3];
    ws_box_corners(bounds, corners);
    for (int i = 0; i < 24; ++i)
        add_vertex(shape, corners[edges[i]], transform, sums);
}

/* Draws the shape as a node of that name, and frees it. A shape that is not finite, or has nothing, is not drawn. */
static void draw(struct drawing *drawing, struct shape *shape, uint32_t mode, const char *name)
{
    struct ws_gltf *gltf = &drawing->gltf;
    gltf->failed = gltf->failed || shape->failed;
    if (!gltf->failed && shape->count > 0 && ws_all_finite(shape->positions, 3 * shape->count)) {
        cJSON *primitives = ws_gltf_primitives(gltf);
        cJSON *attributes = ws_gltf_add_primitive(gltf, primitives, mode,
                                                  ws_gltf_positions(gltf, shape->positions, shape->count),
                                                  WS_NONE, drawing->material);
        ws_gltf_attribute(attributes, "COLOR_0", ws_gltf_numbers(gltf, shape->colours, shape->count));
        ws_gltf_attribute(attributes, "_RATES", ws_gltf_numbers(gltf, shape->rates, shape->count));
        const struct ws_gltf_node node = {
            .name = name, .content = WS_GLTF_MESH, .index = ws_gltf_mesh(gltf, name, primitives)};
        ws_gltf_add_root(gltf, ws_gltf_add_node(gltf, &node));
    }
    free(shape->positions);
    free(shape->colours);
    free(shape->rates);
}

/* ---- what is drawn ---- */

static const struct ws_bvh_sums *sums_of(const struct drawing *drawing, uint32_t part, uint32_t build,
                                         uint32_t index)
{
    const struct ws_bvh_row *row = ws_bvh_model_find(drawing->results, part, build, index);
    return row != NULL ? &row->sums : NULL;
}

/* The boxes of those nodes of a tree that were visited. */
static void add_nodes(struct drawing *drawing, struct shape *shape, uint32_t part, uint32_t build,
                      const struct ws_bvh_tree *tree, const float *transform)
{
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        const struct ws_bvh_row *row = ws_bvh_model_find(drawing->results, part, build, i);
        if (row == NULL)
            continue;
        add_box(shape, row->bounds, transform, &row->sums);
        drawing->export->nodes++;
    }
}

/* Whether an instance may be drawn: many may have the same content, which each draws anew. */
static bool may_draw(struct drawing *drawing, const struct ws_bvh_bottom *bottom)
{
    const uint64_t boxes = bottom->boxes + bottom->tree.node_count;
    drawing->stopped = drawing->stopped ||
                       !ws_budget_spend(WS_STEPS_PRIMITIVE * (bottom->triangles + BOX_TRIANGLES * boxes));
    return !drawing->stopped && !drawing->gltf.failed;
}

static void draw_instance(struct drawing *drawing, const struct ws_bvh_instance *instance)
{
    const struct ws_bvh_bottom *bottom = instance->bottom;
    const float *transform = instance->instance.transform;
    struct shape triangles = {.count = 0};
    struct shape boxes = {.count = 0};
    struct shape nodes = {.count = 0};
    char name[64];
    for (uint32_t i = 0; i < bottom->tree.item_count; ++i) {
        const struct ws_bvh_primitive *primitive = &bottom->primitives[i];
        const struct ws_bvh_sums *sums =
            sums_of(drawing, primitive->box ? WS_BVH_BOX : WS_BVH_TRIANGLE, bottom->build, i);
        if (primitive->box)
            add_box(&boxes, primitive->corners, transform, sums);
        for (int j = 0; j < 3 && !primitive->box; ++j)
            add_vertex(&triangles, &primitive->corners[3 * j], transform, sums);
        drawing->export->boxes += primitive->box;
        drawing->export->triangles += !primitive->box;
    }
    add_nodes(drawing, &nodes, WS_BVH_BOTTOM_NODE, bottom->build, &bottom->tree, transform);
    snprintf(name, sizeof(name), "instance %" PRIu32 " triangles", instance->index);
    draw(drawing, &triangles, WS_GLTF_TRIANGLES, name);
    snprintf(name, sizeof(name), "instance %" PRIu32 " boxes", instance->index);
    draw(drawing, &boxes, WS_GLTF_LINES, name);
    snprintf(name, sizeof(name), "instance %" PRIu32 " nodes", instance->index);
    draw(drawing, &nodes, WS_GLTF_LINES, name);
    drawing->export->instances++;
}

static void draw_top(struct drawing *drawing, const struct ws_bvh_top *top)
{
    struct shape boxes = {.count = 0};
    const struct ws_gltf_material material = {.name = "rates", .colour = {1, 1, 1, 1}, .unlit = true};
    drawing->material = ws_gltf_material(&drawing->gltf, &material);
    add_nodes(drawing, &boxes, WS_BVH_TOP_NODE, top->build, &top->tree, NULL);
    for (uint32_t i = 0; i < top->tree.item_count; ++i)
        add_box(&boxes, top->instances[i].bounds, NULL, sums_of(drawing, WS_BVH_INSTANCE, top->build, i));
    draw(drawing, &boxes, WS_GLTF_LINES, "top level");
    for (uint32_t i = 0; i < top->tree.item_count && may_draw(drawing, top->instances[i].bottom); ++i)
        draw_instance(drawing, &top->instances[i]);
}

/* ---- the analysis: bvh_model by element, and a file at its end ---- */

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_analysis_options own = *options;
    own.view = (struct ws_view){.by = "element"};
    return ws_analysis_bvh_model.create(catalog, &own, error);
}

static void destroy(void *results)
{
    ws_analysis_bvh_model.destroy(results);
}

static void attach(void *results, uint32_t number)
{
    ws_analysis_bvh_model.attach(results, number);
}

static bool hear(void *results, struct ws_replay *replay)
{
    return ws_analysis_bvh_model.hear(results, replay);
}

static void notes(const void *results, FILE *stream)
{
    ws_analysis_bvh_model.notes(results, stream);
}

static bool end(void *results, struct ws_error *error)
{
    struct ws_bvh_export *export = ws_bvh_model_user(results);
    const char *why = ws_analysis_bvh_model.nothing(results);
    struct drawing drawing = {.results = results, .export = export, .bvh = ws_bvh_model_bvh(results)};
    if (why != NULL)
        return ws_error_set(error, "there is no model BVH to draw: %s", why);
    if (drawing.bvh->top_count == 0)
        return ws_error_set(error, "there is no model BVH to draw: no ray flew whose structure is known");
    export->visited = ws_bvh_model_count(results);
    export->others = drawing.bvh->top_count - 1;
    ws_gltf_begin(&drawing.gltf);
    draw_top(&drawing, drawing.bvh->tops[0]);
    const bool written = drawing.stopped ? ws_budget_exceeded(error) && false
                                         : ws_gltf_write(&drawing.gltf, export->path, error);
    ws_gltf_finish(&drawing.gltf);
    return written;
}

static const char *const passes[] = {WS_PASS_RAY_EVENTS, NULL};

const struct ws_analysis ws_analysis_bvh_export = {
    .name = "--hit-rates",
    .summary = "the model BVH as glTF",
    .passes = passes,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .hear = hear,
    .end = end,
    .notes = notes,
};
