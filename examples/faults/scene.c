#include "examples/faults/scene.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void ws_fault_scene_init(struct ws_fault_scene *scene, uint32_t width, uint32_t height)
{
    const float eye[3] = {0, 1.4f, 3.6f};
    const float target[3] = {0, 0.5f, 0};

    *scene = (struct ws_fault_scene){
        .width = width,
        .height = height,
        .ball_room = 1,
        .constants =
            {
                .shadow_flags = 0xc, /* terminate on first hit, skip closest hit shader */
                .shadow_mask = 0xff,
                .check_range = VK_TRUE,
                .samples = 1,
                .bounces = 4,
                .offset = 1e-3f,
                .stop_below = VK_TRUE,
                .radius = 0.6f,
                .statistics = VK_TRUE,
                .holes = 1,
            },
        .view.light = {0.48f, 0.80f, 0.36f, 0},
    };
    ws_fault_look(scene, eye, target, 0.36f);
}

void ws_fault_scene_finish(struct ws_fault_scene *scene)
{
    ws_mesh_finish(&scene->mesh);
    memset(scene, 0, sizeof(*scene));
}

uint32_t ws_fault_add_object(struct ws_fault_scene *scene, uint32_t kind, float red, float green, float blue)
{
    const uint32_t object = scene->object_count++;

    assert(object < WS_FAULT_OBJECTS_MAX);
    scene->objects[object] = (struct ws_fault_object){
        .first_index = 3 * scene->mesh.triangle_count,
        .first_vertex = scene->mesh.vertex_count,
        .kind = kind,
        .colour = {red, green, blue, 1},
    };
    return object;
}

/* Moves `mesh`, adds it to the last object and frees it. `good`: it could be made. */
static void add_mesh(struct ws_fault_scene *scene, struct ws_mesh *mesh, bool good, const float place[3],
                     float scale)
{
    struct ws_fault_geometry *geometry = &scene->geometries[scene->object_count - 1];

    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        mesh->positions[i] = scale * mesh->positions[i] + place[i % 3];
    /* An object's indices count from its first vertex. */
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        mesh->indices[i] += geometry->vertex_count;
    if (scene->failed || !good || !ws_mesh_append(&scene->mesh, mesh, &scene->error)) {
        scene->failed = true;
    } else {
        geometry->vertex_count += mesh->vertex_count;
        geometry->triangle_count += mesh->triangle_count;
    }
    ws_mesh_finish(mesh);
}

void ws_fault_add_quad(struct ws_fault_scene *scene, const float corner[3], const float u[3],
                       const float v[3])
{
    const float zero[3] = {0, 0, 0};
    struct ws_mesh mesh = {0};

    const bool made = ws_mesh_append_quad(&mesh, corner, u, v, &scene->error);
    add_mesh(scene, &mesh, made, zero, 1);
}

void ws_fault_add_box(struct ws_fault_scene *scene, const float low[3], const float high[3], bool inside)
{
    const float zero[3] = {0, 0, 0};
    struct ws_mesh mesh;

    const bool made = ws_mesh_box(&mesh, low, high, inside, &scene->error);
    add_mesh(scene, &mesh, made, zero, 1);
}

void ws_fault_add_ball(struct ws_fault_scene *scene, const float centre[3], float radius)
{
    struct ws_mesh mesh;

    const bool made = ws_mesh_ball(&mesh, &scene->error) && ws_mesh_order(&mesh, &scene->error);
    add_mesh(scene, &mesh, made, centre, radius);
}

void ws_fault_add_knot(struct ws_fault_scene *scene, const float place[3])
{
    struct ws_mesh mesh;
    bool made = ws_mesh_knot(&mesh, &scene->error);

    if (made) {
        ws_mesh_fit(&mesh);
        made = ws_mesh_order(&mesh, &scene->error);
    }
    add_mesh(scene, &mesh, made, place, 1);
}

/* Numbers in [-1, 1] that look random and are the same everywhere. */
static float scattered(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1;
}

