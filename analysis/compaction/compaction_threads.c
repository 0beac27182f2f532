#include "analysis/compaction/compaction_threads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/passes.h"

/* Lanes at the same place. iterations[0] is how often the thread has entered the shader before, iterations[d]
 * the iteration of the loop at depth d around the scope; those of deeper loops are 0. */
struct scope_group {
    struct ws_lanes lanes;
    uint32_t scope;
    uint32_t iterations[WS_PLAN_DEPTH_MAX + 1];
};

/* A slot in a context. Level 0 is the execution of the shader, level d the loop at depth d. */
struct slot_state {
    struct ws_lanes *touched; /* per level: lanes with a symbol since its present iteration began */
    /* Per level but the innermost: lanes for which the level went on to its next iteration since their last
     * symbol. */
    struct ws_lanes *passed;
};

/* What stands behind context->user. */
struct context_state {
    const struct ws_compaction_plan_module *plan;
    const struct ws_compaction_plan_entry *entry;
    bool called;
    struct scope_group *groups;
    uint32_t group_count;
    uint32_t group_capacity;
    struct slot_state *slots;
    struct ws_lanes *levels; /* the arrays that slots point into */
    struct ws_path *paths;   /* of a launched shader: per lane and slot */
    uint32_t *stores;        /* of a called shader: per lane, index in the worker's stores */
    uint32_t *warps;         /* per lane the warp of its thread, if they differ; else NULL */
};

static void state_destroy(struct context_state *state)
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

const struct ws_compaction_plan_entry *ws_compaction_plan(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_shader_record *record = &catalog->shaders[shader];
    const struct ws_compaction_plan_module *plan = catalog->modules[record->module].compaction;
    if (plan == NULL || record->entry >= plan->entry_count || plan->entries[record->entry].slot_count == 0)
        return NULL;
    return &plan->entries[record->entry];
}

static bool allocate_slots(struct context_state *state)
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

static struct context_state *state_create(const struct ws_compaction_threads *threads,
                                          const struct ws_context *context)
{
    const struct ws_catalog *catalog = threads->catalog;
    struct context_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return NULL;
    state->plan = catalog->modules[catalog->shaders[context->shader].module].compaction;
    state->entry = ws_compaction_plan(catalog, context->shader);
    state->called = (context->stage & WS_STAGES_CALLED) != 0;
    if (state->called)
        state->stores = calloc((size_t)context->lane_count + 1, sizeof(*state->stores));
    else
        state->paths =
            calloc((size_t)context->lane_count * state->entry->slot_count + 1, sizeof(*state->paths));
    if ((state->stores != NULL || state->paths != NULL) && allocate_slots(state))
        return state;
    state_destroy(state);
    return NULL;
}

static bool groups_equal(const struct scope_group *a, const struct scope_group *b)
{
    return a->scope == b->scope && memcmp(a->iterations, b->iterations, sizeof(a->iterations)) == 0;
}

/* Adds a group; to the group at the same place if there is one. False when there is no memory. */
static bool state_add(struct context_state *state, const struct scope_group *group)
{
    for (uint32_t i = 0; i < state->group_count; ++i)
        if (groups_equal(&state->groups[i], group)) {
            state->groups[i].lanes = ws_lanes_or(state->groups[i].lanes, group->lanes);
            return true;
        }
    struct scope_group *groups =
        ws_array_grow(state->groups, &state->group_capacity, state->group_count + 1, sizeof(*groups));
    if (groups == NULL)
        return false;
    state->groups = groups;
    groups[state->group_count++] = *group;
    return true;
}

/* Takes `lanes` out of the first group, from `*next` on, that has some of them, into `group`. False if none
 * has. */
