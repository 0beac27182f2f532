/* Paths that start anew where the last ray ended, without a distance to the surface: rounding puts half of
 * them below it, and they hit what they come from. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_PATH_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float ball[3] = {-0.4f, 0.5f, 0.1f};
    const float low[3] = {0.3f, 0, -0.2f};
    const float high[3] = {0.8f, 0.6f, 0.4f};

    ws_fault_add_ground(scene);
    const uint32_t objects = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.7f, 0.6f);
    ws_fault_add_ball(scene, ball, 0.5f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_place_object(scene, objects);
    scene->constants.offset = 0;
    scene->constants.tmin = repaired ? 1e-3f : 0;
    scene->constants.bounces = 1;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_tmin_low;

const struct ws_fault ws_fault_tmin_low = {
    .name = "tmin_low",
    .summary = "bounce rays start on surfaces with tmin 0 and hit the triangle that they start on",
    .change = "tmin is 0.001",
    .build = build,
};
