/* Rays of each kind, which a pipeline and ray queries trace alike, and which are written down. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_RAYS_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_CUTOUT_RAHIT, NONE},
    {NONE, WS_FAULT_BALL_RCHIT, NONE, WS_FAULT_BALL_RINT},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float crown[3] = {0.55f, 0.6f, -0.2f};
    const float ball[3] = {-0.5f, 0.4f, -0.1f};
    const float corner[3] = {-6, 0, 6};
    const float u[3] = {12, 0, 0};
    const float v[3] = {0, 0, -12};

    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_MIRROR, 0.7f, 0.75f, 0.8f));
    ws_fault_add_quad(scene, corner, u, v);
    const uint32_t statue = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.5f, 0.4f);
    ws_fault_add_ball(scene, ball, 0.4f);
    const uint32_t leaves = ws_fault_add_object(scene, KIND_DIFFUSE, 0.3f, 0.6f, 0.2f);
    ws_fault_add_leaves(scene, crown, 0.35f, 40);
    scene->objects[leaves].pattern = PATTERN_LEAF;
    scene->geometries[leaves].transparent = true;
    ws_fault_add_instance(scene, ws_fault_add_bottom(scene, statue, 2));
    for (int i = 0; i < 6; i++)
        ws_fault_add_round(scene, 0.3f * (float)i - 0.8f, 0.12f, 0.7f - 0.05f * (float)i, 0.12f);
    ws_fault_add_instance(scene, ws_fault_add_bottom(scene, 0, 0))->hit_group = 1;
    (void)repaired;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_rays;

const struct ws_fault ws_fault_rays = {
    .name = "rays",
    .summary =
        "no fault: the same rays by a pipeline and, with --query, by ray queries; --rays FILE writes them",
    .change = NULL,
    .build = build,
};
