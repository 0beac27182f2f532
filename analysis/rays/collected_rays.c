#include "analysis/rays/collected_rays.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/rays/kept_rays.h"

static bool reserve(void *array, uint32_t *capacity, uint32_t count, size_t size)
{
    void *before;
    if (count <= *capacity)
        return true;
    memcpy(&before, array, sizeof(before));
    void *larger = realloc(before, (size_t)count * size);
    if (larger == NULL)
        return false;
    memcpy(array, &larger, sizeof(larger));
    *capacity = count;
    return true;
}

/* Candidates are in the order of the records. Here those of each ray are put together. */
static void gather(struct ws_collected_rays *collected, const struct ws_ray_state *state)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < state->ray_count; ++i) {
        collected->rays[i].candidate_first = first;
        first += collected->rays[i].candidate_count;
        collected->rays[i].candidate_count = 0;
    }
    for (uint32_t i = 0; i < state->run_count; ++i) {
        const struct ws_ray_run *run = &collected->runs[i];
        struct ws_ray *ray = &collected->rays[run->ray];
        collected->candidates[ray->candidate_first + ray->candidate_count++] = run->candidate;
    }
}

/* The number of the call that traced a ray. False = no memory. */
static bool find_call(struct ws_collected_rays *collected, const struct ws_ray *ray, uint32_t *call)
{
    const uint64_t at = (uint64_t)ray->shader << 32 | ray->site;
    if (ws_id_map_get(&collected->calls, at, call))
        return true;
    *call = collected->call_count++;
    return ws_id_map_put(&collected->calls, at, *call);
}

/* The structure that is bound where a ray was traced, in the element that its shader chose; WS_NONE = it chose none. It is
 * WS_NONE where it is not said. False = no memory. */
static bool find_bound(struct ws_collected_rays *collected, uint64_t launch, const struct ws_ray *ray,
                       uint32_t element, uint32_t *structure)
{
    struct ws_ray_bound *recent = &collected->recent[ray->site & (WS_RAY_BOUNDS - 1)];
    uint32_t call = 0;
    uint32_t index = 0;
    if (recent->known && recent->shader == ray->shader && recent->site == ray->site &&
        recent->element == element) {
        *structure = recent->structure;
        return true;
    }
    if (!find_call(collected, ray, &call))
        return false;
    const uint64_t key = (uint64_t)call << 32 | element;
    if (!ws_id_map_get(&collected->bound, key, &index)) {
        uint32_t *structures = ws_array_grow(collected->structures, &collected->structure_capacity,
                                             collected->structure_count + 1, sizeof(*structures));
        if (structures == NULL)
            return false;
        collected->structures = structures;
        index = collected->structure_count++;
        structures[index] = ws_structure_chosen(collected->catalog, launch, ray->shader, ray->site, element);
        if (!ws_id_map_put(&collected->bound, key, index))
            return false;
    }
    *structure = collected->structures[index];
    *recent = (struct ws_ray_bound){true, ray->shader, ray->site, element, *structure};
    return true;
}

/* Says through which structure a ray flew, where that is known. False = no memory. */
static bool find_structure(struct ws_collected_rays *collected, uint64_t launch, uint64_t address,
                           struct ws_ray *ray)
{
    struct ws_ray_structure *said = &ray->structure;
    const bool chosen = address >> 32 == WS_RAY_STRUCTURE_ELEMENT;
    if (address == 0 || chosen) {
        if (!find_bound(collected, launch, ray, chosen ? (uint32_t)address : WS_NONE, &said->id))
            return false;
        said->source = said->id != WS_NONE ? WS_STRUCTURE_BY_DESCRIPTOR : WS_STRUCTURE_UNSAID;
        return true;
    }
    if (address != collected->last_address) {
        collected->last_structure = ws_structure_at(collected->catalog, launch, address);
        collected->last_address = address;
    }
    said->id = collected->last_structure;
    said->source = said->id != WS_NONE ? WS_STRUCTURE_BY_ADDRESS : WS_STRUCTURE_UNSAID;
    return true;
}

