#include "examples/path_tracer/scene.h"

#include <math.h>
#include <string.h>

#define ROOM_FRONT 3.5f /* z of the wall behind the camera */

#define LAMP_CORNER   -0.28f, 1.995f, -0.18f
#define LAMP_SIZE     0.56f
#define LAMP_RADIANCE 28.0f, 23.5f, 18.0f

/* Indices in `materials`. */
enum {
    LAMP,
    PLASTER,
    LEFT,
    RIGHT,
    FLOOR,
    BRASS,
    MODEL,
    GLASS,
    GOLD,
    STEEL,
    GLAZE_1,
    GLAZE_2,
    GLAZE_3,
    MATERIALS
};

static const struct ws_material materials[MATERIALS] = {
    [LAMP] = {.kind = MATERIAL_LIGHT, .emission = {LAMP_RADIANCE}},
    [PLASTER] = {.kind = MATERIAL_DIFFUSE, .colour = {0.78f, 0.75f, 0.70f}},
    [LEFT] = {.kind = MATERIAL_DIFFUSE, .colour = {0.70f, 0.22f, 0.13f}},
    [RIGHT] = {.kind = MATERIAL_DIFFUSE, .colour = {0.10f, 0.38f, 0.42f}},
    [FLOOR] = {.kind = MATERIAL_GLAZED,
               .colour = {0.62f, 0.58f, 0.52f},
               .colour2 = {0.30f, 0.25f, 0.22f},
               .tile = 0.25f},
    [BRASS] = {.kind = MATERIAL_METAL, .colour = {0.90f, 0.68f, 0.36f}, .roughness = 0.25f},
    [MODEL] = {.kind = MATERIAL_GLAZED, .colour = {0.50f, 0.72f, 0.56f}},
    [GLASS] = {.kind = MATERIAL_GLASS, .colour = {0.93f, 0.98f, 0.96f}},
    [GOLD] = {.kind = MATERIAL_METAL, .colour = {1.00f, 0.77f, 0.34f}, .roughness = 0.05f},
    [STEEL] = {.kind = MATERIAL_METAL, .colour = {0.80f, 0.82f, 0.85f}, .roughness = 0.02f},
    [GLAZE_1] = {.kind = MATERIAL_GLAZED, .colour = {0.12f, 0.28f, 0.62f}},
    [GLAZE_2] = {.kind = MATERIAL_GLAZED, .colour = {0.72f, 0.16f, 0.14f}},
    [GLAZE_3] = {.kind = MATERIAL_GLAZED, .colour = {0.20f, 0.52f, 0.28f}},
};

static const struct ws_sphere spheres[] = {
    {{0.54f, 0.25f, 0.50f}, 0.25f, GLASS, {0}},    {{0.60f, 0.36f, -0.48f}, 0.36f, STEEL, {0}},
    {{-0.60f, 0.12f, 0.72f}, 0.12f, GOLD, {0}},    {{-0.28f, 0.08f, 0.95f}, 0.08f, GLAZE_1, {0}},
    {{0.08f, 0.07f, 1.02f}, 0.07f, GLAZE_2, {0}},  {{0.28f, 0.05f, 0.86f}, 0.05f, GLAZE_3, {0}},
    {{-0.78f, 0.07f, 0.42f}, 0.07f, GLAZE_2, {0}}, {{-0.44f, 0.05f, 0.98f}, 0.05f, GLAZE_3, {0}},
    {{0.82f, 0.09f, 0.86f}, 0.09f, GLAZE_1, {0}},  {{0.14f, 0.06f, 0.74f}, 0.06f, GOLD, {0}},
    {{0.86f, 0.06f, 0.12f}, 0.06f, GLAZE_2, {0}},  {{-0.10f, 0.04f, 1.16f}, 0.04f, STEEL, {0}},
};

/* Adds a parallelogram as an object of its own. */
static bool add_quad(struct ws_scene *scene, const float corner[3], const float u[3], const float v[3],
                     uint32_t material, struct ws_error *error)
{
    const uint32_t object = scene->object_count++;

    scene->objects[object] = (struct ws_object){
        .first_index = 3 * scene->mesh.triangle_count,
        .first_vertex = scene->mesh.vertex_count,
        .material = material,
    };
    scene->triangle_counts[object] = 2;
    scene->vertex_counts[object] = 4;
    return ws_mesh_append_quad(&scene->mesh, corner, u, v, error);
}

