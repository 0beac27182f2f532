#include "analysis/scene/bvh/bvh_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"

#define LARGEST   1e18f /* as scene_trace.h has it */
#define GROWTH    1e-5f /* of an instance's box: some roundings */
#define ALIGNMENT 256u
#define TOP_LEAF  1u
#define KEPT_MOST (1u << 20) /* instances of top levels that are kept */

struct ws_bvh_scene *ws_bvh_scene_create(const struct ws_scene *scene, const struct ws_bvh_settings *settings)
{
    struct ws_bvh_scene *bvh = calloc(1, sizeof(*bvh));
    if (bvh == NULL)
        return NULL;
    bvh->scene = scene;
    bvh->settings = *settings;
    bvh->bottoms = calloc((size_t)scene->content_count + 1, sizeof(*bvh->bottoms));
    if (bvh->bottoms != NULL)
        return bvh;
    ws_bvh_scene_destroy(bvh);
    return NULL;
}

static void destroy_top(struct ws_bvh_top *top)
{
    ws_bvh_tree_finish(&top->tree);
    free(top->instances);
    free(top);
}

static void drop_tops(struct ws_bvh_scene *bvh)
{
    for (uint32_t i = 0; i < bvh->top_count; ++i)
        destroy_top(bvh->tops[i]);
    ws_id_map_finish(&bvh->top_ids);
    bvh->top_ids = (struct ws_id_map){0};
    bvh->top_count = 0;
    bvh->kept_instances = 0;
}

void ws_bvh_scene_destroy(struct ws_bvh_scene *bvh)
{
    if (bvh == NULL)
        return;
    drop_tops(bvh);
    free(bvh->tops);
    for (uint32_t i = 0; bvh->bottoms != NULL && i < bvh->scene->content_count; ++i) {
        ws_bvh_tree_finish(&bvh->bottoms[i].tree);
        free(bvh->bottoms[i].primitives);
    }
    free(bvh->bottoms);
    free(bvh);
}

void ws_bvh_scene_trim(struct ws_bvh_scene *bvh)
{
    if (bvh->kept_instances > KEPT_MOST)
        drop_tops(bvh);
}

/* Gives out addresses. */
static uint64_t place(struct ws_bvh_scene *bvh, uint64_t bytes)
{
    const uint64_t at = bvh->end;
    bvh->end += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static void add_totals(struct ws_bvh_totals *totals, const struct ws_bvh_tree *tree, uint64_t bytes,
                       uint64_t left_out)
{
    totals->trees++;
    totals->nodes += tree->node_count;
    totals->leaves += tree->leaf_count;
    totals->items += tree->item_count;
    totals->bytes += bytes;
    totals->depth = tree->depth > totals->depth ? tree->depth : totals->depth;
    totals->left_out += left_out;
}

static bool is_moderate(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!(fabsf(values[i]) <= LARGEST))
            return false;
    return true;
}

/* ---- bottom levels ---- */

/* The primitives of a build as they are found, with their boxes. */
struct found {
    struct ws_bvh_primitive *list;
    float (*boxes)[6];
    uint32_t count;
    uint32_t list_capacity;
    uint32_t box_capacity;
};

static bool take_primitive(const struct ws_bvh_scene *bvh, uint32_t build, struct ws_bvh_primitive *primitive,
                           float box[6])
{
    float *corners = primitive->corners;
    ws_bounds_init(box);
    if (primitive->box) {
        if (!ws_scene_aabb(bvh->scene, build, primitive->geometry, primitive->primitive, corners) ||
            !is_moderate(corners, 6) || corners[0] > corners[3] || corners[1] > corners[4] ||
            corners[2] > corners[5])
            return false;
        memcpy(box, corners, 6 * sizeof(*corners));
        return true;
    }
    float vertices[3][3];
    if (!ws_scene_triangle(bvh->scene, build, primitive->geometry, primitive->primitive, vertices) ||
        !is_moderate(vertices[0], 9))
        return false;
    memcpy(corners, vertices, sizeof(vertices));
    for (int i = 0; i < 3; ++i)
        ws_bounds_add_point(box, vertices[i]);
    return true;
}

