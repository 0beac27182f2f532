#include "analysis/advice/ray_source.h"

#include <math.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"

#define SAME_PLANE 1e-4 /* 1 - cosine of the normals */
#define TINY       1e-3 /* of the scene's diagonal */
#define OFF        1e-5 /* of it, from the plane */

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
                        const struct ws_ray_thread *thread, const struct ws_ray *ray, uint32_t start,
                        struct ws_ray_source *source)
{
    const double size = start != WS_NONE ? ws_advice_scene_size(launch, ray) : 0;
    if (size <= 0)
        return false;
    const struct ws_ray *before = &thread->rays[start];
    *source = (struct ws_ray_source){.ray = start, .hit = before->hit, .size = size};
    ws_ray_point(before, before->hit.t, source->place);
    if (!ws_target_find(input, launch, before, &before->hit, &source->target))
        return false;
    set_triangle(input, before, source);
    return true;
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

bool ws_ray_source_is_self_hit(const struct ws_advice_input *input, const struct ws_ray_source *source,
                               const struct ws_ray *ray)
{
    double off = 0;
    if (!source->triangle || ray->end != WS_RAY_HIT || !ray->has_hit)
        return false;
    for (int i = 0; i < 3; ++i)
        off += ((double)ray->origin[i] - source->place[i]) * source->normal[i];
    return (double)ray->hit.t * ws_vector_length(ray->direction) <= TINY * source->size &&
           fabs(off) <= OFF * source->size &&
           ws_ray_source_is_same(input, source, ray->hit.instance, ray->hit.geometry, ray->hit.primitive);
}
