#include "analysis/reorder/hits.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/reorder_threads.h"
#include "warpscope/base/array.h"
#include "warpscope/ray_events.h"

void ws_reorder_hits_finish(struct ws_reorder_hits *hits)
{
    const struct ws_catalog *catalog = hits->catalog;
    ws_pages_finish(&hits->last);
    ws_visit_rows_finish(&hits->rows);
    free(hits->rays);
    memset(hits, 0, sizeof(*hits));
    hits->catalog = catalog;
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
    uint32_t *last = ws_page_touch(&hits->last, thread, sizeof(*last));
    if (last == NULL)
        return false;
    *last = 0;
    if (hits->rows.count >= WS_REORDER_RAYS_MAX) {
        hits->lost++;
        return true;
    }
    struct ws_reorder_ray *rays =
        ws_array_grow(hits->rays, &hits->ray_capacity, hits->rows.count + 1, sizeof(*rays));
    if (rays == NULL)
        return false;
    hits->rays = rays;
    rays[hits->rows.count] = (struct ws_reorder_ray){.octant = direction != NULL ? octant_of(direction) : 0};
    *last = hits->rows.count + 1;
    return ws_visit_rows_add(&hits->rows, thread, site);
}

/* The ray of the thread that was traced last hit something. */
static void hit(struct ws_reorder_hits *hits, uint32_t thread, uint32_t instance, uint32_t custom,
                uint32_t geometry, uint32_t primitive)
{
    const uint32_t *last = ws_page_get(&hits->last, thread, sizeof(*last));
    if (last == NULL || *last == 0)
        return;
    struct ws_reorder_ray *ray = &hits->rays[*last - 1];
    ray->instance = instance;
    ray->custom = custom;
    ray->geometry = geometry;
    ray->primitive = primitive & 0xfffffff;
    ray->hit = 1;
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

bool ws_reorder_hits_add(struct ws_reorder_hits *hits, struct ws_reorder_hits *part)
{
    if (hits->rows.count == 0) { /* moved, so that they are not there twice */
        part->lost += hits->lost;
        ws_reorder_hits_finish(hits);
        *hits = *part;
        ws_pages_finish(&hits->last);
        *part = (struct ws_reorder_hits){.catalog = hits->catalog};
        return true;
    }
    const uint32_t room = WS_REORDER_RAYS_MAX - hits->rows.count;
    const uint32_t kept = part->rows.count < room ? part->rows.count : room;
    hits->lost += part->lost + (part->rows.count - kept);
    if (kept == 0)
        return true;
    struct ws_reorder_ray *rays =
        ws_array_grow(hits->rays, &hits->ray_capacity, hits->rows.count + kept, sizeof(*rays));
    if (rays == NULL)
        return false;
    hits->rays = rays;
    memcpy(rays + hits->rows.count, part->rays, kept * sizeof(*rays));
    const bool joined = ws_visit_rows_join(&hits->rows, &part->rows, kept);
    ws_reorder_hits_finish(part);
    return joined;
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