/* Takes the primitives of one geometry. False = no memory, or the budget is spent. */
static bool take_geometry(const struct ws_bvh_scene *bvh, struct ws_bvh_bottom *bottom, uint32_t geometry,
                          struct found *found)
{
    const struct ws_build_geometry *info = &bvh->scene->builds[bottom->build].geometries[geometry].info;
    if (info->type != WS_GEOMETRY_TRIANGLES && info->type != WS_GEOMETRY_AABBS)
        return true;
    for (uint32_t i = 0; i < info->primitive_count; ++i) {
        struct ws_bvh_primitive primitive = {
            .geometry = geometry, .primitive = i, .box = info->type == WS_GEOMETRY_AABBS};
        float box[6];
        if (!ws_budget_spend(WS_STEPS_PRIMITIVE))
            return false;
        if (!take_primitive(bvh, bottom->build, &primitive, box)) {
            bottom->left_out++;
            continue;
        }
        if (found->count == UINT32_MAX / 2)
            return false;
        struct ws_bvh_primitive *list =
            ws_array_grow(found->list, &found->list_capacity, found->count + 1, sizeof(*list));
        if (list == NULL)
            return false;
        found->list = list;
        float(*boxes)[6] =
            ws_array_grow(found->boxes, &found->box_capacity, found->count + 1, sizeof(*boxes));
        if (boxes == NULL)
            return false;
        found->boxes = boxes;
        list[found->count] = primitive;
        memcpy(boxes[found->count++], box, sizeof(box));
        bottom->boxes += primitive.box;
        bottom->triangles += !primitive.box;
    }
    return true;
}

/* Lays the tree out, with the primitives in the order of its leaves. */
static bool lay_out_bottom(struct ws_bvh_scene *bvh, struct ws_bvh_bottom *bottom, const struct found *found)
{
    const struct ws_bvh_settings *settings = &bvh->settings;
    const struct ws_bvh_tree *tree = &bottom->tree;
    bottom->primitives = malloc(((size_t)found->count + 1) * sizeof(*bottom->primitives));
    if (bottom->primitives == NULL)
        return false;
    for (uint32_t i = 0; i < found->count; ++i)
        bottom->primitives[i] = found->list[tree->items[i]];
    bottom->primitive_bytes = bottom->boxes == 0 ? settings->triangle_bytes : settings->box_bytes;
    if (bottom->triangles > 0 && settings->triangle_bytes > bottom->primitive_bytes)
        bottom->primitive_bytes = settings->triangle_bytes;
    const uint64_t node_bytes = (uint64_t)tree->node_count * settings->node_bytes;
    const uint64_t bytes = (uint64_t)found->count * bottom->primitive_bytes;
    bottom->nodes_at = place(bvh, node_bytes);
    bottom->primitives_at = place(bvh, bytes);
    bottom->made = true;
    add_totals(&bvh->bottom_totals, tree, node_bytes + bytes, bottom->left_out);
    return true;
}

/* The content of a build; NULL = no memory, or the budget is spent. */
static struct ws_bvh_bottom *bottom_of(struct ws_bvh_scene *bvh, uint32_t build)
{
    const struct ws_scene_build *of = &bvh->scene->builds[build];
    struct ws_bvh_bottom *bottom = &bvh->bottoms[of->content];
    struct found found = {.count = 0};
    bool made = true;
    if (bottom->made)
        return bottom;
    *bottom = (struct ws_bvh_bottom){.content = of->content, .build = build};
    for (uint32_t i = 0; made && i < of->geometry_count; ++i)
        made = take_geometry(bvh, bottom, i, &found);
    made = made &&
           ws_bvh_tree_init(&bottom->tree, (const float(*)[6])found.boxes, found.count, bvh->settings.leaf,
                            &bvh->settings) &&
           lay_out_bottom(bvh, bottom, &found);
    free(found.list);
    free(found.boxes);
    if (made)
        return bottom;
    ws_bvh_tree_finish(&bottom->tree);
    return NULL;
}

/* ---- top levels ---- */

