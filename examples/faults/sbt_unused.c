/* A shader binding table for more than the scene has: balls, leaves and a second sky. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_CUTOUT_RAHIT, NONE},
    {NONE, WS_FAULT_BALL_RCHIT, NONE, WS_FAULT_BALL_RINT},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_TALLY_RAHIT, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
};

#define USED 4

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float low[3] = {-0.6f, 0, -0.4f};
    const float high[3] = {0.2f, 0.6f, 0.3f};

    ws_fault_add_ground(scene);
    const uint32_t crate = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.6f, 0.3f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_place_object(scene, crate);
    ws_fault_use_groups(scene, groups, repaired ? USED : sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_sbt_unused;

const struct ws_fault ws_fault_sbt_unused = {
    .name = "sbt_unused",
    .summary = "three hit records and one miss record of the shader binding table are never used",
    .change = "the table lacks them",
    .build = build,
};
