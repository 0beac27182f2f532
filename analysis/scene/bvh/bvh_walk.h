/* How the rays of a warp walk through a model BVH (bvh_scene.h), in step.
 *
 * A RAY begins at the root of the top level. At a node it meets the boxes of both children between tmin and what it has hit so
 * far; it goes on with the nearer one (the first where both are as near), and lays the other one onto its stack. At an instance
 * that its mask lets through, and that has something that its flags let it see, it goes on at the root of the bottom level, in
 * object space. At a leaf it tests one primitive after the other. Then it takes from its stack what is not behind what it has
 * hit. Roots are entered without a test.
 *
 * CANDIDATES are culled as in scene_sight.h. A triangle is accepted, but where the capture has that the shaders ignored it, and
 * where its opacity micromap may let the ray pass and the ray did not hit it. An AABB is hit where the capture has that a hit
 * in it was accepted, at the t of the nearest one. The ray ends where it has the flag TerminateOnFirstHit, or where the capture
 * has that this candidate terminated it.
 *
 * A WARP walks while-while (Aila and Laine, "Understanding the Efficiency of Ray Traversal on GPUs", 2009), with two levels:
 * its rays take turns of four phases, nodes of the top level, instances, nodes of bottom levels, primitives. A phase goes on in
 * steps until no ray is at such a place any more, and rays that are at another one wait. In the phase of primitives a step is
 * for triangles, then one for AABBs.
 *
 * A REQUEST = what one step of one phase reads: of each active lane one ELEMENT, a whole node, instance, triangle or AABB. Each
 * distinct element is fetched once, in the order of the first lane that asks for it.
 *
 * By hand: a tree of one node with a triangle on either side. Two rays of a warp each meet the box and the triangle of another
 * side. That is one request for an instance (1 element, 2 lanes), one for a node (1 element), and one for triangles (2
 * elements). With one instance the top level has no node.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_SCENE_BVH_BVH_WALK_H
#define WS_ANALYSIS_SCENE_BVH_BVH_WALK_H

#include "analysis/rays/rays.h"
#include "analysis/scene/bvh/bvh_scene.h"
#include "analysis/scene/scene_trace.h"

#define WS_BVH_LANES 128u

enum ws_bvh_part {
    WS_BVH_TOP_NODE,
    WS_BVH_INSTANCE,
    WS_BVH_BOTTOM_NODE,
    WS_BVH_TRIANGLE,
    WS_BVH_BOX,
    WS_BVH_PARTS
};

struct ws_bvh_element {
    uint64_t address;
    uint32_t bytes;
    uint32_t lanes; /* that ask for it */
    uint32_t depth; /* of a node, in its tree; else 0 */
    uint32_t index; /* of a node in its tree; else in the order of the leaves */
    const struct ws_bvh_top *top;
    const struct ws_bvh_bottom *bottom; /* NULL: it is of the top level */
};

struct ws_bvh_request {
    enum ws_bvh_part part;
    uint32_t lanes;
    const struct ws_bvh_element *elements; /* distinct */
    uint32_t element_count;
};

/* What one lane's ray is, and what came of it. */
struct ws_bvh_lane {
    const struct ws_ray *ray;                  /* not NULL; finite, with tmin up to tmax and a direction */
    const struct ws_ray_candidate *candidates; /* of its thread: the ray says which are its own */
    const struct ws_bvh_top *top;

    bool found;
    struct ws_trace_hit hit; /* that it committed last */
    uint64_t visits[WS_BVH_PARTS];
};

struct ws_bvh_walk;

/* `request` is told of each request; false from it ends the walk. NULL = no memory. */
struct ws_bvh_walk *ws_bvh_walk_create(const struct ws_bvh_scene *bvh,
                                       bool (*request)(void *user, const struct ws_bvh_request *request),
                                       void *user);
void ws_bvh_walk_destroy(struct ws_bvh_walk *walk);

/* Walks with up to WS_BVH_LANES rays. False where `request` says so, or the budget is spent. */
bool ws_bvh_walk_run(struct ws_bvh_walk *walk, struct ws_bvh_lane *lanes, uint32_t count);

/* "top nodes", "instances", ... */
const char *ws_bvh_part_name(uint32_t part);

#endif