void ws_fault_add_leaves(struct ws_fault_scene *scene, const float centre[3], float spread, uint32_t count)
{
    const float size = 0.4f * spread;
    uint32_t state = 1;

    for (uint32_t i = 0; i < count; i++) {
        float corner[3], u[3], v[3];
        for (int k = 0; k < 3; k++)
            corner[k] = centre[k] + spread * scattered(&state);
        const float turn = (float)M_PI * scattered(&state);
        const float tilt = 0.8f * scattered(&state);
        u[0] = size * cosf(turn);
        u[1] = 0;
        u[2] = size * sinf(turn);
        v[0] = -size * sinf(turn) * sinf(tilt);
        v[1] = size * cosf(tilt);
        v[2] = size * cosf(turn) * sinf(tilt);
        ws_fault_add_quad(scene, corner, u, v);
    }
}

void ws_fault_add_round(struct ws_fault_scene *scene, float x, float y, float z, float radius)
{
    assert(scene->ball_count < WS_FAULT_BALLS_MAX);
    float *ball = scene->balls[scene->ball_count++];

    ball[0] = x;
    ball[1] = y;
    ball[2] = z;
    ball[3] = radius;
}

void ws_fault_add_ground(struct ws_fault_scene *scene)
{
    const float corner[3] = {-6, 0, 6};
    const float u[3] = {12, 0, 0};
    const float v[3] = {0, 0, -12};

    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_DIFFUSE, 0.62f, 0.58f, 0.52f));
    ws_fault_add_quad(scene, corner, u, v);
}

void ws_fault_add_lamp(struct ws_fault_scene *scene)
{
    const float corner[3] = {-0.5f, 1.9375f, -0.5f};
    const float u[3] = {1, 0, 0};
    const float v[3] = {0, 0, 1};

    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_LAMP, 6, 5.4f, 4.6f));
    ws_fault_add_quad(scene, corner, u, v);
}

uint32_t ws_fault_add_bottom(struct ws_fault_scene *scene, uint32_t first, uint32_t count)
{
    assert(scene->bottom_count < WS_FAULT_BOTTOMS_MAX);
    scene->bottoms[scene->bottom_count] = (struct ws_fault_bottom){.first = first, .count = count};
    return scene->bottom_count++;
}

struct ws_fault_instance *ws_fault_add_instance(struct ws_fault_scene *scene, uint32_t bottom)
{
    assert(scene->instance_count < WS_FAULT_INSTANCES_MAX);
    struct ws_fault_instance *instance = &scene->instances[scene->instance_count++];
    *instance = (struct ws_fault_instance){
        .bottom = bottom,
        .scale = {1, 1, 1},
        .object = scene->bottoms[bottom].first,
        .mask = 0xff,
    };
    return instance;
}

struct ws_fault_instance *ws_fault_place_object(struct ws_fault_scene *scene, uint32_t object)
{
    return ws_fault_add_instance(scene, ws_fault_add_bottom(scene, object, 1));
}

void ws_fault_use_groups(struct ws_fault_scene *scene, const struct ws_gpu_group *groups, uint32_t count)
{
    scene->groups = groups;
    scene->group_count = count;
}

void ws_fault_look(struct ws_fault_scene *scene, const float eye[3], const float target[3], float zoom)
{
    struct ws_fault_view *view = &scene->view;
    const float aspect = (float)scene->width / (float)scene->height;
    const float wide = aspect > 1 ? zoom * aspect : zoom;
    const float high = aspect > 1 ? zoom : zoom / aspect;
    float forward[3];
    float length = 0;

    for (int i = 0; i < 3; i++) {
        forward[i] = target[i] - eye[i];
        length += forward[i] * forward[i];
    }
    for (int i = 0; i < 3; i++)
        forward[i] /= sqrtf(length);
    const float flat = sqrtf(forward[0] * forward[0] + forward[2] * forward[2]);
    const float right[3] = {-forward[2] / flat, 0, forward[0] / flat};
    const float up[3] = {right[1] * forward[2] - right[2] * forward[1],
                         right[2] * forward[0] - right[0] * forward[2],
                         right[0] * forward[1] - right[1] * forward[0]};
    for (int i = 0; i < 3; i++) {
        view->eye[i] = eye[i];
        view->forward[i] = forward[i];
        view->right[i] = wide * right[i];
        view->up[i] = high * up[i];
    }
}
