/* Rays for glTF as they were traced, until the scene is known. Where there are more than wanted, all rays of some threads
 * are kept; of the last thread perhaps not all. These threads are spread over all threads. The same capture always
 * gives the same rays. Not thread-safe. */
#ifndef WS_ANALYSIS_EXPORT_GLTF_RAYS_H
#define WS_ANALYSIS_EXPORT_GLTF_RAYS_H

#include "analysis/scene/scene_match.h"

enum ws_gltf_line { WS_LINE_HIT, WS_LINE_MISS, WS_LINE_SHADOW, WS_LINE_UNKNOWN, WS_LINE_COUNT };

/* Which ray of the launch it is. */
struct ws_gltf_source {
    uint32_t thread;   /* each has its own number; any will do */
    uint32_t place[3]; /* of the thread (ws_ray_thread_place) */
    uint32_t number;   /* in the thread */
};

struct ws_gltf_ray {
    struct ws_gltf_source source;
    float origin[3];
    float direction[3];
    float end; /* in units of the direction; INFINITY: as far as the scene goes */
    uint32_t kind;
    uint32_t parent; /* number in the thread; WS_NONE */
    uint32_t depth;
    uint32_t chance; /* all rays of a thread have the same */
    struct ws_scene_call call;
    bool has_hit;
    struct ws_ray_hit hit;
};

struct ws_gltf_rays {
    struct ws_gltf_ray *rays;
    uint32_t count;
    uint32_t capacity;
    uint32_t most;         /* how many are kept at most */
    uint32_t device;       /* of the launch: id of its chunk */
    uint32_t least_chance; /* threads below it are not kept; it rises with the number of rays */
    uint64_t beyond;       /* not kept */
    uint64_t left_out;     /* not finite */
};

/* Adds a ray. False = no memory. */
bool ws_gltf_rays_add(struct ws_gltf_rays *rays, const struct ws_gltf_source *source,
                      const struct ws_ray *ray);

/* Adds the rays of the thread that is the `number`th and at `place` (ws_ray_thread_place). False = no memory. */
bool ws_gltf_rays_add_thread(struct ws_gltf_rays *rays, uint32_t number, const struct ws_ray_thread *thread,
                             const uint32_t place[3]);
void ws_gltf_rays_finish(struct ws_gltf_rays *rays);

#endif
