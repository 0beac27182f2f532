#include "analysis/scene/bvh/bvh_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/capture/budget.h"

struct bounds {
    double low[3];
    double high[3];
};

/* A box on its way to a leaf. */
struct item {
    float box[6];
    double centre[3];
    uint32_t index;
};

struct builder {
    struct ws_bvh_tree *tree;
    const struct ws_bvh_settings *settings;
    struct item *items;
    uint32_t leaf;
    bool failed; /* the budget is spent */
};

static const struct bounds no_bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void add_point(struct bounds *bounds, const double point[3])
{
    for (int i = 0; i < 3; ++i) {
        bounds->low[i] = fmin(bounds->low[i], point[i]);
        bounds->high[i] = fmax(bounds->high[i], point[i]);
    }
}

static void add_box(struct bounds *bounds, const float box[6])
{
    for (int i = 0; i < 3; ++i) {
        bounds->low[i] = fmin(bounds->low[i], (double)box[i]);
        bounds->high[i] = fmax(bounds->high[i], (double)box[3 + i]);
    }
}

static void add_bounds(struct bounds *bounds, const struct bounds *other)
{
    for (int i = 0; i < 3; ++i) {
        bounds->low[i] = fmin(bounds->low[i], other->low[i]);
        bounds->high[i] = fmax(bounds->high[i], other->high[i]);
    }
}

/* Half of the surface. */
static double area_of(const struct bounds *bounds)
{
    const double x = bounds->high[0] - bounds->low[0];
    const double y = bounds->high[1] - bounds->low[1];
    const double z = bounds->high[2] - bounds->low[2];
    return x >= 0 ? x * y + y * z + z * x : 0;
}

static struct bounds bounds_of(const struct item *items, uint32_t count)
{
    struct bounds bounds = no_bounds;
    for (uint32_t i = 0; i < count; ++i)
        add_box(&bounds, items[i].box);
    return bounds;
}

static struct bounds centres_of(const struct item *items, uint32_t count)
{
    struct bounds bounds = no_bounds;
    for (uint32_t i = 0; i < count; ++i)
        add_point(&bounds, items[i].centre);
    return bounds;
}

static int compare(const void *a, const void *b, void *axis)
{
    const struct item *left = a;
    const struct item *right = b;
    const double x = left->centre[*(const int *)axis];
    const double y = right->centre[*(const int *)axis];
    if (x != y)
        return x < y ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

static uint32_t split_median(struct item *items, uint32_t count)
{
    const struct bounds centres = centres_of(items, count);
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (centres.high[i] - centres.low[i] > centres.high[axis] - centres.low[axis])
            axis = i;
    qsort_r(items, count, sizeof(*items), compare, &axis);
    return count / 2;
}

static uint32_t bin_of(const struct item *item, const struct bounds *centres, int axis, uint32_t bins)
{
    const double wide = centres->high[axis] - centres->low[axis];
    const double bin = (item->centre[axis] - centres->low[axis]) / wide * bins;
    return bin < bins ? (uint32_t)bin : bins - 1;
}

/* The cheapest split of an axis: the first bin of the right side; 0 where none is cheaper than `*cost`. */
static uint32_t best_bin(const struct item *items, uint32_t count, const struct bounds *centres, int axis,
                         uint32_t bins, double *cost)
{
    struct bounds boxes[WS_BVH_BINS_MAX];
    uint32_t counts[WS_BVH_BINS_MAX] = {0};
    double right_costs[WS_BVH_BINS_MAX];
    struct bounds side = no_bounds;
    uint32_t best = 0;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < bins; ++i)
        boxes[i] = no_bounds;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t bin = bin_of(&items[i], centres, axis, bins);
        add_box(&boxes[bin], items[i].box);
        counts[bin]++;
    }
    for (uint32_t i = bins; i-- > 1;) {
        add_bounds(&side, &boxes[i]);
        sum += counts[i];
        right_costs[i] = sum * area_of(&side);
    }
    side = no_bounds;
    sum = 0;
    for (uint32_t i = 1; i < bins; ++i) {
        add_bounds(&side, &boxes[i - 1]);
        sum += counts[i - 1];
        if (sum > 0 && sum < count && sum * area_of(&side) + right_costs[i] < *cost) {
            *cost = sum * area_of(&side) + right_costs[i];
            best = i;
        }
    }
    return best;
}

