/* The rays of one launch, walked through the model BVH and the caches of a device in the order in which they were traced.
 *
 * ORDER. A CALL = one execution of a call of traceRay, or of a ray query's initialisation, by a warp. Calls come in the order
 * of the stream; the rays of a call walk together (bvh_walk.h), to their ends, before the next call begins. Multiprocessors
 * are dealt out in the order in which workgroups, and warps of none, trace first: the first to multiprocessor 0, and so on
 * around.
 * CACHES as in analysis/memory/cache/hierarchy.h, empty at first. A request asks for its distinct elements one after the other.
 *
 * FIGURES of a call site. VISITS: elements that rays visit, each ray for itself. REQUESTS, ELEMENTS: as in bvh_walk.h.
 * SLOTS: requests x lanes of a warp. So
 *   active = visits / slots, and spread = elements / requests: 1 where all rays of a step are at the same place.
 * L1 HIT RATE = L1 hits / L1 sectors; likewise the L2's.
 * A level of nodes has the requests that touch some node of that depth.
 *
 * CHECK: what the model found against what the capture says the ray hit.
 *   AGREES      the same instance, geometry and primitive at the same t, or nothing where it missed; where the ray could end
 *               with any hit, or the capture does not say what it hit, anything
 *   SAME_PLACE  another primitive at the same t
 *   BORDERLINE  else, where what either of them met lies at tmin or tmax, so that rounding decides
 *   DIFFERS     else
 *   UNKNOWN     the capture does not say how it ended, or that it hit something which may be in an AABB
 * Tolerance as in retrace.h.
 *
 * MEMORY: about 200 bytes for each ray of the launch. Not thread-safe. */
#ifndef WS_ANALYSIS_SCENE_BVH_BVH_LAUNCH_H
#define WS_ANALYSIS_SCENE_BVH_BVH_LAUNCH_H

#include "analysis/memory/cache/hierarchy.h"
#include "analysis/scene/bvh/bvh_walk.h"
#include "warpscope/base/id_map.h"

enum ws_bvh_check {
    WS_BVH_AGREES,
    WS_BVH_SAME_PLACE,
    WS_BVH_BORDERLINE,
    WS_BVH_DIFFERS,
    WS_BVH_UNKNOWN,
    WS_BVH_CHECKS
};

struct ws_bvh_sums {
    uint64_t rays;
    uint64_t calls;
    uint64_t parts[WS_BVH_PARTS]; /* visits by part */
    uint64_t nodes;               /* visits of nodes of either level */
    uint64_t visits;
    uint64_t requests;
    uint64_t slots;
    uint64_t elements;
    uint64_t bytes; /* of elements */
    uint64_t l1_sectors;
    uint64_t l1_hits;
    uint64_t l2_sectors;
    uint64_t l2_hits;
    uint64_t memory_bytes;
    uint64_t checks[WS_BVH_CHECKS];
};

/* What the rays of a call site come to. */
struct ws_bvh_site {
    uint32_t shader; /* index in the catalog */
    uint32_t site;   /* index in the module's sites */
    struct ws_bvh_sums rays;
    struct ws_bvh_sums parts[WS_BVH_PARTS]; /* without rays and calls */
    struct ws_bvh_sums *depths[2]; /* nodes of the top level, and of bottom levels; as deep as rays came */
    uint32_t depth_counts[2];
    uint32_t depth_capacities[2];
};

/* What one element comes to: a node, instance, triangle or AABB. Its requests are those that ask for it, and its sectors are
 * its own. The same content in several instances is the same elements. */
struct ws_bvh_row {
    uint32_t part; /* enum ws_bvh_part */
    uint32_t
        build; /* of the tree: index in the scene's builds; of several with one content, the first that was used */
    uint32_t index; /* as in struct ws_bvh_element */
    uint32_t depth; /* of a node */
    uint32_t geometry;
    uint32_t number; /* of a primitive in its geometry, of an instance in its build, of a node in its tree */
    float bounds[6]; /* in the space of the tree */
    struct ws_bvh_sums sums;
};

struct ws_bvh_flown; /* a ray that waits for its turn */

struct ws_bvh_launch {
    struct ws_bvh_scene *bvh;
    const struct ws_cache_shape *shape;
    struct ws_bvh_flown *flown;
    uint32_t flown_count;
    uint32_t flown_capacity;
    struct ws_ray_candidate *candidates;
    uint32_t candidate_count;
    uint32_t candidate_capacity;
    struct ws_id_map site_ids; /* shader << 32 | site -> index below */
    struct ws_bvh_site **sites;
    uint32_t site_count;
    uint32_t site_capacity;
    bool has_rows;            /* set it before the run: elements are told apart */
    struct ws_id_map row_ids; /* ws_bvh_row_key -> index below */
    struct ws_bvh_row *rows;
    uint32_t row_count;
    uint32_t row_capacity;
    struct ws_id_map groups; /* key of a workgroup or warp -> its multiprocessor */
    uint32_t begun;
    struct ws_hierarchy *hierarchy;
    struct ws_bvh_site *site; /* of the call under way */
    uint32_t multiprocessor;
    uint32_t slots;
};

/* Begins one; `bvh` and `shape` must outlive it. */
void ws_bvh_launch_init(struct ws_bvh_launch *launch, struct ws_bvh_scene *bvh,
                        const struct ws_cache_shape *shape);
void ws_bvh_launch_finish(struct ws_bvh_launch *launch);

/* Adds a ray with its thread's candidates. `build`: the top-level build that it flew through. `group`: key of its workgroup, or
 * of its warp. False = no memory. */
bool ws_bvh_launch_add(struct ws_bvh_launch *launch, const struct ws_ray *ray,
                       const struct ws_ray_candidate *candidates, uint32_t build, uint64_t group);

/* Walks them all. `lanes`: of a warp. False = no memory, or the budget is spent. */
bool ws_bvh_launch_run(struct ws_bvh_launch *launch, uint32_t lanes);

/* Tells elements of a scene apart. */
static inline uint64_t ws_bvh_row_key(uint32_t part, uint32_t build, uint32_t index)
{
    return (uint64_t)build << 35 | (uint64_t)part << 32 | index;
}

/* Adds all but rays, calls and checks. */
void ws_bvh_sums_add(struct ws_bvh_sums *to, const struct ws_bvh_sums *from);

#endif
