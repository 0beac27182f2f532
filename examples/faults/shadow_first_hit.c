/* Shadow rays through a tree: any leaf would do, but they search the nearest. */
#include "fault.h"

#define SKIP_CLOSEST_HIT_SHADER 0x8

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_CUTOUT_RAHIT, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float crown[3] = {0, 0.8f, 0};
    const float low[3] = {-0.05f, 0, -0.05f};
    const float high[3] = {0.05f, 0.8f, 0.05f};

    ws_fault_add_ground(scene);
    const uint32_t trunk = ws_fault_add_object(scene, KIND_DIFFUSE, 0.4f, 0.3f, 0.2f);
    ws_fault_add_box(scene, low, high, false);
    const uint32_t leaves = ws_fault_add_object(scene, KIND_DIFFUSE, 0.3f, 0.6f, 0.2f);
    ws_fault_add_leaves(scene, crown, 0.5f, 200);
    scene->objects[leaves].pattern = PATTERN_LEAF;
    scene->geometries[leaves].transparent = true;
    ws_fault_add_instance(scene, ws_fault_add_bottom(scene, trunk, 2));
    if (!repaired) {
        scene->constants.shadow_flags = SKIP_CLOSEST_HIT_SHADER;
    }
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_shadow_first_hit;

const struct ws_fault ws_fault_shadow_first_hit = {
    .name = "shadow_first_hit",
    .summary = "shadow rays search the nearest leaf where any would do",
    .change = "their flags have TerminateOnFirstHit too",
    .build = build,
};
