/* Ambient occlusion whose radius was given in metres where the scene is in kilometres. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_OCCLUSION_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float ball[3] = {-0.4f, 0.5f, 0.1f};
    const float low[3] = {0.3f, 0, -0.2f};
    const float high[3] = {0.8f, 0.6f, 0.4f};

    ws_fault_add_ground(scene);
    const uint32_t objects = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.75f, 0.7f);
    ws_fault_add_ball(scene, ball, 0.5f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_place_object(scene, objects);
    scene->constants.samples = 4;
    scene->constants.radius = 0.6e-3f;
    scene->constants.check_range = repaired;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_short_rays;

const struct ws_fault ws_fault_short_rays = {
    .name = "short_rays",
    .summary = "occlusion rays are a thousand times too short to meet anything",
    .change = "such rays are not traced",
    .build = build,
};
