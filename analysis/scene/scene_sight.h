/* What a ray sees of what lies on its way, by masks and flags: those of the ray, of the instance and of the geometry, and
 * opacity micromaps (Vulkan specification, Ray Intersection Candidate Determination). */
#ifndef WS_ANALYSIS_SCENE_SCENE_SIGHT_H
#define WS_ANALYSIS_SCENE_SCENE_SIGHT_H

#include "analysis/scene/scene_trace.h"

/* Whether the ray sees a candidate of an instance that has a build. Of `hit` geometry, box and facing are read; opaque and back
 * are set. */
bool ws_scene_sees(const struct ws_scene *scene, const struct ws_scene_instance *instance,
                   const struct ws_ray *ray, struct ws_trace_hit *hit);

/* Whether the triangle may not be there for the ray, by its opacity micromap. Which part of it is hit is not looked at. Fully
 * opaque triangles are there, but for rays that cull what is opaque. Unknown ones are shown to the shaders, so that what these
 * ignored is known; but with two states only they are what their index says. */
bool ws_scene_may_be_transparent(const struct ws_scene *scene, const struct ws_scene_instance *instance,
                                 const struct ws_ray *ray, const struct ws_trace_hit *hit);

#endif
