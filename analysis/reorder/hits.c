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
    ws_id_map_finish(&hits->sites_at);
    free(hits->sites);
    free(hits->rays);
    free(hits->order);
    free(hits->first);
    memset(hits, 0, sizeof(*hits));
    hits->catalog = catalog;
}

/* The number of a call site. False when there is no memory. */
static bool find_site(struct ws_reorder_hits *hits, uint64_t site, uint32_t *number)
{
    if (ws_id_map_get(&hits->sites_at, site, number))
        return true;
    uint64_t *sites = ws_array_grow(hits->sites, &hits->site_capacity, hits->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return false;
    hits->sites = sites;
    sites[hits->site_count] = site;
    *number = hits->site_count;
    return ws_id_map_put(&hits->sites_at, site, hits->site_count++);
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
    if (hits->ray_count >= WS_REORDER_RAYS_MAX) {
        hits->lost++;
        return true;
    }
    struct ws_reorder_ray *rays =
        ws_array_grow(hits->rays, &hits->ray_capacity, hits->ray_count + 1, sizeof(*rays));
    if (rays == NULL)
        return false;
    hits->rays = rays;
    rays[hits->ray_count] = (struct ws_reorder_ray){
        .thread = thread, .site = site, .octant = direction != NULL ? octant_of(direction) : 0};
    *last = ++hits->ray_count;
    return true;
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
    if (!find_site(hits, ws_reorder_site(context->shader, info->offset), &number))
        return false;
    for (; ws_lanes_any(lanes); words += words_per_lane) {
        const uint32_t lane = ws_lanes_take(&lanes);
        const uint32_t thread = lane < context->lane_count ? context->threads[lane] : WS_NONE;
        if (thread != WS_NONE && !take(hits, info->tag, thread, number, words))
            return false;
    }
    return true;
}

bool ws_reorder_hits_add(struct ws_reorder_hits *hits, const struct ws_reorder_hits *part)
{
    uint32_t *numbers = malloc(((size_t)part->site_count + 1) * sizeof(*numbers));
    if (numbers == NULL)
        return false;
    uint32_t kept = part->ray_count;
    if (kept > WS_REORDER_RAYS_MAX - hits->ray_count)
        kept = WS_REORDER_RAYS_MAX - hits->ray_count;
    struct ws_reorder_ray *rays =
        ws_array_grow(hits->rays, &hits->ray_capacity, hits->ray_count + kept, sizeof(*rays));
    bool added = rays != NULL || hits->ray_count + kept == 0;
    hits->rays = rays != NULL ? rays : hits->rays;
    for (uint32_t i = 0; i < part->site_count && added; ++i)
        added = find_site(hits, part->sites[i], &numbers[i]);
    for (uint32_t i = 0; i < kept && added; ++i) {
        rays[hits->ray_count] = part->rays[i];
        rays[hits->ray_count++].site = numbers[part->rays[i].site];
    }
    hits->lost += part->lost + (part->ray_count - kept);
    free(numbers);
    return added;
}

static int compare_rays(const void *left, const void *right, void *user)
{
    const struct ws_reorder_ray *rays = user;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    if (rays[a].site != rays[b].site)
        return rays[a].site < rays[b].site ? -1 : 1;
    return (a > b) - (a < b);
}

bool ws_reorder_hits_sort(struct ws_reorder_hits *hits, uint32_t thread_count)
{
    hits->order = malloc(((size_t)hits->ray_count + 1) * sizeof(*hits->order));
    hits->first = calloc((size_t)thread_count + 2, sizeof(*hits->first));
    if (hits->order == NULL || hits->first == NULL)
        return false;
    hits->thread_count = thread_count;
    uint32_t *first =
        hits->first + 1; /* where the next ray of a thread stands; at last where the next thread's begin */
    for (uint32_t i = 0; i < hits->ray_count; ++i)
        if (hits->rays[i].thread < thread_count)
            first[hits->rays[i].thread]++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < thread_count; ++i) {
        const uint32_t here = first[i];
        first[i] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < hits->ray_count; ++i)
        if (hits->rays[i].thread < thread_count)
            hits->order[first[hits->rays[i].thread]++] = i;
    for (uint32_t i = 0; i < thread_count; ++i)
        if (hits->first[i + 1] - hits->first[i] > 1)
            qsort_r(hits->order + hits->first[i], hits->first[i + 1] - hits->first[i], sizeof(*hits->order),
                    compare_rays, hits->rays);
    return true;
}

uint32_t ws_reorder_hits_find(const struct ws_reorder_hits *hits, uint32_t thread, uint64_t site,
                              uint32_t visit)
{
    uint32_t number = 0;
    if (thread >= hits->thread_count || !ws_id_map_get(&hits->sites_at, site, &number))
        return WS_NONE;
    uint32_t low = hits->first[thread];
    const uint32_t end = hits->first[thread + 1];
    for (uint32_t high = end; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (hits->rays[hits->order[middle]].site < number)
            low = middle + 1;
        else
            high = middle;
    }
    return visit < end - low && hits->rays[hits->order[low + visit]].site == number ? hits->order[low + visit]
                                                                                    : WS_NONE;
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
