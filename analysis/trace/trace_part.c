/* Blocks are summed per context and mask, and handed on to its threads when the context ends: a record costs
 * the same at every subgroup size as long as its lanes are those of the one before. */
#include "analysis/trace/trace_part.h"
#include "passes/base/array.h"

#include <stdlib.h>
#include <string.h>

struct ws_trace_live {
    struct ws_trace_live *previous;
    struct ws_trace_live *next;
    struct ws_trace_watch *watches; /* NULL = no chosen thread is in it */
    struct ws_lanes lanes;          /* of the last blocks, */
    uint64_t run;                   /* of which there were so many */
    uint64_t blocks;                /* of the warp */
    uint64_t lane_blocks[];         /* per lane, without those of the run */
};

static void *create(const void *user, const struct ws_replay_launch *launch)
{
    const struct ws_trace_results *results = user;
    const struct ws_analysis_options *options = &results->options;
    struct ws_trace_part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->results = results;
    part->launch = launch->index;
    part->skipped = options->has_launch && options->launch != launch->index;
    part->keeps = results->path_count == 0 || results->paths[0]->launch == launch->index;
    return part;
}

static void destroy(void *user)
{
    struct ws_trace_part *part = user;
    if (part == NULL)
        return;
    while (part->live != NULL) {
        struct ws_trace_live *next = part->live->next;
        ws_trace_watch_end(part->live->watches);
        free(part->live);
        part->live = next;
    }
    for (uint32_t i = 0; i < part->path_count; ++i)
        ws_trace_path_destroy(part->paths[i]);
    ws_pages_finish(&part->threads);
    ws_pages_finish(&part->warps);
    free(part->shaders);
    free(part);
}

static uint32_t find_shader(struct ws_trace_part *part, const struct ws_context *context)
{
    for (uint32_t i = 0; i < part->shader_count; ++i)
        if (part->shaders[i].shader == context->shader)
            return i;
    struct ws_trace_part_shader *grown =
        ws_array_grow(part->shaders, &part->shader_capacity, part->shader_count + 1, sizeof(*grown));
    if (grown == NULL)
        return WS_NONE;
    part->shaders = grown;
    memset(&grown[part->shader_count], 0, sizeof(*grown));
    grown[part->shader_count].shader = context->shader;
    grown[part->shader_count].stage = context->stage;
    return part->shader_count++;
}

/* Whether work id `left` comes before `right`. */
static bool is_before(const uint32_t left[3], const uint32_t right[3])
{
    for (uint32_t axis = 3; axis > 0; --axis)
        if (left[axis - 1] != right[axis - 1])
            return left[axis - 1] < right[axis - 1];
    return false;
}

static bool enter_launched(struct ws_trace_part *part, const struct ws_context *context,
                           const struct ws_thread *threads)
{
    uint32_t launched = find_shader(part, context);
    struct ws_trace_warp *warp = ws_page_touch(&part->warps, context->warp, sizeof(*warp));
    if (launched == WS_NONE || warp == NULL)
        return false;
    for (uint32_t lane = 0; lane < context->lane_count; ++lane) {
        uint32_t index = context->threads[lane];
        if (index == WS_NONE)
            continue;
        struct ws_trace_thread *thread = ws_page_touch(&part->threads, index, sizeof(*thread));
        if (thread == NULL)
            return false;
        thread->launched = launched + 1;
        if (warp->launched == 0 || is_before(threads[index].work, threads[warp->thread].work))
            warp->thread = index;
        warp->launched = launched + 1;
    }
    ws_trace_work_map_add(&part->shaders[launched].work, context, threads);
    return true;
}

/* The launch of a warp or thread that a called context belongs to; NULL where it is not known. */
static struct ws_trace_part_shader *shader_of(struct ws_trace_part *part, uint32_t launched)
{
    return launched > 0 ? &part->shaders[launched - 1] : NULL;
}

static void enter_called(struct ws_trace_part *part, const struct ws_context *context, uint32_t called)
{
    struct ws_trace_warp *warp = ws_page_get(&part->warps, context->warp, sizeof(*warp));
    struct ws_trace_part_shader *launched = warp != NULL ? shader_of(part, warp->launched) : NULL;
    if (launched != NULL) {
        warp->executions[called]++;
        launched->called++;
        launched->regrouped += context->regrouped;
    }
    for (uint32_t lane = 0; lane < context->lane_count; ++lane) {
        if (context->threads[lane] == WS_NONE)
            continue;
        struct ws_trace_thread *thread = ws_page_get(&part->threads, context->threads[lane], sizeof(*thread));
        if (thread != NULL && thread->launched > 0)
            thread->executions[called]++;
    }
}

