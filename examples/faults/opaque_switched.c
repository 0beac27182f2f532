/* An any-hit shader that does nothing in this pipeline: what it counts and where it finds holes is behind
 * specialization constants that are switched off. It runs for three geometries of one structure. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_SWITCHED_RAHIT, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float places[3][3] = {{-0.75f, 0, 0}, {0, 0, -0.4f}, {0.75f, 0, 0.2f}};
    uint32_t first = 0;

    ws_fault_add_ground(scene);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t knot = ws_fault_add_object(scene, KIND_DIFFUSE, 0.7f, 0.5f + 0.1f * (float)i, 0.4f);
        ws_fault_add_knot(scene, places[i]);
        scene->geometries[knot].transparent = !repaired;
        first = i == 0 ? knot : first;
    }
    ws_fault_add_instance(scene, ws_fault_add_bottom(scene, first, 3))->object = first;
    scene->constants.statistics = VK_FALSE;
    scene->constants.holes = 0;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_opaque_switched;

const struct ws_fault ws_fault_opaque_switched = {
    .name = "opaque_switched",
    .summary = "three geometries run an any-hit shader that specialization constants have switched off",
    .change = "they have VK_GEOMETRY_OPAQUE_BIT_KHR",
    .build = build,
};
