/* A closed room but for a gap under its door. */
#include "examples/faults/fault.h"

#define GAP 0.0625f

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_PATH_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

/* All but the door, which is in the left wall: 0.75 wide and 1.25 high. */
static void add_walls(struct ws_fault_scene *scene)
{
    static const struct {
        float corner[3], u[3], v[3];
    } walls[] = {
        {{-1, 0, 3.5f}, {2, 0, 0}, {0, 0, -4.5f}},
        {{-1, 2, -1}, {2, 0, 0}, {0, 0, 4.5f}},
        {{-1, 0, -1}, {2, 0, 0}, {0, 2, 0}},
        {{1, 0, 3.5f}, {-2, 0, 0}, {0, 2, 0}},
        {{1, 0, -1}, {0, 0, 4.5f}, {0, 2, 0}},
        {{-1, 0, 3.5f}, {0, 0, -3}, {0, 2, 0}},
        {{-1, 1.25f, 0.5f}, {0, 0, -0.75f}, {0, 0.75f, 0}},
        {{-1, 0, -0.25f}, {0, 0, -0.75f}, {0, 2, 0}},
    };

    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.75f, 0.7f));
    for (size_t i = 0; i < sizeof(walls) / sizeof(walls[0]); i++)
        ws_fault_add_quad(scene, walls[i].corner, walls[i].u, walls[i].v);
}

static void add_door(struct ws_fault_scene *scene, float gap)
{
    const float corner[3] = {-1, gap, 0.5f};
    const float u[3] = {0, 0, -0.75f};
    const float v[3] = {0, 1.25f - gap, 0};

    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_DIFFUSE, 0.5f, 0.35f, 0.2f));
    ws_fault_add_quad(scene, corner, u, v);
}

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float eye[3] = {0, 1.1f, 3.4f};
    const float target[3] = {0, 0.95f, 0};

    ws_fault_look(scene, eye, target, 0.4f);
    add_walls(scene);
    add_door(scene, repaired ? 0 : GAP);
    ws_fault_add_lamp(scene);
    scene->constants.bounces = 6;
    scene->constants.samples = 2;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_leak;

const struct ws_fault ws_fault_leak = {
    .name = "leak",
    .summary = "rays leave a room through a gap under its door",
    .change = "the door reaches the floor",
    .build = build,
};
