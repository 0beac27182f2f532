#include "analysis/trace/divergence.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/pages.h"
#include "warpscope/model/replay.h"
#include "warpscope/passes.h"

/* BUCKETS OF LANES (divergence.h). Each context keeps which of its lanes belong to which bucket. They are
 * worked out again only when the context or one of its callers has changed since: most blocks follow a block
 * of the same context, and need no walk through the callers. */

/* One execution of a call instruction, and the lanes that no later record shows in the caller again. */
struct open_call {
    uint32_t serial;
    struct ws_lanes lanes;
};

/* Of how many lanes an execution of a block adds slots to each sum of struct ws_divergence_counts. */
struct shares {
    uint32_t slots;
    uint32_t active;
    uint32_t early_return;
    uint32_t indirect_call;
    uint32_t control_flow;
    uint32_t partial_warp;
    uint32_t helper_lane;
    uint32_t apart;
};

struct shader;

/* What stands behind context->user. */
struct context_state {
    struct context_state *next; /* of those that are to be used again */
    uint64_t version;           /* 1, and 1 more for each change of the context's calls and lanes */
    uint64_t stamp;             /* stamp_of, when the buckets and the shares were worked out */
    /* The buckets: each lane of the warp is in exactly one of them, active lanes too. */
    struct ws_lanes control_flow;
    struct ws_lanes indirect_call;
    struct ws_lanes early_return;
    struct ws_lanes no_thread;
    bool apart;
    const struct shader *shader; /* that its blocks are counted in; NULL before the first */

    /* The shares when `active` were active, as in most blocks they are again. */
    bool has_shares;
    struct ws_lanes active;
    struct shares shares;

    struct ws_lanes took;   /* lanes of the caller that took part in the call by which this was entered */
    uint32_t caller_serial; /* of the caller's last call at that time */

    uint32_t serial;         /* of the last call that the context made */
    struct ws_lanes calling; /* all lanes of `calls` */
    struct open_call *calls; /* those that still have lanes */
    uint32_t call_count;
    uint32_t call_capacity;
};

/* The lanes that take part in the calls of the lanes that enter. This is one call, unless the device runs
 * several calls as one. */
static struct ws_lanes partakers(const struct context_state *caller, struct ws_lanes entered)
{
    struct ws_lanes took = {0, 0};
    for (uint32_t i = 0; i < caller->call_count; ++i)
        if (ws_lanes_any(ws_lanes_and(caller->calls[i].lanes, entered)))
            took = ws_lanes_or(took, caller->calls[i].lanes);
    return took;
}

/* Begins the state of a context at its entry. Room for calls stays. */
static void context_begin(struct context_state *state, const struct ws_context *context, uint32_t user)
{
    const struct context_state *caller = context->caller != NULL ? context->caller->user[user] : NULL;
    *state =
        (struct context_state){.version = 1, .calls = state->calls, .call_capacity = state->call_capacity};
    if (caller != NULL) {
        state->took = partakers(caller, context->entered);
        state->caller_serial = caller->serial;
    }
}

/* Lanes are seen in the context again, or have left it: they take part in no call any more. */
static void take_out(struct context_state *state, struct ws_lanes lanes)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->call_count; ++i) {
        struct open_call call = state->calls[i];
        call.lanes = ws_lanes_without(call.lanes, lanes);
        if (ws_lanes_any(call.lanes))
            state->calls[kept++] = call;
    }
    state->call_count = kept;
    state->calling = ws_lanes_without(state->calling, lanes);
    state->version++;
}

/* Lanes call. False when there is no memory. */
static bool context_call(struct context_state *state, struct ws_lanes lanes)
{
    take_out(state, lanes);
    struct open_call *calls =
        ws_array_grow(state->calls, &state->call_capacity, state->call_count + 1, sizeof(*calls));
    if (calls == NULL)
        return false;
    state->calls = calls;
    calls[state->call_count++] = (struct open_call){++state->serial, lanes};
    state->calling = ws_lanes_or(state->calling, lanes);
    return true;
}

/* Lanes are seen in the context again. */
static void context_return(struct context_state *state, struct ws_lanes lanes)
{
    if (ws_lanes_any(ws_lanes_and(state->calling, lanes)))
        take_out(state, lanes);
}

