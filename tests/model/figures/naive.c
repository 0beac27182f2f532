#include "tests/model/figures/naive.h"

#include <stdlib.h>
#include <string.h>

#define STACK 64

/* What has been seen of a context so far. */
struct seen {
    struct ws_lanes ended;
    bool left;                   /* threads have moved from it */
    uint32_t call;               /* of its caller, that led here: number of the record before it; 0 = none */
    uint32_t calls[MODEL_LANES]; /* per lane: the call that it takes part in, 0 = none */
};

struct naive {
    struct model_naive *results;
    const struct model_warps *warps;
    const struct model_module *modules;
    struct seen *seen;
    uint32_t stacks[MODEL_THREADS][STACK]; /* per thread: the contexts that it has entered and not ended */
    uint32_t depths[MODEL_THREADS];
    uint32_t next_call;
};

static const struct model_context *context_at(const struct naive *naive, uint32_t context)
{
    return &naive->warps->contexts[context];
}

static uint32_t lane_in(const struct model_context *context, uint32_t thread)
{
    uint32_t lane = 0;
    while (context->threads[lane] != thread)
        lane++;
    return lane;
}

/* A thread is in a context, so it has ended all that it entered from there. */
static void go_back(struct naive *naive, uint32_t thread, uint32_t context)
{
    while (naive->depths[thread] > 0 && naive->stacks[thread][naive->depths[thread] - 1] != context) {
        const uint32_t ended = naive->stacks[thread][--naive->depths[thread]];
        const uint32_t lane = lane_in(context_at(naive, ended), thread);
        naive->seen[ended].ended = ws_lanes_or(naive->seen[ended].ended, ws_lanes_one(lane));
    }
}

static void enter(struct naive *naive, uint32_t number)
{
    const struct model_context *context = context_at(naive, number);
    memset(&naive->seen[number], 0, sizeof(*naive->seen));
    for (uint32_t lane = 0; lane < naive->warps->lanes; lane++) {
        const uint32_t thread = context->threads[lane];
        if (thread == MODEL_NONE)
            continue;
        if (context->callers[lane] != MODEL_NONE)
            go_back(naive, thread, context->callers[lane]);
        naive->stacks[thread][naive->depths[thread]++] = number;
    }
    if (context->caller != MODEL_NONE) {
        const uint32_t lowest = context->threads[ws_lanes_lowest(context->entered)];
        const uint32_t there = lane_in(context_at(naive, context->caller), lowest);
        naive->seen[number].call = naive->seen[context->caller].calls[there];
    }
}

/* Threads go on in another context of the execution that they were in. */
static void move(struct naive *naive, uint32_t number)
{
    const struct model_context *context = context_at(naive, number);
    memset(&naive->seen[number], 0, sizeof(*naive->seen));
    for (uint32_t lane = 0; lane < naive->warps->lanes; lane++) {
        const uint32_t thread = context->threads[lane], from = context->from[lane];
        if (thread == MODEL_NONE)
            continue;
        go_back(naive, thread, from);
        naive->seen[from].calls[lane_in(context_at(naive, from), thread)] = 0;
        naive->seen[from].left = true;
        naive->stacks[thread][naive->depths[thread] - 1] = number;
    }
}

/* In which bucket a lane that is not active is, when a block of `number` runs. */
static uint64_t *find_bucket(const struct naive *naive, uint32_t number, uint32_t lane,
                             struct model_slots *slots)
{
    uint32_t call = 0;
    for (uint32_t at = number;;) {
        const struct model_context *context = context_at(naive, at);
        const struct seen *seen = &naive->seen[at];
        const bool entered = ws_lanes_has(context->entered, lane);
        if (entered && !ws_lanes_has(seen->ended, lane)) {
            const bool takes_part = at != number && call != 0 && seen->calls[lane] == call;
            return takes_part ? &slots->indirect_call : &slots->control_flow;
        }
        if (context->regrouped)
            return context->caller == MODEL_NONE && entered ? &slots->early_return : &slots->indirect_call;
        if (context->caller == MODEL_NONE)
            return entered ? &slots->early_return : &slots->partial_warp;
        call = seen->call;
        at = context->caller;
    }
}

static bool is_apart(const struct naive *naive, uint32_t number)
{
    if (naive->seen[number].left)
        return true;
    for (; number != MODEL_NONE; number = context_at(naive, number)->caller)
        if (context_at(naive, number)->regrouped)
            return true;
    return false;
}

