#include "analysis/reorder/hits.h"

#include <string.h>

#include "analysis/reorder/reorder_threads.h"
#include "warpscope/ray_events.h"

_Static_assert(sizeof(struct ws_reorder_ray) % sizeof(uint32_t) == 0, "a ray is words");

void ws_reorder_hits_finish(struct ws_reorder_hits *hits)
{
    const struct ws_catalog *catalog = hits->catalog;
    const uint32_t user = hits->user;
    ws_visit_rows_finish(&hits->rows);
    *hits = (struct ws_reorder_hits){.catalog = catalog, .user = user};
}

void ws_reorder_hits_enter(struct ws_reorder_hits *hits, struct ws_context *context)
{
    context->user[hits->user] = hits;
}

static uint32_t octant_of(const uint32_t direction[3])
{
    uint32_t octant = 0;
    for (uint32_t i = 0; i < 3; ++i) /* below zero: the sign, but of a number that is not zero */
        octant |= (uint32_t)((direction[i] >> 31) != 0 && (direction[i] << 1) != 0) << i;
    return octant;
}

/* The thread traces. `direction` NULL: it is not known. */
static bool trace(struct ws_reorder_hits *hits, uint32_t thread, uint32_t site, const uint32_t *direction)
{
    const struct ws_reorder_ray ray = {.octant = direction != NULL ? octant_of(direction) : 0};
    uint32_t words[WS_REORDER_RAY_WORDS];
    memcpy(words, &ray, sizeof(ray));
    return ws_visit_rows_add(&hits->rows, thread, site, words, WS_REORDER_RAY_WORDS);
}

/* The ray of the thread that was traced last hit something. */
static void hit(struct ws_reorder_hits *hits, uint32_t thread, uint32_t instance, uint32_t custom,
                uint32_t geometry, uint32_t primitive)
{
    uint32_t *words = ws_visit_rows_last(&hits->rows, thread);
    struct ws_reorder_ray ray;
    if (words == NULL)
        return;
    memcpy(&ray, words, sizeof(ray));
    ray.instance = instance;
    ray.custom = custom;
    ray.geometry = geometry;
    ray.primitive = primitive & 0xfffffff;
    ray.hit = 1;
    memcpy(words, &ray, sizeof(ray));
}

/* What a record of a lane says. */
static bool take(struct ws_reorder_hits *hits, uint32_t event, uint32_t thread, uint32_t site,
                 const uint32_t *words)
{
    switch (event) {
    case WS_RAY_TRACE:
    case WS_RAY_OBJECT_TRACE: return trace(hits, thread, site, words + 3);
    case WS_RAY_EXECUTE: return trace(hits, thread, site, NULL);
    case WS_RAY_CLOSEST_HIT: hit(hits, thread, words[1], words[2], words[3], words[4]); return true;
    case WS_RAY_OBJECT_TRACED:
        if (words[1] != 0)
            hit(hits, thread, words[3], (words[4] & 0xffffff) | words[7] << 24, words[5], words[6]);
        return true;
    default: return true;
    }
}

/* Whether a record of an event that is taken has that many words per lane: a capture is untrusted. */
static bool has_words(uint32_t event, uint32_t words)
{
    switch (event) {
    case WS_RAY_TRACE: return words >= WS_RAY_TRACE_WORDS;
    case WS_RAY_OBJECT_TRACE: return words >= WS_RAY_OBJECT_TRACE_WORDS;
    case WS_RAY_EXECUTE: return words >= WS_RAY_KEY_WORDS;
    case WS_RAY_CLOSEST_HIT: return words == WS_RAY_HIT_WORDS;
    case WS_RAY_OBJECT_TRACED: return words == WS_RAY_OBJECT_TRACED_WORDS;
    default: return false;
    }
}

bool ws_reorder_hits_data(struct ws_reorder_hits *hits, struct ws_context *context, uint32_t site,
                          struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane)
{
    const struct ws_module_record *module =
        &hits->catalog->modules[hits->catalog->shaders[context->shader].module];
    const struct ws_site_info *info = &module->sites[site].info;
    uint32_t number = 0;
    /* An any-hit and a closest hit shader may share a function, and with it the event. */
    if (!has_words(info->tag, words_per_lane) ||
        (info->tag == WS_RAY_CLOSEST_HIT && context->stage != WS_STAGE_CLOSEST_HIT))
        return true;
    if (!ws_visit_rows_site(&hits->rows, ws_reorder_site(context->shader, info->offset), &number))
        return false;
    for (; ws_lanes_any(lanes); words += words_per_lane) {
        const uint32_t lane = ws_lanes_take(&lanes);
        const uint32_t thread = lane < context->lane_count ? context->threads[lane] : WS_NONE;
        if (thread != WS_NONE && !take(hits, info->tag, thread, number, words))
            return false;
    }
    return true;
}

uint32_t ws_reorder_ray_field(const struct ws_reorder_ray *ray, uint32_t field)
{
    switch (field) {
    case WS_REORDER_INSTANCE: return ray->instance;
    case WS_REORDER_CUSTOM: return ray->custom & 0xffffff;
    case WS_REORDER_GEOMETRY: return ray->geometry;
    case WS_REORDER_KIND: return ray->custom >> 24;
    case WS_REORDER_OCTANT: return ray->octant;
    default: return ray->primitive;
    }
}