/* The thread of a lane moves to another context. */
static void context_move(struct context_state *state, uint32_t lane)
{
    take_out(state, ws_lanes_one(lane));
}

/* Lanes end the context. */
static void context_leave(struct context_state *state, struct ws_lanes lanes)
{
    take_out(state, lanes);
}

/* Lanes of the context that still take part in the call by which `inner` was entered. A lane that has
 * returned and called again is in a call of a later serial. */
static struct ws_lanes still_in_call(const struct context_state *state, const struct context_state *inner)
{
    struct ws_lanes lanes = {0, 0};
    for (uint32_t i = 0; i < state->call_count; ++i)
        if (state->calls[i].serial <= inner->caller_serial)
            lanes = ws_lanes_or(lanes, state->calls[i].lanes);
    return ws_lanes_and(lanes, inner->took);
}

/* Whether the context has one caller, of which something is known: the pass records in its shader too. */
static bool has_known_caller(const struct ws_context *context, uint32_t user)
{
    return !context->regrouped && context->caller != NULL && context->caller->user[user] != NULL;
}

/* Puts each lane into its bucket, by the rule of divergence.h. `left` holds the lanes whose C_k is not found
 * yet: first those of this context, then from caller to caller those of each. The walk ends at the launched
 * context, or at one whose lanes come from several warps: beyond it, equal lanes are other threads. */
static void classify(struct context_state *state, const struct ws_context *context, uint32_t user)
{
    const struct ws_lanes none = {0, 0};
    struct ws_lanes left = ws_lanes_first(context->lane_count);
    state->control_flow = ws_lanes_and(left, ws_lanes_without(context->entered, context->ended));
    state->indirect_call = none;
    state->early_return = none;
    state->no_thread = none;
    left = ws_lanes_without(left, state->control_flow);
    const struct ws_lanes moved = context->moved;
    for (; has_known_caller(context, user); context = context->caller) {
        const struct ws_context *caller = context->caller;
        struct ws_lanes there = ws_lanes_and(left, ws_lanes_without(caller->entered, caller->ended));
        struct ws_lanes in_call = ws_lanes_and(there, still_in_call(caller->user[user], context->user[user]));
        state->indirect_call = ws_lanes_or(state->indirect_call, in_call);
        state->control_flow = ws_lanes_or(state->control_flow, ws_lanes_without(there, in_call));
        left = ws_lanes_without(left, there);
    }
    /* No context has the lanes that are left. `context` is the outermost that was looked at. If that is a
     * called shader, its caller is not known, or is in other warps: the lanes are busy there, which is an
     * indirect call. */
    const bool called = (context->stage & WS_STAGES_CALLED) != 0;
    state->apart = context->regrouped || called || ws_lanes_any(moved);
    if (called) {
        state->indirect_call = ws_lanes_or(state->indirect_call, left);
        return;
    }
    const struct ws_lanes never = ws_lanes_without(left, context->entered);
    state->early_return = ws_lanes_and(left, context->entered);
    if (context->regrouped)
        state->indirect_call = ws_lanes_or(state->indirect_call, never);
    else
        state->no_thread = never;
}

/* Changes whenever the context or one of its callers has changed: versions only grow. */
static uint64_t stamp_of(const struct context_state *state, const struct ws_context *context, uint32_t user)
{
    uint64_t stamp = state->version;
    for (; has_known_caller(context, user); context = context->caller)
        stamp += ((const struct context_state *)context->caller->user[user])->version;
    return stamp;
}

void ws_divergence_add(struct ws_divergence_counts *counts, const struct ws_divergence_counts *more)
{
    counts->executions += more->executions;
    counts->slots += more->slots;
    counts->active += more->active;
    counts->early_return += more->early_return;
    counts->indirect_call += more->indirect_call;
    counts->control_flow += more->control_flow;
    counts->partial_warp += more->partial_warp;
    counts->helper_lane += more->helper_lane;
    counts->apart += more->apart;
}

/* What a shader ran. */
struct shader {
    struct ws_divergence_counts *counts;  /* per block of its module; NULL until it ran */
    const struct ws_block_record *blocks; /* the catalog's, of that module */
    uint32_t block_count;
};

