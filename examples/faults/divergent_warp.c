/* A sky full of nothing but a few narrow tubes of mirror, one pixel wide each: in a warp of rays that miss,
 * one goes on from bounce to bounce. */
#include "examples/faults/fault.h"

/* A tube in so many pixels; and how long one is. */
#define EVERY_X 32
#define EVERY_Y 16
#define TUBE    8 /* times as long as wide */

static const struct ws_gpu_group groups[] = {
    {WS_FAULT_PATH_RGEN, NONE, NONE, NONE},
    {WS_FAULT_SKY_RMISS, NONE, NONE, NONE},
    {NONE, WS_FAULT_SURFACE_RCHIT, NONE, NONE},
};

/* The point of the ray through a place of the picture, in pixels, at `distance`. */
static void point_at(const struct ws_fault_scene *scene, float x, float y, float distance, float point[3])
{
    const struct ws_fault_view *view = &scene->view;
    const float across = 2 * x / (float)scene->width - 1;
    const float down = 2 * y / (float)scene->height - 1;

    for (int i = 0; i < 3; i++) {
        point[i] =
            view->eye[i] + distance * (view->forward[i] + across * view->right[i] - down * view->up[i]);
    }
}

/* The parallelogram of a corner and its neighbours. */
static void add_side(struct ws_fault_scene *scene, const float corner[3], const float a[3], const float b[3])
{
    float u[3], v[3];

    for (int i = 0; i < 3; i++) {
        u[i] = a[i] - corner[i];
        v[i] = b[i] - corner[i];
    }
    ws_fault_add_quad(scene, corner, u, v);
}

/* A tube whose walls lie along the rays through the edges of one pixel; a slanted
 * mirror at its end sends rays into the walls. */
static void add_tube(struct ws_fault_scene *scene, uint32_t x, uint32_t y)
{
    static const float corners[4][2] = {{0.05f, 0.05f}, {0.05f, 0.95f}, {0.95f, 0.95f}, {0.95f, 0.05f}};
    const float near = 3;
    const float width = 2 * near * 0.5f / (float)scene->height;
    const float far = near + TUBE * width;
    float front[4][3], back[4][3];

    for (int i = 0; i < 4; i++) {
        const float at_x = (float)x + corners[i][0];
        const float at_y = (float)y + corners[i][1];
        point_at(scene, at_x, at_y, near, front[i]);
        point_at(scene, at_x, at_y, i < 2 ? far : far + 0.6f * width, back[i]);
    }
    for (int i = 0; i < 4; i++) {
        const int j = (i + 1) % 4;
        add_side(scene, front[i], back[i], front[j]);
    }
    add_side(scene, back[0], back[3], back[1]);
}

static void build(struct ws_fault_scene *scene, bool repaired)
{
    const float eye[3] = {0, 1, 3};
    const float target[3] = {0, 2, 0};

    ws_fault_look(scene, eye, target, 0.5f);
    const uint32_t tubes = ws_fault_add_object(scene, KIND_MIRROR, 0.9f, 0.92f, 0.95f);
    for (uint32_t y = 4; y < scene->height; y += EVERY_Y)
        for (uint32_t x = 3; x < scene->width; x += EVERY_X)
            add_tube(scene, x, y);
    ws_fault_place_object(scene, tubes);
    scene->constants.bounces = repaired ? 2 : 15;
    ws_fault_use_groups(scene, groups, sizeof(groups) / sizeof(groups[0]));
}

extern const struct ws_fault ws_fault_divergent_warp;

const struct ws_fault ws_fault_divergent_warp = {
    .name = "divergent_warp",
    .summary = "in warps whose rays all miss, one thread follows a ray through a tube of mirror",
    .change = "paths end after two bounces",
    .build = build,
};
