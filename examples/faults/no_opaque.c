/* One hit group with an any-hit shader for all materials, and shadow rays with NoOpaque so that it finds the leaves'
 * holes. But leaves are not opaque anyway, and the flag makes the statue and the ground look for holes, too. */
#include "examples/faults/fault.h"

#define NO_OPAQUE   0x2u
#define SHADOW_ONLY 0xcu /* terminate on first hit, skip closest hit shader */

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_CUTOUT_RAHIT, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float statue_place[3] = {-0.35f, 0, 0};
    const float leaves_place[3] = {0.62f, 0.6f, -0.1f};

    ws_fault_add_ground(scene);
    const uint32_t statue = ws_fault_add_object(scene, KIND_DIFFUSE, 0.7f, 0.6f, 0.5f);
    ws_fault_add_knot(scene, statue_place);
    const uint32_t leaves = ws_fault_add_object(scene, KIND_DIFFUSE, 0.3f, 0.6f, 0.2f);
    ws_fault_add_leaves(scene, leaves_place, 0.35f, 40);
    scene->objects[leaves].pattern = PATTERN_LEAF;
    scene->geometries[leaves].transparent = true;
    ws_fault_place_object(scene, statue);
    ws_fault_place_object(scene, leaves);
    scene->constants.shadow_flags = repaired ? SHADOW_ONLY : SHADOW_ONLY | NO_OPAQUE;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_no_opaque;

const struct ws_fault ws_fault_no_opaque = {
    .name = "no_opaque",
    .summary = "shadow rays have NoOpaque, and opaque geometry runs an any-hit shader that looks for holes",
    .change = "their flags are without NoOpaque",
    .build = build,
};