/* What one worker counts in one launch. */
struct part {
    const struct ws_divergence_results *results;
    uint32_t user;
    struct ws_pages shaders;     /* struct shader, by index in the catalog: of some of many thousands */
    struct context_state *spare; /* of contexts that are over */
};

/* The next shader that the part counted something of, from `*index` on, which becomes its index; NULL = there is none. */
static struct shader *next_shader(const struct part *part, uint32_t *index)
{
    for (; *index / WS_PAGE < part->shaders.count; ++*index) {
        struct shader *shader = ws_page_get(&part->shaders, *index, sizeof(*shader));
        if (shader == NULL)
            *index |= WS_PAGE - 1; /* the last of its page */
        else if (shader->counts != NULL)
            return shader;
    }
    return NULL;
}

static void *part_create(const void *results, const struct ws_launch_record *launch)
{
    (void)launch;
    struct part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->results = results;
    part->user = part->results->user;
    return part;
}

static void part_destroy(void *pointer)
{
    struct part *part = pointer;
    if (part == NULL)
        return;
    while (part->spare != NULL) {
        struct context_state *next = part->spare->next;
        free(part->spare->calls);
        free(part->spare);
        part->spare = next;
    }
    uint32_t i = 0;
    for (struct shader *shader; (shader = next_shader(part, &i)) != NULL; ++i)
        free(shader->counts);
    ws_pages_finish(&part->shaders);
    free(part);
}

static bool enter(void *pointer, struct ws_context *context, const struct ws_thread *threads)
{
    (void)threads;
    struct part *part = pointer;
    struct context_state *state = part->spare != NULL ? part->spare : calloc(1, sizeof(*state));
    if (state == NULL)
        return false;
    if (state == part->spare)
        part->spare = state->next;
    context_begin(state, context, part->user);
    context->user[part->user] = state;
    return true;
}

static bool move(void *pointer, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                 uint32_t lane)
{
    (void)context;
    (void)lane;
    const struct part *part = pointer;
    context_move(from->user[part->user], from_lane);
    return true;
}

static bool close_context(void *pointer, struct ws_context *context)
{
    struct part *part = pointer;
    struct context_state *state = context->user[part->user];
    context->user[part->user] = NULL;
    if (state == NULL)
        return true;
    state->next = part->spare;
    part->spare = state;
    return true;
}

static bool leave(void *pointer, struct ws_context *context, struct ws_lanes lanes)
{
    const struct part *part = pointer;
    context_leave(context->user[part->user], lanes);
    return true;
}

/* The counts of a shader, with room for the blocks of its module. NULL when there is no memory. */
static const struct shader *make_room(struct part *part, uint32_t index)
{
    const struct ws_catalog *catalog = part->results->catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[index].module];
    struct shader *shader = ws_page_touch(&part->shaders, index, sizeof(*shader));
    if (shader == NULL || shader->counts != NULL)
        return shader;
    shader->counts = calloc((size_t)module->block_count + 1, sizeof(*shader->counts));
    shader->blocks = module->blocks;
    shader->block_count = module->block_count;
    return shader->counts != NULL ? shader : NULL;
}

static uint32_t inactive(struct ws_lanes bucket, struct ws_lanes active)
{
    return ws_lanes_count(ws_lanes_without(bucket, active));
}

static struct shares shares_of(const struct context_state *state, const struct ws_context *context,
                               struct ws_lanes active)
{
    const uint32_t no_thread = inactive(state->no_thread, active);
    const bool fragment = context->stage == WS_STAGE_FRAGMENT;
    return (struct shares){
        .slots = context->lane_count,
        .active = ws_lanes_count(active),
        .early_return = inactive(state->early_return, active),
        .indirect_call = inactive(state->indirect_call, active),
        .control_flow = inactive(state->control_flow, active),
        .partial_warp = fragment ? 0 : no_thread,
        .helper_lane = fragment ? no_thread : 0,
        .apart = state->apart ? context->lane_count : 0,
    };
}

