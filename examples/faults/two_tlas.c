/* The camera sees a statue and leaves; shadows are those of simpler things, in a top-level structure of their
 * own. In one scene shadow rays run a closest-hit shader, by which it can be told what they hit; in the other
 * nothing tells. */
#include "examples/faults/fault.h"

#define TERMINATE_ON_FIRST_HIT 0x4

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_TWO_TLAS_RGEN, NONE, NONE, NONE}, {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},   {NONE, WS_FAULT_SURFACE_RCHIT, WS_FAULT_CUTOUT_RAHIT, NONE},
    {NONE, WS_FAULT_SHADED_RCHIT, NONE, NONE},
};

static void add_all(struct ws_fault_scene *scene)
{
    const float place[3] = {-0.35f, 0, 0};
    const float crown[3] = {0.62f, 0.6f, -0.1f};
    const float simple[3] = {-0.35f, 0.5f, 0};

    ws_fault_add_ground(scene);
    const uint32_t statue = ws_fault_add_object(scene, KIND_DIFFUSE, 0.7f, 0.6f, 0.5f);
    ws_fault_add_knot(scene, place);
    const uint32_t leaves = ws_fault_add_object(scene, KIND_DIFFUSE, 0.3f, 0.6f, 0.2f);
    ws_fault_add_leaves(scene, crown, 0.35f, 40);
    const uint32_t ball = ws_fault_add_object(scene, KIND_DIFFUSE, 0, 0, 0);
    ws_fault_add_ball(scene, simple, 0.45f);
    scene->objects[leaves].pattern = PATTERN_LEAF;
    scene->geometries[leaves].transparent = true;
    ws_fault_place_object(scene, statue);
    ws_fault_place_object(scene, leaves);
    ws_fault_place_object(scene, ball)->top = 1;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

static void build(struct ws_fault_scene *scene, bool repaired)
{
    (void)repaired;
    add_all(scene);
    scene->constants.shadow_flags = TERMINATE_ON_FIRST_HIT;
    scene->constants.shadow_offset = 1;
}

static void build_silent(struct ws_fault_scene *scene, bool repaired)
{
    (void)repaired;
    add_all(scene);
}

extern const struct ws_fault ws_fault_two_tlas;
extern const struct ws_fault ws_fault_two_tlas_silent;

const struct ws_fault ws_fault_two_tlas = {
    .name = "two_tlas",
    .summary =
        "no fault: shadow rays are traced through another top-level structure than those of the camera",
    .build = build,
};

const struct ws_fault ws_fault_two_tlas_silent = {
    .name = "two_tlas_silent",
    .summary = "no fault: the same, and no shader runs that tells what shadow rays hit",
    .build = build_silent,
};
