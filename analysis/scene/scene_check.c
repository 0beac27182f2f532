/* Looks at every primitive once: what is wrong with it, and the box around all. */
#include <math.h>

#include "analysis/scene/scene_state.h"

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

static void check_geometry(struct check *check, uint32_t geometry)
{
    const struct ws_scene_view *view = &check->state->build_states[check->index].views[geometry];
    if (!view->drawable)
        return;
    for (uint32_t i = 0; i < view->primitives; ++i)
        switch (check->build->geometries[geometry].info.type) {
        case WS_GEOMETRY_TRIANGLES: check_triangle(check, geometry, i); break;
        case WS_GEOMETRY_AABBS: check_aabb(check, geometry, i); break;
        default: break;
        }
}

void ws_scene_check(struct ws_scene *scene, uint32_t build, const uint32_t *current, const bool *gone)
{
    struct ws_scene_state *state = scene->state;
    struct check check = {
        .state = state, .build = &state->builds[build], .index = build, .current = current, .gone = gone};
    const struct ws_scene_build *self = check.build;
    ws_scene_structure_text(state, self->structure, check.name);
    ws_bounds_init(check.bounds);
    if (self->primitives == 0)
        ws_scene_fault(state, WS_FAULT_EMPTY, 1, "builds without any primitive: first of %s", check.name);
    if (self->top && self->geometry_count > 1)
        ws_scene_fault(state, WS_FAULT_TOP_MIXED, 1,
                       "top-level builds with more than one geometry, of which the first of instances "
                       "counts: first of %s",
                       check.name);
    if (self->top)
        for (uint32_t i = 0; i < ws_scene_raw_instance_count(state, build); ++i)
            check_instance(&check, i);
    else
        for (uint32_t i = 0; i < self->geometry_count; ++i)
            check_geometry(&check, i);
    struct ws_scene_content *content = &state->contents[self->content];
    content->bounded = check.bounds[0] <= check.bounds[3] && ws_all_finite(check.bounds, 6);
    for (int i = 0; i < 6; ++i)
        content->bounds[i] = check.bounds[i];
}
