#include "analysis/export/bvh.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/export/geometry.h"
#include "analysis/output/gltf.h"
#include "analysis/scene/bvh/bvh_model.h"
#include "analysis/scene/bvh/hit_rates.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"
#include "warpscope/passes.h"

#define BOX_TRIANGLES 8 /* a box has as many vertices as so many triangles */
#define NAME_SIZE     96

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
    uint32_t top; /* number of the top level that is drawn */
    bool stopped; /* the budget is spent */
};

/* ---- colours ---- */

/* What is shown of something. */
struct shown {
    bool any; /* else nothing asked for it */
    double l1;
    double l2;
    uint64_t count; /* visits of rays, or requests */
};

static struct shown shown_of(const struct ws_hit_rate *rate)
{
    return (struct shown){true, ws_hit_rate_l1(rate), ws_hit_rate_l2(rate), rate->requests};
}

static struct shown shown_of_row(const struct ws_bvh_row *row)
{
    if (row == NULL)
        return (struct shown){.any = false};
    const struct ws_hit_rate rate = {.l1_sectors = row->sums.l1_sectors,
                                     .l1_hits = row->sums.l1_hits,
                                     .l2_sectors = row->sums.l2_sectors,
                                     .l2_hits = row->sums.l2_hits,
                                     .requests = row->sums.visits};
    return shown_of(&rate);
}

/* Light, not what a screen is told: glTF has the colours of vertices so. */
static float light_of(double shown)
{
    return (float)pow(shown, 2.2);
}

static void colour_of(const struct shown *shown, float colour[3])
{
    static const double stops[3][3] = {{0.05, 0.03, 0.53}, {0.80, 0.28, 0.47}, {0.94, 0.98, 0.13}};
    const double rate = shown->any ? shown->l1 : -1;
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
                       const struct shown *shown)
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
    colour_of(shown, &shape->colours[3 * (size_t)shape->count]);
    rates[0] = shown->any ? (float)shown->l1 : -1;
    rates[1] = shown->any ? (float)shown->l2 : -1;
    rates[2] = shown->any ? (float)shown->count : 0;
    shape->count = count;
}

