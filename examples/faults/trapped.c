/* Blades of dark mirror that face each other: light that comes between them hardly comes out again. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_PATH_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float eye[3] = {1.6f, 1.3f, 3.2f};
    const float target[3] = {0, 0.4f, 0};
    const float ball[3] = {1, 0.25f, 0.6f};

    ws_fault_look(scene, eye, target, 0.36f);
    ws_fault_add_ground(scene);
    const uint32_t mirrors = ws_fault_add_object(scene, KIND_MIRROR, 0.45f, 0.45f, 0.5f);
    for (int i = 0; i < 10; i++) {
        const float x = 0.1f * (float)i - 0.5f;
        const float low[3] = {x, 0, -0.8f};
        const float high[3] = {x + 0.02f, 0.8f, 0.8f};
        ws_fault_add_box(scene, low, high, false);
    }
    ws_fault_place_object(scene, mirrors);
    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.4f, 0.2f));
    ws_fault_add_ball(scene, ball, 0.25f);
    scene->constants.bounces = repaired ? 10 : 22;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_trapped;

const struct ws_fault ws_fault_trapped = {
    .name = "trapped",
    .summary = "rays are trapped between dark mirrors and go on long after they can change the picture",
    .change = "paths have eleven rays in place of twenty-three: beyond, less than a thousandth of their "
              "light is left",
    .build = build,
};
