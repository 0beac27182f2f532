/* Which rays are drawn, and the top-level structures that they flew through. See export_gltf.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/gltf.h"
#include "analysis/model/catalog.h"
#include "analysis/scene/scene_match.h"
#include "analysis/scene/scene_transform.h"
#include "passes/base/array.h"

/* A number for every thread, as good as random: no two have the same. */
static uint32_t chance_of(uint32_t thread)
{
    uint32_t chance = thread;
    chance = (chance ^ chance >> 16) * 0x7feb352du;
    chance = (chance ^ chance >> 15) * 0x846ca68bu;
    return chance ^ chance >> 16;
}

/* Drops threads of little chance, a sixteenth at a time, until there are no more rays than wanted; of a
 * single thread its last ones. */
static void thin(struct ws_gltf_rays *rays)
{
    while (rays->count > rays->most) {
        const uint32_t seen = rays->count;
        uint32_t best = 0;
        for (uint32_t i = 0; i < seen; ++i)
            best = rays->lines[i].chance > best ? rays->lines[i].chance : best;
        if (rays->least_chance == best) {
            rays->count = rays->most;
        } else {
            const uint32_t raised = rays->least_chance + (UINT32_MAX - rays->least_chance) / 16 + 1;
            rays->least_chance = raised < best ? raised : best;
            rays->count = 0;
            for (uint32_t i = 0; i < seen; ++i)
                if (rays->lines[i].chance >= rays->least_chance)
                    rays->lines[rays->count++] = rays->lines[i];
        }
        rays->beyond += seen - rays->count;
    }
}

bool ws_gltf_rays_add(struct ws_gltf_rays *rays, uint32_t thread, const struct ws_ray *ray)
{
    struct ws_gltf_line_ray line = {.end = ray->has_hit ? ray->hit.t : ray->tmax,
                                    .chance = chance_of(thread),
                                    .shader = ray->shader,
                                    .site = ray->site,
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
    struct ws_gltf_line_ray *lines =
        ws_array_grow(rays->lines, &rays->capacity, rays->count + 1, sizeof(*lines));
    if (lines == NULL)
        return false;
    rays->lines = lines;
    lines[rays->count++] = line;
    thin(rays);
    return true;
}

void ws_gltf_rays_finish(struct ws_gltf_rays *rays)
{
    free(rays->lines);
    memset(rays, 0, sizeof(*rays));
}

static struct ws_ray ray_of(const struct ws_gltf_line_ray *line)
{
    struct ws_ray ray = {
        .shader = line->shader, .site = line->site, .has_hit = line->has_hit, .hit = line->hit};
    memcpy(ray.origin, line->origin, sizeof(ray.origin));
    memcpy(ray.direction, line->direction, sizeof(ray.direction));
    return ray;
}

/* Chooses the structures in which the hits of the rays are true. False = no memory. */
static bool choose_matched(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                           struct ws_gltf_export *export, bool *chosen)
{
    struct ws_scene_matcher *matcher = ws_scene_matcher_create(scene, rays->device, export->launch);
    bool matched = matcher != NULL;
    for (uint32_t i = 0; i < rays->count && matched; ++i) {
        const struct ws_ray ray = ray_of(&rays->lines[i]);
        matched = ws_scene_matcher_add(matcher, &ray);
    }
    for (uint32_t i = 0; i < rays->count && matched; ++i) {
        struct ws_scene_match match;
        if (ws_scene_matcher_find(matcher, rays->lines[i].shader, rays->lines[i].site, &match) &&
            match.structure != WS_NONE && !match.ambiguous)
            chosen[match.structure] = true;
        else
            export->unplaced++;
    }
    ws_scene_matcher_destroy(matcher);
    return matched;
}

bool ws_gltf_choose_tops(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                         struct ws_gltf_export *export, bool *chosen)
{
    bool *seen = calloc((size_t)scene->content_count + 1, sizeof(*seen));
    if (seen == NULL || (rays != NULL && rays->count > 0 && !choose_matched(scene, rays, export, chosen))) {
        free(seen);
        return false;
    }
    bool any = false;
    for (uint32_t i = 0; i < scene->structure_count; ++i)
        any = any || chosen[i];
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const uint32_t build = ws_scene_build_at(scene, i, export->launch);
        if (build == WS_NONE || !scene->builds[build].top || seen[scene->builds[build].content])
            continue;
        seen[scene->builds[build].content] = true;
        export->live++;
        chosen[i] = chosen[i] || !any;
    }
    free(seen);
    return true;
}
