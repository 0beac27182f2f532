/* Ray queries that look for holes in everything: in the statue they find none, and confirm each of its triangles. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_QUERIED_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
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
    scene->geometries[statue].transparent = !repaired;
    scene->geometries[leaves].transparent = true;
    ws_fault_place_object(scene, statue);
    ws_fault_place_object(scene, leaves);
    scene->queries = true;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_query_opaque;

const struct ws_fault ws_fault_query_opaque = {
    .name = "query_opaque",
    .summary = "ray queries look for holes in a statue, and confirm every triangle of it",
    .change = "its geometry has VK_GEOMETRY_OPAQUE_BIT_KHR",
    .build = build,
};
