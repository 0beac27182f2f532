#include "analysis/scene/geometry.h"

#include <stdlib.h>
#include <string.h>

#include "passes/base/id_map.h"
#include "warpscope/reader.h"

static bool no_memory(struct ws_error *error)
{
    return ws_error_set(error, "no memory for the geometry of the capture");
}

bool ws_geometry_record(struct ws_geometry_counts *geometry, const struct ws_chunk *chunk,
                        struct ws_error *error)
{
    if (geometry->scene == NULL)
        geometry->scene = ws_scene_begin();
    if (geometry->scene == NULL)
        return no_memory(error);
    return ws_scene_record(geometry->scene, chunk, error);
}

/* Instances of every structure in one that is live. */
static void count_instances(struct ws_geometry_counts *geometry, uint32_t top)
{
    const struct ws_scene *scene = geometry->scene;
    const uint32_t build = ws_scene_build_at(scene, top, geometry->scene->last);
    const uint32_t count = ws_scene_instance_count(scene, build);
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_scene_instance instance;
        if (ws_scene_instance(scene, build, i, &instance) && instance.structure != WS_NONE)
            geometry->structures[instance.structure].instances++;
    }
}

/* The group of equal structures that a live one belongs to, new where it is the first. */
static bool add_to_equals(struct ws_geometry_counts *geometry, struct ws_id_map *groups, uint32_t structure)
{
    const struct ws_scene *scene = geometry->scene;
    const struct ws_scene_build *build =
        &scene->builds[ws_scene_build_at(scene, structure, geometry->scene->last)];
    const uint64_t key = (uint64_t)scene->structures[structure].device << 32 | build->content;
    uint32_t index = 0;
    if (build->top || build->primitives == 0)
        return true;
    if (!ws_id_map_get(groups, key, &index)) {
        index = geometry->equal_count++;
        geometry->equals[index] =
            (struct ws_geometry_equal){.first = structure, .primitives = build->primitives};
        if (!ws_id_map_put(groups, key, index))
            return false;
    }
    struct ws_geometry_equal *equal = &geometry->equals[index];
    const uint64_t size = scene->structures[structure].size;
    equal->count++;
    equal->bytes += size;
    equal->largest = size > equal->largest ? size : equal->largest;
    return true;
}

static int compare_equals(const void *left, const void *right)
{
    const struct ws_geometry_equal *a = left, *b = right;
    if (a->spare_bytes != b->spare_bytes)
        return a->spare_bytes > b->spare_bytes ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* What each group could spare; groups of one are none. */
static void close_equals(struct ws_geometry_counts *geometry)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < geometry->equal_count; ++i) {
        struct ws_geometry_equal *equal = &geometry->equals[i];
        equal->spare_bytes = equal->bytes - equal->largest;
        equal->spare_primitives = (equal->count - 1) * equal->primitives;
        geometry->spare_bytes += equal->spare_bytes;
        geometry->spare_primitives += equal->spare_primitives;
        if (equal->count > 1)
            geometry->equals[kept++] = *equal;
    }
    geometry->equal_count = kept;
    if (kept > 0)
        qsort(geometry->equals, kept, sizeof(*geometry->equals), compare_equals);
}

static bool count_structures(struct ws_geometry_counts *geometry)
{
    const struct ws_scene *scene = geometry->scene;
    struct ws_id_map groups = {0};
    bool counted = true;
    for (uint32_t i = 0; i < scene->structure_count && counted; ++i) {
        const struct ws_scene_structure *structure = &scene->structures[i];
        const uint32_t build = ws_scene_build_at(scene, i, geometry->scene->last);
        geometry->builds += structure->builds;
        geometry->updates += structure->updates;
        geometry->copies += structure->copies;
        if (build == WS_NONE)
            continue;
        geometry->structures[i].live = true;
        geometry->live++;
        geometry->live_bytes += structure->size;
        if (scene->builds[build].top)
            count_instances(geometry, i);
        counted = add_to_equals(geometry, &groups, i);
    }
    ws_id_map_finish(&groups);
    return counted;
}

bool ws_geometry_end(struct ws_geometry_counts *geometry, struct ws_error *error)
{
    if (geometry->scene == NULL)
        geometry->scene = ws_scene_begin();
    if (geometry->scene == NULL)
        return no_memory(error);
    if (!ws_scene_end(geometry->scene, NULL, error))
        return false;
    const size_t count = (size_t)geometry->scene->structure_count + 1;
    geometry->structures = calloc(count, sizeof(*geometry->structures));
    geometry->equals = calloc(count, sizeof(*geometry->equals));
    if (geometry->structures == NULL || geometry->equals == NULL)
        return no_memory(error);
    if (!count_structures(geometry))
        return no_memory(error);
    close_equals(geometry);
    return true;
}

void ws_geometry_finish(struct ws_geometry_counts *geometry)
{
    ws_scene_destroy(geometry->scene);
    free(geometry->structures);
    free(geometry->equals);
    memset(geometry, 0, sizeof(*geometry));
}
