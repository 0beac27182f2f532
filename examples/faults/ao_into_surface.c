/* Ambient occlusion whose normals are turned to the camera, but by the direction in which it looks: towards
 * the edges of a wide picture, that turns some into the surface, and what is free looks dark. */
#include "examples/faults/fault.h"

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_OCCLUSION_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {WS_FAULT_CLEAR_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float eye[3] = {0, 0.6f, 1.6f};
    const float target[3] = {0, 0.45f, 0};
    const float ball[3] = {0.95f, 0.5f, 0};
    const float low[3] = {-1.4f, 0, -0.9f};
    const float high[3] = {-0.8f, 1, 0.5f};

    ws_fault_look(scene, eye, target, 0.95f);
    ws_fault_add_ground(scene);
    const uint32_t objects = ws_fault_add_object(scene, KIND_DIFFUSE, 0.8f, 0.75f, 0.7f);
    ws_fault_add_ball(scene, ball, 0.5f);
    ws_fault_add_box(scene, low, high, false);
    ws_fault_place_object(scene, objects);
    scene->constants.samples = 4;
    scene->constants.face_forward = !repaired;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_ao_into_surface;

const struct ws_fault ws_fault_ao_into_surface = {
    .name = "ao_into_surface",
    .summary = "occlusion rays are directed into the surface that they start on",
    .change = "they leave around the surface normal, not the face-forward one",
    .build = build,
};
