#include "analysis/viewer/rays/ray_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"

#define SEED UINT64_C(0x57415250)
#define WHAT "the rays of a launch"

const char *ws_ray_kind_name(uint32_t kind)
{
    static const char *const names[WS_RAY_KINDS] = {"trace", "skip_closest_hit", "query"};
    return kind < WS_RAY_KINDS ? names[kind] : "unknown";
}

enum ws_ray_kind ws_ray_kind_of(const struct ws_ray *ray)
{
    if (ray->query)
        return WS_RAY_KIND_QUERY;
    return (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0 ? WS_RAY_KIND_SKIP : WS_RAY_KIND_TRACE;
}

struct ws_ray_store *ws_ray_store_create(uint64_t launch)
{
    struct ws_ray_store *store = calloc(1, sizeof(*store));
    if (store == NULL)
        return NULL;
    store->launch = launch;
    ws_scratch_init(&store->rays);
    ws_scratch_init(&store->candidates);
    ws_scratch_init(&store->owners);
    ws_scratch_init(&store->blocks);
    ws_bounds_init(store->extent);
    store->block = calloc(1, sizeof(*store->block));
    if (store->block != NULL)
        return store;
    ws_ray_store_destroy(store);
    return NULL;
}

void ws_ray_store_destroy(struct ws_ray_store *store)
{
    if (store == NULL)
        return;
    ws_scratch_finish(&store->rays);
    ws_scratch_finish(&store->candidates);
    ws_scratch_finish(&store->owners);
    ws_scratch_finish(&store->blocks);
    ws_id_map_finish(&store->call_of);
    free(store->block);
    free(store->calls);
    free((void *)(uintptr_t)store->order);
    free((void *)(uintptr_t)store->rules);
    free(store);
}

/* Adds the call of a ray. False = no memory. */
static bool add_call(struct ws_ray_store *store, const struct ws_ray *ray)
{
    struct ws_ray_call *calls =
        ws_array_grow(store->calls, &store->call_capacity, store->call_count + 1, sizeof(*calls));
    if (calls == NULL)
        return false;
    store->calls = calls;
    calls[store->call_count++] =
        (struct ws_ray_call){.of = ws_scene_call_of(ray), .next = WS_NONE, .top = WS_NONE};
    return true;
}

/* The number of the call of a ray. False = no memory. */
static bool number_call(struct ws_ray_store *store, const struct ws_ray *ray, uint16_t *number)
{
    const uint64_t key = (uint64_t)ray->shader << 32 | ray->site;
    uint32_t found = 0;
    uint32_t last = WS_NONE;
    if (!ws_id_map_get(&store->call_of, key, &found))
        found = WS_NONE;
    bool is_sought = true;
    while (found != WS_NONE && is_sought &&
           !ws_ray_structure_equals(&store->calls[found].of.structure, &ray->structure)) {
        last = found;
        found = store->calls[found].next;
        is_sought = ws_budget_spend(1);
    }
    if (!is_sought || (found == WS_NONE && store->call_count == WS_SITES_MOST)) {
        *number = WS_SITES_MOST;
        return true;
    }
    if (found == WS_NONE) {
        found = store->call_count;
        if (!add_call(store, ray) || (last == WS_NONE && !ws_id_map_put(&store->call_of, key, found)))
            return false;
        if (last != WS_NONE)
            store->calls[last].next = found;
    }
    store->calls[found].rays++;
    *number = (uint16_t)found;
    return true;
}

static uint16_t count_of(uint32_t count)
{
    return count < UINT16_MAX ? (uint16_t)count : UINT16_MAX;
}

static void widen(struct ws_ray_store *store, const struct ws_ray *ray)
{
    double hit[3];
    float point[3];
    if (ws_all_finite(ray->origin, 3))
        ws_bounds_add_point(store->extent, ray->origin);
    if (!ray->has_hit)
        return;
    ws_ray_position(ray, ray->hit.t, hit);
    for (int i = 0; i < 3; ++i)
        point[i] = ws_to_float(hit[i]);
    if (ws_all_finite(point, 3))
        ws_bounds_add_point(store->extent, point);
}

/* Puts a ray into the columns. `first` is the number of its thread's first ray. */
static bool fill(struct ws_ray_store *store, const struct ws_ray_thread *thread, const struct ws_ray *ray,
                 const uint32_t place[3], uint32_t first)
{
    struct ws_ray_block *block = store->block;
    const uint32_t i = store->count % WS_RAY_BLOCK;
    if (!number_call(store, ray, &block->site[i]))
        return false;
    for (int axis = 0; axis < 3; ++axis)
        block->place[axis][i] = place[axis];
    block->parent[i] = ray->parent != WS_NONE ? first + ray->parent : WS_NONE;
    block->warp[i] = thread->warp;
    block->shader[i] = ray->shader;
    block->instance[i] = ray->has_hit ? ray->hit.instance : WS_NONE;
    block->geometry[i] = ray->has_hit ? ray->hit.geometry : WS_NONE;
    block->primitive[i] = ray->has_hit ? ray->hit.primitive : WS_NONE;
    block->t[i] = ray->has_hit ? ray->hit.t : NAN;
    block->depth[i] = count_of(ray->depth);
    block->any_hits[i] = count_of(ray->any_hits);
    block->intersections[i] = count_of(ray->intersections);
    block->kind[i] = (uint8_t)ws_ray_kind_of(ray);
    block->end[i] = (uint8_t)ray->end;
    widen(store, ray);
    store->count++;
    return true;
}

bool ws_ray_store_add(struct ws_ray_store *store, const struct ws_ray_thread *thread, const uint32_t place[3],
                      struct ws_error *error)
{
    const uint32_t first = store->count;
    uint64_t candidates = 0;
    if (thread->ray_count > WS_RAYS_MOST - store->count)
        return ws_error_set(error, "launch %llu has more rays than the viewer can number",
                            (unsigned long long)store->launch);
    struct ws_ray_owner owner = {.thread = *thread->thread,
                                 .index = thread->index,
                                 .warp = thread->warp,
                                 .lane = thread->lane,
                                 .ray_first = first,
                                 .ray_count = thread->ray_count,
                                 .truncated = thread->truncated,
                                 .candidate_first = store->candidate_count};
    memcpy(owner.place, place, sizeof(owner.place));
    for (uint32_t i = 0; i < thread->ray_count; ++i) {
        if (!fill(store, thread, &thread->rays[i], place, first))
            return ws_error_set(error, "no memory for " WHAT);
        candidates += thread->rays[i].candidate_count;
        if (store->count % WS_RAY_BLOCK == 0 &&
            !ws_scratch_add(&store->blocks, store->block, sizeof(*store->block), WHAT, error))
            return false;
    }
    store->candidate_count += candidates;
    store->owner_count++;
    return ws_scratch_add(&store->rays, thread->rays, thread->ray_count * sizeof(*thread->rays), WHAT,
                          error) &&
           (candidates == 0 || ws_scratch_add(&store->candidates, thread->candidates,
                                              candidates * sizeof(*thread->candidates), WHAT, error)) &&
           ws_scratch_add(&store->owners, &owner, sizeof(owner), WHAT, error);
}

/* splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* Every order is as likely as any other (Fisher and Yates). NULL = no memory. */
static uint32_t *shuffle(uint32_t count)
{
    uint64_t state = SEED;
    uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));
    for (uint32_t i = 0; order != NULL && i < count; ++i) {
        /* The upper 32 bits times i + 1 are below i + 1, all of them nearly as often. */
        const uint32_t other = (uint32_t)((next_random(&state) >> 32) * ((uint64_t)i + 1) >> 32);
        if (other != i)
            order[i] = order[other];
        order[other] = i;
    }
    return order;
}

