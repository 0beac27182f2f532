/* The primitives of builds: where the bytes of every geometry are, how a triangle, box or instance is read
 * from them, and what is wrong with each, looked at once. */
#include "analysis/scene/scene.h"

#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/scene/scene_state.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

#define INDEX_UINT16 0u /* VkIndexType */
#define INDEX_UINT32 1u
#define INDEX_NONE   1000165000u
#define INDEX_UINT8  1000265000u

#define AABB_SIZE      24u
#define INSTANCE_SIZE  64u
#define TRANSFORM_SIZE 48u
#define LOW_24         0xffffffu

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
    view->micromaps = ws_scene_blobs_get(&state->blobs, geometry->micromap.indices, &view->micromaps_size);
    view->opacities = ws_scene_blobs_get(&state->blobs, geometry->content.data, &view->opacities_size);
    view->opacity_triangles =
        ws_scene_blobs_get(&state->blobs, geometry->content.triangles, &view->opacity_triangles_size);
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

/* The view of a geometry of that type; NULL where there is none such. */
static const struct ws_scene_view *find_view(const struct ws_scene_state *state, uint32_t build,
                                             uint32_t geometry, uint32_t type)
{
    if (build >= state->build_count || geometry >= state->builds[build].geometry_count ||
        state->builds[build].geometries[geometry].info.type != type)
        return NULL;
    return &state->build_states[build].views[geometry];
}

/* The geometry of a top-level build that has its instances; NULL where it is none. */
static const struct ws_scene_view *find_instances(const struct ws_scene_state *state, uint32_t build,
                                                  const struct ws_build_geometry **info)
{
    if (build >= state->build_count || !state->builds[build].top)
        return NULL;
    const uint32_t geometry = state->build_states[build].instances;
    *info = &state->builds[build].geometries[geometry].info;
    return &state->build_states[build].views[geometry];
}

uint32_t ws_scene_raw_instance_count(const struct ws_scene_state *state, uint32_t build)
{
    const struct ws_build_geometry *info = NULL;
    const struct ws_scene_view *view = find_instances(state, build, &info);
    return view != NULL ? view->primitives : 0;
}

bool ws_scene_raw_instance(const struct ws_scene_state *state, uint32_t build, uint32_t index,
                           struct ws_scene_instance *instance, uint64_t *address)
{
    const struct ws_build_geometry *info = NULL;
    const struct ws_scene_view *view = find_instances(state, build, &info);
    if (view == NULL || index >= view->primitives)
        return false;
    const uint8_t *bytes = view->data + (size_t)index * INSTANCE_SIZE;
    const uint32_t words[2] = {(uint32_t)ws_load(bytes + 48, 4), (uint32_t)ws_load(bytes + 52, 4)};
    *instance = (struct ws_scene_instance){.custom_index = words[0] & LOW_24,
                                           .mask = words[0] >> 24,
                                           .sbt_offset = words[1] & LOW_24,
                                           .flags = words[1] >> 24,
                                           .structure = WS_NONE,
                                           .build = WS_NONE};
    ws_load_transform(bytes, instance->transform);
    *address = ws_load(bytes + 56, 8);
    if (index < info->reference_count && info->references[index] != WS_NONE)
        ws_id_map_get(&state->ids, info->references[index], &instance->structure);
    return true;
}

uint32_t ws_scene_instance_count(const struct ws_scene *scene, uint32_t build)
{
    return ws_scene_raw_instance_count(scene->state, build);
}

bool ws_scene_instance(const struct ws_scene *scene, uint32_t build, uint32_t index,
                       struct ws_scene_instance *instance)
{
    uint64_t address = 0;
    if (!ws_scene_raw_instance(scene->state, build, index, instance, &address))
        return false;
    if (instance->structure != WS_NONE)
        instance->build = ws_scene_build_before(scene->state, instance->structure,
                                                scene->state->build_states[build].sequence);
    return true;
}

static bool triangle_indices(const struct ws_scene_view *view, uint32_t primitive, uint32_t indices[3])
{
    if (view == NULL || primitive >= view->primitives)
        return false;
    for (uint32_t i = 0; i < 3; ++i) {
        const size_t corner = 3 * (size_t)primitive + i;
        indices[i] = view->index_size > 0
                         ? (uint32_t)ws_load(view->indices + corner * view->index_size, view->index_size)
                         : (uint32_t)corner;
        if (indices[i] >= view->element_count)
            return false;
    }
    return true;
}