static bool enter(void *user, struct ws_context *context, const struct ws_thread *threads)
{
    struct ws_trace_part *part = user;
    uint32_t called = ws_trace_called(context->stage);
    if (part->skipped || context->warp == WS_NONE)
        return true;
    struct ws_trace_live *live =
        calloc(1, sizeof(*live) + context->lane_count * sizeof(live->lane_blocks[0]));
    if (live == NULL)
        return false;
    live->next = part->live;
    if (live->next != NULL)
        live->next->previous = live;
    part->live = live;
    context->user[part->results->user] = live;
    if (!context->continues) {
        if (called != WS_NONE)
            enter_called(part, context, called);
        else if (!enter_launched(part, context, threads))
            return false;
    }
    if (ws_trace_is_chosen(part->results)) {
        bool no_memory = false;
        live->watches = ws_trace_watch_begin(part, context, threads, &no_memory);
        if (no_memory)
            return false;
    }
    return live->watches == NULL ||
           ws_trace_watch_step(part, live->watches, context,
                               context->continues ? WS_TRACE_CONTINUE : WS_TRACE_ENTER, 0, context->entered);
}

static bool move(void *user, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                 uint32_t lane)
{
    (void)from_lane;
    struct ws_trace_part *part = user;
    const struct ws_trace_live *before = from->user[part->results->user];
    const struct ws_trace_live *live = context->user[part->results->user];
    if (before != NULL && live != NULL)
        ws_trace_watch_move(before->watches, live->watches, lane);
    return true;
}

/* Gives the run to its lanes. */
static void end_run(struct ws_trace_live *live)
{
    struct ws_lanes left = live->lanes;
    while (live->run > 0 && ws_lanes_any(left))
        live->lane_blocks[ws_lanes_take(&left)] += live->run;
    live->blocks += live->run;
    live->run = 0;
}

static bool block(void *user, struct ws_context *context, uint32_t number, struct ws_lanes lanes)
{
    struct ws_trace_part *part = user;
    struct ws_trace_live *live = context->user[part->results->user];
    if (live == NULL)
        return true;
    if (!ws_lanes_equal(live->lanes, lanes)) {
        end_run(live);
        live->lanes = lanes;
    }
    live->run++;
    return live->watches == NULL ||
           ws_trace_watch_step(part, live->watches, context, WS_TRACE_BLOCK, number, lanes);
}

static bool leave(void *user, struct ws_context *context, struct ws_lanes lanes)
{
    struct ws_trace_part *part = user;
    struct ws_trace_live *live = context->user[part->results->user];
    return live == NULL || live->watches == NULL ||
           ws_trace_watch_step(part, live->watches, context, WS_TRACE_LEAVE, 0, lanes);
}

static void release(struct ws_trace_part *part, struct ws_trace_live *live)
{
    if (live->previous != NULL)
        live->previous->next = live->next;
    else
        part->live = live->next;
    if (live->next != NULL)
        live->next->previous = live->previous;
    ws_trace_watch_end(live->watches);
    free(live);
}

static bool close_context(void *user, struct ws_context *context)
{
    struct ws_trace_part *part = user;
    struct ws_trace_live *live = context->user[part->results->user];
    if (live == NULL)
        return true;
    struct ws_lanes left = ws_lanes_without(context->entered, ws_lanes_or(context->ended, context->moved));
    bool told = live->watches == NULL || !ws_lanes_any(left) ||
                ws_trace_watch_step(part, live->watches, context, WS_TRACE_CUT, 0, left);
    end_run(live);
    struct ws_trace_warp *warp = ws_page_get(&part->warps, context->warp, sizeof(*warp));
    if (warp != NULL)
        warp->blocks += live->blocks;
    for (uint32_t lane = 0; lane < context->lane_count; ++lane) {
        struct ws_trace_thread *thread = NULL;
        if (context->threads[lane] != WS_NONE && live->lane_blocks[lane] > 0)
            thread = ws_page_get(&part->threads, context->threads[lane], sizeof(*thread));
        if (thread != NULL)
            thread->blocks += live->lane_blocks[lane];
    }
    context->user[part->results->user] = NULL;
    release(part, live);
    return told;
}

const struct ws_replay_operations ws_trace_replay = {
    .create = create,
    .destroy = destroy,
    .enter = enter,
    .move = move,
    .block = block,
    .leave = leave,
    .close = close_context,
    .merge = ws_trace_merge,
};
