/* Rays of a capture, traced again on the CPU through the captured geometry (scene_trace.h): whether the
 * device found what is there.
 *
 * A ray is CHECKED by how it ended:
 *
 *   triangle   it hit that triangle: the CPU must meet it at the same t, and nothing nearer
 *   box        it hit something in an AABB: t must lie where the ray is in that box, and no triangle nearer
 *   something  an implicit hit: there must be something. Where the last any-hit run that was accepted tells
 *              what, that must be there
 *   miss       there must be no triangle
 *
 * Candidates that an any-hit shader or a query ignored are ignored again; all others are accepted. Rays that
 * end with their first hit (flag, terminateRay) may have passed something nearer.
 *
 * RESULT: the ray AGREES: same instance, geometry and primitive at the same t. SAME PLACE: another primitive
 * at the same t, as at shared edges and of equal triangles. BORDERLINE: what one of them meets and the other
 * does not is within the tolerance of an edge or of tmin or tmax, so that rounding decides. Else it DIFFERS.
 *
 * TOLERANCE: 1e-5 of the larger of the origin's largest coordinate, that of the point, and the largest of the
 * instance's translation: some hundred roundings of what is computed with. It holds across a triangle's plane
 * for t, and across the ray for edges. */
#ifndef WS_ANALYSIS_SCENE_RETRACE_H
#define WS_ANALYSIS_SCENE_RETRACE_H

#include "analysis/scene/scene_trace.h"

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

/* Why a ray could not be checked. */
enum ws_retrace_why {
    WS_RETRACE_STRUCTURE,  /* which structure it flew through is not known */
    WS_RETRACE_END,        /* whether it hit or missed is not known */
    WS_RETRACE_NOT_FINITE, /* its numbers are no ray's */
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

/* Checks a ray that flew through `top_build` (WS_NONE = not known), for which the tracer has been told to use
 * it. `candidates`: the thread's. */
struct ws_retrace_check ws_retrace_ray(struct ws_scene_trace *trace, const struct ws_scene *scene,
                                       uint32_t top_build, const struct ws_ray *ray,
                                       const struct ws_ray_candidate *candidates);

/* "triangle", ...; "agrees", ...; a clause. */
const char *ws_retrace_kind_name(uint32_t kind);
const char *ws_retrace_result_name(uint32_t result);
const char *ws_retrace_why_name(uint32_t why);

#endif
