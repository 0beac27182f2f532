#include "examples/bvh_tracer/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/bvh_tracer/shared.h"

#define BINS 32

struct box {
    float low[3];
    float high[3];
};

/* A triangle on its way to a leaf. */
struct item {
    struct box box;
    float centre[3];
    uint32_t triangle;
};

struct builder {
    struct ws_tree *tree;
    const struct ws_mesh *mesh;
    struct item *items;
    enum ws_tree_split split;
    uint32_t leaf_faces;
};

static const struct box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void add_point(struct box *box, const float point[3])
{
    for (int i = 0; i < 3; i++) {
        box->low[i] = fminf(box->low[i], point[i]);
        box->high[i] = fmaxf(box->high[i], point[i]);
    }
}

/* An empty box adds nothing: its low end is not to become a high one. */
static void add_box(struct box *box, const struct box *other)
{
    for (int i = 0; i < 3; i++) {
        box->low[i] = fminf(box->low[i], other->low[i]);
        box->high[i] = fmaxf(box->high[i], other->high[i]);
    }
}

/* Half of the surface. */
static float area_of(const struct box *box)
{
    const float x = box->high[0] - box->low[0];
    const float y = box->high[1] - box->low[1];
    const float z = box->high[2] - box->low[2];

    return x >= 0 ? x * y + y * z + z * x : 0;
}

static struct box box_of(const struct item *items, uint32_t count)
{
    struct box box = empty_box;

    for (uint32_t i = 0; i < count; i++)
        add_box(&box, &items[i].box);
    return box;
}

static struct box centres_of(const struct item *items, uint32_t count)
{
    struct box box = empty_box;

    for (uint32_t i = 0; i < count; i++)
        add_point(&box, items[i].centre);
    return box;
}

static int compare(const void *a, const void *b, void *axis)
{
    const struct item *left = a;
    const struct item *right = b;
    const float x = left->centre[*(const int *)axis];
    const float y = right->centre[*(const int *)axis];

    if (x != y)
        return x < y ? -1 : 1;
    return (left->triangle > right->triangle) - (left->triangle < right->triangle);
}

/* Sorts along the longest axis, and splits in the middle. */
static uint32_t split_median(struct item *items, uint32_t count)
{
    const struct box centres = centres_of(items, count);
    int axis = 0;

    for (int i = 1; i < 3; i++)
        if (centres.high[i] - centres.low[i] > centres.high[axis] - centres.low[axis])
            axis = i;
    qsort_r(items, count, sizeof(*items), compare, &axis);
    return count / 2;
}

static uint32_t bin_of(const struct item *item, const struct box *centres, int axis)
{
    const float wide = centres->high[axis] - centres->low[axis];
    const uint32_t bin = (uint32_t)((item->centre[axis] - centres->low[axis]) / wide * BINS);

    return bin < BINS ? bin : BINS - 1;
}

/* The cheapest split of an axis: the first bin of the right side; 0 where there is none. */
static uint32_t best_bin(const struct item *items, uint32_t count, const struct box *centres, int axis,
                         float *cost)
{
    struct box boxes[BINS];
    uint32_t counts[BINS] = {0};
    float right_costs[BINS];
    struct box box = empty_box;
    uint32_t best = 0;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < BINS; i++)
        boxes[i] = empty_box;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bin = bin_of(&items[i], centres, axis);
        add_box(&boxes[bin], &items[i].box);
        counts[bin]++;
    }
    for (uint32_t i = BINS; i-- > 1;) {
        add_box(&box, &boxes[i]);
        sum += counts[i];
        right_costs[i] = (float)sum * area_of(&box);
    }
    box = empty_box;
    sum = 0;
    for (uint32_t i = 1; i < BINS; i++) {
        add_box(&box, &boxes[i - 1]);
        sum += counts[i - 1];
        if (sum > 0 && sum < count && (float)sum * area_of(&box) + right_costs[i] < *cost) {
            *cost = (float)sum * area_of(&box) + right_costs[i];
            best = i;
        }
    }
    return best;
}