/* The box of an instance in the world. */
static void box_of_instance(const struct ws_bvh_instance *instance, float box[6])
{
    ws_bounds_init(box);
    ws_bounds_add_box(box, instance->instance.transform, instance->bottom->tree.root.bounds);
    for (int i = 0; i < 3; ++i) {
        const float room = GROWTH * fmaxf(fabsf(box[i]), fabsf(box[3 + i]));
        box[i] -= room;
        box[3 + i] += room;
    }
}

/* Takes an instance into the list of `*count`, or leaves it out. False = no memory, or the budget is spent. */
static bool take_instance(struct ws_bvh_scene *bvh, struct ws_bvh_top *top, uint32_t index,
                          struct ws_bvh_instance *list, float (*boxes)[6], uint32_t *count)
{
    struct ws_bvh_instance *taken = &list[*count];
    taken->index = index;
    if (!ws_scene_instance(bvh->scene, top->build, index, &taken->instance) ||
        taken->instance.build == WS_NONE || bvh->scene->builds[taken->instance.build].top ||
        !is_moderate(taken->instance.transform, 12) ||
        !ws_transform_invert(taken->instance.transform, taken->inverse) || !is_moderate(taken->inverse, 12)) {
        top->left_out++;
        return true;
    }
    taken->bottom = bottom_of(bvh, taken->instance.build);
    if (taken->bottom == NULL)
        return false;
    if (taken->bottom->tree.item_count == 0)
        return true; /* nothing is in it */
    top->boxes = top->boxes || taken->bottom->boxes > 0;
    box_of_instance(taken, boxes[*count]);
    memcpy(taken->bounds, boxes[*count], sizeof(taken->bounds));
    if (!is_moderate(boxes[*count], 6)) {
        top->left_out++;
        return true;
    }
    (*count)++;
    return true;
}

static bool fill_top(struct ws_bvh_scene *bvh, struct ws_bvh_top *top)
{
    const struct ws_scene *scene = bvh->scene;
    const bool is_top = top->build < scene->build_count && scene->builds[top->build].top;
    const uint32_t most = is_top ? ws_scene_instance_count(scene, top->build) : 0;
    struct ws_bvh_instance *list = calloc((size_t)most + 1, sizeof(*list));
    float(*boxes)[6] = calloc((size_t)most + 1, sizeof(*boxes));
    uint32_t count = 0;
    bool filled = list != NULL && boxes != NULL;
    top->instances = calloc((size_t)most + 1, sizeof(*top->instances));
    filled = filled && top->instances != NULL && ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)most);
    for (uint32_t i = 0; filled && i < most; ++i)
        filled = take_instance(bvh, top, i, list, boxes, &count);
    filled =
        filled && ws_bvh_tree_init(&top->tree, (const float(*)[6])boxes, count, TOP_LEAF, &bvh->settings);
    for (uint32_t i = 0; filled && i < count; ++i)
        top->instances[i] = list[top->tree.items[i]];
    free(list);
    free(boxes);
    if (!filled)
        return false;
    const uint64_t node_bytes = (uint64_t)top->tree.node_count * bvh->settings.node_bytes;
    const uint64_t bytes = (uint64_t)count * bvh->settings.instance_bytes;
    top->nodes_at = place(bvh, node_bytes);
    top->instances_at = place(bvh, bytes);
    add_totals(&bvh->top_totals, &top->tree, node_bytes + bytes, top->left_out);
    return true;
}

struct ws_bvh_top *ws_bvh_scene_top(struct ws_bvh_scene *bvh, uint32_t build)
{
    uint32_t known = 0;
    if (ws_id_map_get(&bvh->top_ids, build, &known))
        return bvh->tops[known];
    struct ws_bvh_top **tops =
        ws_array_grow(bvh->tops, &bvh->top_capacity, bvh->top_count + 1, sizeof(struct ws_bvh_top *));
    if (tops == NULL)
        return NULL;
    bvh->tops = tops;
    struct ws_bvh_top *top = calloc(1, sizeof(*top));
    if (top == NULL)
        return NULL;
    top->scene = bvh->scene;
    top->build = build;
    if (!fill_top(bvh, top) || !ws_id_map_put(&bvh->top_ids, build, bvh->top_count)) {
        destroy_top(top);
        return NULL;
    }
    tops[bvh->top_count++] = top;
    bvh->kept_instances += top->tree.item_count + 1;
    return top;
}
