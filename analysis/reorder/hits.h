/* What rays hit, from the records of the pass ray_events (warpscope/ray_events.h), for keys to sort threads by.
 *
 * A ray is found by its thread, its call site and which of the thread's visits there it was (visit_rows.h). What is hit, the
 * first record of the closest hit shader says: nothing but any-hit and intersection shaders runs between the call and that. Of
 * a trace into a hit object, the record behind it says so.
 *
 * MEMORY, bounded: 16 bytes and a row for each ray, at most WS_REORDER_RAYS_MAX in a launch, and 4 for each thread.
 * Rays beyond that are counted as `lost`: nothing is known of what they hit. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_HITS_H
#define WS_ANALYSIS_REORDER_HITS_H

#include "analysis/reorder/visit_rows.h"
#include "warpscope/base/pages.h"
#include "warpscope/model/replay.h"

#define WS_REORDER_RAYS_MAX (1u << 25)

/* What is known of a ray: all 0 where it hit nothing. */
enum ws_reorder_field {
    WS_REORDER_INSTANCE,
    WS_REORDER_CUSTOM, /* instanceCustomIndex */
    WS_REORDER_GEOMETRY,
    WS_REORDER_KIND,   /* of the hit */
    WS_REORDER_OCTANT, /* of the ray's direction: bit 0: x is negative, bit 1: y, bit 2: z; of misses too */
    WS_REORDER_PRIMITIVE,
    WS_REORDER_FIELDS,
};

/* One ray. */
struct ws_reorder_ray {
    uint32_t instance;
    uint32_t custom; /* custom index, 24 bits | hit kind << 24 */
    uint32_t geometry;
    uint32_t primitive : 28; /* the lowest bits */
    uint32_t octant : 3;
    uint32_t hit : 1; /* it hit something that has a shader */
};

/* Of one worker, or of a launch. Zero-initialise, then set the catalog. */
struct ws_reorder_hits {
    const struct ws_catalog *catalog;
    struct ws_pages last; /* uint32_t: index of the thread's last ray + 1 */
    struct ws_visit_rows rows;
    struct ws_reorder_ray *rays; /* parallel to the rows */
    uint32_t ray_capacity;
    uint64_t lost;
};

void ws_reorder_hits_finish(struct ws_reorder_hits *hits);

/* A record of the pass ray_events: like ws_replay_operations.data. */
bool ws_reorder_hits_data(struct ws_reorder_hits *hits, struct ws_context *context, uint32_t site,
                          struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane);

/* Adds what a worker found, and leaves that empty. False when there is no memory. */
bool ws_reorder_hits_add(struct ws_reorder_hits *hits, struct ws_reorder_hits *part);

/* A field of a ray. */
uint32_t ws_reorder_ray_field(const struct ws_reorder_ray *ray, uint32_t field);

#endif
