/* A model BVH over the geometry of a capture: what a driver might have built. What it really built cannot be seen.
 *
 * Each content of bottom-level structures (scene.h) has a tree (bvh_tree.h) over its triangles and AABBs, made when it is first
 * used. Each top-level build has one over its instances, whose leaves have one instance. A box of an instance is that of its
 * content's corners, moved, and a hundred-thousandth larger.
 *
 * MEMORY. All of it lies in one address space, each part from a multiple of 256 on: of a tree first its nodes, then its
 * triangles and AABBs, or instances, in the order of the leaves. Sizes are the settings' (bvh_settings.h). A content with
 * AABBs and triangles has places for both, of the larger size.
 *
 * LEFT OUT, as in scene_trace.h: instances without a structure or an inverse, and primitives that are inactive, not finite or
 * beyond 1e18.
 *
 * Deterministic; not thread-safe. */
#ifndef WS_ANALYSIS_SCENE_BVH_BVH_SCENE_H
#define WS_ANALYSIS_SCENE_BVH_BVH_SCENE_H

#include "analysis/scene/bvh/bvh_tree.h"
#include "analysis/scene/scene.h"
#include "warpscope/base/id_map.h"

struct ws_bvh_primitive {
    float corners[9]; /* of an AABB minimum and maximum */
    uint32_t geometry;
    uint32_t primitive;
    bool box;
};

struct ws_bvh_bottom {
    bool made;
    uint32_t content; /* its number */
    uint32_t build;   /* the first that was used of it */
    struct ws_bvh_tree tree;
    struct ws_bvh_primitive *primitives; /* in the order of the leaves */
    uint64_t nodes_at;                   /* address */
    uint64_t primitives_at;
    uint32_t primitive_bytes;
    uint64_t triangles;
    uint64_t boxes;
    uint64_t left_out;
};

struct ws_bvh_instance {
    struct ws_scene_instance instance;
    uint32_t index; /* in the top-level build */
    float inverse[12];
    float bounds[6]; /* in the world */
    struct ws_bvh_bottom *bottom;
};

struct ws_bvh_top {
    const struct ws_scene *scene;
    uint32_t build;
    struct ws_bvh_tree tree;
    struct ws_bvh_instance *instances; /* in the order of the leaves */
    uint64_t nodes_at;
    uint64_t instances_at;
    uint64_t left_out; /* instances */
    bool boxes;        /* some instance has AABBs */
};

/* What all trees that were made come to; top levels count each time they are made. */
struct ws_bvh_totals {
    uint64_t trees;
    uint64_t nodes;
    uint64_t leaves;
    uint64_t items; /* primitives, or instances */
    uint64_t bytes;
    uint64_t depth; /* of the deepest */
    uint64_t left_out;
};

struct ws_bvh_scene {
    const struct ws_scene *scene;
    struct ws_bvh_settings settings;
    struct ws_bvh_bottom *bottoms; /* one for each content */
    struct ws_bvh_top **tops;      /* that are kept */
    uint32_t top_count;
    uint32_t top_capacity;
    struct ws_id_map top_ids; /* build -> its place among them */
    uint64_t kept_instances;  /* of these */
    uint64_t end;             /* the next address */
    struct ws_bvh_totals top_totals;
    struct ws_bvh_totals bottom_totals;
};

/* The scene must outlive it. NULL = no memory. */
struct ws_bvh_scene *ws_bvh_scene_create(const struct ws_scene *scene,
                                         const struct ws_bvh_settings *settings);
void ws_bvh_scene_destroy(struct ws_bvh_scene *bvh);

/* The tree of a top-level build, with all contents below it; of any other build it is empty. NULL = no memory, or the budget is
 * spent. */
struct ws_bvh_top *ws_bvh_scene_top(struct ws_bvh_scene *bvh, uint32_t build);

/* Drops top levels where there are very many. Those that ws_bvh_scene_top gave are then gone. */
void ws_bvh_scene_trim(struct ws_bvh_scene *bvh);

#endif
