/* Puts what happened to acceleration structures in order, and finds which build each has when. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/model/catalog.h"
#include "analysis/scene/scene_state.h"
#include "passes/base/array.h"

#define COPY_SERIALIZE   2u /* VkCopyAccelerationStructureModeKHR */
#define COPY_DESERIALIZE 3u

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
static void hash_references(const struct ordering *ordering, XXH3_state_t *hash,
                            const struct ws_build_geometry *info)
{
    for (uint32_t i = 0; i < info->reference_count; ++i) {
        uint32_t structure = WS_NONE;
        uint64_t content = WS_NONE;
        if (info->references[i] != WS_NONE &&
            ws_id_map_get(&ordering->state->ids, info->references[i], &structure) &&
            ordering->current[structure] != WS_NONE)
            content = ordering->state->builds[ordering->current[structure]].content;
        hash_words(hash, &content, 1);
    }
}

/* Of a build whose bytes are not all known, nobody can say what it equals: its number makes it unique. */
static uint64_t hash_build(const struct ordering *ordering, uint32_t index)
{
    const struct ws_scene_build *build = &ordering->state->builds[index];
    XXH3_state_t hash;
    XXH3_INITSTATE(&hash);
    XXH3_64bits_reset(&hash);
    for (uint32_t i = 0; i < build->geometry_count; ++i) {
        const struct ws_build_geometry *info = &build->geometries[i].info;
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
                                  unknown ? index : WS_NONE};
        hash_words(&hash, words, sizeof(words) / sizeof(words[0]));
        hash_references(ordering, &hash, info);
    }
    return XXH3_64bits_digest(&hash);
}

/* Numbers a build's content and, where it is new, looks at what it holds. Two different contents with one
 * hash would be taken for one; with 64 bits no capture has them by chance. */
static bool set_content(struct ordering *ordering, uint32_t index)
{
    struct ws_scene_state *state = ordering->state;
    const uint64_t hash = hash_build(ordering, index);
    if (ws_id_map_get(&ordering->contents, hash, &state->builds[index].content))
        return true;
    struct ws_scene_content *contents =
        ws_array_grow(state->contents, &state->content_capacity, state->content_count + 1, sizeof(*contents));
    if (contents == NULL)
        return false;
    state->contents = contents;
    contents[state->content_count] = (struct ws_scene_content){.bounded = false};
    state->builds[index].content = state->content_count++;
    ws_scene_check(ordering->scene, index, ordering->current, ordering->gone);
    return ws_id_map_put(&ordering->contents, hash, state->builds[index].content);
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

bool ws_scene_set_order(struct ws_scene *scene)
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
