#include "analysis/export/gltf_rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"

/* Mixes the bits of a thread's number. Each thread gets another chance, for every step can be undone. */
static uint32_t chance_of(uint32_t thread)
{
    uint32_t chance = thread;
    chance = (chance ^ chance >> 16) * 0x7feb352du;
    chance = (chance ^ chance >> 15) * 0x846ca68bu;
    return chance ^ chance >> 16;
}

/* Drops the threads of least chance, a sixteenth of the remaining range at a time, until there are no more
 * rays than wanted. Of a single thread it drops the last rays. */
static void thin(struct ws_gltf_rays *rays)
{
    while (rays->count > rays->most) {
        const uint32_t seen = rays->count;
        uint32_t best = 0;
        for (uint32_t i = 0; i < seen; ++i)
            best = rays->rays[i].chance > best ? rays->rays[i].chance : best;
        if (rays->least_chance == best) {
            rays->count = rays->most;
        } else {
            const uint32_t raised = rays->least_chance + (UINT32_MAX - rays->least_chance) / 16 + 1;
            rays->least_chance = raised < best ? raised : best;
            rays->count = 0;
            for (uint32_t i = 0; i < seen; ++i)
                if (rays->rays[i].chance >= rays->least_chance)
                    rays->rays[rays->count++] = rays->rays[i];
        }
        rays->beyond += seen - rays->count;
    }
}

bool ws_gltf_rays_add(struct ws_gltf_rays *rays, const struct ws_gltf_source *source,
                      const struct ws_ray *ray)
{
    struct ws_gltf_ray line = {.source = *source,
                               .parent = ray->parent,
                               .depth = ray->depth,
                               .end = ray->has_hit ? ray->hit.t : ray->tmax,
                               .chance = chance_of(source->thread),
                               .call = ws_scene_call_of(ray),
                               .has_hit = ray->has_hit,
                               .hit = ray->hit};
    for (int i = 0; i < 3; ++i) {
        line.origin[i] = ray->origin[i];
        line.direction[i] = ray->direction[i];
    }
    if ((ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0)
        line.kind = WS_LINE_SHADOW;
    else
        line.kind = ray->end == WS_RAY_HIT      ? WS_LINE_HIT
                    : ray->end == WS_RAY_MISSED ? WS_LINE_MISS
                                                : WS_LINE_UNKNOWN;
    if (!ws_all_finite(line.origin, 3) || !ws_all_finite(line.direction, 3) || isnan(line.end)) {
        rays->left_out++;
        return true;
    }
    if (line.chance < rays->least_chance ||
        (line.chance == rays->least_chance && rays->count >= rays->most)) {
        rays->beyond++;
        return true;
    }
    struct ws_gltf_ray *grown = ws_array_grow(rays->rays, &rays->capacity, rays->count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    rays->rays = grown;
    grown[rays->count++] = line;
    thin(rays);
    return true;
}

bool ws_gltf_rays_add_thread(struct ws_gltf_rays *rays, uint32_t number, const struct ws_ray_thread *thread,
                             const uint32_t place[3])
{
    bool added = true;
    for (uint32_t i = 0; i < thread->ray_count && added; ++i) {
        struct ws_gltf_source source = {.thread = number, .number = i};
        memcpy(source.place, place, sizeof(source.place));
        added = ws_gltf_rays_add(rays, &source, &thread->rays[i]);
    }
    return added;
}

void ws_gltf_rays_finish(struct ws_gltf_rays *rays)
{
    free(rays->rays);
    memset(rays, 0, sizeof(*rays));
}
