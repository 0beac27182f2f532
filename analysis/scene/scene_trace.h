/* Rays traced on the CPU, by Embree, through the geometry of a capture: what a device should have found, and
 * what lies where the application did not look.
 *
 * A top-level build is made ready when it is first asked for; contents that several of them share are built
 * once. Left out, and counted, is what the scene cannot give: instances of nothing or whose transform cannot
 * be inverted, primitives that are inactive, not finite or beyond 1e18, where Embree ends. One thread: the
 * same capture gives the same answers. Not thread-safe.
 *
 * Culled by what the ray says (cull mask, ray flags) and the instance and geometry (mask, flags), as Vulkan
 * has it: a triangle's front is where its vertices are counterclockwise in a right-handed space, seen from
 * the ray's origin, in object space; TRIANGLE_FLIP_FACING turns that round. Whether a candidate is accepted
 * is for the caller to say. AABBs are boxes that a ray passes: what is in them is the application's. */
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
    WS_TRACE_ACCEPT, /* of triangles: nothing behind it counts any more */
    WS_TRACE_STOP,   /* of triangles: accept it, and end */
};

/* Left out of what a top-level build holds; primitives are those of contents, once each. */
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

/* Makes a top-level build (index in the scene's builds) the one that rays are traced through from now on.
 * What is no top-level build holds nothing. False = no memory. */
bool ws_scene_trace_use(struct ws_scene_trace *trace, uint32_t top_build);
struct ws_trace_left_out ws_scene_trace_left_out(const struct ws_scene_trace *trace);

/* Shows `visit` the candidates of a ray between its tmin and tmax, in no order. Of the ray only origin,
 * direction, tmin, tmax, flags and cull mask are read; where they are not finite (tmax may be infinite), or
 * tmin is not before tmax, there are none. */
void ws_scene_trace_visit(struct ws_scene_trace *trace, const struct ws_ray *ray,
                          enum ws_trace_answer (*visit)(void *user, const struct ws_trace_hit *hit),
                          void *user);

/* The closest triangle, as if any-hit shaders accepted all. */
bool ws_scene_trace_closest(struct ws_scene_trace *trace, const struct ws_ray *ray, struct ws_trace_hit *hit);

/* Whether there is any triangle. */
bool ws_scene_trace_is_occluded(struct ws_scene_trace *trace, const struct ws_ray *ray);

#endif
