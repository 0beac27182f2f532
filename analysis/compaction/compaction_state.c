#include "analysis/compaction/compaction_state.h"
#include "passes/base/array.h"

#include <stdlib.h>
#include <string.h>

#define CALLED_STAGES (WS_STAGES_RAY_TRACING & ~(uint32_t)WS_STAGE_RAYGEN)

void ws_context_state_destroy(struct ws_context_state *state)
{
    if (state == NULL)
        return;
    free(state->groups);
    free(state->slots);
    free(state->levels);
    free(state->paths);
    free(state->stores);
    free(state->warps);
    free(state);
}

static bool allocate_slots(struct ws_context_state *state)
{
    const struct ws_compaction_plan_entry *entry = state->entry;
    size_t levels = 0;
    for (uint32_t i = 0; i < entry->slot_count; ++i)
        levels += 2 * ((size_t)entry->slots[i].depth + 1);
    state->slots = calloc(entry->slot_count, sizeof(*state->slots));
    state->levels = calloc(levels, sizeof(*state->levels));
    if (state->slots == NULL || state->levels == NULL)
        return false;
    levels = 0;
    for (uint32_t i = 0; i < entry->slot_count; ++i) {
        state->slots[i].touched = state->levels + levels;
        state->slots[i].passed = state->levels + levels + entry->slots[i].depth + 1;
        levels += 2 * ((size_t)entry->slots[i].depth + 1);
    }
    return true;
}

struct ws_context_state *ws_context_state_create(const struct ws_compaction_threads *threads,
                                                 const struct ws_context *context)
{
    const struct ws_catalog *catalog = threads->catalog;
    struct ws_context_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return NULL;
    state->plan = catalog->modules[catalog->shaders[context->shader].module].compaction;
    state->entry = ws_compaction_plan(catalog, context->shader);
    state->called = (context->stage & CALLED_STAGES) != 0;
    if (state->called)
        state->stores = calloc((size_t)context->lane_count + 1, sizeof(*state->stores));
    else
        state->paths =
            calloc((size_t)context->lane_count * state->entry->slot_count + 1, sizeof(*state->paths));
    if ((state->stores != NULL || state->paths != NULL) && allocate_slots(state))
        return state;
    ws_context_state_destroy(state);
    return NULL;
}

static bool groups_equal(const struct ws_scope_group *a, const struct ws_scope_group *b)
{
    return a->scope == b->scope && memcmp(a->iterations, b->iterations, sizeof(a->iterations)) == 0;
}

bool ws_context_state_add(struct ws_context_state *state, const struct ws_scope_group *group)
{
    for (uint32_t i = 0; i < state->group_count; ++i)
        if (groups_equal(&state->groups[i], group)) {
            state->groups[i].lanes = ws_lanes_or(state->groups[i].lanes, group->lanes);
            return true;
        }
    struct ws_scope_group *groups =
        ws_array_grow(state->groups, &state->group_capacity, state->group_count + 1, sizeof(*groups));
    if (groups == NULL)
        return false;
    state->groups = groups;
    groups[state->group_count++] = *group;
    return true;
}

bool ws_context_state_take(struct ws_context_state *state, struct ws_lanes lanes, uint32_t *next,
                           struct ws_scope_group *group)
{
    for (; *next < state->group_count; ++*next) {
        struct ws_scope_group *from = &state->groups[*next];
        struct ws_lanes taken = ws_lanes_and(from->lanes, lanes);
        if (!ws_lanes_any(taken))
            continue;
        *group = *from;
        group->lanes = taken;
        from->lanes = ws_lanes_without(from->lanes, taken);
        if (!ws_lanes_any(from->lanes))
            *from = state->groups[--state->group_count];
        return true;
    }
    return false;
}

struct ws_path *ws_context_state_path(struct ws_compaction_threads *threads, struct ws_context_state *state,
                                      uint32_t lane, uint32_t slot)
{
    if (state->called)
        return &threads->stored_paths[threads->stores[state->stores[lane]].paths + slot];
    return &state->paths[(size_t)lane * state->entry->slot_count + slot];
}
