/* Six statues of one shape, each with vertices, indices and a bottom-level structure of its own. */
#include "examples/faults/fault.h"

#define STATUES 6

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_LIT_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float place[3] = {0, 0.5f, 0};
    uint32_t first = 0;

    ws_fault_add_ground(scene);
    for (uint32_t i = 0; i < STATUES; i++) {
        const float shade = (float)i / STATUES;
        const uint32_t object =
            ws_fault_add_object(scene, KIND_DIFFUSE, 0.9f - 0.6f * shade, 0.6f, 0.3f + 0.6f * shade);
        if (i == 0 || !repaired) {
            ws_fault_add_ball(scene, place, 0.5f);
            first = ws_fault_add_bottom(scene, object, 1);
        } else { /* looks like the first, but for its colour */
            scene->objects[object].first_index = scene->objects[scene->bottoms[first].first].first_index;
            scene->objects[object].first_vertex = scene->objects[scene->bottoms[first].first].first_vertex;
        }
        struct ws_fault_instance *statue = ws_fault_add_instance(scene, first);
        statue->object = object;
        statue->angle = 0.3f * (float)i;
        statue->position[0] = 0.8f * (float)(i % 3) - 0.8f;
        statue->position[2] = 0.9f * (float)(i / 3) - 0.9f;
        statue->scale[0] = statue->scale[1] = statue->scale[2] = 0.6f;
    }
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_duplicate_geometry;

const struct ws_fault ws_fault_duplicate_geometry = {
    .name = "duplicate_geometry",
    .summary = "six statues of one shape have six bottom-level structures with the same triangles",
    .change = "they are six instances of one",
    .build = build,
};