/* How many items are on the left side; 0 = a leaf is as good. */
static uint32_t split_sah(const struct builder *builder, struct item *items, uint32_t count)
{
    const uint32_t bins = builder->settings->bins;
    const struct bounds centres = centres_of(items, count);
    const struct bounds bounds = bounds_of(items, count);
    double cost = INFINITY;
    int axis = 0;
    uint32_t bin = 0;
    uint32_t left = 0;
    for (int i = 0; i < 3; ++i) {
        const uint32_t found =
            centres.high[i] > centres.low[i] ? best_bin(items, count, &centres, i, bins, &cost) : 0;
        if (found > 0) {
            axis = i;
            bin = found;
        }
    }
    if (count <= builder->leaf && (bin == 0 || cost + area_of(&bounds) >= count * area_of(&bounds)))
        return 0;
    if (bin == 0)
        return split_median(items, count);
    for (uint32_t i = 0; i < count; ++i) {
        if (bin_of(&items[i], &centres, axis, bins) >= bin)
            continue;
        const struct item item = items[i];
        items[i] = items[left];
        items[left++] = item;
    }
    return left;
}

/* The levels that halves need. */
static uint32_t levels_of(uint32_t count)
{
    uint32_t levels = 0;
    for (; count > 1; count = (count + 1) / 2)
        levels++;
    return levels;
}

static uint32_t split_items(struct builder *builder, uint32_t first, uint32_t count, uint32_t depth)
{
    if (count <= 1 || builder->failed || !ws_budget_spend((uint64_t)WS_STEPS_PRIMITIVE * count)) {
        builder->failed = builder->failed || count > 1;
        return 0;
    }
    if (builder->settings->split == WS_BVH_SAH && depth + 1 + levels_of(count) < WS_BVH_DEPTH)
        return split_sah(builder, builder->items + first, count);
    return count <= builder->leaf ? 0 : split_median(builder->items + first, count);
}

/* Makes the part of the tree that has these items. Depth: WS_BVH_DEPTH at most, so it may call itself. */
static struct ws_bvh_child make_part(struct builder *builder, uint32_t first, uint32_t count, uint32_t depth)
{
    struct ws_bvh_tree *tree = builder->tree;
    struct ws_bvh_child part = {.first = first, .count = count};
    const struct bounds bounds = bounds_of(builder->items + first, count);
    for (int i = 0; i < 3; ++i) {
        part.bounds[i] = (float)bounds.low[i];
        part.bounds[3 + i] = (float)bounds.high[i];
    }
    const uint32_t left = split_items(builder, first, count, depth);
    if (left == 0) {
        for (uint32_t i = first; i < first + count; ++i)
            tree->items[i] = builder->items[i].index;
        tree->leaf_count++;
        return part;
    }
    part.first = tree->node_count++;
    part.count = 0;
    tree->depths[part.first] = (uint8_t)depth;
    tree->depth = depth + 1 > tree->depth ? depth + 1 : tree->depth;
    tree->nodes[part.first].children[0] = make_part(builder, first, left, depth + 1);
    tree->nodes[part.first].children[1] = make_part(builder, first + left, count - left, depth + 1);
    return part;
}

static void make_items(struct item *items, const float (*boxes)[6], uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(items[i].box, boxes[i], sizeof(items[i].box));
        for (int j = 0; j < 3; ++j)
            items[i].centre[j] = 0.5 * ((double)boxes[i][j] + (double)boxes[i][3 + j]);
        items[i].index = i;
    }
}

bool ws_bvh_tree_init(struct ws_bvh_tree *tree, const float (*boxes)[6], uint32_t count, uint32_t leaf,
                      const struct ws_bvh_settings *settings)
{
    struct builder builder = {.tree = tree, .settings = settings, .leaf = leaf};
    *tree = (struct ws_bvh_tree){.item_count = count};
    if (count == 0)
        return true;
    builder.items = malloc(count * sizeof(*builder.items));
    tree->nodes = calloc(count, sizeof(*tree->nodes)); /* a tree has a leaf more than nodes */
    tree->depths = calloc(count, sizeof(*tree->depths));
    tree->items = malloc(count * sizeof(*tree->items));
    const bool has_memory =
        builder.items != NULL && tree->nodes != NULL && tree->depths != NULL && tree->items != NULL;
    if (has_memory) {
        make_items(builder.items, boxes, count);
        tree->root = make_part(&builder, 0, count, 0);
    }
    free(builder.items);
    if (has_memory && !builder.failed)
        return true;
    ws_bvh_tree_finish(tree);
    return false;
}

void ws_bvh_tree_finish(struct ws_bvh_tree *tree)
{
    free(tree->nodes);
    free(tree->depths);
    free(tree->items);
    *tree = (struct ws_bvh_tree){0};
}
