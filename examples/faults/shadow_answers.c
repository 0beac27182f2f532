/* Shadow rays as tutorials write them: a closest-hit shader stores what every hit stores, a boolean for the one light
 * and a number for the other. Before the call the payload holds that already. */
#include "examples/faults/fault.h"

/* What rays of the camera meet, then those to the sun, then those to the lamp. */
static const struct ws_gpu_group groups[] = {
    {WS_FAULT_ANSWERS_RGEN, NONE, NONE, NONE},    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_UNBLOCKED_RMISS, NONE, NONE, NONE}, {WS_FAULT_BRIGHT_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},   {NONE, WS_FAULT_BLOCKED_RCHIT, NONE, NONE},
    {NONE, WS_FAULT_DARK_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float low[3] = {-0.9f, 0, -0.5f};
    const float high[3] = {-0.6f, 0.9f, 0.2f};
    const float centre[3] = {0.1f, 0.4f, 0};

    ws_fault_add_ground(scene);
    const uint32_t objects = ws_fault_add_object(scene, KIND_DIFFUSE, 0.5f, 0.6f, 0.8f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_add_ball(scene, centre, 0.4f);
    ws_fault_place_object(scene, objects);
    if (!repaired)
        scene->constants.shadow_flags = 0;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_shadow_answers;

const struct ws_fault ws_fault_shadow_answers = {
    .name = "shadow_answers",
    .summary = "shadow rays run closest-hit shaders that store the same whatever was hit",
    .change = "their flags are TerminateOnFirstHit and SkipClosestHitShader",
    .build = build,
};
