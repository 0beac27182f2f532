#include "analysis/compaction/compaction_steps.h"

#include <assert.h>
#include <string.h>

/* One more symbol, after a separator for each loop that ended since the last one. */
static bool emit_lane(struct ws_compaction_threads *threads, struct ws_context_state *state, uint32_t lane,
                      uint32_t slot, uint32_t symbol)
{
    struct ws_path *path = ws_context_state_path(threads, state, lane, slot);
    const uint32_t depth = state->entry->slots[slot].depth;
    for (uint32_t level = 0; level < depth && !ws_path_is_empty(path); ++level)
        if (ws_lanes_has(state->slots[slot].passed[level], lane)) {
            if (!ws_path_append(&threads->tree, path, WS_PATH_SEPARATOR, depth - level))
                return false;
            break;
        }
    return ws_path_append(&threads->tree, path, symbol, 1);
}

static bool emit(struct ws_compaction_threads *threads, struct ws_context_state *state, uint32_t slot,
                 struct ws_lanes lanes, uint32_t symbol)
{
    const uint32_t depth = state->entry->slots[slot].depth;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);)
        if (!emit_lane(threads, state, ws_lanes_take(&left), slot, symbol))
            return false;
    for (uint32_t level = 0; level <= depth; ++level) {
        state->slots[slot].touched[level] = ws_lanes_or(state->slots[slot].touched[level], lanes);
        state->slots[slot].passed[level] = ws_lanes_without(state->slots[slot].passed[level], lanes);
    }
    return true;
}

/* Emits "not taken" for lanes without a symbol since the present iteration at `level` began. */
static bool emit_missing(struct ws_compaction_threads *threads, struct ws_context_state *state, uint32_t slot,
                         uint32_t level, struct ws_lanes lanes)
{
    lanes = ws_lanes_without(lanes, state->slots[slot].touched[level]);
    return !ws_lanes_any(lanes) || emit(threads, state, slot, lanes, WS_PATH_NOT_TAKEN);
}

static bool is_within(const struct ws_compaction_plan_entry *entry, uint32_t scope, uint32_t outer)
{
    while (scope != WS_NONE && scope != outer)
        scope = entry->scopes[scope].parent;
    return scope == outer;
}

/* Puts a group into a scope. Iterations of loops that it is in already stay, others begin. */
static void move(const struct ws_compaction_plan_entry *entry, struct ws_scope_group *group, uint32_t scope)
{
    uint32_t common = scope;
    while (common != WS_NONE && !is_within(entry, group->scope, common))
        common = entry->scopes[common].parent;
    const uint32_t depth = common != WS_NONE ? entry->scopes[common].depth : 0;
    memset(group->iterations + depth + 1, 0, (WS_PLAN_DEPTH_MAX - depth) * sizeof(*group->iterations));
    group->scope = scope;
}

/* The scope of a loop of a function, WS_NONE: of the function itself, where a group is in it. */
static uint32_t scope_in(const struct ws_context_state *state, uint32_t owner, uint32_t loop)
{
    const struct ws_compaction_plan_scope *scope = &state->entry->scopes[owner];
    if (loop == WS_NONE)
        return owner;
    return state->entry->scope_of_loop[scope->loops + loop - state->plan->loop_first[scope->function]];
}

static uint32_t target_of(const struct ws_context_state *state, uint32_t owner, uint32_t place)
{
    const struct ws_compaction_plan_scope *scope = &state->entry->scopes[owner];
    return state->entry->targets[scope->targets + place - state->plan->place_first[scope->function]];
}

/* The threads of a group visit a slot. */
static bool visit(struct ws_compaction_threads *threads, struct ws_context_state *state,
                  const struct ws_context *context, const struct ws_scope_group *group, uint32_t slot)
{
    struct ws_thread_shader *shader = &threads->shaders[context->shader];
    const uint32_t length = state->entry->slots[slot].depth + 2;
    uint32_t key[WS_PLAN_DEPTH_MAX + 2];
    static_assert(WS_PLAN_DEPTH_MAX + 2 <= WS_VISIT_KEY_MAX, "a key has room for every iteration");
    key[0] = context->lane_count;
    memcpy(key + 1, group->iterations, (length - 1) * sizeof(*key));
    struct ws_lanes left = group->lanes;
    while (ws_lanes_any(left)) {
        struct ws_lanes same = left;
        uint32_t warp = context->warp;
        if (state->warps != NULL) {
            warp = state->warps[ws_lanes_lowest(left)];
            for (struct ws_lanes rest = left; ws_lanes_any(rest);) {
                uint32_t lane = ws_lanes_take(&rest);
                if (state->warps[lane] != warp)
                    same = ws_lanes_without(same, ws_lanes_one(lane));
            }
        }
        left = ws_lanes_without(left, same);
        if (!ws_compaction_visits_add(&threads->visits, &shader->sites[slot], shader->first + slot, key,
                                      length, warp, ws_lanes_count(same), context->lane_count))
            return false;
    }
    return true;
}

