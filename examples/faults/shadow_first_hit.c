/* Shadow rays through a bush: any leaf would do, but they search the nearest. */
#include "examples/faults/fault.h"

#define SKIP_CLOSEST_HIT_SHADER 0x8

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_CUTOUT_RAHIT, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float bush[3] = {0, 0.6f, 0};

    ws_fault_add_ground(scene);
    const uint32_t leaves = ws_fault_add_object(scene, KIND_DIFFUSE, 0.3f, 0.6f, 0.2f);
    ws_fault_add_leaves(scene, bush, 0.5f, 200);
    scene->objects[leaves].pattern = PATTERN_LEAF;
    scene->geometries[leaves].transparent = true;
    ws_fault_place_object(scene, leaves);
    if (!repaired)
        scene->constants.shadow_flags = SKIP_CLOSEST_HIT_SHADER;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_shadow_first_hit;

const struct ws_fault ws_fault_shadow_first_hit = {
    .name = "shadow_first_hit",
    .summary = "shadow rays search the nearest leaf where any would do",
    .change = "their flags have TerminateOnFirstHit too",
    .build = build,
};
