/* Which rays of a launch are asked for. A filter is made of keys with values; a ray fits where it fits every key, and it fits
 * a key where it fits one of the values, which commas separate. Numbers may be ranges: 3, 3-7, 3- or -7.
 *
 *   end            hit, miss, implicit_hit, no_shader, unknown (rays.h)
 *   kind           trace, skip_closest_hit, query
 *   depth          how many rays led to it
 *   instance, geometry, primitive    that it hit; a ray whose hit is not known fits none
 *   shader         that traced it: its id in the capture
 *   site           of the call: its number in the launch (ray_store.h)
 *   any_hits, intersections    how often shaders of these stages ran for it; counts stop at 65535
 *   t              of its hit; numbers with a point or exponent too
 *   warp           index of its thread's warp
 *   pixels         its thread's x and y: x0,y0-x1,y1, both corners included; or one pixel x,y
 *   thread         its thread's place: x,y,z; what is left out is 0
 *   ids            its number in the launch
 *   rule           it is evidence for one of these rules of advice, by name
 *   parents        1: rays that lead to one that fits are taken too
 *
 * viewer/rays_filter.js is the same for the rays that a single file holds; a test compares both. */
#ifndef WS_ANALYSIS_VIEWER_RAYS_RAY_FILTER_H
#define WS_ANALYSIS_VIEWER_RAYS_RAY_FILTER_H

#include "analysis/viewer/rays/ray_store.h"

#define WS_RAY_TESTS_MOST 24 /* keys, of which some are several tests */

enum ws_ray_column {
    WS_RAY_COLUMN_END,
    WS_RAY_COLUMN_KIND,
    WS_RAY_COLUMN_DEPTH,
    WS_RAY_COLUMN_INSTANCE,
    WS_RAY_COLUMN_GEOMETRY,
    WS_RAY_COLUMN_PRIMITIVE,
    WS_RAY_COLUMN_SHADER,
    WS_RAY_COLUMN_SITE,
    WS_RAY_COLUMN_ANY_HITS,
    WS_RAY_COLUMN_INTERSECTIONS,
    WS_RAY_COLUMN_T,
    WS_RAY_COLUMN_X,
    WS_RAY_COLUMN_Y,
    WS_RAY_COLUMN_Z,
    WS_RAY_COLUMN_WARP,
    WS_RAY_COLUMN_RAY,
};

/* Both ends included. */
struct ws_ray_range {
    uint32_t low;
    uint32_t high;
};

/* One column; a ray fits where its value is in one of the ranges. */
struct ws_ray_test {
    enum ws_ray_column column;
    struct ws_ray_range *ranges; /* ascending, none touches another; of WS_RAY_COLUMN_T there are none */
    uint32_t count;
    float low; /* of WS_RAY_COLUMN_T */
    float high;
};

/* Zero-initialised every ray fits. */
struct ws_ray_filter {
    struct ws_ray_test tests[WS_RAY_TESTS_MOST];
    uint32_t count;
    bool has_rules;
    uint32_t rules; /* a ray fits where it is evidence for one of them */
    bool parents;
};

/* Names that a filter refers to. */
struct ws_ray_filter_names {
    const struct ws_catalog *catalog;
    const char *const *rules; /* by bit; NULL after the last */
};

/* Whether it is a key of filters. */
bool ws_ray_filter_has_key(const char *key);

/* Adds a key with its value. False and `error`: the value is not as said above, it names what there is not, or there is no
 * memory. */
bool ws_ray_filter_add(struct ws_ray_filter *filter, const char *key, const char *value,
                       const struct ws_ray_filter_names *names, struct ws_error *error);
void ws_ray_filter_finish(struct ws_ray_filter *filter);

/* Rays of a store: a bit for each. */
struct ws_ray_set {
    uint64_t *bits;
    uint64_t count; /* of rays in it */
};

/* The rays that fit, and with `parents` those that lead to them. False = no memory. Looks at all rays: 10 million take
 * about a tenth of a second for each key. */
bool ws_ray_filter_select(const struct ws_ray_filter *filter, const struct ws_ray_store *store,
                          struct ws_ray_set *set);
void ws_ray_set_finish(struct ws_ray_set *set);

static inline bool ws_ray_set_has(const struct ws_ray_set *set, uint32_t ray)
{
    return (set->bits[ray / 64] >> ray % 64 & 1) != 0;
}

#endif
