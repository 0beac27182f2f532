/* Crates, which fill a box to its corners, in boxes three times as large: a box of what rays hit is the box
 * that they should have, so that what is foretold of it is what the twin saves. */
#include "examples/faults/fault.h"

#define ROWS 3

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
    {NONE, WS_FAULT_BALL_RCHIT, NONE, WS_FAULT_CRATE_RINT},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float eye[3] = {0, 3, 1.5f};
    const float target[3] = {0, 0, 0};

    /* From above, so that no crate hides another: then it does not matter which is met first. */
    ws_fault_look(scene, eye, target, 0.36f);
    ws_fault_add_ground(scene);
    for (uint32_t i = 0; i < ROWS * ROWS; i++) {
        const uint32_t column = i % ROWS;
        const uint32_t row = i / ROWS;
        const float half = 0.12f + 0.02f * (float)(i % 3);
        ws_fault_add_round(scene, 0.6f * (float)column - 0.6f, half, 0.6f * (float)row - 0.6f, half);
    }
    ws_fault_add_instance(scene, ws_fault_add_bottom(scene, 0, 0))->hit_group = 1;
    scene->ball_room = repaired ? 1 : 3;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_aabb_large;

const struct ws_fault ws_fault_aabb_large = {
    .name = "aabb_large",
    .summary =
        "crates have boxes three times as large as they are, and most intersection runs report nothing",
    .change = "the boxes are as large as the crates",
    .build = build,
};
