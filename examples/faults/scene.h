/* A scene of the faults before it is on a device: objects, what is built of them, how they are shaded and
 * from where they are seen.
 *
 * Functions that add something return nothing they could fail with: after the first failure a scene stays
 * as it is, and `error` says why. */
#ifndef WS_EXAMPLES_FAULTS_SCENE_H
#define WS_EXAMPLES_FAULTS_SCENE_H

#include "examples/base/mesh.h"
#include "examples/base/ray_tracing.h"
#include "examples/faults/shaders.h"
#include "examples/faults/shared.h"

#define WS_FAULT_OBJECTS_MAX   96
#define WS_FAULT_BOTTOMS_MAX   16
#define WS_FAULT_INSTANCES_MAX 64
#define WS_FAULT_BALLS_MAX     64
#define WS_FAULT_TOPS          2

/* A geometry: as common.glsl has it, then what only the host knows. */
struct ws_fault_object {
    uint32_t first_index;
    uint32_t first_vertex;
    uint32_t kind;    /* KIND_* */
    uint32_t pattern; /* PATTERN_* */
    float colour[4];
};

struct ws_fault_geometry {
    uint32_t vertex_count;
    uint32_t triangle_count;
    bool transparent; /* not flagged opaque */
};

/* What happens to a bottom-level structure before each frame. */
enum ws_fault_change {
    WS_FAULT_STAYS,
    WS_FAULT_UPDATED,   /* its vertices move, and it is updated in place */
    WS_FAULT_COMPACTED, /* its vertices move, and it is built anew and compacted */
};

/* A bottom-level structure of consecutive objects; or, with none, of all balls, which are opaque. */
struct ws_fault_bottom {
    uint32_t first;
    uint32_t count;
    enum ws_fault_change change;
};

struct ws_fault_instance {
    uint32_t bottom;
    uint32_t top; /* which top-level structure it stands in: 0, or 1 for the second */
    float position[3];
    float scale[3];
    float angle;        /* around y */
    uint32_t object;    /* what its first geometry looks like */
    uint32_t hit_group; /* the first of its groups in the table */
    uint32_t mask;
};

/* Values of the specialization constants of shared.h, in their order. */
struct ws_fault_constants {
    uint32_t shadow_flags;
    uint32_t shadow_mask;
    uint32_t shadow_offset;
    VkBool32 check_range;
    uint32_t samples;
    uint32_t bounces;
    float tmin;
    float offset;
    VkBool32 stop_below;
    float radius;
    VkBool32 face_forward;
    VkBool32 statistics;
    uint32_t holes;
};

struct ws_fault_view { /* as common.glsl has it */
    float eye[4];
    float right[4];
    float up[4];
    float forward[4];
    float light[4];
};

struct ws_fault_scene {
    uint32_t width; /* of the picture */
    uint32_t height;
    struct ws_mesh mesh; /* of all objects */
    struct ws_fault_object objects[WS_FAULT_OBJECTS_MAX];
    struct ws_fault_geometry geometries[WS_FAULT_OBJECTS_MAX];
    uint32_t object_count;
    float balls[WS_FAULT_BALLS_MAX][4]; /* centre, radius */
    uint32_t ball_count;
    float ball_room; /* a ball's box is so many times as large as the ball */
    struct ws_fault_bottom bottoms[WS_FAULT_BOTTOMS_MAX];
    uint32_t bottom_count;
    struct ws_fault_instance instances[WS_FAULT_INSTANCES_MAX];
    uint32_t instance_count;
    const struct ws_gpu_group *groups; /* by ws_fault_shader; must outlive the scene */
    uint32_t group_count;
    bool queries;      /* its shaders need ray queries */
    bool no_misses[2]; /* records of the second and third miss shader that are left empty */
    struct ws_fault_constants constants;
    struct ws_fault_view view;
    struct ws_error error;
    bool failed;
};

/* An empty scene under the sun, for a picture of that size. */
void ws_fault_scene_init(struct ws_fault_scene *scene, uint32_t width, uint32_t height);
void ws_fault_scene_finish(struct ws_fault_scene *scene);

/* Begins an object, to which what follows is added. Returns its index. */
uint32_t ws_fault_add_object(struct ws_fault_scene *scene, uint32_t kind, float red, float green, float blue);
void ws_fault_add_quad(struct ws_fault_scene *scene, const float corner[3], const float u[3],
                       const float v[3]);
/* A closed box, seen from outside or from inside. */
void ws_fault_add_box(struct ws_fault_scene *scene, const float low[3], const float high[3], bool inside);
/* A closed ball of triangles. */
void ws_fault_add_ball(struct ws_fault_scene *scene, const float centre[3], float radius);
/* A torus knot, 1 wide, standing on `place`. */
void ws_fault_add_knot(struct ws_fault_scene *scene, const float place[3]);
/* `count` quads in disorder, like leaves, around `centre`. */
void ws_fault_add_leaves(struct ws_fault_scene *scene, const float centre[3], float spread, uint32_t count);

/* A procedural ball. */
void ws_fault_add_round(struct ws_fault_scene *scene, float x, float y, float z, float radius);

/* The ground, as an object and an instance of its own. */
void ws_fault_add_ground(struct ws_fault_scene *scene);
/* The lamp of a room, under a ceiling of height 2, as an object and an instance of its own. */
void ws_fault_add_lamp(struct ws_fault_scene *scene);

/* A bottom-level structure of `count` objects from `first` on, 0 = of all balls. Returns its index. */
uint32_t ws_fault_add_bottom(struct ws_fault_scene *scene, uint32_t first, uint32_t count);
/* An instance as it is, of the first hit group, seen by all rays. For the caller to change. */
struct ws_fault_instance *ws_fault_add_instance(struct ws_fault_scene *scene, uint32_t bottom);
/* Both, of one object. */
struct ws_fault_instance *ws_fault_place_object(struct ws_fault_scene *scene, uint32_t object);

/* Takes the objects' groups of shaders; `groups` is an array that lives on. */
void ws_fault_use_groups(struct ws_fault_scene *scene, const struct ws_gpu_group *groups, uint32_t count);

/* `zoom`: half the picture's shorter side at distance 1. */
void ws_fault_look(struct ws_fault_scene *scene, const float eye[3], const float target[3], float zoom);

#endif
