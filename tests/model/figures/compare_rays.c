#include "tests/model/figures/compare_rays.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/rays/rays.h"
#include "warpscope/reader.h"

struct comparison {
    const struct model_warps *warps;
    const struct model_module *modules;
    const struct model_rays *rays;
    uint64_t seen; /* rays */
    bool reports;
    bool agrees;
};

static void same(struct comparison *comparison, const char *what, uint32_t thread, uint32_t ray,
                 uint64_t found, uint64_t expected)
{
    if (found == expected)
        return;
    printf("%s of ray %u of thread %u: %" PRIu64 ", expected %" PRIu64 "\n", what, ray, thread, found,
           expected);
    comparison->agrees = false;
}

static uint32_t end_of(const struct model_ray *ray, uint32_t flags)
{
    if (ray->end != MODEL_RAY_OPEN)
        return ray->end == MODEL_RAY_HIT ? WS_RAY_HIT : WS_RAY_MISSED;
    if (ray->query)
        return ray->committed > 0 ? WS_RAY_HIT : WS_RAY_UNKNOWN;
    return (flags & MODEL_RAY_SKIP_CLOSEST_HIT) != 0 ? WS_RAY_IMPLICIT : WS_RAY_NO_SHADER;
}

static void compare_ray(struct comparison *comparison, uint32_t thread, uint32_t number,
                        const struct ws_ray *found, const struct model_ray *expected)
{
    const struct model_shader *shader = &comparison->warps->program->shaders[expected->shader];
    const struct model_action *action = &shader->blocks[expected->block].actions[expected->action];
    const struct model_module *module = &comparison->modules[expected->shader];
    same(comparison, "number", thread, number, found->number, number);
    same(comparison, "shader", thread, number, found->shader, expected->shader);
    if (found->shader == expected->shader)
        same(comparison, "call site", thread, number, module->instrumented->sites[found->site].offset,
             module->places[expected->block].action_offset[expected->action]);
    same(comparison, "parent", thread, number, found->parent, expected->parent);
    same(comparison, "depth", thread, number, found->depth, expected->depth);
    same(comparison, "warp", thread, number, found->warp, comparison->warps->warp_of[thread]);
    same(comparison, "end", thread, number, found->end, end_of(expected, action->flags));
    same(comparison, "shader that ran", thread, number, found->first_hit_shader, expected->ran);
    same(comparison, "any-hit runs", thread, number, found->any_hits, expected->any_hits);
    same(comparison, "ignored", thread, number, found->ignored, expected->ignored);
    same(comparison, "intersection runs", thread, number, found->intersections, expected->intersections);
    if (comparison->reports)
        same(comparison, "reports", thread, number, found->reports, expected->reports);
    same(comparison, "flags", thread, number, found->flags, action->flags);
    same(comparison, "cull mask", thread, number, found->cull_mask, 1u << expected->instance);
    same(comparison, "miss index", thread, number, found->miss_index, action->miss);
    same(comparison, "is a query", thread, number, found->query, expected->query);
    same(comparison, "is in a hit object", thread, number, found->object, expected->object);
    if (expected->query)
        same(comparison, "candidates", thread, number, found->candidate_count, expected->candidates);
    if (end_of(expected, action->flags) == WS_RAY_HIT) {
        same(comparison, "has a hit", thread, number, found->has_hit, true);
        same(comparison, "instance", thread, number, found->hit.instance, expected->instance - 1);
    }
}

static bool take_thread(void *user, const struct ws_ray_thread *found)
{
    struct comparison *comparison = user;
    const uint32_t *size = comparison->warps->program->size, *work = found->thread->work;
    const bool pixel = comparison->warps->program->shaders[0].stage == WS_STAGE_FRAGMENT;
    const uint32_t thread = pixel ? (work[0] >> 16) * size[0] + (work[0] & 0xffff)
                                  : (work[2] * size[1] + work[1]) * size[0] + work[0];
    const struct model_rays *rays = comparison->rays;
    const uint32_t first = rays->first[thread], count = rays->first[thread + 1] - first;
    if (found->ray_count != count) {
        printf("thread %u has %u rays, expected %u\n", thread, found->ray_count, count);
        comparison->agrees = false;
        return true;
    }
    for (uint32_t i = 0; i < count; i++)
        compare_ray(comparison, thread, i, &found->rays[i], &rays->rays[first + i]);
    comparison->seen += count;
    return true;
}

static bool read(const char *path, struct ws_catalog *catalog, struct ws_replay *replay,
                 struct ws_error *error)
{
    struct ws_chunk chunk;
    struct ws_reader *reader = ws_reader_open(path, error);
    enum ws_read_result result = reader != NULL ? WS_READ_CHUNK : WS_READ_ERROR;
    bool taken = true;
    while (result == WS_READ_CHUNK && taken &&
           (result = ws_reader_next(reader, &chunk, error)) == WS_READ_CHUNK)
        taken = ws_catalog_record(catalog, &chunk, error) && ws_replay_record(replay, &chunk, error);
    ws_reader_destroy(reader);
    return taken && result == WS_READ_END && ws_replay_end(replay, error);
}

bool model_compare_rays(const char *path, const struct model_warps *warps, const struct model_module *modules,
                        const struct model_rays *rays, bool reports, uint32_t workers)
{
    static const struct ws_ray_operations operations = {.thread = take_thread};
    struct comparison comparison = {
        .warps = warps, .modules = modules, .rays = rays, .reports = reports, .agrees = true};
    struct ws_error error = {0};
    struct ws_catalog catalog;
    uint32_t number = 0;
    ws_catalog_init(&catalog);
    struct ws_rays *found = ws_rays_create(&catalog, &operations, &comparison);
    struct ws_replay *replay = ws_replay_create(&catalog, path, workers);
    if (found == NULL || replay == NULL || !ws_replay_add(replay, &ws_rays_replay, found, &number))
        abort();
    ws_rays_attach(found, number);
    if (!read(path, &catalog, replay, &error)) {
        printf("%s\n", error.message);
        comparison.agrees = false;
    } else if (comparison.seen != rays->count || ws_rays_malformed(found) != 0) {
        printf("%" PRIu64 " rays, expected %u; %" PRIu64 " events contradict others\n", comparison.seen,
               rays->count, ws_rays_malformed(found));
        comparison.agrees = false;
    }
    ws_replay_destroy(replay);
    ws_rays_destroy(found);
    ws_catalog_finish(&catalog);
    return comparison.agrees;
}
