/* The surface that a ray starts on. For the rules of advice (rule.h).
 *
 * The SOURCE of a ray is what its start hit (ray_paths.h). Camera rays have none.
 *
 * The SIDE of a source is the one from which it was hit: its normal points there. A ray goes THROUGH its
 * source where its direction points to the other side.
 *
 * A SELF-HIT is a ray that hits its own source: the triangle that it starts on, or one beside it in the same plane, at
 * most 1e-3 of the scene's diagonal away, from an origin that is at most 1e-5 of the diagonal off the plane. (An
 * origin that was moved farther off meets the triangle where the ray is directed at it, which is no rounding.)
 * Triangles are flat: a ray that starts on one cannot meet it again but by rounding. What starts at such a hit tells
 * nothing of the material: the side that was hit is a matter of chance. */
#ifndef WS_ANALYSIS_ADVICE_RAY_SOURCE_H
#define WS_ANALYSIS_ADVICE_RAY_SOURCE_H

#include "analysis/advice/evidence.h"

struct ws_ray_source {
    uint32_t ray; /* number of the ray that hit it */
    struct ws_target target;
    struct ws_ray_hit hit;
    double size;      /* of the scene: the diagonal */
    float place[3];   /* where it was hit, in the world */
    bool triangle;    /* all below is known */
    double normal[3]; /* of the side, of length 1, in the world */
    bool back;        /* it was hit from behind */
    bool self;        /* the ray that hit it is a self-hit; set by the run of the rules */
};

/* Of a ray whose start is the ray `start` of its thread; WS_NONE = it has none. False where it has no source,
 * or the geometry is not known. */
bool ws_ray_source_find(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                        const struct ws_ray_thread *thread, const struct ws_ray *ray, uint32_t start,
                        struct ws_ray_source *source);

/* Cosine between a ray and the normal of the side that it starts on; below 0 it goes through. 1 where it is
 * not known. */
double ws_ray_source_cosine(const struct ws_ray_source *source, const struct ws_ray *ray);

/* Whether a ray that starts on the source is a self-hit. */
bool ws_ray_source_is_self_hit(const struct ws_advice_input *input, const struct ws_ray_source *source,
                               const struct ws_ray *ray);

/* Whether another hit is in the same primitive, or in a triangle of the same geometry that lies in the same
 * plane and has two corners in common with it. */
bool ws_ray_source_is_same(const struct ws_advice_input *input, const struct ws_ray_source *source,
                           uint32_t instance, uint32_t geometry, uint32_t primitive);

#endif
