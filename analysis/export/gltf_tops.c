#include "analysis/export/gltf_tops.h"

#include <stdlib.h>
#include <string.h>

static struct ws_ray ray_of(const struct ws_gltf_ray *line)
{
    struct ws_ray ray = {.shader = line->call.shader,
                         .site = line->call.site,
                         .structure = line->call.structure,
                         .has_hit = line->has_hit,
                         .hit = line->hit};
    memcpy(ray.origin, line->origin, sizeof(ray.origin));
    memcpy(ray.direction, line->direction, sizeof(ray.direction));
    return ray;
}

/* Chooses the structures in which the hits of the rays are true, and counts the sides that they hit. False = no
 * memory. */
static bool choose_matched(struct ws_gltf_tops *tops, const struct ws_scene *scene, uint64_t launch,
                           const struct ws_gltf_rays *rays, struct ws_gltf_sides *sides)
{
    tops->matcher = ws_scene_matcher_create(scene, rays->device, launch);
    bool matched = tops->matcher != NULL;
    for (uint32_t i = 0; i < rays->count && matched; ++i) {
        const struct ws_ray ray = ray_of(&rays->rays[i]);
        matched = ws_scene_matcher_add(tops->matcher, &ray);
    }
    for (uint32_t i = 0; i < rays->count && matched; ++i) {
        struct ws_scene_match match;
        if (ws_scene_matcher_find(tops->matcher, &rays->rays[i].call, &match) && match.structure != WS_NONE &&
            !match.ambiguous) {
            tops->chosen[match.structure] = true;
            matched = sides == NULL || ws_gltf_sides_add(sides, scene, match.build, &rays->rays[i]);
        } else {
            tops->unplaced++;
        }
    }
    return matched;
}

bool ws_gltf_tops_choose(struct ws_gltf_tops *tops, const struct ws_scene *scene, uint64_t launch,
                         const struct ws_gltf_rays *rays, struct ws_gltf_sides *sides)
{
    enum { UNSEEN, SEEN, DRAWN };
    uint8_t *contents = calloc((size_t)scene->content_count + 1, sizeof(*contents));
    tops->chosen = calloc((size_t)scene->structure_count + 1, sizeof(*tops->chosen));
    if (contents == NULL || tops->chosen == NULL ||
        (rays != NULL && rays->count > 0 && !choose_matched(tops, scene, launch, rays, sides))) {
        free(contents);
        return false;
    }
    bool any = false;
    for (uint32_t i = 0; i < scene->structure_count; ++i)
        any = any || tops->chosen[i];
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const uint32_t build = ws_scene_build_at(scene, i, launch);
        if (build == WS_NONE || !scene->builds[build].top)
            continue;
        uint8_t *content = &contents[scene->builds[build].content];
        /* Rays may have flown through several of equal content. */
        tops->chosen[i] = *content != DRAWN && (tops->chosen[i] || (!any && *content == UNSEEN));
        tops->live += *content == UNSEEN;
        if (tops->chosen[i])
            *content = DRAWN;
        else if (*content == UNSEEN)
            *content = SEEN;
    }
    free(contents);
    return true;
}

void ws_gltf_tops_finish(struct ws_gltf_tops *tops)
{
    ws_scene_matcher_destroy(tops->matcher);
    free(tops->chosen);
    memset(tops, 0, sizeof(*tops));
}
