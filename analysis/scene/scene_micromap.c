/* Which triangles have an opacity micromap, by the indices that the build was given (struct ws_build_micromap). */
#include <string.h>

#include "analysis/scene/scene.h"
#include "analysis/scene/scene_state.h"
#include "analysis/scene/scene_vertex.h"
#include "warpscope/capture/budget.h"

/* VkIndexType. */
#define INDEX_UINT16 0u
#define INDEX_UINT32 1u
#define INDEX_UINT8  1000265000u
#define INDEX_NONE   1000165000u

/* Bytes per index; 0 where there are none, or the type is not known. */
static uint32_t index_size(uint32_t type)
{
    return type == INDEX_UINT16 ? 2 : type == INDEX_UINT32 ? 4 : type == INDEX_UINT8 ? 1 : 0;
}

/* What an index of `size` bytes says: -1 to -4, cut to them, are the first four states in their order. */
static enum ws_micromap_state state_of(uint32_t index, uint32_t size)
{
    const uint32_t last = UINT32_MAX >> (32 - 8 * size);
    return last - index < WS_MICROMAP_MAPPED ? (enum ws_micromap_state)(last - index) : WS_MICROMAP_MAPPED;
}

static bool read_index(const struct ws_scene_geometry *geometry, const struct ws_scene_view *view,
                       uint32_t primitive, uint32_t *index)
{
    const uint64_t stride = geometry->micromap.stride;
    const uint32_t size = index_size(geometry->micromap.index_type);
    if (size == 0 || view->micromaps == NULL || view->micromaps_size < size ||
        (stride > 0 && primitive > (view->micromaps_size - size) / stride))
        return false;
    *index = (uint32_t)ws_load(view->micromaps + primitive * stride, size);
    return true;
}

static enum ws_micromap_state state_at(const struct ws_scene_geometry *geometry,
                                       const struct ws_scene_view *view, uint32_t primitive, uint32_t *index)
{
    *index = primitive;
    if (geometry->micromap.index_type == INDEX_NONE)
        return WS_MICROMAP_MAPPED;
    if (!read_index(geometry, view, primitive, index))
        return WS_MICROMAP_NOT_KNOWN;
    return state_of(*index, index_size(geometry->micromap.index_type));
}

static bool has_micromaps(const struct ws_scene_geometry *geometry)
{
    return geometry->info.type == WS_GEOMETRY_TRIANGLES &&
           (geometry->info.capture_flags & WS_GEOMETRY_MICROMAP) != 0;
}

const char *ws_micromap_state_name(enum ws_micromap_state state)
{
    static const char *const names[] = {
        [WS_MICROMAP_TRANSPARENT] = "transparent",
        [WS_MICROMAP_OPAQUE] = "opaque",
        [WS_MICROMAP_UNKNOWN_TRANSPARENT] = "unknown_transparent",
        [WS_MICROMAP_UNKNOWN_OPAQUE] = "unknown_opaque",
        [WS_MICROMAP_MAPPED] = "mapped",
        [WS_MICROMAP_NOT_KNOWN] = "not_captured",
    };
    return names[state];
}

bool ws_scene_micromap(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint32_t primitive,
                       enum ws_micromap_state *state, uint32_t *number)
{
    if (build >= scene->build_count || geometry >= scene->builds[build].geometry_count)
        return false;
    const struct ws_scene_geometry *found = &scene->builds[build].geometries[geometry];
    if (!has_micromaps(found) || primitive >= found->info.primitive_count)
        return false;
    *state = state_at(found, &scene->state->build_states[build].views[geometry], primitive, number);
    *number += found->micromap.base;
    return true;
}

/* The triangles that have an index of their own; the others are all alike. */
static uint32_t count_indices(const struct ws_scene_geometry *geometry, const struct ws_scene_view *view)
{
    const uint64_t stride = geometry->micromap.stride;
    const uint32_t size = index_size(geometry->micromap.index_type);
    if (size == 0 || stride == 0 || view->micromaps == NULL || view->micromaps_size < size)
        return 0;
    const uint64_t count = (view->micromaps_size - size) / stride + 1;
    return count < geometry->info.primitive_count ? (uint32_t)count : geometry->info.primitive_count;
}

bool ws_scene_count_micromaps(struct ws_scene *scene, uint32_t build)
{
    const struct ws_scene_build_state *state = &scene->state->build_states[build];
    for (uint32_t i = 0; i < scene->state->builds[build].geometry_count; ++i) {
        struct ws_scene_geometry *geometry = &state->geometries[i];
        const struct ws_scene_view *view = &state->views[i];
        uint32_t index = 0;
        if (!has_micromaps(geometry))
            continue;
        const uint32_t count = count_indices(geometry, view);
        if (!ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count))
            return false;
        for (uint32_t j = 0; j < count; ++j)
            geometry->micromap_states[state_at(geometry, view, j, &index)]++;
        if (count < geometry->info.primitive_count)
            geometry->micromap_states[state_at(geometry, view, count, &index)] +=
                geometry->info.primitive_count - count;
    }
    return true;
}

void ws_scene_copy_micromaps(struct ws_scene *scene, uint32_t from, uint32_t to)
{
    const struct ws_scene_build_state *states = scene->state->build_states;
    const struct ws_scene_build *builds = scene->state->builds;
    /* Contents are told apart by a hash, so that a capture can be made in which they differ. */
    for (uint32_t i = 0; i < builds[from].geometry_count && i < builds[to].geometry_count; ++i)
        memcpy(states[to].geometries[i].micromap_states, states[from].geometries[i].micromap_states,
               sizeof(states[to].geometries[i].micromap_states));
}
