/* Cut-out transparency for a whole scene: the statue has no holes, and its any-hit shader finds none. The
 * leaves need theirs, and so does the crate, whose any-hit shader counts. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_CUTOUT_RAHIT, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_TALLY_RAHIT, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float statue_place[3] = {-0.35f, 0, 0};
    const float leaves_place[3] = {0.62f, 0.6f, -0.1f};
    const float low[3] = {0.3f, 0, 0.45f};
    const float high[3] = {0.7f, 0.35f, 0.85f};

    ws_fault_add_ground(scene);
    const uint32_t statue = ws_fault_add_object(scene, KIND_DIFFUSE, 0.7f, 0.6f, 0.5f);
    ws_fault_add_knot(scene, statue_place);
    const uint32_t leaves = ws_fault_add_object(scene, KIND_DIFFUSE, 0.3f, 0.6f, 0.2f);
    ws_fault_add_leaves(scene, leaves_place, 0.35f, 40);
    const uint32_t crate = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.3f, 0.2f);
    ws_fault_add_box(scene, low, high, false);

    scene->objects[leaves].pattern = PATTERN_LEAF;
    scene->geometries[statue].transparent = !repaired;
    scene->geometries[leaves].transparent = true;
    scene->geometries[crate].transparent = true;
    ws_fault_place_object(scene, statue);
    ws_fault_place_object(scene, leaves);
    ws_fault_place_object(scene, crate)->hit_group = 1;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_opaque;

const struct ws_fault ws_fault_opaque = {
    .name = "opaque",
    .summary = "a statue without holes runs an any-hit shader that looks for holes",
    .change = "its geometry has VK_GEOMETRY_OPAQUE_BIT_KHR",
    .build = build,
};
