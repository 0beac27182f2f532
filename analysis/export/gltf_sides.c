#include "analysis/export/gltf_sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"

static uint64_t key_of(uint32_t content, uint32_t geometry)
{
    return (uint64_t)content << 32 | geometry;
}

/* Adds to the hits of a geometry. False = no memory. */
static bool count(struct ws_gltf_sides *sides, uint64_t key, bool front)
{
    uint32_t index = sides->count;
    if (!ws_id_map_get(&sides->of, key, &index)) {
        struct ws_gltf_side_hits *hits =
            ws_array_grow(sides->hits, &sides->capacity, sides->count + 1, sizeof(*hits));
        if (hits == NULL)
            return false;
        sides->hits = hits;
        hits[index] = (struct ws_gltf_side_hits){0, 0};
        if (!ws_id_map_put(&sides->of, key, index))
            return false;
        sides->count++;
    }
    sides->hits[index].front += front;
    sides->hits[index].back += !front;
    sides->total++;
    return true;
}

bool ws_gltf_sides_add(struct ws_gltf_sides *sides, const struct ws_scene *scene, uint32_t top_build,
                       const struct ws_gltf_ray *ray)
{
    struct ws_scene_instance instance;
    float inverse[12], direction[3], corners[3][3];
    double edges[2][3];
    if (!ray->has_hit || !ws_scene_instance(scene, top_build, ray->hit.instance, &instance) ||
        instance.build == WS_NONE || !ws_transform_invert(instance.transform, inverse) ||
        !ws_scene_triangle(scene, instance.build, ray->hit.geometry, ray->hit.primitive, corners))
        return true;
    ws_transform_vector(inverse, ray->direction, direction);
    for (int i = 0; i < 6; ++i)
        edges[i / 3][i % 3] = (double)corners[1 + i / 3][i % 3] - (double)corners[0][i % 3];
    double along = 0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        along += (double)direction[i] * (edges[0][j] * edges[1][k] - edges[0][k] * edges[1][j]);
    }
    if (along == 0 || !isfinite(along))
        return true;
    return count(sides, key_of(scene->builds[instance.build].content, ray->hit.geometry), along < 0);
}

void ws_gltf_sides_finish(struct ws_gltf_sides *sides)
{
    ws_id_map_finish(&sides->of);
    free(sides->hits);
    memset(sides, 0, sizeof(*sides));
}

enum ws_gltf_side ws_gltf_side_of(const struct ws_gltf_sides *sides, uint32_t content, uint32_t geometry)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&sides->of, key_of(content, geometry), &index))
        return WS_SIDE_NONE;
    const struct ws_gltf_side_hits *hits = &sides->hits[index];
    const uint64_t all = hits->front + hits->back;
    return hits->back <= all / 20 ? WS_SIDE_FRONT : hits->front <= all / 20 ? WS_SIDE_BACK : WS_SIDE_BOTH;
}
