/* Which top-level structure a ray flew through. Neither SPIR-V nor the API tells (a descriptor does, and the
 * application may change it until the last moment), so the hits decide: of the structures that were live for
 * the launch, the one in which the rays' hits are true.
 *
 * A hit of a triangle is TRUE in a top-level build when instance, geometry and primitive exist there, the
 * custom index is that instance's, and the ray meets that very triangle at t, within tolerance; a hit in an
 * AABB when the point at t is in the box, grown by the tolerance. TOLERANCE: 1e-3 of the larger of t times
 * the direction's length, the origin's distance from 0, and the size of the triangle's instance in the world.
 */
#ifndef WS_ANALYSIS_SCENE_SCENE_MATCH_H
#define WS_ANALYSIS_SCENE_SCENE_MATCH_H

#include "analysis/rays/rays.h"
#include "analysis/scene/scene.h"

struct ws_scene_match {
    uint32_t structure; /* index in the scene's structures; WS_NONE = none fits */
    uint32_t build;     /* its build for the launch */
    uint64_t hits;      /* that were held against it */
    uint64_t true_hits;
    bool ambiguous; /* another one with other content fits as well */
};

/* One hit. */
bool ws_scene_hit_is_true(const struct ws_scene *scene, uint32_t top_build, const struct ws_ray *ray,
                          const struct ws_ray_hit *hit);

/* Collects evidence per tracing site (shader and site index) of one launch, then decides for each. With
 * exactly one live structure, that is it as long as at least one hit in two is true; else the one with the
 * largest share, at least 99 %. Of a site without any hit nobody knows then: what other sites' rays flew
 * through says nothing of its. */
struct ws_scene_matcher;
struct ws_scene_matcher *ws_scene_matcher_create(const struct ws_scene *scene, uint32_t device,
                                                 uint64_t launch);
void ws_scene_matcher_destroy(struct ws_scene_matcher *matcher);
bool ws_scene_matcher_add(struct ws_scene_matcher *matcher, const struct ws_ray *ray);
/* After the last ray. False when there is no such site. */
bool ws_scene_matcher_find(struct ws_scene_matcher *matcher, uint32_t shader, uint32_t site,
                           struct ws_scene_match *match);

#endif
