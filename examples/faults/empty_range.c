/* Shadow rays to a large round lamp end at its surface: those that start inside of it or beside it have an
 * empty range, and are traced all the same. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float low[3] = {-0.9f, 0, -0.6f};
    const float high[3] = {-0.5f, 0.6f, -0.1f};
    const float lamp[4] = {0.2f, 0.45f, 0.2f, 0.9f};

    ws_fault_add_ground(scene);
    const uint32_t objects = ws_fault_add_object(scene, KIND_DIFFUSE, 0.5f, 0.6f, 0.8f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_place_object(scene, objects);
    for (int i = 0; i < 4; i++)
        scene->view.light[i] = lamp[i];
    scene->constants.check_range = repaired;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_empty_range;

const struct ws_fault ws_fault_empty_range = {
    .name = "empty_range",
    .summary = "shadow rays from within a round lamp have tmax = tmin and can hit nothing",
    .change = "such rays are not traced",
    .build = build,
};