bool ws_scene_triangle_indices(const struct ws_scene *scene, uint32_t build, uint32_t geometry,
                               uint32_t primitive, uint32_t indices[3])
{
    return triangle_indices(find_view(scene->state, build, geometry, WS_GEOMETRY_TRIANGLES), primitive,
                            indices);
}

bool ws_scene_raw_triangle(const struct ws_scene_state *state, uint32_t build, uint32_t geometry,
                           uint32_t primitive, float vertices[3][3])
{
    uint32_t indices[3];
    const struct ws_scene_view *view = find_view(state, build, geometry, WS_GEOMETRY_TRIANGLES);
    if (!triangle_indices(view, primitive, indices))
        return false;
    const uint64_t stride = state->builds[build].geometries[geometry].info.stride;
    for (int i = 0; i < 3; ++i)
        ws_vertex_decode(&view->format, view->data + indices[i] * stride, vertices[i]);
    return true;
}

bool ws_scene_triangle(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint32_t primitive,
                       float vertices[3][3])
{
    float raw[3][3];
    if (!ws_scene_raw_triangle(scene->state, build, geometry, primitive, raw) ||
        !scene->state->build_states[build].views[geometry].drawable || !ws_all_finite(raw[0], 9))
        return false;
    const struct ws_scene_geometry *info = &scene->builds[build].geometries[geometry];
    for (int i = 0; i < 3; ++i)
        if (info->identity)
            memcpy(vertices[i], raw[i], sizeof(raw[i]));
        else
            ws_transform_point(info->transform, raw[i], vertices[i]);
    return ws_all_finite(vertices[0], 9);
}

bool ws_scene_aabb(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint32_t primitive,
                   float bounds[6])
{
    const struct ws_scene_view *view = find_view(scene->state, build, geometry, WS_GEOMETRY_AABBS);
    if (view == NULL || primitive >= view->primitives)
        return false;
    const uint64_t stride = scene->builds[build].geometries[geometry].info.stride;
    for (int i = 0; i < 6; ++i)
        bounds[i] = ws_load_float(view->data + primitive * stride + 4 * (size_t)i);
    return ws_all_finite(bounds, 6);
}

bool ws_scene_bounds(const struct ws_scene *scene, uint32_t build, float bounds[6])
{
    if (build >= scene->build_count)
        return false;
    const struct ws_scene_content *content = &scene->state->contents[scene->builds[build].content];
    if (content->bounded)
        memcpy(bounds, content->bounds, sizeof(content->bounds));
    return content->bounded;
}

struct check {
    struct ws_scene_state *state;
    const struct ws_scene_build *build;
    uint32_t index; /* of the build */
    const uint32_t *current;
    const bool *gone;
    float bounds[6];
    char name[WS_SCENE_NAME_SIZE]; /* of the structure */
};

static void add_fault(struct check *check, enum ws_scene_fault fault, const char *what, uint32_t geometry,
                      uint32_t primitive)
{
    ws_scene_fault(check->state, fault, 1, "%s: first %s, geometry %u, primitive %u", what, check->name,
                   geometry, primitive);
}

static void check_triangle(struct check *check, uint32_t geometry, uint32_t primitive)
{
    float vertices[3][3];
    if (!ws_scene_raw_triangle(check->state, check->index, geometry, primitive, vertices)) {
        add_fault(check, WS_FAULT_INDEX_RANGE,
                  "triangles with an index beyond the vertices that were captured", geometry, primitive);
        return;
    }
    if (isnan(vertices[0][0]) || isnan(vertices[1][0]) || isnan(vertices[2][0])) {
        add_fault(check, WS_FAULT_TRIANGLE_INACTIVE, "inactive triangles, a vertex' x is NaN", geometry,
                  primitive);
        return;
    }
    if (!ws_all_finite(vertices[0], 9)) {
        add_fault(check, WS_FAULT_VERTEX, "triangles with a vertex that is not finite", geometry, primitive);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        float point[3];
        ws_transform_point(check->build->geometries[geometry].transform, vertices[i], point);
        ws_bounds_add_point(check->bounds, point);
    }
}