bool ws_ray_store_end(struct ws_ray_store *store, struct ws_error *error)
{
    if (store->count % WS_RAY_BLOCK != 0 &&
        !ws_scratch_add(&store->blocks, store->block, sizeof(*store->block), WHAT, error))
        return false;
    free(store->block);
    store->block = NULL;
    if (!ws_scratch_map(&store->rays, WHAT, error) || !ws_scratch_map(&store->candidates, WHAT, error) ||
        !ws_scratch_map(&store->owners, WHAT, error) || !ws_scratch_map(&store->blocks, WHAT, error))
        return false;
    memcpy(store->scene, store->extent, sizeof(store->scene));
    store->order = shuffle(store->count);
    return store->order != NULL || ws_error_set(error, "no memory for " WHAT);
}

const struct ws_ray *ws_ray_store_ray(const struct ws_ray_store *store, uint32_t number)
{
    return (const struct ws_ray *)(const void *)store->rays.mapping + number;
}

uint32_t ws_ray_store_call(const struct ws_ray_store *store, uint32_t ray)
{
    return ws_ray_store_block(store, ray / WS_RAY_BLOCK)->site[ray % WS_RAY_BLOCK];
}

const struct ws_ray_block *ws_ray_store_block(const struct ws_ray_store *store, uint32_t block)
{
    return (const struct ws_ray_block *)(const void *)store->blocks.mapping + block;
}

const struct ws_ray_owner *ws_ray_store_owner(const struct ws_ray_store *store, uint32_t number)
{
    const struct ws_ray_owner *owners = (const struct ws_ray_owner *)(const void *)store->owners.mapping;
    uint32_t low = 0;
    uint32_t high = store->owner_count - 1;
    while (low < high) { /* the last whose first ray is not behind it */
        const uint32_t middle = high - (high - low) / 2;
        if (owners[middle].ray_first <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return &owners[low];
}

const struct ws_ray_owner *ws_ray_store_find(const struct ws_ray_store *store, const uint32_t place[3])
{
    const struct ws_ray_owner *owners = (const struct ws_ray_owner *)(const void *)store->owners.mapping;
    for (uint32_t i = 0; i < store->owner_count; ++i)
        if (memcmp(owners[i].place, place, sizeof(owners[i].place)) == 0)
            return &owners[i];
    return NULL;
}

void ws_ray_store_thread(const struct ws_ray_store *store, const struct ws_ray_owner *owner,
                         struct ws_ray_thread *thread)
{
    const struct ws_ray_candidate *candidates =
        (const struct ws_ray_candidate *)(const void *)store->candidates.mapping;
    *thread =
        (struct ws_ray_thread){.launch = store->launch,
                               .index = owner->index,
                               .thread = &owner->thread,
                               .warp = owner->warp,
                               .lane = owner->lane,
                               .rays = ws_ray_store_ray(store, owner->ray_first),
                               .ray_count = owner->ray_count,
                               .candidates = candidates != NULL ? candidates + owner->candidate_first : NULL,
                               .truncated = owner->truncated};
}

uint64_t ws_ray_store_file(const struct ws_ray_store *store)
{
    return store->rays.size + store->candidates.size + store->owners.size + store->blocks.size;
}