/* Adds the edges of a box. */
static void add_box(struct shape *shape, const float bounds[6], const float *transform,
                    const struct shown *shown)
{
    static const int edges[24] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
    float corners[8][3];
    ws_box_corners(bounds, corners);
    for (int i = 0; i < 24; ++i)
        add_vertex(shape, corners[edges[i]], transform, shown);
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

static struct shown find_shown(const struct drawing *drawing, uint32_t part, uint32_t build, uint32_t index)
{
    return shown_of_row(ws_bvh_model_find(drawing->results, part, build, index));
}

/* The boxes of those nodes of a tree that were visited. */
static void add_nodes(struct drawing *drawing, struct shape *shape, uint32_t part, uint32_t build,
                      const struct ws_bvh_tree *tree, const float *transform)
{
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        const struct ws_bvh_row *row = ws_bvh_model_find(drawing->results, part, build, i);
        if (row == NULL)
            continue;
        const struct shown shown = shown_of_row(row);
        add_box(shape, row->bounds, transform, &shown);
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

/* Instances of further top levels say of which. */
static void name_node(const struct drawing *drawing, uint32_t instance, const char *what,
                      char name[NAME_SIZE])
{
    if (drawing->top > 0)
        snprintf(name, NAME_SIZE, "top level %" PRIu32 " instance %" PRIu32 " %s", drawing->top, instance,
                 what);
    else
        snprintf(name, NAME_SIZE, "instance %" PRIu32 " %s", instance, what);
}

static void draw_instance(struct drawing *drawing, const struct ws_bvh_instance *instance)
{
    const struct ws_bvh_bottom *bottom = instance->bottom;
    const float *transform = instance->instance.transform;
    struct shape triangles = {.count = 0};
    struct shape boxes = {.count = 0};
    struct shape nodes = {.count = 0};
    char name[NAME_SIZE];
    for (uint32_t i = 0; i < bottom->tree.item_count; ++i) {
        const struct ws_bvh_primitive *primitive = &bottom->primitives[i];
        const struct shown shown =
            find_shown(drawing, primitive->box ? WS_BVH_BOX : WS_BVH_TRIANGLE, bottom->build, i);
        if (primitive->box)
            add_box(&boxes, primitive->corners, transform, &shown);
        for (int j = 0; j < 3 && !primitive->box; ++j)
            add_vertex(&triangles, &primitive->corners[3 * j], transform, &shown);
        drawing->export->boxes += primitive->box;
        drawing->export->triangles += !primitive->box;
    }
    add_nodes(drawing, &nodes, WS_BVH_BOTTOM_NODE, bottom->build, &bottom->tree, transform);
    name_node(drawing, instance->index, "triangles", name);
    draw(drawing, &triangles, WS_GLTF_TRIANGLES, name);
    name_node(drawing, instance->index, "boxes", name);
    draw(drawing, &boxes, WS_GLTF_LINES, name);
    name_node(drawing, instance->index, "nodes", name);
    draw(drawing, &nodes, WS_GLTF_LINES, name);
    drawing->export->instances++;
}

static void draw_top(struct drawing *drawing, const struct ws_bvh_top *top)
{
    struct shape boxes = {.count = 0};
    char name[NAME_SIZE];
    add_nodes(drawing, &boxes, WS_BVH_TOP_NODE, top->build, &top->tree, NULL);
    for (uint32_t i = 0; i < top->tree.item_count; ++i) {
        const struct shown shown = find_shown(drawing, WS_BVH_INSTANCE, top->build, i);
        add_box(&boxes, top->instances[i].bounds, NULL, &shown);
    }
    snprintf(name, sizeof(name), drawing->top > 0 ? "top level %" PRIu32 : "top level", drawing->top);
    draw(drawing, &boxes, WS_GLTF_LINES, name);
    for (uint32_t i = 0; i < top->tree.item_count && may_draw(drawing, top->instances[i].bottom); ++i)
        draw_instance(drawing, &top->instances[i]);
    drawing->top++;
}

/* Whether a later build of the same structure is there: that is drawn. */
static bool is_rebuilt(const struct ws_bvh_scene *bvh, uint32_t number)
{
    const struct ws_scene_build *builds = bvh->scene->builds;
    for (uint32_t i = number + 1; i < bvh->top_count; ++i)
        if (builds[bvh->tops[i]->build].structure == builds[bvh->tops[number]->build].structure)
            return true;
    return !ws_budget_spend(bvh->top_count);
}

static void begin(struct drawing *drawing)
{
    const struct ws_gltf_material material = {.name = "rates", .colour = {1, 1, 1, 1}, .unlit = true};
    ws_gltf_begin(&drawing->gltf);
    drawing->material = ws_gltf_material(&drawing->gltf, &material);
}

static bool finish(struct drawing *drawing, struct ws_error *error)
{
    const bool written = drawing->stopped ? ws_budget_exceeded(error) && false
                                          : ws_gltf_write(&drawing->gltf, drawing->export->path, error);
    ws_gltf_finish(&drawing->gltf);
    return written;
}

/* ---- accesses ---- */

/* The rates of a content, when it is first drawn. */
struct content {
    bool made;
    struct ws_id_map ids; /* geometry << 32 | primitive -> index below */
    struct shown *list;
    uint32_t count;
    uint32_t capacity;
};

static bool take_rate(void *user, const struct ws_hit_rate *rate)
{
    struct content *content = user;
    struct shown *list = ws_array_grow(content->list, &content->capacity, content->count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    content->list = list;
    list[content->count] = shown_of(rate);
    return ws_id_map_put(&content->ids, (uint64_t)rate->geometry << 32 | rate->primitive, content->count++);
}

static struct shown find_rate(const struct content *content, uint32_t geometry, uint32_t primitive)
{
    uint32_t index = 0;
    return ws_id_map_get(&content->ids, (uint64_t)geometry << 32 | primitive, &index)
               ? content->list[index]
               : (struct shown){.any = false};
}

/* Adds the primitives of a geometry that can be drawn. */
static void add_geometry(struct drawing *drawing, const struct ws_scene *scene,
                         const struct ws_scene_instance *instance, uint32_t geometry,
                         const struct content *content, struct shape shapes[2])
{
    const struct ws_build_geometry *info = &scene->builds[instance->build].geometries[geometry].info;
    drawing->stopped = drawing->stopped ||
                       !ws_budget_spend(BOX_TRIANGLES * WS_STEPS_PRIMITIVE * (uint64_t)info->primitive_count);
    for (uint32_t i = 0; !drawing->stopped && i < info->primitive_count; ++i) {
        const struct shown shown = find_rate(content, geometry, i);
        float corners[3][3];
        float box[6];
        if (info->type == WS_GEOMETRY_TRIANGLES &&
            ws_scene_triangle(scene, instance->build, geometry, i, corners)) {
            for (int j = 0; j < 3; ++j)
                add_vertex(&shapes[0], corners[j], instance->transform, &shown);
            drawing->export->triangles++;
            drawing->export->visited += shown.any;
        } else if (info->type == WS_GEOMETRY_AABBS &&
                   ws_scene_aabb(scene, instance->build, geometry, i, box)) {
            add_box(&shapes[1], box, instance->transform, &shown);
            drawing->export->boxes++;
            drawing->export->visited += shown.any;
        }
    }
}

static bool draw_accessed(struct drawing *drawing, const struct ws_catalog *catalog,
                          const struct ws_scene *scene, const struct ws_scene_instance *instance,
                          uint32_t number, struct content *contents)
{
    const struct ws_scene_build *build = &scene->builds[instance->build];
    struct content *content = &contents[build->content];
    struct shape shapes[2] = {{.count = 0}, {.count = 0}};
    char name[NAME_SIZE];
    if (!content->made &&
        !ws_hit_rates_of_accesses(catalog, scene, drawing->results, build->content, take_rate, content))
        return false;
    content->made = true;
    for (uint32_t i = 0; i < build->geometry_count; ++i)
        add_geometry(drawing, scene, instance, i, content, shapes);
    name_node(drawing, number, "triangles", name);
    draw(drawing, &shapes[0], WS_GLTF_TRIANGLES, name);
    name_node(drawing, number, "boxes", name);
    draw(drawing, &shapes[1], WS_GLTF_LINES, name);
    drawing->export->instances++;
    return true;
}

static bool draw_accessed_top(struct drawing *drawing, const struct ws_catalog *catalog,
                              const struct ws_scene *scene, uint32_t build, struct content *contents)
{
    const uint32_t count = ws_scene_instance_count(scene, build);
    bool drawn = true;
    drawing->stopped = drawing->stopped || !ws_budget_spend((uint64_t)count + 1);
    for (uint32_t i = 0; drawn && !drawing->stopped && i < count; ++i) {
        struct ws_scene_instance instance;
        if (ws_scene_instance(scene, build, i, &instance) && instance.build != WS_NONE &&
            !scene->builds[instance.build].top && ws_all_finite(instance.transform, 12))
            drawn = draw_accessed(drawing, catalog, scene, &instance, i, contents);
    }
    drawing->top++;
    return drawn;
}

/* Draws all top levels that there are in a launch. False = no memory. */
static bool draw_accessed_tops(struct drawing *drawing, const struct ws_catalog *catalog,
                               const struct ws_scene *scene, uint64_t launch, struct content *contents)
{
    const struct ws_launch_record *record = ws_catalog_launch(catalog, launch);
    const uint32_t device = record != NULL ? catalog->devices[record->device].id : 0;
    const uint32_t count = record != NULL ? ws_scene_tops(scene, device, launch, NULL, 0) : 0;
    uint32_t *tops = calloc((size_t)count + 1, sizeof(*tops));
    bool drawn = tops != NULL;
    if (drawn && count > 0)
        ws_scene_tops(scene, device, launch, tops, count);
    for (uint32_t i = 0; drawn && !drawing->stopped && i < count; ++i)
        drawn =
            draw_accessed_top(drawing, catalog, scene, ws_scene_build_at(scene, tops[i], launch), contents);
    free(tops);
    return drawn;
}

bool ws_access_rates_write(struct ws_bvh_export *export, const struct ws_catalog *catalog,
                           const struct ws_scene *scene, const void *results, uint64_t launch,
                           struct ws_error *error)
{
    struct drawing drawing = {.results = results, .export = export};
    struct content *contents = calloc((size_t)scene->content_count + 1, sizeof(*contents));
    begin(&drawing);
    const bool drawn = contents != NULL && draw_accessed_tops(&drawing, catalog, scene, launch, contents);
    for (uint32_t i = 0; contents != NULL && i < scene->content_count; ++i) {
        ws_id_map_finish(&contents[i].ids);
        free(contents[i].list);
    }
    free(contents);
    drawing.gltf.failed = drawing.gltf.failed || !drawn;
    drawing.stopped = drawing.stopped || (!drawn && !ws_budget_spend(0));
    if (export->visited > 0 || drawing.gltf.failed || drawing.stopped)
        return finish(&drawing, error);
    ws_gltf_finish(&drawing.gltf);
    return ws_error_set(
        error, "there is no hit rate of accesses to draw: what structures were built of is not known, "
               "or no shader read it");
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
    begin(&drawing);
    for (uint32_t i = 0; i < drawing.bvh->top_count; ++i)
        if (is_rebuilt(drawing.bvh, i))
            export->others++;
        else
            draw_top(&drawing, drawing.bvh->tops[i]);
    drawing.stopped = drawing.stopped || !ws_budget_spend(0);
    return finish(&drawing, error);
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
