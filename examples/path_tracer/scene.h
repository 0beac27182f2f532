/* What the path tracer draws: a closed room, or a place under the open sky, with a mesh, spheres and a
 * pierced screen in it. The structs that shaders read have std430's layout: see common.glsl. */
#ifndef WS_EXAMPLES_PATH_TRACER_SCENE_H
#define WS_EXAMPLES_PATH_TRACER_SCENE_H

#include "examples/base/acceleration_structure.h"
#include "examples/base/mesh.h"
#include "examples/path_tracer/shared.h"

#define WS_OBJECTS_MAX   12
#define WS_MATERIALS_MAX 16
#define WS_SPHERES_MAX   24

/* A span of the scene's triangles with one material. */
struct ws_object {
    uint32_t first_index;
    uint32_t first_vertex;
    uint32_t material;
    uint32_t padding;
};

struct ws_material {
    float colour[3];
    uint32_t kind; /* MATERIAL_* */
    float emission[3];
    float roughness;
    float colour2[3];
    float tile; /* size of the tiles of a chequered surface, 0 = none */
};

struct ws_sphere {
    float centre[3];
    float radius;
    uint32_t material;
    uint32_t padding[3];
};

struct ws_view {
    float eye[4];
    float right[4];
    float up[4];
    float forward[4];
    float light_corner[4];
    float light_u[4];
    float light_v[4];
    float light[4];
};

/* The scene on the host. Objects 0 .. room_objects - 1 are the room, then come the mesh and the screen. */
struct ws_scene {
    bool open;
    bool glass;
    struct ws_mesh mesh; /* all triangles */
    struct ws_object objects[WS_OBJECTS_MAX];
    uint32_t triangle_counts[WS_OBJECTS_MAX];
    uint32_t vertex_counts[WS_OBJECTS_MAX];
    uint32_t object_count;
    uint32_t room_objects;
    struct ws_material materials[WS_MATERIALS_MAX];
    uint32_t material_count;
    struct ws_sphere spheres[WS_SPHERES_MAX];
    uint32_t sphere_count;
    struct ws_view view;
};

/* Makes the scene around `mesh`, which it copies. `glass`: the mesh and all spheres are of glass. `aspect` is the picture's
 * width over its height. */
bool ws_scene_init(struct ws_scene *scene, bool open, bool glass, const struct ws_mesh *mesh, float aspect,
                   struct ws_error *error);
void ws_scene_finish(struct ws_scene *scene);

/* The scene on the device. */
struct ws_scene_device {
    struct ws_gpu_buffer positions;
    struct ws_gpu_buffer normals;
    struct ws_gpu_buffer indices;
    struct ws_gpu_buffer objects;
    struct ws_gpu_buffer materials;
    struct ws_gpu_buffer spheres;
    struct ws_gpu_buffer boxes;
    struct ws_gpu_buffer view;
    struct ws_gpu_acceleration_structure room;
    struct ws_gpu_acceleration_structure model;
    struct ws_gpu_acceleration_structure screen;
    struct ws_gpu_acceleration_structure balls;
    struct ws_gpu_acceleration_structure top;
};

/* Copies the scene to the device and builds its acceleration structures. */
bool ws_scene_device_init(struct ws_gpu *gpu, struct ws_scene_device *device, const struct ws_scene *scene,
                          struct ws_error *error);
void ws_scene_device_finish(struct ws_gpu *gpu, struct ws_scene_device *device);

#endif
