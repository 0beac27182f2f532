/* What rays hit, from the records of the pass ray_events (warpscope/ray_events.h), for keys to sort threads by.
 *
 * A ray is found by its thread, its call site and which of the thread's visits there it was (visit_rows.h). What is hit, the
 * first record of the closest hit shader says: nothing but any-hit and intersection shaders runs between the call and that. Of
 * a trace into a hit object, the record behind it says so.
 *
 * MEMORY, bounded: that of rows with WS_REORDER_RAY_WORDS words, until their thread ends. Rays that are lost are counted:
 * nothing is known of what they hit. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_HITS_H
#define WS_ANALYSIS_REORDER_HITS_H

#include "analysis/reorder/visit_rows.h"
#include "warpscope/model/replay.h"

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

#define WS_REORDER_RAY_WORDS ((uint32_t)(sizeof(struct ws_reorder_ray) / sizeof(uint32_t)))

/* Of one worker. Zero-initialise, then set the catalog and the user. */
struct ws_reorder_hits {
    const struct ws_catalog *catalog;
    uint32_t user; /* of contexts (replay.h): whoever puts threads together finds this there */
    struct ws_visit_rows rows;
};

void ws_reorder_hits_finish(struct ws_reorder_hits *hits);

/* A shader begins, and a record of the pass ray_events: like ws_replay_operations.enter and data. */
void ws_reorder_hits_enter(struct ws_reorder_hits *hits, struct ws_context *context);
bool ws_reorder_hits_data(struct ws_reorder_hits *hits, struct ws_context *context, uint32_t site,
                          struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane);

/* A field of a ray. */
uint32_t ws_reorder_ray_field(const struct ws_reorder_ray *ray, uint32_t field);

#endif