static void run_block(struct naive *naive, const struct model_unit *unit, uint32_t block, uint32_t part)
{
    const struct model_context *context = context_at(naive, unit->context);
    const uint64_t instructions = naive->modules[context->shader].places[block].parts[part].instructions;
    struct model_slots *slots = &naive->results->slots[context->shader][block][part];
    slots->executions++;
    slots->slots += instructions * naive->warps->lanes;
    slots->apart += is_apart(naive, unit->context) ? instructions * naive->warps->lanes : 0;
    for (uint32_t lane = 0; lane < naive->warps->lanes; lane++) {
        if (ws_lanes_has(unit->lanes, lane)) {
            slots->active += instructions;
            naive->results->thread_blocks[context->threads[lane]]++;
        } else {
            *find_bucket(naive, unit->context, lane, slots) += instructions;
        }
    }
    const uint32_t lowest = context->threads[ws_lanes_lowest(context->entered)];
    naive->results->warp_blocks[naive->warps->warp_of[lowest]]++;
}

/* The lanes have come to an end of their shader; terminateRay ends the intersection shader around it too. */
static void end(struct naive *naive, const struct model_unit *unit, uint32_t block)
{
    const struct model_context *context = context_at(naive, unit->context);
    const struct model_shader *shaders = naive->warps->program->shaders;
    for (uint32_t lane = 0; lane < naive->warps->lanes; lane++) {
        if (!ws_lanes_has(unit->lanes, lane))
            continue;
        const uint32_t thread = context->threads[lane];
        uint32_t out =
            naive->depths[thread] > 1 ? naive->stacks[thread][naive->depths[thread] - 2] : MODEL_NONE;
        if (out != MODEL_NONE && shaders[context->shader].blocks[block].end == MODEL_TERMINATE &&
            shaders[context_at(naive, out)->shader].stage == WS_STAGE_INTERSECTION)
            out = naive->stacks[thread][naive->depths[thread] - 3];
        go_back(naive, thread, out);
    }
}

static void take(struct naive *naive, const struct model_unit *unit, const struct model_record *record)
{
    const struct model_context *context = context_at(naive, unit->context);
    if (record->place == MODEL_PLACE_ENTER) {
        enter(naive, unit->context);
        return;
    }
    if (record->place == MODEL_PLACE_CONTINUE) {
        move(naive, unit->context);
        return;
    }
    if (record->place == MODEL_PLACE_DATA) {
        for (uint32_t lane = 0; lane < naive->warps->lanes; lane++)
            if (ws_lanes_has(unit->lanes, lane))
                go_back(naive, context->threads[lane], unit->context);
        return;
    }
    const struct model_block *block = &naive->warps->program->shaders[context->shader].blocks[record->block];
    const bool calls = record->place == MODEL_PLACE_BEFORE &&
                       block->actions[record->action].kind < MODEL_LOOP_ZERO &&
                       block->actions[record->action].kind != MODEL_CALL;
    naive->next_call += calls ? 1 : 0;
    for (uint32_t lane = 0; lane < naive->warps->lanes; lane++) {
        if (ws_lanes_has(unit->lanes, lane)) {
            go_back(naive, context->threads[lane], unit->context);
            naive->seen[unit->context].calls[lane] = calls ? naive->next_call : 0;
        }
    }
    if (record->place == MODEL_PLACE_BLOCK)
        run_block(naive, unit, record->block, record->action);
    else if (record->place == MODEL_PLACE_END)
        end(naive, unit, record->block);
}

void model_naive_make(struct model_naive *results, const struct model_warps *warps,
                      const struct model_module *modules)
{
    static struct naive naive;
    memset(&naive, 0, sizeof(naive));
    memset(results, 0, sizeof(*results));
    naive.results = results;
    naive.warps = warps;
    naive.modules = modules;
    naive.seen = calloc(warps->context_count + 1, sizeof(*naive.seen));
    if (naive.seen == NULL)
        abort();
    for (uint32_t i = 0; i < warps->unit_count; i++) {
        const struct model_unit *unit = &warps->units[i];
        for (uint32_t r = unit->first; r != MODEL_NONE; r = warps->records[r].next)
            take(&naive, unit, &warps->records[r]);
    }
    free(naive.seen);
}
