/* Colours of what first rays hit, from captured geometry (picture.h). */
#include "analysis/viewer/scene/picture.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/scene/scene_transform.h"

#define TINTS   8
#define AMBIENT 0.25 /* light on what is turned away by a right angle */

/* Where a call site traced. */
struct places {
    const struct ws_picture_source *source;
    uint32_t builds[WS_LAUNCH_CALLS_MOST]; /* of the top-level structure, by call; WS_NONE = not known */
};

static void find_places(struct places *places, const struct ws_picture_source *source)
{
    const struct ws_launch_pixels *pixels = source->pixels;
    places->source = source;
    for (uint32_t i = 0; i < pixels->call_count; ++i) {
        struct ws_scene_match match;
        places->builds[i] = WS_NONE;
        if (source->view->tops.matcher != NULL &&
            ws_scene_matcher_find(source->view->tops.matcher, &pixels->calls[i], &match) &&
            match.structure != WS_NONE)
            places->builds[i] = match.build;
    }
}

static bool normalize(double vector[3])
{
    const double length = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    if (!(length > 0) || !isfinite(length))
        return false;
    for (int i = 0; i < 3; ++i)
        vector[i] /= length;
    return true;
}

static bool normal_of_triangle(const float corners[3][3], const float transform[12], double normal[3])
{
    float world[3][3];
    double edges[2][3];
    for (int i = 0; i < 3; ++i)
        ws_transform_point(transform, corners[i], world[i]);
    for (int i = 0; i < 6; ++i)
        edges[i / 3][i % 3] = (double)world[1 + i / 3][i % 3] - (double)world[0][i % 3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = edges[0][j] * edges[1][k] - edges[0][k] * edges[1][j];
    }
    return normalize(normal);
}

/* Of the side of the box that the point is nearest to, in parts of the box's size. What is in a box only the application
 * knows. */
static bool normal_of_box(const float box[6], const float transform[12], const float point[3],
                          double normal[3])
{
    float inverse[12], local[3];
    int nearest = 0;
    double least = INFINITY;
    if (!ws_transform_invert(transform, inverse))
        return false;
    ws_transform_point(inverse, point, local);
    for (int i = 0; i < 6; ++i) {
        const double size = (double)box[3 + i % 3] - (double)box[i % 3];
        const double away = fabs((double)local[i % 3] - (double)box[i]) / (size > 0 ? size : 1);
        if (away < least) {
            least = away;
            nearest = i % 3;
        }
    }
    /* A plane's normal is moved by the transposed inverse. */
    for (int i = 0; i < 3; ++i)
        normal[i] = (double)inverse[4 * nearest + i];
    return normalize(normal);
}

/* The normal of what a pixel's first ray hit, towards its origin. False where it is not known. */
static bool find_normal(const struct places *places, const struct ws_launch_pixel *pixel, double normal[3])
{
    const struct ws_scene *scene = places->source->view->scene;
    const uint32_t build = pixel->call > 0 ? places->builds[pixel->call - 1] : WS_NONE;
    struct ws_scene_instance instance;
    float corners[3][3], box[6];
    if (build == WS_NONE || !ws_scene_instance(scene, build, pixel->instance, &instance) ||
        instance.build == WS_NONE)
        return false;
    const bool found = ws_scene_triangle(scene, instance.build, pixel->geometry, pixel->primitive, corners)
                           ? normal_of_triangle((const float(*)[3])corners, instance.transform, normal)
                           : ws_scene_aabb(scene, instance.build, pixel->geometry, pixel->primitive, box) &&
                                 normal_of_box(box, instance.transform, pixel->point, normal);
    double along = 0;
    for (int i = 0; i < 3; ++i)
        along += normal[i] * (double)pixel->direction[i];
    for (int i = 0; i < 3 && found && along > 0; ++i)
        normal[i] = -normal[i];
    return found;
}

bool ws_picture_can_shade(const struct ws_picture_source *source)
{
    return source->pixels != NULL && source->pixels->call_count > 0 && source->view->scene->build_count > 0;
}

static uint8_t byte_of(double value)
{
    return value <= 0 ? 0 : value >= 1 ? 255 : (uint8_t)(value * 255 + 0.5);
}

/* Calls `paint` for each pixel whose first ray hit something; `normal` NULL = it is not known. */
static bool paint_all(const struct ws_picture_source *source, uint8_t *rgba, struct ws_error *error,
                      void (*paint)(const struct ws_launch_pixel *pixel, const double *normal, uint8_t *rgba))
{
    struct places *places = malloc(sizeof(*places));
    const uint64_t pixels = ws_work_grid_pixels(&source->grid);
    if (places == NULL)
        return ws_error_set(error, "no memory for a picture");
    find_places(places, source);
    for (uint64_t i = 0; i < pixels; ++i) {
        const struct ws_launch_pixel *pixel = ws_picture_rays(source, i);
        double normal[3] = {0, 0, 0};
        if (pixel == NULL || pixel->rays == 0 || pixel->call == 0)
            continue;
        paint(pixel, find_normal(places, pixel, normal) ? normal : NULL, rgba + 4 * i);
    }
    free(places);
    return true;
}

static void paint_shade(const struct ws_launch_pixel *pixel, const double *normal, uint8_t *rgba)
{
    static const double tints[TINTS][3] = {{0.80, 0.80, 0.78}, {0.62, 0.74, 0.86}, {0.86, 0.73, 0.60},
                                           {0.67, 0.81, 0.66}, {0.83, 0.68, 0.77}, {0.84, 0.81, 0.58},
                                           {0.62, 0.80, 0.80}, {0.73, 0.70, 0.86}};
    const double *tint = tints[(pixel->instance + pixel->geometry) % TINTS];
    double direction[3], light = 1;
    for (int i = 0; i < 3; ++i)
        direction[i] = (double)pixel->direction[i];
    if (normal != NULL && normalize(direction)) {
        const double along = direction[0] * normal[0] + direction[1] * normal[1] + direction[2] * normal[2];
        light = AMBIENT + (1 - AMBIENT) * fabs(along);
    }
    for (int i = 0; i < 3; ++i)
        rgba[i] = byte_of(tint[i] * light);
    rgba[3] = 255;
}

static void paint_normal(const struct ws_launch_pixel *pixel, const double *normal, uint8_t *rgba)
{
    (void)pixel;
    if (normal == NULL)
        return;
    for (int i = 0; i < 3; ++i)
        rgba[i] = byte_of((normal[i] + 1) / 2);
    rgba[3] = 255;
}

bool ws_picture_shade(const struct ws_picture_source *source, uint8_t *rgba, struct ws_error *error)
{
    return paint_all(source, rgba, error, paint_shade);
}

bool ws_picture_normals(const struct ws_picture_source *source, uint8_t *rgba, struct ws_error *error)
{
    return paint_all(source, rgba, error, paint_normal);
}
