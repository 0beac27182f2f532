/* Things that move: before each frame one is updated in place and one is built anew and compacted. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float ball[3] = {-0.5f, 0.4f, 0};
    const float knot[3] = {0.5f, 0, 0};

    ws_fault_add_ground(scene);
    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_DIFFUSE, 0.5f, 0.6f, 0.8f));
    ws_fault_add_ball(scene, ball, 0.4f);
    scene->bottoms[scene->bottom_count - 1].change = WS_FAULT_UPDATED;
    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_DIFFUSE, 0.7f, 0.6f, 0.5f));
    ws_fault_add_knot(scene, knot);
    scene->bottoms[scene->bottom_count - 1].change = WS_FAULT_COMPACTED;
    (void)repaired;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_rebuild;

const struct ws_fault ws_fault_rebuild = {
    .name = "rebuild",
    .summary =
        "no fault: before each of --frames, one structure is updated, and one built anew and compacted",
    .build = build,
};
