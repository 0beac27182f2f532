/* What happened to a ray, told in sentences:
 *
 *     The first ray of pixel 12,40 (lane 3 of warp 5) is traced by raygen.rgen:main, traceRay at raygen.rgen:19.
 *     It leaves 0 1 5 along 0 0 -1, for t from 0.001 to 10000.
 *     At t 2.4 it meets instance 3 'glass', geometry 0, primitive 17; any-hit shader screen.rahit:main ignores it.
 *     It misses everything; miss shader sky.rmiss:main runs.
 *
 * Names in sentences are the application's: what a sentence leads to stands beside it, and is not read from its words. */
#ifndef WS_ANALYSIS_VIEWER_RAYS_RAY_STORY_H
#define WS_ANALYSIS_VIEWER_RAYS_RAY_STORY_H

#include <cjson/cJSON.h>

#include "analysis/viewer/rays/ray_store.h"

struct ws_scene;

/* A ray with what is known around it. */
struct ws_ray_subject {
    const struct ws_catalog *catalog;
    const struct ws_launch_record *launch;
    const struct ws_scene *scene; /* maybe empty */
    const struct ws_ray_store *store;
    uint32_t number; /* of the ray in the launch */
};

/* The sentences in order, as ray.json has them (ray_json.c); NULL = no memory. The caller owns the list. */
cJSON *ws_ray_story(const struct ws_ray_subject *subject);

/* The instance that a hit of the ray is of. False where it is not known. */
struct ws_ray_hit;
struct ws_scene_instance;
bool ws_ray_subject_instance(const struct ws_ray_subject *subject, const struct ws_ray_hit *hit,
                             struct ws_scene_instance *instance);

/* "structure 2 'world'", through which the rays of a call flew. False where that is not known, or the launch has no second
 * one. */
bool ws_ray_structure_text(const struct ws_ray_store *store, uint32_t call, const struct ws_scene *scene,
                           char *text, size_t size);

/* The rays whose shaders traced others: how many rays the shaders of a ray traced, and the numbers of the first `most`. */
uint32_t ws_ray_children(const struct ws_ray_store *store, uint32_t number, uint32_t *children,
                         uint32_t most);

#endif
