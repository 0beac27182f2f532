/* Rays traced on the CPU, by Embree, through the geometry of a capture: what a device should have found, and
 * what lies where the application did not look.
 *
 * A top-level build is made ready when it is first asked for. Contents that several of them share are built
 * once. What the scene cannot give is left out and counted: instances of no structure or whose transform
 * cannot be inverted, and primitives that are inactive, not finite, or beyond 1e18, which is Embree's limit.
 * Rays are traced by one thread, so that the same capture gives the same answers. Not thread-safe.
 *
 * Candidates are culled as Vulkan does it, by what the ray says (cull mask, ray flags) and what instance and
 * geometry say (mask, flags). The front of a triangle is the side from which its vertices are
 * counterclockwise in a right-handed space, in object space; TRIANGLE_FLIP_FACING turns that round. Whether a
 * candidate is accepted is for the caller to say. AABBs are boxes that a ray passes: only the application
 * knows what is in them. */
#ifndef WS_ANALYSIS_SCENE_SCENE_TRACE_H
#define WS_ANALYSIS_SCENE_SCENE_TRACE_H

#include "analysis/rays/rays.h"
#include "analysis/scene/scene.h"

struct ws_trace_hit {
    float t;      /* boxes: where the ray enters it, at least tmin */
    float t_exit; /* boxes: where it leaves it; triangles: t */
    uint32_t instance;
    uint32_t geometry;
    uint32_t primitive;
    float barycentrics[2]; /* of triangles, as Vulkan has them */
    float facing; /* of triangles: cosine between direction and normal in object space; > 0 = the back,
                     but for TRIANGLE_FLIP_FACING */
    bool box;
    bool back;   /* of triangles: the back face, as Vulkan has it */
    bool opaque; /* no any-hit shader would run */
};

enum ws_trace_answer {
    WS_TRACE_IGNORE, /* go on */
    WS_TRACE_ACCEPT, /* of triangles: what lies behind it is not shown any more */
    WS_TRACE_STOP,   /* of triangles: accept it, and end */
};

/* How much of a top-level build was left out. The primitives of a content count once. */
struct ws_trace_left_out {
    uint64_t instances;
    uint64_t primitives;
};

struct ws_scene_trace;

/* NULL where rays can be traced; else why this build cannot, as a sentence without full stop. */
const char *ws_scene_trace_missing(void);

/* NULL = no memory, or rays cannot be traced in this build. The scene must outlive it. */
struct ws_scene_trace *ws_scene_trace_create(const struct ws_scene *scene);
void ws_scene_trace_destroy(struct ws_scene_trace *trace);

/* From now on rays are traced through this top-level build (index in the scene's builds). Any other build is
 * empty. False = no memory. */
bool ws_scene_trace_use(struct ws_scene_trace *trace, uint32_t top_build);
struct ws_trace_left_out ws_scene_trace_left_out(const struct ws_scene_trace *trace);

/* Shows `visit` the candidates of a ray between its tmin and tmax, in no order. Of the ray it reads only
 * origin, direction, tmin, tmax, flags and cull mask. There are no candidates where these are not finite
 * (tmax may be infinite) or tmin is above tmax. */
void ws_scene_trace_visit(struct ws_scene_trace *trace, const struct ws_ray *ray,
                          enum ws_trace_answer (*visit)(void *user, const struct ws_trace_hit *hit),
                          void *user);

/* The closest triangle, as if any-hit shaders accepted every candidate. False = none. */
bool ws_scene_trace_closest(struct ws_scene_trace *trace, const struct ws_ray *ray, struct ws_trace_hit *hit);

/* Whether the ray meets any triangle. */
bool ws_scene_trace_is_occluded(struct ws_scene_trace *trace, const struct ws_ray *ray);

#endif
