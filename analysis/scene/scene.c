#include "analysis/scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_state.h"
#include "passes/base/arena.h"

#define INSTANCE_SIZE 64u
#define LOW_24        0xffffffu

void ws_scene_structure_text(const struct ws_scene_state *state, uint32_t structure,
                             char text[WS_SCENE_NAME_SIZE])
{
    const struct ws_scene_structure *named = &state->structures[structure];
    if (named->name[0] == '\0')
        snprintf(text, WS_SCENE_NAME_SIZE, "structure %" PRIu32, named->id);
    else
        snprintf(text, WS_SCENE_NAME_SIZE, "structure %" PRIu32 " \"%.64s\"", named->id, named->name);
    ws_text_cut(text);
}

void ws_scene_fault(struct ws_scene_state *state, enum ws_scene_fault fault, uint64_t count,
                    const char *format, ...)
{
    struct ws_scene_problem *problem = &state->faults[fault];
    problem->count += count;
    if (problem->text != NULL)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    problem->text = ws_text_pool_add(&state->texts, text);
    state->failed = state->failed || problem->text == NULL;
}

void ws_scene_destroy(struct ws_scene *scene)
{
    if (scene == NULL)
        return;
    struct ws_scene_state *state = scene->state;
    if (state != NULL) {
        ws_scene_blobs_finish(&state->blobs);
        ws_arena_destroy(state->arena);
        ws_text_pool_finish(&state->texts);
        ws_id_map_finish(&state->ids);
        free(state->structures);
        free(state->builds);
        free(state->build_states);
        free(state->steps);
        free(state->events);
        free(state->event_firsts);
        free(state->contents);
    }
    free(state);
    free(scene);
}

struct ws_scene *ws_scene_begin(void)
{
    struct ws_scene *scene = calloc(1, sizeof(*scene));
    if (scene == NULL)
        return NULL;
    scene->state = calloc(1, sizeof(*scene->state));
    if (scene->state == NULL)
        goto error;
    ws_scene_blobs_init(&scene->state->blobs);
    scene->state->arena = ws_arena_create();
    if (scene->state->arena == NULL)
        goto error;
    return scene;
error:
    ws_scene_destroy(scene);
    return NULL;
}

/* Chunks that did not come, and blobs that did not come whole. */
static void find_losses(struct ws_scene_state *state, const struct ws_reader_summary *summary)
{
    const uint64_t lost = summary != NULL ? summary->damaged + summary->orphaned : 0;
    if (lost > 0 && state->structure_count > 0)
        ws_scene_fault(state, WS_FAULT_LOST_CHUNKS, lost,
                       "chunks of the capture that are damaged, or refer to what is not in it: geometry may "
                       "be missing, or old");
    for (uint32_t i = 0; i < state->blobs.count; ++i) {
        const struct ws_scene_blob_entry *blob = &state->blobs.entries[i];
        if (blob->have < blob->size)
            ws_scene_fault(state, WS_FAULT_BLOB_INCOMPLETE, 1,
                           "blobs that end too early: first blob %" PRIu32 ", %" PRIu64 " of %" PRIu64
                           " bytes",
                           blob->id, blob->have, blob->size);
    }
}

/* What everybody may see. */
static void publish(struct ws_scene *scene)
{
    struct ws_scene_state *state = scene->state;
    for (int i = 0; i < WS_FAULT_COUNT; ++i)
        if (state->faults[i].text != NULL)
            state->problems[scene->problem_count++] = state->faults[i];
    scene->problems = state->problems;
    scene->structures = state->structures;
    scene->structure_count = state->structure_count;
    scene->builds = state->builds;
    scene->build_count = state->build_count;
    scene->content_count = state->content_count;
    for (uint32_t i = 0; i < state->blobs.count; ++i) {
        const struct ws_scene_blob_entry *blob = &state->blobs.entries[i];
        scene->blob_bytes += blob->uses > 0 ? blob->have : 0;
        scene->shared_bytes += blob->uses > 1 ? blob->have * (blob->uses - 1) : 0;
    }
}

bool ws_scene_end(struct ws_scene *scene, const struct ws_reader_summary *summary, struct ws_error *error)
{
    if (!ws_scene_blobs_map(&scene->state->blobs, error))
        return false;
    find_losses(scene->state, summary);
    if (!ws_scene_set_views(scene) || !ws_scene_set_order(scene))
        return ws_error_set(error, "no memory for the geometry of the capture");
    publish(scene);
    return true;
}

struct ws_scene *ws_scene_read(struct ws_reader *reader, struct ws_error *error)
{
    struct ws_chunk chunk;
    struct ws_scene *scene = ws_scene_begin();
    if (scene == NULL) {
        ws_error_set(error, "no memory for the geometry of the capture");
        return NULL;
    }
    enum ws_read_result result = ws_reader_next(reader, &chunk, error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, error))
        if (!ws_scene_record(scene, &chunk, error))
            goto error;
    if (result == WS_READ_ERROR || !ws_scene_end(scene, ws_reader_summary(reader), error))
        goto error;
    return scene;
error:
    ws_scene_destroy(scene);
    return NULL;
}

struct ws_scene *ws_scene_create(const char *path, struct ws_error *error)
{
    struct ws_reader *reader = ws_reader_open(path, error);
    struct ws_scene *scene = reader != NULL ? ws_scene_read(reader, error) : NULL;
    ws_reader_destroy(reader);
    return scene;
}

uint32_t ws_scene_tops(const struct ws_scene *scene, uint32_t device, uint64_t moment, uint32_t *tops,
                       uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const uint32_t build =
            scene->structures[i].device == device ? ws_scene_build_at(scene, i, moment) : WS_NONE;
        if (build == WS_NONE || !scene->builds[build].top)
            continue;
        if (count < capacity)
            tops[count] = i;
        count++;
    }
    return count;
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

const uint8_t *ws_scene_blob(const struct ws_scene *scene, uint32_t blob, size_t *size)
{
    return ws_scene_blobs_get(&scene->state->blobs, blob, size);
}
