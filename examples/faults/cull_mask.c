/* Lights that hang over a crate and must throw no shadow: an any-hit shader ignores them for shadow rays. */
#include "examples/faults/fault.h"

#define CASTERS 0x02

/* For each kind of object: what rays of the camera meet, then what shadow rays meet. */
static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
    {NONE, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
    {NONE, NONE, WS_FAULT_HIDDEN_RAHIT, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float low[3] = {-0.5f, 0, -0.4f};
    const float high[3] = {0.3f, 0.5f, 0.3f};

    ws_fault_add_ground(scene);
    const uint32_t crate = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.6f, 0.3f);
    ws_fault_add_box(scene, low, high, false);
    const uint32_t lights = ws_fault_add_object(scene, KIND_LAMP, 1, 0.95f, 0.6f);
    for (int i = 0; i < 5; i++) {
        const float centre[3] = {-0.8f + 0.4f * (float)i, 0.85f, 0.1f};
        ws_fault_add_ball(scene, centre, 0.1f);
    }

    scene->geometries[lights].transparent = true;
    ws_fault_place_object(scene, crate);
    struct ws_fault_instance *hung = ws_fault_place_object(scene, lights);
    hung->hit_group = 2;
    scene->constants.shadow_offset = 1;
    if (repaired) {
        hung->mask = 0xff & ~CASTERS;
        scene->constants.shadow_mask = CASTERS;
    }
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_cull_mask;

const struct ws_fault ws_fault_cull_mask = {
    .name = "cull_mask",
    .summary = "shadow rays meet lights that throw no shadow, and an any-hit shader ignores each of them",
    .change = "the lights' instance lacks a mask bit, which is the cull mask of shadow rays",
    .build = build,
};