static void add_block(const struct shader *shader, uint32_t index, const struct shares *shares)
{
    struct ws_divergence_counts *counts = &shader->counts[index];
    const uint64_t instructions = shader->blocks[index].info.instruction_count;
    counts->executions++;
    counts->slots += instructions * shares->slots;
    counts->active += instructions * shares->active;
    counts->early_return += instructions * shares->early_return;
    counts->indirect_call += instructions * shares->indirect_call;
    counts->control_flow += instructions * shares->control_flow;
    counts->partial_warp += instructions * shares->partial_warp;
    counts->helper_lane += instructions * shares->helper_lane;
    counts->apart += instructions * shares->apart;
}

/* Finds the figures of a context's shader. False when there is no memory. */
static bool know_shader(struct part *part, struct context_state *state, const struct ws_context *context)
{
    if (state->shader == NULL)
        state->shader = make_room(part, context->shader);
    return state->shader != NULL;
}

/* Works out the buckets again, where the context or one of its callers has changed. */
static void renew(struct context_state *state, const struct ws_context *context, uint32_t user)
{
    const uint64_t stamp = stamp_of(state, context, user);
    if (stamp == state->stamp)
        return;
    classify(state, context, user);
    state->stamp = stamp;
    state->has_shares = false;
}

static bool block(struct part *part, const struct ws_context *context, uint32_t index, struct ws_lanes lanes)
{
    struct context_state *state = context->user[part->user];
    if (!know_shader(part, state, context))
        return false;
    renew(state, context, part->user);
    state->has_shares = true;
    state->active = lanes;
    state->shares = shares_of(state, context, lanes);
    add_block(state->shader, index, &state->shares);
    return true;
}

/* Apart from `place`, which then keeps nothing in registers that are to be saved: 25 instructions less for most blocks. */
__attribute__((noinline)) static bool change(struct part *part, const struct ws_context *context,
                                             const struct ws_replay_place *place, struct ws_lanes lanes)
{
    struct context_state *state = context->user[part->user];
    if (place->tag == WS_TAG_DIVERGENCE_CALL)
        return context_call(state, lanes);
    if (place->tag > WS_TAG_DIVERGENCE_END)
        return true;
    context_return(state, lanes);
    return place->tag != WS_TAG_DIVERGENCE_BLOCK || block(part, context, place->block, lanes);
}

static bool place(void *pointer, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    struct part *part = pointer;
    const struct context_state *state = context->user[part->user];
    /* Most blocks follow one with the same lanes. */
    if (place->tag != WS_TAG_DIVERGENCE_BLOCK || !state->has_shares ||
        !ws_lanes_equal(state->active, lanes) || ws_lanes_any(ws_lanes_and(state->calling, lanes)) ||
        state->stamp != stamp_of(state, context, part->user))
        return change(part, context, place, lanes);
    add_block(state->shader, place->block, &state->shares);
    return true;
}

static struct ws_lanes those_that_came(const struct ws_replay_sum *sum)
{
    const uint64_t *times = sum->times;
    struct ws_lanes lanes = sum->lanes;
    for (struct ws_lanes left = sum->lanes; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        if (*times++ == 0)
            lanes = ws_lanes_without(lanes, ws_lanes_one(lane));
    }
    return lanes;
}

/* Turns of a loop. While no lane ends, all lanes that come by are in the bucket of control flow: they are taken out of it, and
 * the other buckets are idle in each execution. Nothing is called in between, so the state is the same in each. */
static bool sum_turns(void *pointer, struct ws_context *context, const struct ws_replay_place *place,
                      const struct ws_replay_sum *sum)
{
    struct part *part = pointer;
    const struct ws_lanes lanes = those_that_came(sum);
    if (place->tag != WS_TAG_DIVERGENCE_BLOCK)
        return change(part, context, place, lanes);
    struct context_state *state = context->user[part->user];
    context_return(state, lanes);
    if (!know_shader(part, state, context))
        return false;
    renew(state, context, part->user);
    const struct shares idle = shares_of(state, context, (struct ws_lanes){0, 0});
    struct ws_divergence_counts *counts = &state->shader->counts[place->block];
    const uint64_t instructions = state->shader->blocks[place->block].info.instruction_count;
    const uint64_t all = instructions * sum->executions;
    counts->executions += sum->executions;
    counts->slots += all * idle.slots;
    counts->active += instructions * sum->active;
    counts->early_return += all * idle.early_return;
    counts->indirect_call += all * idle.indirect_call;
    counts->control_flow += all * idle.control_flow - instructions * sum->active;
    counts->partial_warp += all * idle.partial_warp;
    counts->helper_lane += all * idle.helper_lane;
    counts->apart += all * idle.apart;
    return true;
}