bool ws_compaction_call(struct ws_compaction_threads *threads, struct ws_context_state *state,
                        const struct ws_context *context, struct ws_scope_group *group, uint32_t place)
{
    const struct ws_compaction_plan_place *site = &state->plan->places[place];
    uint32_t owner = ws_compaction_plan_function_scope(state->entry, group->scope, site->function);
    uint32_t scope = owner != WS_NONE ? scope_in(state, owner, site->loop) : WS_NONE;
    uint32_t target = scope != WS_NONE ? target_of(state, owner, place) : WS_NONE;
    if (target == WS_NONE)
        return true;
    move(state->entry, group, scope);
    if (site->callee != WS_NONE) {
        move(state->entry, group, target);
        return true;
    }
    return emit(threads, state, target, group->lanes, WS_PATH_TAKEN) &&
           visit(threads, state, context, group, target);
}

/* The merge block of the outermost selection around calls that no loop of their function is around. */
static bool pass_selection(struct ws_compaction_threads *threads, struct ws_context_state *state,
                           struct ws_scope_group *group, uint32_t first)
{
    const struct ws_compaction_plan_entry *entry = state->entry;
    uint32_t owner =
        ws_compaction_plan_function_scope(entry, group->scope, state->plan->places[first].function);
    if (owner == WS_NONE)
        return true;
    const uint32_t depth = entry->scopes[owner].depth;
    move(entry, group, owner);
    for (uint32_t place = first; place != WS_NONE; place = state->plan->places[place].next_selection) {
        uint32_t target = target_of(state, owner, place);
        if (target == WS_NONE)
            continue;
        bool is_site = state->plan->places[place].callee == WS_NONE;
        const uint32_t *slots = is_site ? &target : entry->scope_slots + entry->scopes[target].slots;
        uint32_t count = is_site ? 1 : entry->scopes[target].slot_count;
        for (uint32_t i = 0; i < count; ++i)
            if (entry->slots[slots[i]].depth == depth &&
                !emit_missing(threads, state, slots[i], depth, group->lanes))
                return false;
    }
    return true;
}

/* The merge block of a loop: it has ended. Calls in its continue construct came after the last sync point. */
static bool pass_merge(struct ws_compaction_threads *threads, struct ws_context_state *state,
                       struct ws_scope_group *group, uint32_t loop)
{
    const struct ws_compaction_plan_entry *entry = state->entry;
    uint32_t owner =
        ws_compaction_plan_function_scope(entry, group->scope, state->plan->loops[loop].function);
    uint32_t scope = owner != WS_NONE ? scope_in(state, owner, loop) : WS_NONE;
    if (scope == WS_NONE)
        return true;
    const uint32_t depth = entry->scopes[scope].depth;
    const uint32_t *slots = entry->scope_slots + entry->scopes[scope].slots;
    if (is_within(entry, group->scope, scope) && group->iterations[depth] > 0)
        for (uint32_t i = 0; i < entry->scopes[scope].slot_count; ++i)
            if ((entry->slots[slots[i]].in_continue >> depth & 1) != 0 &&
                !emit_missing(threads, state, slots[i], depth, group->lanes))
                return false;
    move(entry, group, entry->scopes[scope].parent);
    return true;
}

/* The continue target of a loop: an iteration has ended. */
static bool pass_continue(struct ws_compaction_threads *threads, struct ws_context_state *state,
                          struct ws_scope_group *group, uint32_t loop)
{
    const struct ws_compaction_plan_entry *entry = state->entry;
    uint32_t owner =
        ws_compaction_plan_function_scope(entry, group->scope, state->plan->loops[loop].function);
    uint32_t scope = owner != WS_NONE ? scope_in(state, owner, loop) : WS_NONE;
    if (scope == WS_NONE)
        return true;
    const uint32_t depth = entry->scopes[scope].depth;
    const uint32_t *slots = entry->scope_slots + entry->scopes[scope].slots;
    move(entry, group, scope);
    for (uint32_t i = 0; i < entry->scopes[scope].slot_count; ++i) {
        const struct ws_compaction_plan_slot *plan = &entry->slots[slots[i]];
        struct ws_slot_state *slot = &state->slots[slots[i]];
        /* What is called after the sync point has had no chance before the first. */
        bool late = (plan->in_continue >> depth & 1) != 0 && group->iterations[depth] == 0;
        if (!late && !emit_missing(threads, state, slots[i], depth, group->lanes))
            return false;
        for (uint32_t level = depth; level <= plan->depth; ++level)
            slot->touched[level] = ws_lanes_without(slot->touched[level], group->lanes);
        if (depth < plan->depth)
            slot->passed[depth] = ws_lanes_or(slot->passed[depth], group->lanes);
    }
    group->iterations[depth]++;
    return true;
}

bool ws_compaction_synchronise(struct ws_compaction_threads *threads, struct ws_context_state *state,
                               struct ws_scope_group *group, uint32_t block)
{
    const struct ws_compaction_plan_module *plan = state->plan;
    if (block >= plan->block_count)
        return true;
    return (plan->selections[block] == WS_NONE ||
            pass_selection(threads, state, group, plan->selections[block])) &&
           (plan->merges[block] == WS_NONE || pass_merge(threads, state, group, plan->merges[block])) &&
           (plan->continues[block] == WS_NONE ||
            pass_continue(threads, state, group, plan->continues[block]));
}