static void check_aabb(struct check *check, uint32_t geometry, uint32_t primitive)
{
    const struct ws_scene_view *view = &check->state->build_states[check->index].views[geometry];
    const uint8_t *bytes = view->data + (size_t)primitive * check->build->geometries[geometry].info.stride;
    float box[6];
    for (int i = 0; i < 6; ++i)
        box[i] = ws_load_float(bytes + 4 * i);
    if (isnan(box[0])) {
        add_fault(check, WS_FAULT_AABB_INACTIVE, "inactive AABBs, the smallest x is NaN", geometry,
                  primitive);
        return;
    }
    if (!ws_all_finite(box, 6)) {
        add_fault(check, WS_FAULT_AABB, "AABBs that are not finite", geometry, primitive);
        return;
    }
    if (box[0] > box[3] || box[1] > box[4] || box[2] > box[5])
        add_fault(check, WS_FAULT_AABB_ORDER, "AABBs whose smallest corner is not the smallest", geometry,
                  primitive);
    ws_bounds_add_point(check->bounds, box);
    ws_bounds_add_point(check->bounds, box + 3);
}

/* What an instance refers to: its build now, or WS_NONE and why. */
static uint32_t check_reference(struct check *check, uint32_t index, const struct ws_scene_instance *instance,
                                uint64_t address)
{
    struct ws_scene_state *state = check->state;
    char name[WS_SCENE_NAME_SIZE];
    if (instance->structure == WS_NONE) {
        if (address != 0)
            ws_scene_fault(state, WS_FAULT_INSTANCE_UNKNOWN, 1,
                           "instances that refer to no known structure: first instance %u of %s, 0x%llx",
                           index, check->name, (unsigned long long)address);
        return WS_NONE;
    }
    const uint32_t build = check->current[instance->structure];
    ws_scene_structure_text(state, instance->structure, name);
    if (check->gone[instance->structure])
        ws_scene_fault(state, WS_FAULT_INSTANCE_GONE, 1,
                       "instances of structures that were gone: first instance %u of %s, of %s", index,
                       check->name, name);
    else if (instance->structure == check->build->structure || (build != WS_NONE && state->builds[build].top))
        ws_scene_fault(state, WS_FAULT_INSTANCE_TOP, 1,
                       "instances of a top-level structure: first instance %u of %s, of %s", index,
                       check->name, name);
    else if (build == WS_NONE)
        ws_scene_fault(state, WS_FAULT_INSTANCE_UNBUILT, 1,
                       "instances of structures whose build is not known: first instance %u of %s, of %s",
                       index, check->name, name);
    return build;
}

static void check_instance(struct check *check, uint32_t index)
{
    struct ws_scene_instance instance;
    float inverse[12];
    uint64_t address = 0;
    if (!ws_scene_raw_instance(check->state, check->index, index, &instance, &address))
        return;
    const uint32_t build = check_reference(check, index, &instance, address);
    if (!ws_all_finite(instance.transform, 12)) {
        ws_scene_fault(check->state, WS_FAULT_INSTANCE_TRANSFORM, 1,
                       "instances whose transform is not finite: first instance %u of %s", index,
                       check->name);
        return;
    }
    if (!ws_transform_invert(instance.transform, inverse))
        ws_scene_fault(check->state, WS_FAULT_INSTANCE_SINGULAR, 1,
                       "instances whose transform cannot be inverted: first instance %u of %s", index,
                       check->name);
    if (build == WS_NONE || check->state->builds[build].top)
        return;
    const struct ws_scene_content *content = &check->state->contents[check->state->builds[build].content];
    if (content->bounded)
        ws_bounds_add_box(check->bounds, instance.transform, content->bounds);
}

/* What the primitives of a geometry are read from. */
static uint64_t hash_geometry(const struct ws_build_geometry *info)
{
    const uint64_t words[] = {info->type,       info->primitive_count, info->vertex_format,
                              info->index_type, info->stride,          info->data,
                              info->indices,    info->transform};
    return XXH3_64bits(words, sizeof(words));
}

