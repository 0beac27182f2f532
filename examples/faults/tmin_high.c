/* A closed room, and a pane of glass: rays that start near a corner, or on a side of the pane, pass through
 * the next wall, or the other side, since they look for nothing so near. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_PATH_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float eye[3] = {0, 1.1f, 3.4f};
    const float target[3] = {0, 0.95f, 0};
    const float room_low[3] = {-1, 0, -1};
    const float room_high[3] = {1, 2, 3.5f};
    const float low[3] = {-0.35f, 0.5f, -0.2f};
    const float high[3] = {0.45f, 1.3f, -0.16f};

    ws_fault_look(scene, eye, target, 0.4f);
    const uint32_t room = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.75f, 0.7f);
    ws_fault_add_box(scene, room_low, room_high, true);
    ws_fault_place_object(scene, room);
    ws_fault_add_lamp(scene);
    const uint32_t pane = ws_fault_add_object(scene, KIND_GLASS, 0.7f, 0.9f, 0.75f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_place_object(scene, pane);
    scene->constants.offset = 0;
    scene->constants.tmin = repaired ? 1e-5f : 0.1f;
    scene->constants.bounces = 6;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_tmin_high;

const struct ws_fault ws_fault_tmin_high = {
    .name = "tmin_high",
    .summary = "rays start on closed meshes with a tmin above their thickness, and pass through them",
    .change = "tmin is 0.00001",
    .build = build,
};