static bool state_take(struct context_state *state, struct ws_lanes lanes, uint32_t *next,
                       struct scope_group *group)
{
    for (; *next < state->group_count; ++*next) {
        struct scope_group *from = &state->groups[*next];
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

/* The path of a lane's thread at a slot. */
static struct ws_path *state_path(struct ws_compaction_threads *threads, struct context_state *state,
                                  uint32_t lane, uint32_t slot)
{
    if (state->called)
        return &threads->stored_paths[threads->stores[state->stores[lane]].paths + slot];
    return &state->paths[(size_t)lane * state->entry->slot_count + slot];
}

/* STEPS: what a record does to the lanes that it shows. They move between scopes and iterations, visit slots,
 * and their paths grow. Each step is false when there is no memory. */

/* Appends a symbol to the path of a lane. If a level went on since the lane's last symbol, separators come
 * first: one for each loop within the outermost level that did. */
static bool emit_lane(struct ws_compaction_threads *threads, struct context_state *state, uint32_t lane,
                      uint32_t slot, uint32_t symbol)
{
    struct ws_path *path = state_path(threads, state, lane, slot);
    const uint32_t depth = state->entry->slots[slot].depth;
    for (uint32_t level = 0; level < depth && !ws_path_is_empty(path); ++level)
        if (ws_lanes_has(state->slots[slot].passed[level], lane)) {
            if (!ws_path_append(&threads->tree, path, WS_PATH_SEPARATOR, depth - level))
                return false;
            break;
        }
    return ws_path_append(&threads->tree, path, symbol, 1);
}

static bool emit(struct ws_compaction_threads *threads, struct context_state *state, uint32_t slot,
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

/* Appends "not taken" to the paths of lanes without a symbol since the present iteration at `level` began. */
static bool emit_missing(struct ws_compaction_threads *threads, struct context_state *state, uint32_t slot,
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

/* Puts a group into a scope. The iterations of loops that are around both its old and its new scope stay;
 * those of other loops begin at 0. */
static void move(const struct ws_compaction_plan_entry *entry, struct scope_group *group, uint32_t scope)
{
    uint32_t common = scope;
    while (common != WS_NONE && !is_within(entry, group->scope, common))
        common = entry->scopes[common].parent;
    const uint32_t depth = common != WS_NONE ? entry->scopes[common].depth : 0;
    memset(group->iterations + depth + 1, 0, (WS_PLAN_DEPTH_MAX - depth) * sizeof(*group->iterations));
    group->scope = scope;
}

/* The scope of a loop in the function scope `owner`; of the function itself if `loop` is WS_NONE. */
static uint32_t scope_in(const struct context_state *state, uint32_t owner, uint32_t loop)
{
    const struct ws_compaction_plan_scope *scope = &state->entry->scopes[owner];
    if (loop == WS_NONE)
        return owner;
    return state->entry->scope_of_loop[scope->loops + loop - state->plan->loop_first[scope->function]];
}

static uint32_t target_of(const struct context_state *state, uint32_t owner, uint32_t place)
{
    const struct ws_compaction_plan_scope *scope = &state->entry->scopes[owner];
    return state->entry->targets[scope->targets + place - state->plan->place_first[scope->function]];
}

/* The threads of a group visit a slot. The visit's key is the subgroup size and the iteration vector. In a
 * context with threads of several warps, the lanes of each warp are added apart: windows are of the launched
 * warps. */
static bool visit(struct ws_compaction_threads *threads, struct context_state *state,
                  const struct ws_context *context, const struct scope_group *group, uint32_t slot)
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

/* Before a call site, or before an OpFunctionCall on the way to one. `place`: of the plan's. */
static bool pass_call(struct ws_compaction_threads *threads, struct context_state *state,
                      const struct ws_context *context, struct scope_group *group, uint32_t place)
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

/* The merge block of a selection around call sites without a loop of their function around: the call is over,
 * taken or not. Slots with a loop further in on their way get no 0 (thread_compaction.h). `first`: the first
 * place of the list that has this merge block. */
static bool pass_selection(struct ws_compaction_threads *threads, struct context_state *state,
                           struct scope_group *group, uint32_t first)
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

/* The merge block of a loop: it has ended. For call sites in its continue construct the last iteration ends
 * here: it began at the last continue target. */
static bool pass_merge(struct ws_compaction_threads *threads, struct context_state *state,
                       struct scope_group *group, uint32_t loop)
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

/* The continue target of a loop: an iteration ends. */
static bool pass_continue(struct ws_compaction_threads *threads, struct context_state *state,
                          struct scope_group *group, uint32_t loop)
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
        struct slot_state *slot = &state->slots[slots[i]];
        /* The continue construct comes after this point: before the first one it could not be reached. */
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

/* A sync point: a block, by its index, that is a merge block or a continue target, or both. */
static bool synchronise(struct ws_compaction_threads *threads, struct context_state *state,
                        struct scope_group *group, uint32_t block)
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

bool ws_compaction_threads_init(struct ws_compaction_threads *threads)
{
    threads->shader_count = threads->catalog->shader_count;
    threads->shaders = calloc((size_t)threads->shader_count + 1, sizeof(*threads->shaders));
    return threads->shaders != NULL;
}

void ws_compaction_threads_finish(struct ws_compaction_threads *threads)
{
    for (uint32_t i = 0; threads->shaders != NULL && i < threads->shader_count; ++i)
        free(threads->shaders[i].sites);
    free(threads->shaders);
    free(threads->slot_shader);
    ws_path_tree_finish(&threads->tree);
    ws_path_counts_finish(&threads->counts);
    ws_compaction_visits_finish(&threads->visits);
    ws_id_map_finish(&threads->stored);
    free(threads->stores);
    free(threads->stored_paths);
}

/* The worker's figures of the shader; they are made if need be. NULL when there is no memory. */
static struct ws_thread_shader *prepare(struct ws_compaction_threads *threads, uint32_t shader,
                                        uint32_t slot_count)
{
    struct ws_thread_shader *own = &threads->shaders[shader];
    if (own->sites != NULL)
        return own;
    own->sites = calloc(slot_count, sizeof(*own->sites));
    own->first = threads->slot_count;
    for (uint32_t i = 0; i < slot_count && own->sites != NULL; ++i) {
        uint32_t *list = ws_array_grow(threads->slot_shader, &threads->slot_capacity, threads->slot_count + 1,
                                       sizeof(*list));
        if (list == NULL)
            return NULL;
        threads->slot_shader = list;
        list[threads->slot_count++] = shader;
    }
    return own->sites != NULL ? own : NULL;
}

/* Index of what is kept of a thread in a called shader; WS_NONE when there is no memory. */
static uint32_t store_of(struct ws_compaction_threads *threads, uint32_t shader, uint32_t thread,
                         uint32_t slot_count)
{
    const uint64_t key = (uint64_t)shader << 32 | thread;
    uint32_t index = WS_NONE;
    if (ws_id_map_get(&threads->stored, key, &index))
        return index;
    struct ws_thread_store *stores =
        ws_array_grow(threads->stores, &threads->store_capacity, threads->store_count + 1, sizeof(*stores));
    if (stores == NULL)
        return WS_NONE;
    threads->stores = stores;
    if (threads->stored_path_count + slot_count > threads->stored_path_capacity) {
        uint64_t capacity = 2 * threads->stored_path_capacity + slot_count;
        struct ws_path *paths = realloc(threads->stored_paths, capacity * sizeof(*paths));
        if (paths == NULL)
            return WS_NONE;
        threads->stored_paths = paths;
        threads->stored_path_capacity = capacity;
    }
    index = threads->store_count;
    if (!ws_id_map_put(&threads->stored, key, index))
        return WS_NONE;
    stores[threads->store_count++] =
        (struct ws_thread_store){.shader = shader, .paths = threads->stored_path_count};
    memset(threads->stored_paths + threads->stored_path_count, 0, slot_count * sizeof(struct ws_path));
    threads->stored_path_count += slot_count;
    threads->shaders[shader].threads++;
    return index;
}

/* Puts the lanes that enter a called shader into groups, by how often their thread has entered it before. */
static bool enter_called(struct ws_compaction_threads *threads, struct context_state *state,
                         const struct ws_context *context)
{
    const uint32_t slot_count = state->entry->slot_count;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        uint32_t lane = ws_lanes_take(&left);
        uint32_t store = store_of(threads, context->shader, context->threads[lane], slot_count);
        if (store == WS_NONE)
            return false;
        state->stores[lane] = store;
        struct scope_group group = {.lanes = ws_lanes_one(lane)};
        group.iterations[0] = threads->stores[store].executions++;
        if (!state_add(state, &group))
            return false;
    }
    /* In a thread's path a new execution is marked as a new iteration of a loop around the whole shader would
     * be. */
    for (uint32_t i = 0; i < slot_count; ++i)
        state->slots[i].passed[0] = context->entered;
    return true;
}

/* Notes the warp of each lane if they may differ: in a regrouped context, and in all that is called from
 * one. */
static bool set_warps(struct context_state *state, const struct ws_context *context,
                      const struct ws_thread *all)
{
    const struct ws_context *around = context;
    while (around != NULL && !around->regrouped)
        around = around->caller;
    if (around == NULL)
        return true;
    state->warps = calloc((size_t)context->lane_count + 1, sizeof(*state->warps));
    for (struct ws_lanes left = context->entered; state->warps != NULL && ws_lanes_any(left);) {
        uint32_t lane = ws_lanes_take(&left);
        state->warps[lane] = all[context->threads[lane]].warp;
    }
    return state->warps != NULL;
}

bool ws_compaction_threads_enter(struct ws_compaction_threads *threads, struct ws_context *context,
                                 const struct ws_thread *all)
{
    const struct ws_compaction_plan_entry *entry = ws_compaction_plan(threads->catalog, context->shader);
    if (entry == NULL || context->warp == WS_NONE ||
        !ws_selection_runs(threads->selection, threads->launch, context->shader))
        return true;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);)
        if (context->threads[ws_lanes_take(&left)] == WS_NONE)
            return true;
    struct ws_thread_shader *shader = prepare(threads, context->shader, entry->slot_count);
    struct context_state *state = shader != NULL ? state_create(threads, context) : NULL;
    context->user[threads->user] = state;
    if (state == NULL || !set_warps(state, context, all))
        return false;
    if (context->continues)
        return true;
    if (state->called)
        return enter_called(threads, state, context);
    shader->threads += ws_lanes_count(context->entered);
    return state_add(state, &(struct scope_group){.lanes = context->entered});
}

/* Moves a bit from lane `from_lane` of `from` to lane `lane` of `bits`. */
static void move_bit(struct ws_lanes *bits, uint32_t lane, struct ws_lanes *from, uint32_t from_lane)
{
    if (ws_lanes_has(*from, from_lane))
        *bits = ws_lanes_or(*bits, ws_lanes_one(lane));
    *from = ws_lanes_without(*from, ws_lanes_one(from_lane));
}

bool ws_compaction_threads_move(struct ws_compaction_threads *threads, struct ws_context *from,
                                uint32_t from_lane, struct ws_context *context, uint32_t lane)
{
    struct context_state *before = from->user[threads->user];
    struct context_state *state = context->user[threads->user];
    struct scope_group group;
    uint32_t next = 0;
    if (before == NULL || !state_take(before, ws_lanes_one(from_lane), &next, &group) || state == NULL)
        return true;
    const struct ws_compaction_plan_entry *entry = state->entry;
    for (uint32_t i = 0; i < entry->slot_count; ++i)
        for (uint32_t level = 0; level <= entry->slots[i].depth; ++level) {
            move_bit(&state->slots[i].touched[level], lane, &before->slots[i].touched[level], from_lane);
            move_bit(&state->slots[i].passed[level], lane, &before->slots[i].passed[level], from_lane);
        }
    if (state->called)
        state->stores[lane] = before->stores[from_lane];
    else
        memcpy(state->paths + (size_t)lane * entry->slot_count,
               before->paths + (size_t)from_lane * entry->slot_count,
               entry->slot_count * sizeof(*state->paths));
    group.lanes = ws_lanes_one(lane);
    return state_add(state, &group);
}

bool ws_compaction_threads_place(struct ws_compaction_threads *threads, struct ws_context *context,
                                 const struct ws_replay_place *place, struct ws_lanes lanes)
{
    struct context_state *state = context->user[threads->user];
    const bool sync = place->tag == WS_TAG_THREAD_COMPACTION_SYNC;
    const bool calls =
        place->tag == WS_TAG_THREAD_COMPACTION_CALL_SITE || place->tag == WS_TAG_THREAD_COMPACTION_CALL;
    if (state == NULL || (!sync && !calls))
        return true;
    const uint32_t call = calls ? ws_compaction_plan_find(state->plan, place->offset) : WS_NONE;
    if (calls && call == WS_NONE)
        return true;
    struct scope_group moved[WS_BINS_MAX];
    uint32_t count = 0;
    for (uint32_t next = 0; count < WS_BINS_MAX && state_take(state, lanes, &next, &moved[count]);)
        count++;
    bool done = true;
    for (uint32_t i = 0; i < count && done; ++i) {
        done = sync ? synchronise(threads, state, &moved[i], place->block)
                    : pass_call(threads, state, context, &moved[i], call);
        done = done && state_add(state, &moved[i]);
    }
    return done;
}

/* Counts the paths of one thread. `paths`: one per slot; `total`: also its path through all slots. */
static bool count_paths(struct ws_compaction_threads *threads, uint32_t shader, const struct ws_path *paths,
                        uint32_t slot_count, bool total)
{
    uint32_t all = WS_PATH_EMPTY;
    for (uint32_t i = 0; i < slot_count; ++i) {
        uint32_t node = WS_PATH_EMPTY;
        if (!ws_path_end(&threads->tree, &paths[i], &node) ||
            !ws_path_counts_add(&threads->counts, threads->shaders[shader].first + i, node, 1))
            return false;
        if (total && !ws_path_tree_child(&threads->tree, all, WS_PATH_SITE, node, &all))
            return false;
    }
    return !total || ws_path_counts_add(&threads->counts, WS_COMPACTION_TOTAL | shader, all, 1);
}

bool ws_compaction_threads_leave(struct ws_compaction_threads *threads, struct ws_context *context,
                                 struct ws_lanes lanes)
{
    struct context_state *state = context->user[threads->user];
    struct scope_group group;
    uint32_t next = 0;
    if (state == NULL)
        return true;
    const uint32_t slot_count = state->entry->slot_count;
    while (state_take(state, lanes, &next, &group))
        for (struct ws_lanes left = group.lanes; ws_lanes_any(left) && !state->called;) {
            uint32_t lane = ws_lanes_take(&left);
            if (!count_paths(threads, context->shader, state_path(threads, state, lane, 0), slot_count,
                             slot_count > 1))
                return false;
        }
    return true;
}

bool ws_compaction_threads_close(struct ws_compaction_threads *threads, struct ws_context *context)
{
    bool closed = ws_compaction_threads_leave(threads, context, context->entered);
    state_destroy(context->user[threads->user]);
    context->user[threads->user] = NULL;
    return closed;
}

bool ws_compaction_threads_end(struct ws_compaction_threads *threads)
{
    for (uint32_t i = 0; i < threads->store_count; ++i) {
        const struct ws_thread_store *store = &threads->stores[i];
        uint32_t slot_count = ws_compaction_plan(threads->catalog, store->shader)->slot_count;
        if (!count_paths(threads, store->shader, &threads->stored_paths[store->paths], slot_count,
                         slot_count > 1))
            return false;
    }
    return true;
}
