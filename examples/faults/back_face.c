/* A room without a front, and a crate, of a glossy paint: some of the directions that its lobe gives lie
 * below the surface. Such paths bring no light, but are followed: through the walls and into the crate. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_PATH_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float low[3] = {-0.5f, 0, -0.6f};
    const float high[3] = {0.1f, 0.8f, 0};
    const float eye[3] = {0, 1.06f, 4.4f};
    const float target[3] = {0, 0.95f, 0};
    static const struct {
        float corner[3], u[3], v[3];
    } walls[] = {
        {{-1, 0, 1}, {2, 0, 0}, {0, 0, -2}}, {{-1, 2, -1}, {2, 0, 0}, {0, 0, 2}},
        {{-1, 0, -1}, {2, 0, 0}, {0, 2, 0}}, {{-1, 0, 1}, {0, 0, -2}, {0, 2, 0}},
        {{1, 0, -1}, {0, 0, 2}, {0, 2, 0}},
    };

    ws_fault_look(scene, eye, target, 0.36f);
    ws_fault_place_object(scene, ws_fault_add_object(scene, KIND_GLOSSY, 0.75f, 0.7f, 0.65f));
    for (size_t i = 0; i < sizeof(walls) / sizeof(walls[0]); i++)
        ws_fault_add_quad(scene, walls[i].corner, walls[i].u, walls[i].v);
    ws_fault_add_lamp(scene);
    const uint32_t crate = ws_fault_add_object(scene, KIND_GLOSSY, 0.8f, 0.6f, 0.4f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_place_object(scene, crate);
    scene->constants.stop_below = repaired;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_back_face;

const struct ws_fault ws_fault_back_face = {
    .name = "back_face",
    .summary = "bounce rays leave from the back faces of walls and crate",
    .change = "paths end where their direction lies below the surface",
    .build = build,
};
