/* The rays of chosen threads (--thread, --warp): each below the ray in whose shaders it was traced.
 *
 *     Rays of launch id 1,0, lane 1 of warp 0, launch 0: 2
 *       0 trace from 1 1 0 along 0 0 2 by raygen.rgen:main
 *         > hit mesh.rchit:main t 1.5 at 1 1 3, instance 2 (20) geometry 3 primitive 4
 *         1 trace, SkipClosestHitShader, from 2 1 0 along 0 0 2 by mesh.rchit:main
 *           > implicit_hit
 */
#ifndef WS_ANALYSIS_RAYS_RAY_TREES_H
#define WS_ANALYSIS_RAYS_RAY_TREES_H

#include "analysis/rays/rays.h"
#include "warpscope/report/analysis.h"

#define WS_RAY_TREES_MAX 128 /* threads; a warp has no more */

/* The rays of a thread. */
struct ws_ray_tree {
    uint64_t launch;
    uint32_t work[3];
    uint32_t stage;
    uint32_t warp;
    uint32_t lane;
    bool truncated;
    struct ws_ray *rays;
    uint32_t ray_count;
    struct ws_ray_candidate *candidates;
};

/* Set catalog and options; all else is zero. */
struct ws_ray_trees {
    const struct ws_catalog *catalog;
    const struct ws_analysis_options *options;
    struct ws_ray_tree trees[WS_RAY_TREES_MAX];
    uint32_t count;
    uint64_t left_out; /* threads of the warp beyond WS_RAY_TREES_MAX */
};

/* Whether the options choose a thread with rays; true where they choose none. Of a fragment its pixel counts. */
bool ws_ray_thread_is_chosen(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                             const struct ws_ray_thread *thread);

/* Keeps the rays of a thread, where the options choose it. False when there is no memory. */
bool ws_ray_trees_add(struct ws_ray_trees *trees, const struct ws_ray_thread *thread, uint64_t launch,
                      uint32_t stage);
void ws_ray_trees_finish(struct ws_ray_trees *trees);

void ws_ray_trees_text(const struct ws_ray_trees *trees, FILE *stream);

/* Writes the list `threads`, an object for each, without candidates: `export --rays` has those. False when
 * there is no memory. */
bool ws_ray_trees_json(const struct ws_ray_trees *trees, struct ws_json *json);
extern const struct ws_member ws_ray_tree_members[]; /* of each element of it */

#endif