/* Takes in the rays and candidates of a thread as they were recorded. False = no memory, or what was kept cannot be read. */
static bool take_in(struct ws_collected_rays *collected, struct ws_kept_rays *kept,
                    const struct ws_ray_state *state)
{
    uint32_t ray = state->ray_count;
    uint32_t run = state->run_count;
    if (!reserve(&collected->rays, &collected->ray_capacity, ray, sizeof(*collected->rays)) ||
        !reserve(&collected->addresses, &collected->address_capacity, ray, sizeof(*collected->addresses)) ||
        !reserve(&collected->runs, &collected->run_capacity, run, sizeof(*collected->runs)) ||
        !reserve(&collected->candidates, &collected->candidate_capacity, run,
                 sizeof(*collected->candidates)) ||
        !ws_kept_rays_read(kept, state, collected->rays, collected->addresses, collected->runs))
        return false;
    for (const struct ws_ray_node *node = state->first; node != NULL; node = node->next)
        ray--;
    for (const struct ws_ray_run *node = state->first_run; node != NULL; node = node->next)
        run--;
    for (const struct ws_ray_node *node = state->first; node != NULL; node = node->next, ++ray) {
        collected->rays[ray] = node->ray;
        collected->addresses[ray] = node->address;
    }
    for (const struct ws_ray_run *node = state->first_run; node != NULL; node = node->next)
        collected->runs[run++] = *node;
    return true;
}

bool ws_collected_rays_take(struct ws_collected_rays *collected, struct ws_kept_rays *kept,
                            const struct ws_ray_state *state, uint64_t launch, uint32_t warp)
{
    if (!take_in(collected, kept, state))
        return false;
    collected->ray_count = state->ray_count;
    for (uint32_t i = 0; i < collected->ray_count; ++i) {
        struct ws_ray *ray = &collected->rays[i];
        ray->number = i;
        ray->warp = warp;
        if (!find_structure(collected, launch, collected->addresses[i], ray))
            return false;
    }
    gather(collected, state);
    return true;
}

bool ws_collected_rays_choose(struct ws_collected_rays *collected, const struct ws_selection *selection,
                              uint64_t launch)
{
    uint32_t kept = 0;
    uint32_t candidates = 0;
    if (!reserve(&collected->places, &collected->place_capacity, collected->ray_count,
                 sizeof(*collected->places)))
        return false;
    for (uint32_t i = 0; i < collected->ray_count; ++i) {
        struct ws_ray ray = collected->rays[i];
        const bool chosen = ws_selection_runs(selection, launch, ray.shader);
        collected->places[i] = chosen ? kept : WS_NONE;
        if (!chosen)
            continue;
        if (ray.parent != WS_NONE)
            ray.parent = collected->places[ray.parent];
        if (ray.candidate_count > 0) /* there may be none at all, and no array of them */
            memmove(collected->candidates + candidates, collected->candidates + ray.candidate_first,
                    ray.candidate_count * sizeof(*collected->candidates));
        ray.candidate_first = candidates;
        candidates += ray.candidate_count;
        collected->rays[kept++] = ray;
    }
    collected->ray_count = kept;
    return true;
}

void ws_collected_rays_end_launch(struct ws_collected_rays *collected)
{
    ws_id_map_finish(&collected->calls);
    ws_id_map_finish(&collected->bound);
    collected->call_count = 0;
    collected->structure_count = 0;
    memset(collected->recent, 0, sizeof(collected->recent));
    collected->last_address = 0;
}

void ws_collected_rays_finish(struct ws_collected_rays *collected)
{
    ws_id_map_finish(&collected->calls);
    ws_id_map_finish(&collected->bound);
    free(collected->rays);
    free(collected->candidates);
    free(collected->addresses);
    free(collected->runs);
    free(collected->places);
    free(collected->structures);
}
