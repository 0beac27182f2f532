/* Reads the geometry of a capture, and puts builds, copies and destructions in order: which build each
 * structure has when, and what equals what. */
#include "analysis/scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/scene/scene_state.h"
#include "warpscope/base/arena.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"

#define COPY_SERIALIZE   2u /* VkCopyAccelerationStructureModeKHR */
#define COPY_DESERIALIZE 3u

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
        free(state->looks);
        ws_id_map_finish(&state->looked);
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

/* The index type of micromaps that are not known. */
#define NO_SUCH_TYPE UINT32_MAX

/* Geometries with micromaps that the chunk does not describe have unknown ones. */
static bool take_micromaps(struct ws_scene_state *state, const struct ws_chunk_build *chunk,
                           struct ws_scene_geometry *geometries)
{
    for (uint32_t i = 0; i < chunk->geometry_count; ++i) {
        geometries[i].micromap =
            (struct ws_build_micromap){.geometry = i, .index_type = NO_SUCH_TYPE, .indices = WS_NONE};
        geometries[i].content = (struct ws_micromap_content){i, WS_NONE, WS_NONE, 0, 0};
    }
    for (uint32_t i = 0; i < chunk->micromap_count; ++i) {
        const struct ws_build_micromap *micromap = &chunk->micromaps[i];
        struct ws_scene_geometry *geometry = &geometries[micromap->geometry];
        if (geometry->info.type != WS_GEOMETRY_TRIANGLES)
            continue;
        struct ws_micromap_usage *usages =
            ws_arena_allocate(state->arena, micromap->usage_count, sizeof(*usages));
        if (usages == NULL)
            return false;
        if (micromap->usage_count > 0)
            memcpy(usages, micromap->usages, micromap->usage_count * sizeof(*usages));
        geometry->micromap = *micromap;
        geometry->micromap.usages = usages;
        geometry->info.capture_flags |= WS_GEOMETRY_MICROMAP;
        ws_scene_blobs_use(&state->blobs, micromap->indices);
    }
    for (uint32_t i = 0; i < chunk->content_count; ++i) {
        geometries[chunk->contents[i].geometry].content = chunk->contents[i];
        ws_scene_blobs_use(&state->blobs, chunk->contents[i].data);
        ws_scene_blobs_use(&state->blobs, chunk->contents[i].triangles);
    }
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
    if (!take_micromaps(state, chunk, geometries))
        return false;
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

/* While going through the steps. */
struct ordering {
    struct ws_scene *scene;
    struct ws_scene_state *state;
    uint32_t *current; /* build of each structure; WS_NONE */
    bool *gone;
    uint32_t *events; /* how many each has */
    uint32_t event_capacity;
    struct ws_id_map serialized; /* hash of serialized bytes -> build */
    struct ws_id_map contents;   /* hash of a build -> content */
};

static int compare_steps(const void *a, const void *b)
{
    const struct ws_scene_step *left = a, *right = b;
    if (left->moment != right->moment)
        return left->moment < right->moment ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

static bool add_event(struct ordering *ordering, const struct ws_scene_step *step, uint32_t sequence,
                      uint32_t build)
{
    struct ws_scene_state *state = ordering->state;
    struct ws_scene_event *events =
        ws_array_grow(state->events, &ordering->event_capacity, state->event_count + 1, sizeof(*events));
    if (events == NULL)
        return false;
    state->events = events;
    events[state->event_count++] = (struct ws_scene_event){step->moment, sequence, step->structure, build};
    ordering->events[step->structure]++;
    ordering->current[step->structure] = build;
    if (build != WS_NONE)
        state->structures[step->structure].last_build = build;
    return true;
}

static void hash_words(XXH3_state_t *hash, const uint64_t *words, size_t count)
{
    XXH3_64bits_update(hash, words, count * sizeof(*words));
}

/* What instances refer to is a part of what they are: by the content that it has at this moment. */
static bool hash_references(const struct ordering *ordering, XXH3_state_t *hash,
                            const struct ws_build_geometry *info)
{
    if (!ws_budget_spend(WS_STEPS_ENTRY * (uint64_t)info->reference_count))
        return false;
    for (uint32_t i = 0; i < info->reference_count; ++i) {
        uint32_t structure = WS_NONE;
        uint64_t content = WS_NONE;
        if (info->references[i] != WS_NONE &&
            ws_id_map_get(&ordering->state->ids, info->references[i], &structure) &&
            ordering->current[structure] != WS_NONE)
            content = ordering->state->builds[ordering->current[structure]].content;
        hash_words(hash, &content, 1);
    }
    return true;
}

/* A build whose bytes are not all known equals no other: its number makes it unique. False where the budget
 * is spent. */
static bool hash_build(const struct ordering *ordering, uint32_t index, uint64_t *result)
{
    const struct ws_scene_build *build = &ordering->state->builds[index];
    XXH3_state_t hash;
    XXH3_INITSTATE(&hash);
    XXH3_64bits_reset(&hash);
    for (uint32_t i = 0; i < build->geometry_count; ++i) {
        const struct ws_build_geometry *info = &build->geometries[i].info;
        const struct ws_build_micromap *micromap = &build->geometries[i].micromap;
        const struct ws_micromap_content *content = &build->geometries[i].content;
        const bool unknown = (info->capture_flags & WS_GEOMETRY_UNKNOWN) != 0 ||
                             (info->data == WS_NONE && info->primitive_count > 0);
        const uint64_t words[] = {info->type,
                                  info->flags,
                                  info->primitive_count,
                                  info->vertex_format,
                                  info->index_type,
                                  info->stride,
                                  info->data,
                                  info->indices,
                                  info->transform,
                                  info->reference_count,
                                  info->capture_flags & WS_GEOMETRY_MICROMAP,
                                  micromap->index_type,
                                  micromap->stride,
                                  micromap->indices,
                                  micromap->base,
                                  micromap->usage_count,
                                  content->data,
                                  content->triangles,
                                  content->triangle_count,
                                  content->stride,
                                  unknown ? index : WS_NONE};
        hash_words(&hash, words, sizeof(words) / sizeof(words[0]));
        if (micromap->usage_count > 0)
            XXH3_64bits_update(&hash, micromap->usages, micromap->usage_count * sizeof(*micromap->usages));
        if (!hash_references(ordering, &hash, info))
            return false;
    }
    *result = XXH3_64bits_digest(&hash);
    return true;
}

/* Numbers a build's content and, where it is new, looks at what it holds. Two different contents with one
 * hash would be taken for one; with 64 bits no capture has them by chance. */
static bool set_content(struct ordering *ordering, uint32_t index)
{
    struct ws_scene_state *state = ordering->state;
    uint64_t hash = 0;
    if (!hash_build(ordering, index, &hash))
        return false;
    if (ws_id_map_get(&ordering->contents, hash, &state->builds[index].content)) {
        ws_scene_copy_micromaps(ordering->scene, state->contents[state->builds[index].content].build, index);
        return true;
    }
    struct ws_scene_content *contents =
        ws_array_grow(state->contents, &state->content_capacity, state->content_count + 1, sizeof(*contents));
    if (contents == NULL)
        return false;
    state->contents = contents;
    contents[state->content_count] = (struct ws_scene_content){.build = index};
    state->builds[index].content = state->content_count++;
    return ws_scene_check(ordering->scene, index, ordering->current, ordering->gone) &&
           ws_scene_count_micromaps(ordering->scene, index) &&
           ws_id_map_put(&ordering->contents, hash, state->builds[index].content);
}

static bool step_build(struct ordering *ordering, const struct ws_scene_step *step, uint32_t sequence)
{
    struct ws_scene_state *state = ordering->state;
    char name[WS_SCENE_NAME_SIZE];
    ws_scene_structure_text(state, step->structure, name);
    const uint32_t source = step->source != WS_NONE ? step->source : step->structure;
    if (ordering->gone[step->structure])
        ws_scene_fault(state, WS_FAULT_BUILD_GONE, 1,
                       "builds of, or copies to, structures that were gone: first %s", name);
    if ((state->builds[step->build].flags & WS_BUILD_UPDATE) != 0 && ordering->current[source] == WS_NONE)
        ws_scene_fault(state, WS_FAULT_UPDATE_UNBUILT, 1,
                       "updates from structures whose build is not known: first of %s", name);
    state->build_states[step->build].sequence = sequence;
    return set_content(ordering, step->build) && add_event(ordering, step, sequence, step->build);
}

/* Which build is copied; WS_NONE = not known. */
static uint32_t copied_build(const struct ordering *ordering, const struct ws_scene_step *step)
{
    uint32_t build = WS_NONE;
    if (step->mode == COPY_DESERIALIZE && step->source == WS_NONE)
        return ws_id_map_get(&ordering->serialized, step->hash[0] ^ step->hash[1], &build) ? build : WS_NONE;
    return step->source != WS_NONE ? ordering->current[step->source] : WS_NONE;
}

static bool step_copy(struct ordering *ordering, const struct ws_scene_step *step, uint32_t sequence)
{
    struct ws_scene_state *state = ordering->state;
    char name[WS_SCENE_NAME_SIZE];
    const uint32_t build = copied_build(ordering, step);
    const bool from_bytes = step->source == WS_NONE; /* whatever the mode says */
    ws_scene_structure_text(state, from_bytes ? step->structure : step->source, name);
    if (build == WS_NONE && from_bytes)
        ws_scene_fault(state, WS_FAULT_COPY_UNKNOWN_BYTES, 1,
                       "structures made of bytes that were not serialized in this capture: first %s", name);
    else if (build == WS_NONE)
        ws_scene_fault(state, WS_FAULT_COPY_UNBUILT, 1,
                       "copies of structures whose build is not known: first of %s", name);
    if (step->mode == COPY_SERIALIZE && build != WS_NONE &&
        !ws_id_map_put(&ordering->serialized, step->hash[0] ^ step->hash[1], build))
        return false;
    if (step->structure == WS_NONE)
        return true;
    if (ordering->gone[step->structure]) {
        ws_scene_structure_text(state, step->structure, name);
        ws_scene_fault(state, WS_FAULT_BUILD_GONE, 1,
                       "builds of, or copies to, structures that were gone: first %s", name);
    }
    return add_event(ordering, step, sequence, build);
}

static bool step_gone(struct ordering *ordering, const struct ws_scene_step *step, uint32_t sequence)
{
    struct ws_scene_state *state = ordering->state;
    if (ordering->gone[step->structure]) {
        char name[WS_SCENE_NAME_SIZE];
        ws_scene_structure_text(state, step->structure, name);
        ws_scene_fault(state, WS_FAULT_GONE_TWICE, 1, "structures that were destroyed twice: first %s", name);
        return true;
    }
    ordering->gone[step->structure] = true;
    state->structures[step->structure].gone = step->moment;
    return add_event(ordering, step, sequence, WS_NONE);
}

static bool take_steps(struct ordering *ordering)
{
    const struct ws_scene_state *state = ordering->state;
    bool taken = true;
    for (uint32_t i = 0; i < state->step_count && taken; ++i) {
        const struct ws_scene_step *step = &state->steps[i];
        switch (step->kind) {
        case WS_STEP_BUILD: taken = step_build(ordering, step, i); break;
        case WS_STEP_COPY: taken = step_copy(ordering, step, i); break;
        default: taken = step_gone(ordering, step, i); break;
        }
    }
    return taken;
}

/* Brings the events of each structure together, in their order. */
static bool sort_events(struct ordering *ordering)
{
    struct ws_scene_state *state = ordering->state;
    struct ws_scene_event *sorted = calloc((size_t)state->event_count + 1, sizeof(*sorted));
    state->event_firsts = calloc((size_t)state->structure_count + 1, sizeof(*state->event_firsts));
    if (sorted == NULL || state->event_firsts == NULL) {
        free(sorted);
        return false;
    }
    for (uint32_t i = 0; i < state->structure_count; ++i) {
        state->event_firsts[i + 1] = state->event_firsts[i] + ordering->events[i];
        ordering->events[i] = state->event_firsts[i];
    }
    for (uint32_t i = 0; i < state->event_count; ++i)
        sorted[ordering->events[state->events[i].structure]++] = state->events[i];
    free(state->events);
    state->events = sorted;
    return true;
}

/* Puts what happened in order: which build each structure has when, contents, bounds. */
static bool set_order(struct ws_scene *scene)
{
    struct ws_scene_state *state = scene->state;
    const size_t count = (size_t)state->structure_count + 1;
    struct ordering ordering = {.scene = scene, .state = state};
    ordering.current = malloc(count * sizeof(*ordering.current));
    ordering.gone = calloc(count, sizeof(*ordering.gone));
    ordering.events = calloc(count, sizeof(*ordering.events));
    bool ordered = ordering.current != NULL && ordering.gone != NULL && ordering.events != NULL;
    if (ordered)
        memset(ordering.current, 0xff, count * sizeof(*ordering.current));
    if (ordered && state->step_count > 0)
        qsort(state->steps, state->step_count, sizeof(*state->steps), compare_steps);
    ordered = ordered && take_steps(&ordering) && sort_events(&ordering);
    free(ordering.current);
    free(ordering.gone);
    free(ordering.events);
    ws_id_map_finish(&ordering.serialized);
    ws_id_map_finish(&ordering.contents);
    return ordered && !state->failed;
}

uint32_t ws_scene_build_before(const struct ws_scene_state *state, uint32_t structure, uint32_t sequence)
{
    uint32_t low = state->event_firsts[structure], high = state->event_firsts[structure + 1];
    const uint32_t first = low;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (state->events[middle].sequence < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? state->events[low - 1].build : WS_NONE;
}

uint32_t ws_scene_structure_of(const struct ws_scene *scene, uint32_t id)
{
    uint32_t index = 0;
    return scene->state != NULL && ws_id_map_get(&scene->state->ids, id, &index) ? index : WS_NONE;
}

uint32_t ws_scene_build_at(const struct ws_scene *scene, uint32_t structure, uint64_t moment)
{
    const struct ws_scene_state *state = scene->state;
    if (structure >= scene->structure_count)
        return WS_NONE;
    uint32_t low = state->event_firsts[structure], high = state->event_firsts[structure + 1];
    const uint32_t first = low;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (state->events[middle].moment <= moment)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? state->events[low - 1].build : WS_NONE;
}

/* Counts chunks that are missing, and blobs that are not whole, as faults. */
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

/* Fills in what callers read. */
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
    if (!ws_scene_set_views(scene) || !set_order(scene))
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

const uint8_t *ws_scene_blob(const struct ws_scene *scene, uint32_t blob, size_t *size)
{
    return ws_scene_blobs_get(&scene->state->blobs, blob, size);
}
