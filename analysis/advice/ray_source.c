#include "analysis/advice/ray_source.h"

#include <math.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"

#define NEAR       1e-3 /* of the scene's diagonal */
#define SAME       1e-6 /* of it, for rays from one place */
#define LOOK_BACK  64
#define SAME_PLANE 1e-4 /* 1 - cosine of the normals */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The normal of a triangle, by its corners' order, of length 1. */
static bool normal_of(const float corners[3][3], double normal[3])
{
    double edges[2][3];
    for (int i = 0; i < 3; ++i) {
        edges[0][i] = (double)corners[1][i] - corners[0][i];
        edges[1][i] = (double)corners[2][i] - corners[0][i];
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = edges[0][j] * edges[1][k] - edges[0][k] * edges[1][j];
    }
    const double length = sqrt(dot(normal, normal));
    for (int i = 0; i < 3 && length > 0; ++i)
        normal[i] /= length;
    return length > 0 && isfinite(length);
}

static void set_triangle(const struct ws_advice_input *input, const struct ws_ray *ray,
                         struct ws_ray_source *source)
{
    const struct ws_scene_geometry *geometry =
        ws_target_geometry(input, &source->target, source->hit.geometry);
    float corners[3][3];
    float world[3][3];
    source->triangle = geometry != NULL && geometry->info.type == WS_GEOMETRY_TRIANGLES &&
                       ws_scene_triangle(input->scene, source->target.instance.build, source->hit.geometry,
                                         source->hit.primitive, corners);
    for (int i = 0; i < 3 && source->triangle; ++i)
        ws_transform_point(source->target.instance.transform, corners[i], world[i]);
    source->triangle = source->triangle && normal_of((const float(*)[3])world, source->normal);
    if (!source->triangle)
        return;
    const double direction[3] = {(double)ray->direction[0], (double)ray->direction[1],
                                 (double)ray->direction[2]};
    const bool away = dot(direction, source->normal) > 0;
    for (int i = 0; i < 3 && away; ++i)
        source->normal[i] = -source->normal[i];
    source->back = source->hit.kind == WS_HIT_BACK;
}

bool ws_ray_source_find(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                        const struct ws_ray_thread *thread, uint32_t number, struct ws_ray_source *source)
{
    const struct ws_ray *ray = &thread->rays[number];
    const double size = ws_ray_scene_size(input, launch, ray);
    if (size <= 0 || !ws_are_finite(ray->origin, 3))
        return false;
    for (uint32_t i = 1; i <= number && i <= LOOK_BACK; ++i) {
        const struct ws_ray *before = &thread->rays[number - i];
        double square = 0;
        if (before->end != WS_RAY_HIT || !before->has_hit)
            continue;
        *source = (struct ws_ray_source){.ray = number - i, .hit = before->hit, .size = size};
        ws_ray_point(before, before->hit.t, source->place);
        for (int j = 0; j < 3; ++j)
            square += pow((double)source->place[j] - ray->origin[j], 2);
        const bool beside = memcmp(before->origin, ray->origin, sizeof(ray->origin)) == 0;
        const double near = (beside ? SAME : NEAR) * size;
        if (!(square <= near * near))
            continue;
        if (!ws_target_find(input, launch, before, &before->hit, &source->target))
            return false;
        set_triangle(input, before, source);
        return true;
    }
    return false;
}

double ws_ray_source_cosine(const struct ws_ray_source *source, const struct ws_ray *ray)
{
    const double direction[3] = {(double)ray->direction[0], (double)ray->direction[1],
                                 (double)ray->direction[2]};
    const double length = sqrt(dot(direction, direction));
    return source->triangle && length > 0 ? dot(direction, source->normal) / length : 1;
}

bool ws_ray_source_is_same(const struct ws_advice_input *input, const struct ws_ray_source *source,
                           uint32_t instance, uint32_t geometry, uint32_t primitive)
{
    float own[3][3];
    float other[3][3];
    double normals[2][3];
    uint32_t common = 0;
    if (instance != source->hit.instance || geometry != source->hit.geometry)
        return false;
    if (primitive == source->hit.primitive)
        return true;
    const uint32_t build = source->target.instance.build;
    if (!source->triangle || !ws_scene_triangle(input->scene, build, geometry, source->hit.primitive, own) ||
        !ws_scene_triangle(input->scene, build, geometry, primitive, other) ||
        !normal_of((const float(*)[3])own, normals[0]) || !normal_of((const float(*)[3])other, normals[1]))
        return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            common += memcmp(own[i], other[j], sizeof(own[i])) == 0;
    return common >= 2 && fabs(dot(normals[0], normals[1])) >= 1 - SAME_PLANE;
}
