/* Balls in boxes three times as large as they are. */
#include "fault.h"

#define ROWS 4

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
    {NONE, WS_FAULT_BALL_RCHIT, NONE, WS_FAULT_BALL_RINT},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    ws_fault_add_ground(scene);
    for (uint32_t i = 0; i < ROWS * ROWS; i++) {
        const uint32_t column = i % ROWS;
        const uint32_t row = i / ROWS;
        const float radius = 0.1f + 0.02f * (float)(i % 3);
        ws_fault_add_round(scene, 0.5f * (float)column - 0.75f, radius, 0.5f * (float)row - 1, radius);
    }
    ws_fault_add_instance(scene, ws_fault_add_bottom(scene, 0, 0))->hit_group = 1;
    scene->ball_room = repaired ? 1 : 3;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_aabb_large;

const struct ws_fault ws_fault_aabb_large = {
    .name = "aabb_large",
    .summary = "balls have boxes three times as large as they are, and most intersection runs report nothing",
    .change = "the boxes are as large as the balls",
    .build = build,
};
