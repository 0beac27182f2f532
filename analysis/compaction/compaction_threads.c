#include "analysis/compaction/compaction_threads.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/compaction/compaction_state.h"
#include "analysis/compaction/compaction_steps.h"
#include "passes/base/array.h"

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

const struct ws_compaction_plan_entry *ws_compaction_plan(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_shader_record *record = &catalog->shaders[shader];
    const struct ws_compaction_plan_module *plan = catalog->modules[record->module].compaction;
    if (plan == NULL || record->entry >= plan->entry_count || plan->entries[record->entry].slot_count == 0)
        return NULL;
    return &plan->entries[record->entry];
}

/* The worker's figures of the shader, made if need be. */
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

/* What is kept of a thread's executions of a called shader; WS_NONE when there is no memory. */
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

/* The lanes of a called shader, by how often their thread has run it before. */
static bool enter_called(struct ws_compaction_threads *threads, struct ws_context_state *state,
                         const struct ws_context *context)
{
    const uint32_t slot_count = state->entry->slot_count;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        uint32_t lane = ws_lanes_take(&left);
        uint32_t store = store_of(threads, context->shader, context->threads[lane], slot_count);
        if (store == WS_NONE)
            return false;
        state->stores[lane] = store;
        struct ws_scope_group group = {.lanes = ws_lanes_one(lane)};
        group.iterations[0] = threads->stores[store].executions++;
        if (!ws_context_state_add(state, &group))
            return false;
    }
    /* To a thread's path, a new execution is to the loops of the shader what a new iteration of one is to
     * those within. */
    for (uint32_t i = 0; i < slot_count; ++i)
        state->slots[i].passed[0] = context->entered;
    return true;
}

/* What is called from a regrouped context has threads of several warps too. */
static bool set_warps(struct ws_context_state *state, const struct ws_context *context,
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
    if (entry == NULL || context->warp == WS_NONE)
        return true;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);)
        if (context->threads[ws_lanes_take(&left)] == WS_NONE)
            return true;
    struct ws_thread_shader *shader = prepare(threads, context->shader, entry->slot_count);
    struct ws_context_state *state = shader != NULL ? ws_context_state_create(threads, context) : NULL;
    context->user[threads->user] = state;
    if (state == NULL || !set_warps(state, context, all))
        return false;
    if (context->continues)
        return true;
    if (state->called)
        return enter_called(threads, state, context);
    shader->threads += ws_lanes_count(context->entered);
    return ws_context_state_add(state, &(struct ws_scope_group){.lanes = context->entered});
}

/* Lane `lane` has in `bits` what lane `from_lane` has in `from`, which no longer does. */
static void move_bit(struct ws_lanes *bits, uint32_t lane, struct ws_lanes *from, uint32_t from_lane)
{
    if (ws_lanes_has(*from, from_lane))
        *bits = ws_lanes_or(*bits, ws_lanes_one(lane));
    *from = ws_lanes_without(*from, ws_lanes_one(from_lane));
}

bool ws_compaction_threads_move(struct ws_compaction_threads *threads, struct ws_context *from,
                                uint32_t from_lane, struct ws_context *context, uint32_t lane)
{
    struct ws_context_state *before = from->user[threads->user];
    struct ws_context_state *state = context->user[threads->user];
    struct ws_scope_group group;
    uint32_t next = 0;
    if (before == NULL || !ws_context_state_take(before, ws_lanes_one(from_lane), &next, &group) ||
        state == NULL)
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
    return ws_context_state_add(state, &group);
}

bool ws_compaction_threads_place(struct ws_compaction_threads *threads, struct ws_context *context,
                                 uint32_t kind, uint32_t block, uint32_t offset, struct ws_lanes lanes)
{
    struct ws_context_state *state = context->user[threads->user];
    uint32_t place = WS_NONE;
    if (state == NULL)
        return true;
    if (kind == WS_SITE_PLACE_BEFORE || kind == WS_SITE_PLACE_CALL)
        place = ws_compaction_plan_find(state->plan, offset);
    else if (kind != WS_SITE_PLACE_SYNC)
        return true;
    if (kind != WS_SITE_PLACE_SYNC && place == WS_NONE)
        return true;
    struct ws_scope_group moved[WS_BINS_MAX];
    uint32_t count = 0;
    for (uint32_t next = 0; count < WS_BINS_MAX && ws_context_state_take(state, lanes, &next, &moved[count]);)
        count++;
    bool done = true;
    for (uint32_t i = 0; i < count && done; ++i) {
        done = kind == WS_SITE_PLACE_SYNC ? ws_compaction_synchronise(threads, state, &moved[i], block)
                                          : ws_compaction_call(threads, state, context, &moved[i], place);
        done = done && ws_context_state_add(state, &moved[i]);
    }
    return done;
}

/* Counts the paths of one thread, whose first slot's is `paths`. */
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
    struct ws_context_state *state = context->user[threads->user];
    struct ws_scope_group group;
    uint32_t next = 0;
    if (state == NULL)
        return true;
    const uint32_t slot_count = state->entry->slot_count;
    while (ws_context_state_take(state, lanes, &next, &group))
        for (struct ws_lanes left = group.lanes; ws_lanes_any(left) && !state->called;) {
            uint32_t lane = ws_lanes_take(&left);
            if (!count_paths(threads, context->shader, ws_context_state_path(threads, state, lane, 0),
                             slot_count, slot_count > 1))
                return false;
        }
    return true;
}

bool ws_compaction_threads_close(struct ws_compaction_threads *threads, struct ws_context *context)
{
    bool closed = ws_compaction_threads_leave(threads, context, context->entered);
    ws_context_state_destroy(context->user[threads->user]);
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
