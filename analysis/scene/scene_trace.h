/* Traces rays through the geometry of a capture on the CPU, with Embree. The results show what a device
 * should have found. They also show what lies where the application did not look.
 *
 * A top-level build is prepared when it is first used. Contents that several top-level builds share are
 * built once. Some of the scene cannot be traced. It is left out and counted:
 *   - instances without a structure, or with a transform that floats cannot invert: one whose linear part, or
 *     the inverse of it, has numbers beyond 1e9,
 *   - primitives that are inactive, not finite, or beyond 1e18, which is Embree's limit.
 * One thread traces all rays, so that the same capture gives the same results. Not thread-safe.
 *
 * Candidates are culled as in Vulkan, by the cull mask and flags of the ray, the mask and flags of the
 * instance and the flags of the geometry. The front of a triangle is the side from which its vertices are
 * counterclockwise, in object space and in a right-handed system. TRIANGLE_FLIP_FACING exchanges front and
 * back. The caller decides whether a candidate is accepted. An AABB is a box that the ray passes: only the
 * application knows what is in it. */
#ifndef WS_ANALYSIS_SCENE_SCENE_TRACE_H
#define WS_ANALYSIS_SCENE_SCENE_TRACE_H

#include "analysis/rays/rays.h"
#include "analysis/scene/scene.h"

struct ws_trace_hit {
    float t;      /* triangles: distance; boxes: where the ray enters, at least tmin */
    float t_exit; /* triangles: the same as t; boxes: where the ray leaves */
    uint32_t instance;
    uint32_t geometry;
    uint32_t primitive;
    float barycentrics[2]; /* triangles: as in Vulkan */
    /* Triangles: cosine of the angle between direction and normal, in object space. Above 0 the ray meets
     * the back; with TRIANGLE_FLIP_FACING, the front. */
    float facing;
    bool box;    /* true = an AABB, false = a triangle */
    bool back;   /* triangles: the ray meets the back face, as in Vulkan */
    bool opaque; /* no any-hit shader would run */
};

enum ws_trace_answer {
    WS_TRACE_IGNORE, /* go on as if it were not there */
    WS_TRACE_ACCEPT, /* triangles: show nothing that lies behind it any more */
    WS_TRACE_STOP,   /* triangles: accept it, and end the ray */
};

/* How much of a top-level build was left out. A primitive counts once, also if several instances share its
 * content. */
struct ws_trace_left_out {
    uint64_t instances;
    uint64_t primitives;
};

struct ws_scene_trace;

/* Returns why this build of Warpscope cannot trace rays, a sentence without full stop; NULL if it can. */
const char *ws_scene_trace_missing(void);

/* The scene must outlive the result. NULL if there is no memory, or this build cannot trace rays. */
struct ws_scene_trace *ws_scene_trace_create(const struct ws_scene *scene);
void ws_scene_trace_destroy(struct ws_scene_trace *trace);

/* Chooses the build through which rays are traced from now on, by its index in the scene's builds. A build
 * that is not top-level counts as empty. False if there is no memory. */
bool ws_scene_trace_use(struct ws_scene_trace *trace, uint32_t top_build);

/* Returns how much of the chosen build was left out. */
struct ws_trace_left_out ws_scene_trace_left_out(const struct ws_scene_trace *trace);

/* Calls `visit` for each candidate of a ray between its tmin and tmax, in no particular order. Only origin,
 * direction, tmin, tmax, flags and cull mask of the ray are read. The ray has no candidates if one of them
 * is not finite (but tmax may be infinite), or if tmin is above tmax. */
void ws_scene_trace_visit(struct ws_scene_trace *trace, const struct ws_ray *ray,
                          enum ws_trace_answer (*visit)(void *user, const struct ws_trace_hit *hit),
                          void *user);

/* Finds the closest triangle, as if any-hit shaders accepted every candidate. False if the ray meets none. */
bool ws_scene_trace_closest(struct ws_scene_trace *trace, const struct ws_ray *ray, struct ws_trace_hit *hit);

/* Returns whether the ray meets any triangle. */
bool ws_scene_trace_is_occluded(struct ws_scene_trace *trace, const struct ws_ray *ray);

#endif
