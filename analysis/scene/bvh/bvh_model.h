/* The analysis `bvh_model`: what it would take to fly the captured rays through a model BVH over the captured geometry, and
 * what the caches of a device would make of it. It is a model: the driver's own tree, and how the device walks it, cannot be
 * seen.
 *
 * The trees are as in bvh_scene.h, rays walk as in bvh_walk.h, in the order and through the caches as in bvh_launch.h, which
 * defines the figures. Launches begin with empty caches.
 *
 * NODES, INSTANCES, TRIANGLES, BOXES per ray = visits of these / rays. Each visit of a node tests two boxes. A row of a part or
 * of a depth has the rays of those call sites and launches that come to it: where one comes to a depth of 14 and the other does
 * not, visits per ray there are of the first.
 *
 * Rays whose structure is not known, or whose numbers are not finite, do not fly; the report counts them. A ray whose end
 * alone is not known flies. */
#ifndef WS_ANALYSIS_SCENE_BVH_BVH_MODEL_H
#define WS_ANALYSIS_SCENE_BVH_BVH_MODEL_H

#include "analysis/scene/bvh/bvh_launch.h"
#include "warpscope/report/analysis.h"

enum ws_bvh_model_dimension {
    WS_BVH_MODEL_BY_LAUNCH,
    WS_BVH_MODEL_BY_STAGE,
    WS_BVH_MODEL_BY_SHADER,
    WS_BVH_MODEL_BY_SITE,
    WS_BVH_MODEL_BY_PART,    /* enum ws_bvh_part */
    WS_BVH_MODEL_BY_DEPTH,   /* of nodes in their tree */
    WS_BVH_MODEL_BY_ELEMENT, /* index in the results' elements; only where the user asks for it */
    WS_BVH_MODEL_DIMENSIONS
};

extern const struct ws_analysis ws_analysis_bvh_model;

/* For what draws its results, which are by element (options: view.by). The trees, as long as the results are there; NULL =
 * there is no geometry. How many elements were visited; one of them, or NULL. `user` of the options. */
const struct ws_bvh_scene *ws_bvh_model_bvh(const void *results);
uint32_t ws_bvh_model_count(const void *results);
const struct ws_bvh_row *ws_bvh_model_find(const void *results, uint32_t part, uint32_t build,
                                           uint32_t index);
void *ws_bvh_model_user(const void *results);

#endif