static bool merge_shader(struct ws_divergence_results *results, const struct shader *from, uint32_t index,
                         uint64_t launch)
{
    uint64_t keys[WS_DIVERGENCE_DIMENSIONS] = {
        [WS_DIVERGENCE_LAUNCH] = launch,
        [WS_DIVERGENCE_PIPELINE] =
            ws_key_pipeline(ws_catalog_launch_pipeline(results->catalog, launch, index)),
        [WS_DIVERGENCE_STAGE] = ws_key_stage(results->catalog->shaders[index].stage),
        [WS_DIVERGENCE_SHADER] = index,
    };
    for (uint32_t i = 0; i < from->block_count; ++i) {
        keys[WS_DIVERGENCE_BLOCK] = ws_key_in_shader(index, i);
        if (from->counts[i].executions > 0 && !ws_groups_add(results->groups, keys, &from->counts[i]))
            return false;
    }
    return true;
}

static bool merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct ws_divergence_results *results = pointer;
    const struct part *part = from;
    const uint64_t launch = threads->launch->index;
    /* A launch that ran no block is a launch still. */
    const struct ws_divergence_counts launched = {.truncated = threads->launch->truncated};
    const uint64_t keys[WS_DIVERGENCE_DIMENSIONS] = {launch, WS_KEY_NONE, WS_KEY_NONE, WS_KEY_NONE,
                                                     WS_KEY_NONE};
    bool merged = ws_groups_add(results->groups, keys, &launched);
    uint32_t i = 0;
    for (const struct shader *shader; merged && (shader = next_shader(part, &i)) != NULL; ++i)
        merged =
            !ws_selection_runs(results->selection, launch, i) || merge_shader(results, shader, i, launch);
    return merged;
}

const struct ws_divergence_counts *ws_divergence_block(const struct ws_divergence_results *results,
                                                       uint32_t shader, uint32_t block)
{
    const uint64_t keys[WS_DIVERGENCE_DIMENSIONS] = {
        [WS_DIVERGENCE_STAGE] = ws_key_stage(results->catalog->shaders[shader].stage),
        [WS_DIVERGENCE_SHADER] = shader,
        [WS_DIVERGENCE_BLOCK] = ws_key_in_shader(shader, block),
    };
    return ws_groups_find(results->groups, WS_DIVERGENCE_BY_BLOCK, keys);
}

const struct ws_replay_operations ws_divergence_operations = {
    .pass = WS_PASS_DIVERGENCE,
    .create = part_create,
    .destroy = part_destroy,
    .enter = enter,
    .move = move,
    .place = place,
    .sum = sum_turns,
    .leave = leave,
    .close = close_context,
    .merge = merge,
};

static void destroy(void *pointer)
{
    struct ws_divergence_results *results = pointer;
    if (results == NULL)
        return;
    ws_groups_destroy(results->groups);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_divergence_results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->selection = options->selection;
    results->groups = ws_groups_create(&ws_divergence_columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    free(results);
    return NULL;
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct ws_divergence_results *results = pointer;
    return results->groups;
}

static void attach(void *pointer, uint32_t user)
{
    struct ws_divergence_results *results = pointer;
    results->user = user;
}

static const char *const passes[] = {"divergence", NULL};

const struct ws_analysis ws_analysis_divergence = {
    .name = "divergence",
    .summary = "why lanes were inactive: early returns, indirect calls, control flow, partial warps, helpers",
    .answers = "why lanes are idle",
    .passes = passes,
    .columns = &ws_divergence_columns,
    .words = ws_divergence_words,
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .replay = &ws_divergence_operations,
    .attach = attach,
    .findings = ws_divergence_findings,
    .nothing = ws_divergence_nothing,
    .text = ws_divergence_text,
    .plots = ws_divergence_plots,
};
