/* The scene of one launch as glTF 2.0: the top-level structures that its rays flew through, as far as
 * their hits tell (scene_match.h), else all different ones that have a build for it; their instances as nodes
 * that share the meshes of what they refer to; and rays as lines.
 *
 * Meshes are called blas_<content>, as the files of export_geometry.h; AABBs are boxes. A matrix that is no
 * translation, rotation and scale is not allowed in glTF: such an instance has a mesh of its own, already
 * transformed. Instances and primitives that are not finite are left out and counted.
 *
 * RAYS are meshes of lines, each kind with a colour:
 *   rays_hit      ended at a hit: up to it
 *   rays_miss     ended at a miss
 *   rays_shadow   with SkipClosestHitShader: up to their hit where one is known
 *   rays_unknown  any others
 * Those without a hit end at tmax, or where they are as long as the diagonal of the scene.
 *
 * Of more than are wanted all rays of some threads are taken, which are scattered over all threads: that of
 * the last one drawn may be cut. The same capture gives the same rays. */
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
        float end; /* of it in units of the direction; INFINITY: as far as the scene */
        uint32_t kind;
        uint32_t chance; /* the same of all rays of a thread */
        uint32_t shader; /* where it was traced (rays.h) */
        uint32_t site;
        bool has_hit;
        struct ws_ray_hit hit;
    } * lines;
    uint32_t count;
    uint32_t capacity;
    uint32_t most;         /* kept, at most */
    uint32_t device;       /* the launch's: the chunk's id */
    uint32_t least_chance; /* of the threads that are kept: it rises as there are more */
    uint64_t beyond;       /* not kept */
    uint64_t left_out;     /* not finite */
};

/* A ray of the thread of that number, which can be any that tells the threads apart. False = no memory. */
bool ws_gltf_rays_add(struct ws_gltf_rays *rays, uint32_t thread, const struct ws_ray *ray);
void ws_gltf_rays_finish(struct ws_gltf_rays *rays);

struct ws_gltf_export {
    const char *path;
    uint64_t launch;
    uint32_t tops;      /* top-level structures drawn */
    uint32_t live;      /* of different contents, that have a build for the launch */
    uint64_t unplaced;  /* rays of which nobody knows the top-level structure */
    uint64_t instances; /* drawn */
    uint64_t baked;     /* of them, with a mesh of their own */
    uint64_t left_out;  /* instances and primitives */
};

/* `rays` may be NULL. */
bool ws_export_gltf(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                    struct ws_gltf_export *export, struct ws_error *error);

#endif
