/* A hierarchy of bounding boxes over the triangles of a mesh, and the orders in which its parts lie in memory.
 *
 * SAH: the surface-area heuristic (MacDonald and Booth, 1990), by 32 bins of each axis. MEDIAN: half of the triangles on
 * each side of the middle one, along the axis on which they lie furthest apart. Leaves are ranges of faces: faces lie in the
 * order of the leaves, left before right. Node 0 is the root. */
#ifndef WS_EXAMPLES_BVH_TRACER_TREE_H
#define WS_EXAMPLES_BVH_TRACER_TREE_H

#include "examples/base/mesh.h"

enum ws_tree_split { WS_TREE_SAH, WS_TREE_MEDIAN };

enum ws_tree_order {
    WS_TREE_DEPTH_FIRST, /* left children follow their parents */
    WS_TREE_BREADTH_FIRST,
    WS_TREE_RANDOM, /* all but the root */
};

enum ws_vertex_order {
    WS_VERTEX_MESH,
    WS_VERTEX_BREADTH_FIRST, /* along edges from vertex 0 on ("Profiling and Visualizing GPU Memory Access ...", 2022, 6.2) */
    WS_VERTEX_RANDOM,
};

struct ws_tree_child {
    float low[3];
    uint32_t child; /* as in shared.h */
    float high[3];
    uint32_t unused;
};

/* As the device reads it. */
struct ws_tree_node {
    struct ws_tree_child children[2];
};

struct ws_tree {
    struct ws_tree_node *nodes;
    uint32_t node_count;
    uint32_t leaf_count;
    uint32_t depth;  /* the most inner nodes on a way from the root */
    uint32_t *faces; /* 3 vertices each, in the order of the leaves */
    uint32_t face_count;
    float low[3]; /* the box of all */
    float high[3];
};

/* Makes the tree of a mesh of two triangles at least. `leaf_faces`: the most faces of a leaf, 1 to LEAF_MAX. The tree has no
 * more than STACK_MAX levels: where it would get deeper, it is split at the median. On failure it is empty. */
bool ws_tree_init(struct ws_tree *tree, const struct ws_mesh *mesh, enum ws_tree_split split,
                  uint32_t leaf_faces, struct ws_error *error);
void ws_tree_finish(struct ws_tree *tree);

/* Changes where nodes lie: what they are stays the same. */
bool ws_tree_order(struct ws_tree *tree, enum ws_tree_order order, struct ws_error *error);

/* Changes where the vertices of a mesh lie. */
bool ws_vertices_order(struct ws_mesh *mesh, enum ws_vertex_order order, struct ws_error *error);

/* Writes a line for each node: its index and its two children, each the index of a node, or FIRST+COUNT for the faces of
 * a leaf. */
bool ws_tree_write(const struct ws_tree *tree, const char *path, struct ws_error *error);

#endif