/* Splits where rays are expected to do the least. Returns the items of the left side; 0 = a leaf is as good. */
static uint32_t split_sah(struct item *items, uint32_t count, uint32_t leaf_faces)
{
    const struct box centres = centres_of(items, count);
    const struct box box = box_of(items, count);
    float cost = INFINITY;
    int axis = 0;
    uint32_t bin = 0;
    uint32_t left = 0;

    for (int i = 0; i < 3; i++) {
        const uint32_t found =
            centres.high[i] > centres.low[i] ? best_bin(items, count, &centres, i, &cost) : 0;
        if (found > 0) {
            axis = i;
            bin = found;
        }
    }
    /* A node costs as much as a face. */
    if (count <= leaf_faces && (bin == 0 || cost + area_of(&box) >= (float)count * area_of(&box)))
        return 0;
    if (bin == 0)
        return split_median(items, count);
    for (uint32_t i = 0; i < count; i++) {
        if (bin_of(&items[i], &centres, axis) < bin) {
            const struct item item = items[i];
            items[i] = items[left];
            items[left++] = item;
        }
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

/* How many of the items are on the left side; 0 = they are a leaf. */
static uint32_t split_items(const struct builder *builder, uint32_t first, uint32_t count, uint32_t depth)
{
    const bool is_root = depth == 0;
    const uint32_t leaf_faces = is_root ? 1 : builder->leaf_faces;

    if (builder->split == WS_TREE_SAH && depth + 1 + levels_of(count) < STACK_MAX && count > 1)
        return split_sah(builder->items + first, count, leaf_faces);
    return count <= leaf_faces ? 0 : split_median(builder->items + first, count);
}

static uint32_t make_leaf(struct builder *builder, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        memcpy(&builder->tree->faces[3 * (size_t)i],
               &builder->mesh->indices[3 * (size_t)builder->items[i].triangle], 3 * sizeof(uint32_t));
    builder->tree->leaf_count++;
    return LEAF | (count - 1) << LEAF_SHIFT | first;
}

/* Makes the part of the tree that has these items; returns the word that names it. Depth: STACK_MAX at most. */
static uint32_t make_part(struct builder *builder, uint32_t first, uint32_t count, uint32_t depth)
{
    struct ws_tree *tree = builder->tree;
    const uint32_t left = split_items(builder, first, count, depth);

    if (left == 0)
        return make_leaf(builder, first, count);
    const uint32_t node = tree->node_count++;
    const uint32_t begins[2] = {first, first + left};
    const uint32_t counts[2] = {left, count - left};
    tree->depth = depth + 1 > tree->depth ? depth + 1 : tree->depth;
    for (int i = 0; i < 2; i++) {
        struct ws_tree_child *child = &tree->nodes[node].children[i];
        const struct box box = box_of(builder->items + begins[i], counts[i]);
        memcpy(child->low, box.low, sizeof(box.low));
        memcpy(child->high, box.high, sizeof(box.high));
        child->child = make_part(builder, begins[i], counts[i], depth + 1);
    }
    return node;
}

static void make_items(struct builder *builder)
{
    const struct ws_mesh *mesh = builder->mesh;

    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        struct item *item = &builder->items[t];
        *item = (struct item){.box = empty_box, .triangle = t};
        for (int corner = 0; corner < 3; corner++)
            add_point(&item->box, &mesh->positions[3 * (size_t)mesh->indices[3 * (size_t)t + corner]]);
        for (int i = 0; i < 3; i++)
            item->centre[i] = 0.5f * (item->box.low[i] + item->box.high[i]);
    }
}

bool ws_tree_init(struct ws_tree *tree, const struct ws_mesh *mesh, enum ws_tree_split split,
                  uint32_t leaf_faces, struct ws_error *error)
{
    const uint32_t count = mesh->triangle_count;
    struct builder builder = {.tree = tree, .mesh = mesh, .split = split, .leaf_faces = leaf_faces};
    struct box box;

    *tree = (struct ws_tree){.face_count = count};
    if (count < 2 || count > LEAF_FIRST)
        return ws_error_set(error, "the mesh needs 2 to %u triangles", LEAF_FIRST);
    builder.items = malloc(count * sizeof(*builder.items));
    tree->nodes = calloc(count, sizeof(*tree->nodes)); /* a tree has a leaf more than nodes */
    tree->faces = malloc(3 * (size_t)count * sizeof(*tree->faces));
    if (builder.items == NULL || tree->nodes == NULL || tree->faces == NULL) {
        free(builder.items);
        ws_tree_finish(tree);
        return ws_error_set(error, "out of memory");
    }
    make_items(&builder);
    box = box_of(builder.items, count);
    memcpy(tree->low, box.low, sizeof(box.low));
    memcpy(tree->high, box.high, sizeof(box.high));
    make_part(&builder, 0, count, 0);
    free(builder.items);
    return true;
}

void ws_tree_finish(struct ws_tree *tree)
{
    free(tree->nodes);
    free(tree->faces);
    *tree = (struct ws_tree){0};
}

static bool write_child(FILE *file, uint32_t child)
{
    if (child >= LEAF)
        return fprintf(file, " %" PRIu32 "+%" PRIu32, child & LEAF_FIRST,
                       ((child & ~LEAF) >> LEAF_SHIFT) + 1) > 0;
    return fprintf(file, " %" PRIu32, child) > 0;
}

bool ws_tree_write(const struct ws_tree *tree, const char *path, struct ws_error *error)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL;

    for (uint32_t i = 0; written && i < tree->node_count; i++)
        written = fprintf(file, "%" PRIu32, i) > 0 && write_child(file, tree->nodes[i].children[0].child) &&
                  write_child(file, tree->nodes[i].children[1].child) && fputc('\n', file) != EOF;
    if (file != NULL && fclose(file) != 0)
        written = false;
    return written || ws_error_set(error, "cannot write \"%s\": %s", path, strerror(errno));
}
