/* Where the bytes of every geometry are, and what is wrong with them as a whole. */
#include <math.h>

#include "analysis/scene/scene_state.h"

#define INDEX_UINT16 0u /* VkIndexType */
#define INDEX_UINT32 1u
#define INDEX_NONE   1000165000u
#define INDEX_UINT8  1000265000u

#define AABB_SIZE      24u
#define INSTANCE_SIZE  64u
#define TRANSFORM_SIZE 48u

/* `structure 3 "mesh", geometry 1`. */
struct place {
    const struct ws_scene_state *state;
    uint32_t structure;
    uint32_t geometry;
    char text[WS_SCENE_NAME_SIZE + 32];
};

static const char *place_text(struct place *place)
{
    char name[WS_SCENE_NAME_SIZE];
    ws_scene_structure_text(place->state, place->structure, name);
    snprintf(place->text, sizeof(place->text), "%s, geometry %u", name, place->geometry);
    return place->text;
}

/* How many elements of `size` bytes stand in the blob, `stride` apart. With stride 0 all are the first. */
static uint32_t count_elements(size_t bytes, uint64_t stride, uint32_t size)
{
    if (bytes < size)
        return 0;
    const uint64_t count = stride > 0 ? (bytes - size) / stride + 1 : 1;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Bytes per index; 0 where there are none. */
static bool index_size(uint32_t type, uint32_t *size)
{
    switch (type) {
    case INDEX_UINT16: *size = 2; return true;
    case INDEX_UINT32: *size = 4; return true;
    case INDEX_UINT8: *size = 1; return true;
    case INDEX_NONE: *size = 0; return true;
    default: return false;
    }
}

static bool is_identity(const float transform[12])
{
    for (int i = 0; i < 12; ++i)
        if (transform[i] != (i % 5 == 0 ? 1.0f : 0.0f))
            return false;
    return true;
}

/* The transform of triangles: none is the identity. False where it is not known or not finite. */
static bool set_transform(struct ws_scene_state *state, struct ws_scene_geometry *geometry,
                          struct place *place)
{
    size_t size = 0;
    const uint8_t *bytes = ws_scene_blobs_get(&state->blobs, geometry->info.transform, &size);
    for (int i = 0; i < 12; ++i)
        geometry->transform[i] = i % 5 == 0 ? 1.0f : 0.0f;
    geometry->identity = true;
    if (geometry->info.transform == WS_NONE)
        return true;
    if (bytes != NULL && size >= TRANSFORM_SIZE)
        ws_load_transform(bytes, geometry->transform);
    else
        geometry->transform[0] = NAN;
    geometry->identity = is_identity(geometry->transform);
    if (ws_all_finite(geometry->transform, 12))
        return true;
    ws_scene_fault(state, WS_FAULT_TRANSFORM, 1,
                   "geometries whose transform is missing or not finite: first %s", place_text(place));
    return false;
}

static void set_triangles(struct ws_scene_state *state, struct ws_scene_geometry *geometry,
                          struct ws_scene_view *view, struct place *place)
{
    char name[32];
    const struct ws_build_geometry *info = &geometry->info;
    const bool transformed = set_transform(state, geometry, place);
    bool known = ws_vertex_format_find(info->vertex_format, &view->format);
    if (!known)
        ws_scene_fault(state, WS_FAULT_VERTEX_FORMAT, 1,
                       "geometries with a vertex format that is not known, %s: first %s",
                       ws_vertex_format_name(info->vertex_format, name, sizeof(name)), place_text(place));
    if (!index_size(info->index_type, &view->index_size)) {
        ws_scene_fault(state, WS_FAULT_INDEX_TYPE, 1,
                       "geometries with an index type that is not known, %u: first %s", info->index_type,
                       place_text(place));
        known = false;
    }
    view->drawable = known && transformed;
    view->understood = known;
    if (!known)
        return;
    view->element_count = count_elements(view->data_size, info->stride, view->format.size);
    uint64_t primitives = view->element_count / 3;
    if (view->index_size > 0) {
        view->indices = ws_scene_blobs_get(&state->blobs, info->indices, &view->index_count);
        view->index_count /= view->index_size;
        primitives = view->index_count / 3;
    }
    geometry->vertex_count = view->element_count;
    view->primitives = primitives < info->primitive_count ? (uint32_t)primitives : info->primitive_count;
}

static void set_view(struct ws_scene_state *state, struct ws_scene_geometry *geometry,
                     struct ws_scene_view *view, struct place *place)
{
    const struct ws_build_geometry *info = &geometry->info;
    const bool aabbs = info->type == WS_GEOMETRY_AABBS;
    view->data = ws_scene_blobs_get(&state->blobs, info->data, &view->data_size);
    if (info->type == WS_GEOMETRY_TRIANGLES) {
        set_triangles(state, geometry, view, place);
    } else if (aabbs || info->type == WS_GEOMETRY_INSTANCES) {
        view->drawable = true;
        view->understood = true;
        view->element_count = count_elements(view->data_size, aabbs ? info->stride : INSTANCE_SIZE,
                                             aabbs ? AABB_SIZE : INSTANCE_SIZE);
        view->primitives =
            view->element_count < info->primitive_count ? view->element_count : info->primitive_count;
    } else {
        ws_scene_fault(state, WS_FAULT_GEOMETRY_TYPE, 1,
                       "geometries of a type that is not known, %u: first %s", info->type, place_text(place));
        return;
    }
    /* Blobs that are not in the capture are as if they had never been there. */
    if (view->data == NULL || (view->index_size > 0 && view->indices == NULL))
        geometry->info.capture_flags |= WS_GEOMETRY_UNKNOWN;
    const bool unknown = (info->capture_flags & WS_GEOMETRY_UNKNOWN) != 0;
    const uint64_t lost = info->primitive_count - view->primitives;
    if (info->primitive_count > 0 && unknown)
        ws_scene_fault(state, WS_FAULT_UNKNOWN_BYTES, lost > 0 ? lost : 1,
                       "primitives whose bytes are not known: first %s", place_text(place));
    else if (lost > 0 && view->understood)
        ws_scene_fault(state, WS_FAULT_CLIPPED, lost, "primitives beyond the end of their buffer: first %s",
                       place_text(place));
}

bool ws_scene_set_views(struct ws_scene *scene)
{
    struct ws_scene_state *state = scene->state;
    for (uint32_t i = 0; i < state->build_count; ++i) {
        const struct ws_scene_build *build = &state->builds[i];
        const struct ws_scene_build_state *build_state = &state->build_states[i];
        for (uint32_t j = 0; j < build->geometry_count; ++j) {
            struct place place = {.state = state, .structure = build->structure, .geometry = j};
            set_view(state, &build_state->geometries[j], &build_state->views[j], &place);
        }
    }
    return !state->failed;
}
