#include "analysis/trace/divergence_lanes.h"
#include "passes/base/array.h"

#include <stdlib.h>

#define CALLED_STAGES (WS_STAGES_RAY_TRACING & ~(uint32_t)WS_STAGE_RAYGEN)

/* The lanes that were in the same calls as those that enter: one call, unless the device runs several
 * together. */
static struct ws_lanes partakers(const struct ws_divergence_context *caller, struct ws_lanes entered)
{
    struct ws_lanes took = {0, 0};
    for (uint32_t i = 0; i < caller->call_count; ++i)
        if (ws_lanes_any(ws_lanes_and(caller->calls[i].lanes, entered)))
            took = ws_lanes_or(took, caller->calls[i].lanes);
    return took;
}

struct ws_divergence_context *ws_divergence_context_create(const struct ws_context *context, uint32_t user)
{
    struct ws_divergence_context *state = calloc(1, sizeof(*state));
    const struct ws_divergence_context *caller = context->caller != NULL ? context->caller->user[user] : NULL;
    if (state == NULL)
        return NULL;
    state->version = 1;
    if (caller != NULL) {
        state->took = partakers(caller, context->entered);
        state->caller_serial = caller->serial;
    }
    return state;
}

void ws_divergence_context_destroy(struct ws_divergence_context *state)
{
    if (state == NULL)
        return;
    free(state->calls);
    free(state);
}

static void take_out(struct ws_divergence_context *state, struct ws_lanes lanes)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->call_count; ++i) {
        struct ws_divergence_call call = state->calls[i];
        call.lanes = ws_lanes_without(call.lanes, lanes);
        if (ws_lanes_any(call.lanes))
            state->calls[kept++] = call;
    }
    state->call_count = kept;
    state->calling = ws_lanes_without(state->calling, lanes);
    state->version++;
}

bool ws_divergence_context_call(struct ws_divergence_context *state, struct ws_lanes lanes)
{
    take_out(state, lanes);
    struct ws_divergence_call *calls =
        ws_array_grow(state->calls, &state->call_capacity, state->call_count + 1, sizeof(*calls));
    if (calls == NULL)
        return false;
    state->calls = calls;
    calls[state->call_count++] = (struct ws_divergence_call){++state->serial, lanes};
    state->calling = ws_lanes_or(state->calling, lanes);
    return true;
}

void ws_divergence_context_return(struct ws_divergence_context *state, struct ws_lanes lanes)
{
    if (ws_lanes_any(ws_lanes_and(state->calling, lanes)))
        take_out(state, lanes);
}

void ws_divergence_context_move(struct ws_divergence_context *state, uint32_t lane)
{
    take_out(state, ws_lanes_one(lane));
}

void ws_divergence_context_leave(struct ws_divergence_context *state, struct ws_lanes lanes)
{
    take_out(state, lanes);
}

/* Lanes of `context` that are still in the call by which `inner` was entered: a lane that called again since
 * has a later serial. */
static struct ws_lanes still_in_call(const struct ws_divergence_context *state,
                                     const struct ws_divergence_context *inner)
{
    struct ws_lanes lanes = {0, 0};
    for (uint32_t i = 0; i < state->call_count; ++i)
        if (state->calls[i].serial <= inner->caller_serial)
            lanes = ws_lanes_or(lanes, state->calls[i].lanes);
    return ws_lanes_and(lanes, inner->took);
}

static void classify(struct ws_divergence_context *state, const struct ws_context *context, uint32_t user)
{
    const struct ws_lanes none = {0, 0};
    struct ws_lanes left = ws_lanes_first(context->lane_count);
    state->control_flow = ws_lanes_and(left, ws_lanes_without(context->entered, context->ended));
    state->indirect_call = none;
    state->early_return = none;
    state->partial_warp = none;
    left = ws_lanes_without(left, state->control_flow);
    const struct ws_lanes moved = context->moved;
    for (; !context->regrouped && context->caller != NULL; context = context->caller) {
        const struct ws_context *caller = context->caller;
        struct ws_lanes there = ws_lanes_and(left, ws_lanes_without(caller->entered, caller->ended));
        struct ws_lanes in_call = ws_lanes_and(there, still_in_call(caller->user[user], context->user[user]));
        state->indirect_call = ws_lanes_or(state->indirect_call, in_call);
        state->control_flow = ws_lanes_or(state->control_flow, ws_lanes_without(there, in_call));
        left = ws_lanes_without(left, there);
    }
    const bool called = (context->stage & CALLED_STAGES) != 0;
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
        state->partial_warp = never;
}

const struct ws_divergence_context *ws_divergence_context_classify(const struct ws_context *context,
                                                                   uint32_t user)
{
    struct ws_divergence_context *state = context->user[user];
    const struct ws_context *outer = context;
    uint64_t stamp = state->version;
    /* Versions only grow, so their sum is the same only if all are. */
    for (; !outer->regrouped && outer->caller != NULL; outer = outer->caller)
        stamp += ((const struct ws_divergence_context *)outer->caller->user[user])->version;
    if (stamp != state->stamp)
        classify(state, context, user);
    state->stamp = stamp;
    return state;
}