static void look_at_primitives(struct check *check, uint32_t geometry, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        switch (check->build->geometries[geometry].info.type) {
        case WS_GEOMETRY_TRIANGLES: check_triangle(check, geometry, i); break;
        case WS_GEOMETRY_AABBS: check_aabb(check, geometry, i); break;
        default: break;
        }
}

/* Looks at the primitives of a geometry, and keeps what was found. */
static bool look(struct check *check, uint32_t geometry, uint64_t hash)
{
    struct ws_scene_state *state = check->state;
    const struct ws_scene_problem *faults = &state->faults[WS_FAULT_INDEX_RANGE];
    const uint32_t primitives = state->build_states[check->index].views[geometry].primitives;
    struct ws_scene_look *looks =
        ws_array_grow(state->looks, &state->look_capacity, state->look_count + 1, sizeof(*looks));
    if (looks == NULL || !ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)primitives)) {
        state->looks = looks != NULL ? looks : state->looks;
        return false;
    }
    state->looks = looks;
    struct ws_scene_look *found = &looks[state->look_count];
    for (int i = 0; i < WS_FAULT_PRIMITIVES; ++i)
        found->faults[i] = faults[i].count;
    ws_bounds_init(check->bounds);
    look_at_primitives(check, geometry, primitives);
    memcpy(found->bounds, check->bounds, sizeof(found->bounds));
    for (int i = 0; i < WS_FAULT_PRIMITIVES; ++i)
        found->faults[i] = faults[i].count - found->faults[i];
    return ws_id_map_put(&state->looked, hash, state->look_count++);
}

/* Adds the bounds of a geometry to `bounds`. Geometries of the same bytes have the same faults. */
static bool check_geometry(struct check *check, uint32_t geometry, float bounds[6])
{
    struct ws_scene_state *state = check->state;
    const struct ws_build_geometry *info = &check->build->geometries[geometry].info;
    if (!state->build_states[check->index].views[geometry].drawable || info->type == WS_GEOMETRY_INSTANCES)
        return true;
    const uint64_t hash = hash_geometry(info);
    uint32_t index = 0;
    const bool before = ws_id_map_get(&state->looked, hash, &index);
    if (!before && !look(check, geometry, hash))
        return false;
    const struct ws_scene_look *found = &state->looks[before ? index : state->look_count - 1];
    for (int i = 0; i < WS_FAULT_PRIMITIVES && before; ++i)
        state->faults[WS_FAULT_INDEX_RANGE + i].count += found->faults[i];
    if (found->bounds[0] <= found->bounds[3]) {
        ws_bounds_add_point(bounds, found->bounds);
        ws_bounds_add_point(bounds, found->bounds + 3);
    }
    return true;
}

/* Checks the instances of a top-level build. */
static bool check_instances(struct check *check)
{
    const uint32_t count = ws_scene_raw_instance_count(check->state, check->index);
    if (!ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count))
        return false;
    for (uint32_t i = 0; i < count; ++i)
        check_instance(check, i);
    return true;
}

bool ws_scene_check(struct ws_scene *scene, uint32_t build, const uint32_t *current, const bool *gone)
{
    struct ws_scene_state *state = scene->state;
    struct check check = {
        .state = state, .build = &state->builds[build], .index = build, .current = current, .gone = gone};
    const struct ws_scene_build *self = check.build;
    float bounds[6];
    ws_scene_structure_text(state, self->structure, check.name);
    ws_bounds_init(bounds);
    ws_bounds_init(check.bounds);
    if (self->primitives == 0)
        ws_scene_fault(state, WS_FAULT_EMPTY, 1, "builds without any primitive: first of %s", check.name);
    if (self->top && self->geometry_count > 1)
        ws_scene_fault(state, WS_FAULT_TOP_MIXED, 1,
                       "top-level builds with more than one geometry, of which the first of instances "
                       "counts: first of %s",
                       check.name);
    if (self->top && !check_instances(&check))
        return false;
    for (uint32_t i = 0; i < self->geometry_count && !self->top; ++i)
        if (!check_geometry(&check, i, bounds))
            return false;
    if (self->top)
        memcpy(bounds, check.bounds, sizeof(bounds));
    struct ws_scene_content *content = &state->contents[self->content];
    content->bounded = bounds[0] <= bounds[3] && ws_all_finite(bounds, 6);
    memcpy(content->bounds, bounds, sizeof(content->bounds));
    return true;
}
