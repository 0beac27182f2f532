/* Which triangles have an opacity micromap, by the indices that the build was given (struct ws_build_micromap), and what those
 * hold (struct ws_micromap_content). */
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
    return last - index < WS_MICROMAP_VALUES ? (enum ws_micromap_state)(last - index) : WS_MICROMAP_MAPPED;
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

/* ---- what is in a micromap ---- */

/* VkOpacityMicromapFormatEXT. */
#define FORMAT_TWO_STATES  1u
#define FORMAT_FOUR_STATES 2u

/* VkMicromapTriangleEXT. */
#define TRIANGLE_SIZE   8u
#define TRIANGLE_LEVEL  4u
#define TRIANGLE_FORMAT 6u
#define LEVEL_MAX       12u /* a device may allow less */

/* How many parts of one triangle are what. */
struct parts {
    uint64_t counts[WS_MICROMAP_VALUES];
};

/* Adds the values of a byte: 8 of one bit, or 4 of two, of which the first `count` count. */
static void add_byte(struct parts *parts, uint32_t byte, uint32_t bits, uint64_t count)
{
    for (uint32_t i = 0; i < 8 / bits && i < count; ++i)
        parts->counts[byte >> i * bits & ((1u << bits) - 1)]++;
}

/* Counts the parts of a micromap. False where they are not all in the capture, or too many to look at. */
static bool count_parts(const struct ws_scene_geometry *geometry, const struct ws_scene_view *view,
                        uint32_t number, struct parts *parts)
{
    const uint64_t stride = geometry->content.stride;
    const uint64_t size = view->opacity_triangles_size;
    *parts = (struct parts){{0}};
    if (view->opacities == NULL || view->opacity_triangles == NULL ||
        number >= geometry->content.triangle_count || size < TRIANGLE_SIZE || stride < TRIANGLE_SIZE ||
        number > (size - TRIANGLE_SIZE) / stride)
        return false;
    const uint8_t *triangle = view->opacity_triangles + number * stride;
    const uint64_t offset = ws_load(triangle, 4);
    const uint32_t level = (uint32_t)ws_load(triangle + TRIANGLE_LEVEL, 2);
    const uint32_t format = (uint32_t)ws_load(triangle + TRIANGLE_FORMAT, 2);
    if (level > LEVEL_MAX || (format != FORMAT_TWO_STATES && format != FORMAT_FOUR_STATES))
        return false;
    const uint64_t count = (uint64_t)1 << 2 * level;
    const uint64_t bytes = (count * format + 7) / 8; /* a format has as many bits */
    if (offset > view->opacities_size || bytes > view->opacities_size - offset || !ws_budget_spend(bytes))
        return false;
    for (uint64_t i = 0; i < bytes; ++i)
        add_byte(parts, view->opacities[offset + i], format, count - i * (8 / format));
    return true;
}

/* What a triangle is whose parts are these. */
static enum ws_micromap_state state_of_parts(const struct parts *parts)
{
    enum ws_micromap_state state = WS_MICROMAP_STATES;
    for (uint32_t i = 0; i < WS_MICROMAP_VALUES; ++i)
        if (parts->counts[i] > 0)
            state = state == WS_MICROMAP_STATES ? (enum ws_micromap_state)i : WS_MICROMAP_MIXED;
    return state;
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
        [WS_MICROMAP_MIXED] = "mixed",
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
    const struct ws_scene_view *view = &scene->state->build_states[build].views[geometry];
    struct parts parts;
    *state = state_at(found, view, primitive, number);
    *number += found->micromap.base;
    if (*state == WS_MICROMAP_MAPPED && count_parts(found, view, *number, &parts))
        *state = state_of_parts(&parts);
    return true;
}

/* The triangles that have an index, or without indices a micromap, of their own; the others are all alike. */
static uint32_t count_indices(const struct ws_scene_geometry *geometry, const struct ws_scene_view *view)
{
    const uint64_t stride = geometry->micromap.stride;
    const uint32_t size = index_size(geometry->micromap.index_type);
    const uint64_t whole = view->opacity_triangles_size / TRIANGLE_SIZE;
    if (geometry->micromap.index_type == INDEX_NONE)
        return whole < geometry->info.primitive_count ? (uint32_t)whole : geometry->info.primitive_count;
    if (size == 0 || stride == 0 || view->micromaps == NULL || view->micromaps_size < size)
        return 0;
    const uint64_t count = (view->micromaps_size - size) / stride + 1;
    return count < geometry->info.primitive_count ? (uint32_t)count : geometry->info.primitive_count;
}

/* Adds `times` triangles that are like this one. */
static void count_triangle(struct ws_scene_geometry *geometry, const struct ws_scene_view *view,
                           uint32_t primitive, uint64_t times)
{
    struct ws_micromap_counts *counts = &geometry->micromap_counts;
    struct parts parts = {{0}};
    uint32_t index = 0;
    enum ws_micromap_state state = state_at(geometry, view, primitive, &index);
    if (state < WS_MICROMAP_VALUES) {
        parts.counts[state] = 1;
    } else if (state == WS_MICROMAP_MAPPED &&
               count_parts(geometry, view, index + geometry->micromap.base, &parts)) {
        state = state_of_parts(&parts);
        for (uint32_t i = 0; i < WS_MICROMAP_VALUES; ++i)
            counts->parts[i] += times * parts.counts[i];
    }
    counts->states[state] += times;
    for (uint32_t i = 0; i < WS_MICROMAP_VALUES; ++i)
        counts->with[i] += parts.counts[i] > 0 ? times : 0;
    if (parts.counts[WS_MICROMAP_UNKNOWN_TRANSPARENT] + parts.counts[WS_MICROMAP_UNKNOWN_OPAQUE] > 0)
        counts->asking += times;
}

bool ws_scene_count_micromaps(struct ws_scene *scene, uint32_t build)
{
    const struct ws_scene_build_state *state = &scene->state->build_states[build];
    for (uint32_t i = 0; i < scene->state->builds[build].geometry_count; ++i) {
        struct ws_scene_geometry *geometry = &state->geometries[i];
        const struct ws_scene_view *view = &state->views[i];
        if (!has_micromaps(geometry))
            continue;
        const uint32_t count = count_indices(geometry, view);
        if (!ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count))
            return false;
        for (uint32_t j = 0; j < count; ++j)
            count_triangle(geometry, view, j, 1);
        if (count < geometry->info.primitive_count)
            count_triangle(geometry, view, count, geometry->info.primitive_count - count);
    }
    return true;
}

void ws_scene_copy_micromaps(struct ws_scene *scene, uint32_t from, uint32_t to)
{
    const struct ws_scene_build_state *states = scene->state->build_states;
    const struct ws_scene_build *builds = scene->state->builds;
    /* Contents are told apart by a hash, so that a capture can be made in which they differ. */
    for (uint32_t i = 0; i < builds[from].geometry_count && i < builds[to].geometry_count; ++i)
        states[to].geometries[i].micromap_counts = states[from].geometries[i].micromap_counts;
}
