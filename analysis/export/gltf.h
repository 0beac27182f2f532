/* The scene of one launch as glTF 2.0: top-level structures, their instances, and rays as lines.
 *
 * Those top-level structures are drawn in which the rays of the launch hit (scene_match.h). Where no hit
 * tells, all different ones are drawn that have a build for the launch. Instances are nodes; instances of one
 * structure share its meshes. Meshes are called blas_<content>, as the files of geometry.h are; AABBs are
 * boxes.
 *
 * A node's matrix in glTF must be a translation, rotation and scale. An instance with another transform gets
 * a mesh of its own, already transformed. What is not finite is left out and counted.
 *
 * RAYS are meshes of lines, each kind with a colour:
 *   rays_hit      ended at a hit: up to the hit
 *   rays_miss     ended at a miss
 *   rays_shadow   have SkipClosestHitShader: up to their hit, where it is known
 *   rays_unknown  all others
 * A ray without a hit ends at tmax, or where it is as long as the diagonal of the scene.
 *
 * Where there are more rays than wanted, all rays of some threads are drawn; of the last thread perhaps not
 * all. These threads are spread over all threads. The same capture always gives the same rays. */
#ifndef WS_ANALYSIS_EXPORT_GLTF_H
#define WS_ANALYSIS_EXPORT_GLTF_H

#include "analysis/rays/rays.h"
#include "analysis/scene/scene.h"

enum ws_gltf_line { WS_LINE_HIT, WS_LINE_MISS, WS_LINE_SHADOW, WS_LINE_UNKNOWN, WS_LINE_COUNT };

/* Rays as they were traced, until the scene is known. */
struct ws_gltf_rays {
    struct ws_gltf_line_ray {
        float origin[3];
        float direction[3];
        float end; /* in units of the direction; INFINITY: as far as the scene goes */
        uint32_t kind;
        uint32_t chance; /* all rays of a thread have the same */
        uint32_t shader; /* that traced it (rays.h) */
        uint32_t site;
        bool has_hit;
        struct ws_ray_hit hit;
    } * lines;
    uint32_t count;
    uint32_t capacity;
    uint32_t most;         /* how many are kept at most */
    uint32_t device;       /* of the launch: id of its chunk */
    uint32_t least_chance; /* threads below it are not kept; it rises with the number of rays */
    uint64_t beyond;       /* not kept */
    uint64_t left_out;     /* not finite */
};

/* Adds a ray. Each thread has its own number; any will do. False = no memory. */
bool ws_gltf_rays_add(struct ws_gltf_rays *rays, uint32_t thread, const struct ws_ray *ray);
void ws_gltf_rays_finish(struct ws_gltf_rays *rays);

struct ws_gltf_export {
    const char *path;
    uint64_t launch;
    uint32_t tops;      /* top-level structures drawn */
    uint32_t live;      /* with different contents, that have a build for the launch */
    uint64_t unplaced;  /* rays whose top-level structure is not known */
    uint64_t instances; /* drawn */
    uint64_t baked;     /* of these, with a mesh of their own */
    uint64_t left_out;  /* instances and primitives */
};

/* `rays` NULL: none are drawn. */
bool ws_export_gltf(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                    struct ws_gltf_export *export, struct ws_error *error);

#endif
