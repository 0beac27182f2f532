/* Through which top-level structure a ray flew.
 *
 * Where the capture has the descriptor that it was traced through, or the device address, that says it (rays.h). Elsewhere, as
 * in older captures, and where a function is called with several descriptors, the hits decide: of the structures that were live
 * for the launch, it is the one in which the rays' hits are true.
 *
 * A hit of a triangle is TRUE in a top-level build when instance, geometry and primitive exist there, the
 * custom index is that instance's, and the point at t lies on that triangle, within the tolerance. A hit in
 * an AABB is true when the point at t is in the box, grown by the tolerance. TOLERANCE: 1e-3 of the largest
 * of: t times the direction's length, the origin's distance from 0, and the size of the instance in the
 * world. */
#ifndef WS_ANALYSIS_SCENE_SCENE_MATCH_H
#define WS_ANALYSIS_SCENE_SCENE_MATCH_H

#include "analysis/rays/rays.h"
#include "analysis/scene/scene.h"

struct ws_scene_match {
    uint32_t structure; /* index in the scene's structures; WS_NONE = none fits */
    uint32_t build;     /* its build for the launch */
    uint64_t hits;      /* that were tested */
    uint64_t true_hits;
    uint32_t source; /* enum ws_structure_source: what said it; WS_STRUCTURE_UNSAID = the hits did */
    bool ambiguous;  /* another one with other content fits as well */
    double size;     /* the diagonal of that build's bounds; 0 = it has none */
};

/* What rays have in common that flew through one structure. */
struct ws_scene_call {
    uint32_t shader; /* index in the catalog */
    uint32_t site;   /* index in the module's sites */
    struct ws_ray_structure structure;
};

static inline struct ws_scene_call ws_scene_call_of(const struct ws_ray *ray)
{
    return (struct ws_scene_call){ray->shader, ray->site, ray->structure};
}

/* Whether one hit is true. */
bool ws_scene_hit_is_true(const struct ws_scene *scene, uint32_t top_build, const struct ws_ray *ray,
                          const struct ws_ray_hit *hit);

/* Collects the hits of each call site (shader and site index) of one launch, then decides for each. What is said of a ray's
 * structure stands; it is WS_NONE where it had no build for the launch. Where it is not said, and one
 * structure is live, it is that one if at least half of the hits are true. Where several are live, it is the
 * one with the largest share of true hits, which must be at least 99 %; of a call site without hits it is not
 * known then, for other call sites may trace through another structure. */
struct ws_scene_matcher;
struct ws_scene_matcher *ws_scene_matcher_create(const struct ws_scene *scene, uint32_t device,
                                                 uint64_t launch);
void ws_scene_matcher_destroy(struct ws_scene_matcher *matcher);
bool ws_scene_matcher_add(struct ws_scene_matcher *matcher, const struct ws_ray *ray);
/* After the last ray. False when there is no such site. */
bool ws_scene_matcher_find(struct ws_scene_matcher *matcher, const struct ws_scene_call *call,
                           struct ws_scene_match *match);
/* As ws_scene_instance (scene.h) of the matcher's scene. It remembers some, for most rays of a launch hit one of few. */
bool ws_scene_matcher_instance(struct ws_scene_matcher *matcher, uint32_t build, uint32_t index,
                               struct ws_scene_instance *instance);

#endif
