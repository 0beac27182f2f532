/* Rays of a capture, traced again on the CPU through the captured geometry (scene_trace.h): whether the
 * device found what is there. The analysis `retrace` counts the results.
 *
 * What is CHECKED depends on how the ray ended:
 *
 *   triangle   It hit that triangle. The CPU must meet it at the same t, and nothing nearer.
 *   box It hit something in an AABB. The hit must lie where the ray is in that box, and no triangle nearer.
 *   something  An implicit hit. There must be something. Where the last any-hit run that was accepted tells
 *              what it was, that must be there.
 *   miss       There must be no triangle.
 *
 * Candidates that an any-hit shader or a query ignored are ignored again; all others are accepted. Rays that
 * end with their first hit (flag, terminateRay) may have passed something nearer. So may rays at triangles that opacity
 * micromaps may let them pass: those that are transparent, or have a micromap whose parts differ or are not captured.
 *
 * RESULT. The ray AGREES: the same instance, geometry and primitive at the same t. SAME PLACE: another
 * primitive at the same t, as at shared edges and of equal triangles. BORDERLINE: what one of them meets and
 * the other does not is within the tolerance of an edge, of tmin or of tmax, so that rounding decides. Else
 * it DIFFERS.
 *
 * TOLERANCE: 1e-5 of the largest of: the origin's largest coordinate, that of the point, and that of the
 * instance's translation. These are some hundred roundings of the numbers that the result is computed from.
 * Across a triangle's plane it holds for t, and across the ray for edges.
 *
 * SAMPLE. Tracing takes longer than what all other analyses do with a ray. So a report of several analyses traces some
 * rays of each launch, of those that chosen shaders trace: one in WS_RETRACE_ONE_IN, but so many more that
 * WS_RETRACE_LEAST are traced, or all. They are spread evenly over the launch, and the same ones each time. What differs
 * for one ray in a thousand is in such a sample. */
#ifndef WS_ANALYSIS_SCENE_RETRACE_H
#define WS_ANALYSIS_SCENE_RETRACE_H

#include "analysis/scene/scene_trace.h"

#define WS_RETRACE_ONE_IN 16
#define WS_RETRACE_LEAST  4096

/* The share of 2^64 of a launch's rays that are in the sample. */
uint64_t ws_retrace_share(uint64_t rays);

/* Whether a ray is in the sample, by its number in the launch. */
bool ws_retrace_takes(uint64_t number, uint64_t share);

enum ws_retrace_kind {
    WS_RETRACE_TRIANGLE,
    WS_RETRACE_BOX,
    WS_RETRACE_SOMETHING,
    WS_RETRACE_MISS,
    WS_RETRACE_KINDS
};

enum ws_retrace_result {
    WS_RETRACE_AGREES,
    WS_RETRACE_SAME_PLACE,
    WS_RETRACE_BORDERLINE,
    WS_RETRACE_DIFFERS,
    WS_RETRACE_RESULTS
};

/* Why a ray was not checked. */
enum ws_retrace_why {
    WS_RETRACE_STRUCTURE,  /* which structure it flew through is not known */
    WS_RETRACE_END,        /* whether it hit or missed is not known */
    WS_RETRACE_NOT_FINITE, /* its numbers are not finite */
    WS_RETRACE_IN_BOX,     /* it hit something that may be in an AABB */
    WS_RETRACE_WHYS
};

struct ws_retrace_check {
    bool checked;
    enum ws_retrace_why why;   /* not checked */
    enum ws_retrace_kind kind; /* checked: all below */
    enum ws_retrace_result result;
    bool has_found;
    struct ws_trace_hit found; /* differs, borderline: what the CPU met instead */
};

/* Checks a ray that flew through `top_build` (WS_NONE = not known), which ws_scene_trace_use has been called
 * for. `candidates`: those of the ray's thread. */
struct ws_retrace_check ws_retrace_ray(struct ws_scene_trace *trace, const struct ws_scene *scene,
                                       uint32_t top_build, const struct ws_ray *ray,
                                       const struct ws_ray_candidate *candidates);

/* The tolerance at `t` in an instance with that transform, as a length across the ray. */
double ws_retrace_slack(const struct ws_ray *ray, const float transform[12], double t);

/* "triangle", ...; a clause that says why. */
const char *ws_retrace_kind_name(uint32_t kind);
const char *ws_retrace_why_name(uint32_t why);

#endif
