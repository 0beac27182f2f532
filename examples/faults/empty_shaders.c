/* Shaders without an instruction that are called all the same: an any-hit shader, the miss shader of shadow
 * rays and the closest-hit shader of rays to the sky. */
#include "examples/faults/fault.h"

/* What rays of the camera meet, then shadow rays, then rays to the sky. */
static const struct ws_gpu_group groups[] = {
    {WS_FAULT_EMPTY_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_EMPTY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_EMPTY_RAHIT, NONE},
    {NONE, WS_FAULT_SHADED_RCHIT, WS_FAULT_EMPTY_RAHIT, NONE},
    {NONE, WS_FAULT_EMPTY_RCHIT, WS_FAULT_EMPTY_RAHIT, NONE},
};

static const struct ws_gpu_group repaired_groups[] = {
    {WS_FAULT_EMPTY_RGEN, NONE, NONE, NONE},   {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE}, /* not called: its record is left empty */
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},  {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
    {NONE, WS_FAULT_SHADED_RCHIT, NONE, NONE}, {NONE, NONE, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float low[3] = {-0.6f, 0, -0.4f};
    const float high[3] = {-0.2f, 0.8f, 0.3f};
    const float centre[3] = {0.3f, 0.35f, 0.3f};

    ws_fault_add_ground(scene);
    const uint32_t objects = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.6f, 0.7f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_add_ball(scene, centre, 0.35f);
    scene->geometries[objects].transparent = true;
    ws_fault_place_object(scene, objects);
    scene->no_misses[0] = repaired;
    ws_fault_use_groups(scene, repaired ? repaired_groups : groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_empty_shaders;

const struct ws_fault ws_fault_empty_shaders = {
    .name = "empty_shaders",
    .summary = "any-hit, miss and closest-hit shaders without an instruction are called",
    .change = "the groups have VK_SHADER_UNUSED_KHR in their place, and the miss record is empty",
    .build = build,
};