/* The closed room: its walls, and the lamp under its ceiling; all face inwards. */
static bool add_room(struct ws_scene *scene, struct ws_error *error)
{
    const float deep = ROOM_FRONT + 1;
    const struct {
        float corner[3], u[3], v[3];
        uint32_t material;
    } walls[] = {
        {{-1, 0, ROOM_FRONT}, {2, 0, 0}, {0, 0, -deep}, FLOOR},
        {{-1, 2, -1}, {2, 0, 0}, {0, 0, deep}, PLASTER},
        {{-1, 0, -1}, {2, 0, 0}, {0, 2, 0}, PLASTER},
        {{1, 0, ROOM_FRONT}, {-2, 0, 0}, {0, 2, 0}, PLASTER},
        {{-1, 0, ROOM_FRONT}, {0, 0, -deep}, {0, 2, 0}, LEFT},
        {{1, 0, -1}, {0, 0, deep}, {0, 2, 0}, RIGHT},
        {{LAMP_CORNER}, {LAMP_SIZE, 0, 0}, {0, 0, LAMP_SIZE}, LAMP},
    };

    for (size_t i = 0; i < sizeof(walls) / sizeof(walls[0]); i++)
        if (!add_quad(scene, walls[i].corner, walls[i].u, walls[i].v, walls[i].material, error))
            return false;
    return true;
}

static bool add_ground(struct ws_scene *scene, struct ws_error *error)
{
    const float corner[3] = {-30, 0, 30};
    const float u[3] = {60, 0, 0};
    const float v[3] = {0, 0, -60};

    return add_quad(scene, corner, u, v, FLOOR, error);
}

static void look(struct ws_view *view, const float eye[3], const float target[3], float zoom, float aspect)
{
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
    /* `zoom` is half the picture's shorter side at distance 1. */
    const float wide = aspect > 1 ? zoom * aspect : zoom;
    const float high = aspect > 1 ? zoom : zoom / aspect;
    for (int i = 0; i < 3; i++) {
        view->eye[i] = eye[i];
        view->forward[i] = forward[i];
        view->right[i] = wide * right[i];
        view->up[i] = high * up[i];
    }
}

/* Lamp and camera of the room. */
static void view_room(struct ws_view *view, float aspect)
{
    const float eye[3] = {0, 1.06f, 3.4f};
    const float target[3] = {0, 0.88f, 0};

    *view = (struct ws_view){
        .light_corner = {LAMP_CORNER},
        .light_u = {LAMP_SIZE},
        .light_v = {0, 0, LAMP_SIZE},
        .light = {LAMP_RADIANCE},
    };
    look(view, eye, target, 0.36f, aspect);
}

/* Sun and camera in the open. */
static void view_open(struct ws_view *view, float aspect)
{
    const float eye[3] = {-0.35f, 0.75f, 3.3f};
    const float target[3] = {0, 0.62f, 0};

    *view = (struct ws_view){
        .light_corner = {0.5145f, 0.5145f, 0.6860f},
        .light_u = {0.04f, 0, -0.03f},
        .light_v = {0, 0.05f, 0},
        .light = {2.6f, 2.1f, 1.45f},
    };
    look(view, eye, target, 0.36f, aspect);
}

static bool add_model(struct ws_scene *scene, const struct ws_mesh *mesh, struct ws_error *error)
{
    const uint32_t object = scene->object_count++;

    scene->objects[object] = (struct ws_object){
        .first_index = 3 * scene->mesh.triangle_count,
        .first_vertex = scene->mesh.vertex_count,
        .material = MODEL,
    };
    scene->triangle_counts[object] = mesh->triangle_count;
    scene->vertex_counts[object] = mesh->vertex_count;
    return ws_mesh_append(&scene->mesh, mesh, error);
}

/* The mesh and the spheres become glass; the room, the ground and the screen stay as they are. */
static void make_glass(struct ws_scene *scene)
{
    for (uint32_t i = MODEL; i < MATERIALS; i++)
        scene->materials[i] = materials[GLASS];
}

bool ws_scene_init(struct ws_scene *scene, bool open, bool glass, const struct ws_mesh *mesh, float aspect,
                   struct ws_error *error)
{
    const float zero[3] = {0, 0, 0};
    const float along_x[3] = {1, 0, 0};
    const float along_y[3] = {0, 1, 0};

    memset(scene, 0, sizeof(*scene));
    scene->open = open;
    scene->glass = glass;
    memcpy(scene->materials, materials, sizeof(materials));
    scene->material_count = MATERIALS;
    if (glass)
        make_glass(scene);
    memcpy(scene->spheres, spheres, sizeof(spheres));
    scene->sphere_count = sizeof(spheres) / sizeof(spheres[0]);
    if (open)
        view_open(&scene->view, aspect);
    else
        view_room(&scene->view, aspect);
    if (!(open ? add_ground(scene, error) : add_room(scene, error)))
        goto error;
    scene->room_objects = scene->object_count;
    /* The screen is a unit square, which its instances stretch. */
    if (!add_model(scene, mesh, error) || !add_quad(scene, zero, along_x, along_y, BRASS, error))
        goto error;
    return true;
error:
    ws_scene_finish(scene);
    return false;
}

void ws_scene_finish(struct ws_scene *scene)
{
    ws_mesh_finish(&scene->mesh);
    memset(scene, 0, sizeof(*scene));
}
