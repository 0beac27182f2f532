/* Where rays start, and which ray follows which: the one rule for reports, exports and advice.
 *
 * A VISIBILITY RAY has TerminateOnFirstHit or SkipClosestHitShader. It asks only whether something is there.
 * No path goes on from what it hit.
 *
 * A ray STARTS AT the hit of another ray where that ray hit, is no visibility ray, and the two places are the
 * same but for a small distance, since applications move origins off surfaces:
 *
 *     |origin - place of the hit| <= 1e-3 * SIZE      1e-6 * SIZE where both rays have the very same origin
 *
 * 1e-3 is more than applications move origins, and less than there is between surfaces that matter. Rays from
 * one origin find what is around it: that is not what they start on, unless it is at the very place.
 *
 * SIZE is the diagonal of the box of the scene. Where the geometry is not known, it is estimated as ten times
 * the larger of two lengths: the hit's largest coordinate, and the way from the other ray's origin to it.
 *
 * The START of a ray is one earlier ray of its thread, at whose hit it starts, or none:
 *
 *   1. None where the ray has the very same origin as the ray that began the thread's last path. Rays of a
 *      camera are such.
 *   2. Else, of the 64 rays before it, the latest one at whose hit it starts. But the search ends at a ray of
 *      the very same origin: the two have the same start.
 *
 * A ray FOLLOWS its parent (rays.h); without one, its start. So a path is one whether the hit shaders trace
 * what follows, or a loop does:
 *
 *     raygen:  traceRay(camera) -> hit A      ray 0 begins a path
 *              traceRay(A to the light)       ray 1 follows ray 0; it is a visibility ray
 *              traceRay(from A) -> hit B      ray 2 follows ray 0: its first bounce
 *              traceRay(camera) -> miss       ray 3 begins a path: it has the origin of ray 0
 *
 * A ray that follows none, and is no visibility ray, begins a PATH. Its BOUNCES are the longest chain of rays
 * that follow each other from there; visibility rays are not counted. */
#ifndef WS_ANALYSIS_RAYS_RAY_PATHS_H
#define WS_ANALYSIS_RAYS_RAY_PATHS_H

#include "analysis/rays/rays.h"

/* A ray as a part of a path. All numbers are those of rays in the thread. */
struct ws_ray_step {
    uint32_t start;   /* its start; WS_NONE */
    uint32_t path;    /* the ray that begins its path; WS_NONE: it is a visibility ray of none */
    uint32_t bounces; /* from the beginning of the path to this ray */
    uint32_t longest; /* of a ray that begins a path: the bounces of the path */
};

/* Steps of one thread after another. Zero-initialised is empty. */
struct ws_ray_paths {
    struct ws_ray_step *steps; /* of each ray of the thread */
    uint32_t capacity;
};

/* The diagonal of the box of the scene that a ray flew through; 0 = not known. */
struct ws_ray_scene_size {
    double (*of)(const void *user, const struct ws_ray *ray);
    const void *user;
};

/* Sets the steps of a thread's rays. `size` NULL: the geometry is not known. False when there is no
 * memory. */
bool ws_ray_paths_find(struct ws_ray_paths *paths, const struct ws_ray_thread *thread,
                       const struct ws_ray_scene_size *size);
void ws_ray_paths_finish(struct ws_ray_paths *paths);

bool ws_ray_is_visibility(const struct ws_ray *ray);

/* Whether a ray starts at the hit of another. `size` 0: the geometry is not known. */
bool ws_ray_starts_at(const struct ws_ray *ray, const struct ws_ray *other, double size);

#endif
