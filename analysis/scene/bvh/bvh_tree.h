/* A binary tree of boxes, as a driver or a device might build it: deterministic, the same for the same boxes.
 *
 * SAH: the surface-area heuristic (MacDonald and Booth, 1990) by bins of each axis: where a node splits, the sum over both
 * sides of items x surface is the least. A node costs as much as an item, so up to `leaf` items stay together where no split is
 * cheaper.
 * MEDIAN: half of the items on each side of the middle one, along the axis on which their centres lie furthest apart.
 * DEPTH: inner nodes on a way from the root, WS_BVH_DEPTH at most: where it would get deeper, it is split at the median.
 * NODES lie depth first: the left child of a node follows it. Items lie in the order of the leaves.
 *
 * By hand: the boxes 0..1, 2..3 and 10..11 along x, 1 wide. With leaf 1 the root has the first two left, which are a node, and
 * the third right: 2 nodes, 3 leaves, depth 2. */
#ifndef WS_ANALYSIS_SCENE_BVH_BVH_TREE_H
#define WS_ANALYSIS_SCENE_BVH_BVH_TREE_H

#include "analysis/scene/bvh/bvh_settings.h"

#define WS_BVH_DEPTH 64u

/* What a node says of a child: its box, and a leaf's items, or which node it is. */
struct ws_bvh_child {
    float bounds[6];
    uint32_t first; /* leaf: its first item in `items`; else a node */
    uint32_t count; /* items of the leaf; 0 = it is a node */
};

struct ws_bvh_node {
    struct ws_bvh_child children[2];
};

struct ws_bvh_tree {
    struct ws_bvh_node *nodes;
    uint8_t *depths; /* of the nodes: the root's is 0 */
    uint32_t node_count;
    uint32_t leaf_count;
    uint32_t depth;  /* the most nodes on a way from the root */
    uint32_t *items; /* indices of boxes, in the order of the leaves */
    uint32_t item_count;
    struct ws_bvh_child root; /* a tree of one leaf has no node; one of no item has neither */
};

/* `boxes`: minimum and maximum, finite and in order. `leaf`: the most items of a leaf. False where there is no memory or the
 * budget is spent: then it is empty. */
bool ws_bvh_tree_init(struct ws_bvh_tree *tree, const float (*boxes)[6], uint32_t count, uint32_t leaf,
                      const struct ws_bvh_settings *settings);
void ws_bvh_tree_finish(struct ws_bvh_tree *tree);

#endif
