/* Takes in what a capture says of geometry; scene_order.c makes sense of it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/model/catalog.h"
#include "analysis/scene/scene_state.h"
#include "passes/base/arena.h"
#include "passes/base/array.h"

/* The index of a structure that the reader has checked; WS_NONE stays so. */
static uint32_t index_of(const struct ws_scene_state *state, uint32_t id)
{
    uint32_t index = WS_NONE;
    return id != WS_NONE && ws_id_map_get(&state->ids, id, &index) ? index : WS_NONE;
}

static bool take_structure(struct ws_scene_state *state, const struct ws_chunk_structure *chunk)
{
    struct ws_scene_structure *structures = ws_array_grow(state->structures, &state->structure_capacity,
                                                          state->structure_count + 1, sizeof(*structures));
    if (structures == NULL)
        return false;
    state->structures = structures;
    const char *name = ws_text_pool_add(&state->texts, chunk->name);
    if (name == NULL || !ws_id_map_put(&state->ids, chunk->id, state->structure_count))
        return false;
    structures[state->structure_count++] = (struct ws_scene_structure){.id = chunk->id,
                                                                       .device = chunk->device,
                                                                       .type = chunk->type,
                                                                       .size = chunk->size,
                                                                       .address = chunk->address,
                                                                       .name = name,
                                                                       .gone = UINT64_MAX,
                                                                       .last_build = WS_NONE};
    return true;
}

static bool take_name(struct ws_scene_state *state, const struct ws_chunk_name *chunk)
{
    const uint32_t index = chunk->kind == WS_NAME_STRUCTURE ? index_of(state, chunk->id) : WS_NONE;
    if (index == WS_NONE)
        return true;
    const char *name = ws_text_pool_add(&state->texts, chunk->name);
    if (name == NULL)
        return false;
    state->structures[index].name = name;
    return true;
}

static struct ws_scene_step *add_step(struct ws_scene_state *state, uint32_t kind, uint64_t moment)
{
    struct ws_scene_step *steps =
        ws_array_grow(state->steps, &state->step_capacity, state->step_count + 1, sizeof(*steps));
    if (steps == NULL)
        return NULL;
    state->steps = steps;
    struct ws_scene_step *step = &steps[state->step_count];
    *step = (struct ws_scene_step){.moment = moment,
                                   .order = state->step_count++,
                                   .kind = kind,
                                   .structure = WS_NONE,
                                   .source = WS_NONE,
                                   .build = WS_NONE};
    return step;
}

static bool take_geometry(struct ws_scene_state *state, const struct ws_build_geometry *info,
                          struct ws_scene_geometry *geometry)
{
    geometry->info = *info;
    geometry->info.references = NULL;
    ws_scene_blobs_use(&state->blobs, info->data);
    ws_scene_blobs_use(&state->blobs, info->indices);
    ws_scene_blobs_use(&state->blobs, info->transform);
    if (info->reference_count == 0)
        return true;
    uint32_t *references = ws_arena_allocate(state->arena, info->reference_count, sizeof(*references));
    if (references == NULL)
        return false;
    memcpy(references, info->references, info->reference_count * sizeof(*references));
    geometry->info.references = references;
    return true;
}

static bool take_build(struct ws_scene_state *state, const struct ws_chunk_build *chunk)
{
    struct ws_scene_build *builds =
        ws_array_grow(state->builds, &state->build_capacity, state->build_count + 1, sizeof(*builds));
    if (builds == NULL)
        return false;
    state->builds = builds;
    struct ws_scene_build_state *states = ws_array_grow(state->build_states, &state->build_state_capacity,
                                                        state->build_count + 1, sizeof(*states));
    if (states == NULL)
        return false;
    state->build_states = states;
    struct ws_scene_geometry *geometries =
        ws_arena_allocate(state->arena, chunk->geometry_count, sizeof(*geometries));
    struct ws_scene_view *views = ws_arena_allocate(state->arena, chunk->geometry_count, sizeof(*views));
    if (geometries == NULL || views == NULL)
        return false;
    struct ws_scene_build build = {.structure = index_of(state, chunk->structure),
                                   .moment = chunk->moment,
                                   .flags = chunk->flags,
                                   .build_flags = chunk->build_flags,
                                   .geometries = geometries,
                                   .geometry_count = chunk->geometry_count};
    uint32_t instances = 0;
    for (uint32_t i = 0; i < chunk->geometry_count; ++i) {
        if (!take_geometry(state, &chunk->geometries[i], &geometries[i]))
            return false;
        build.primitives += chunk->geometries[i].primitive_count;
        if (chunk->geometries[i].type == WS_GEOMETRY_INSTANCES && !build.top) {
            build.top = true;
            instances = i;
        }
    }
    struct ws_scene_step *step = add_step(state, WS_STEP_BUILD, chunk->moment);
    if (step == NULL)
        return false;
    step->structure = build.structure;
    step->source = index_of(state, chunk->source);
    step->build = state->build_count;
    state->structures[build.structure].builds++;
    state->structures[build.structure].updates += (chunk->flags & WS_BUILD_UPDATE) != 0 ? 1 : 0;
    states[state->build_count] =
        (struct ws_scene_build_state){.geometries = geometries, .views = views, .instances = instances};
    builds[state->build_count++] = build;
    return true;
}

static bool take_copy(struct ws_scene_state *state, const struct ws_chunk_copy *chunk)
{
    struct ws_scene_step *step = add_step(state, WS_STEP_COPY, chunk->moment);
    if (step == NULL)
        return false;
    step->structure = index_of(state, chunk->destination);
    step->source = index_of(state, chunk->source);
    step->mode = chunk->mode;
    if (step->structure != WS_NONE)
        state->structures[step->structure].copies++;
    step->hash[0] = chunk->hash[0];
    step->hash[1] = chunk->hash[1];
    return true;
}

static bool take_gone(struct ws_scene_state *state, const struct ws_chunk_gone *chunk)
{
    struct ws_scene_step *step = add_step(state, WS_STEP_GONE, chunk->moment);
    if (step == NULL)
        return false;
    step->structure = index_of(state, chunk->structure);
    return true;
}

bool ws_scene_record(struct ws_scene *scene, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct ws_scene_state *state = scene->state;
    bool taken = true;
    switch (chunk->type) {
    case WS_CHUNK_BLOB: return ws_scene_blobs_add(&state->blobs, &chunk->blob, error);
    case WS_CHUNK_STRUCTURE: taken = take_structure(state, &chunk->structure); break;
    case WS_CHUNK_NAME: taken = take_name(state, &chunk->name); break;
    case WS_CHUNK_BUILD: taken = take_build(state, &chunk->build); break;
    case WS_CHUNK_COPY: taken = take_copy(state, &chunk->copy); break;
    case WS_CHUNK_GONE: taken = take_gone(state, &chunk->gone); break;
    case WS_CHUNK_SUBMISSION:
        for (uint32_t i = 0; i < chunk->submission.launch_count; ++i)
            if (chunk->submission.launches[i].index > scene->last)
                scene->last = chunk->submission.launches[i].index;
        break;
    default: break;
    }
    return taken || ws_error_set(error, "no memory for the geometry of the capture");
}
