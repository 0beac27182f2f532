/* The worker's part of the analysis: counts blocks per thread and warp, and follows chosen threads and warps.
 *
 * Blocks are summed per context as long as their lanes stay the same, and given to the lanes when these
 * change. So a record of the same lanes as the record before costs as much in a warp of 128 lanes as in one
 * of 4. */
#include "analysis/trace/trace_part.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/passes.h"

/* A path that goes through a context: the thread or warp is chosen, and is in this context. */
struct ws_trace_watch {
    struct ws_trace_watch *next;
    struct ws_trace_path *path;
    struct ws_lanes own; /* lanes of the chosen thread or warp */
    struct ws_trace_calls calls;
};

static void watch_end(struct ws_trace_watch *watches)
{
    while (watches != NULL) {
        struct ws_trace_watch *next = watches->next;
        free(watches);
        watches = next;
    }
}

static bool is_chosen_warp(const struct ws_trace_part *part, uint32_t number)
{
    const struct ws_trace_results *results = part->results;
    for (uint32_t i = 0; i < results->chosen_count; ++i)
        if (results->chosen[i].launch == part->launch && results->chosen[i].number == number)
            return true;
    return false;
}

static bool add_path(struct ws_trace_part *part, const struct ws_context *context,
                     const struct ws_thread *threads, uint32_t lane, bool is_warp)
{
    const struct ws_analysis_options *options = &part->results->options;
    const uint32_t rows = options->whole ? UINT32_MAX : options->rows > 0 ? options->rows : WS_TRACE_LINES;
    if (part->path_count == WS_TRACE_PATHS) {
        part->paths_left_out++;
        return true;
    }
    struct ws_trace_path *path = ws_trace_path_create(rows);
    if (path == NULL)
        return false;
    path->launch = part->launch;
    path->shader = context->shader;
    path->stage = context->stage;
    path->is_warp = is_warp;
    path->thread = context->threads[lane];
    path->number = context->warp;
    path->lane = lane;
    memcpy(path->work, threads[path->thread].work, sizeof(path->work));
    part->paths[part->path_count++] = path;
    return true;
}

/* Begins a path for each chosen thread or warp that this context launches. */
static bool begin_paths(struct ws_trace_part *part, const struct ws_context *context,
                        const struct ws_thread *threads)
{
    const struct ws_analysis_options *options = &part->results->options;
    uint32_t lowest = ws_lanes_any(context->entered) ? ws_lanes_lowest(context->entered) : 0;
    bool added = true;
    if (options->has_warp && is_chosen_warp(part, context->warp) && context->threads[lowest] != WS_NONE)
        added = add_path(part, context, threads, lowest, true);
    for (uint32_t lane = 0; options->has_thread && added && lane < context->lane_count; ++lane) {
        uint32_t thread = context->threads[lane];
        if (thread != WS_NONE &&
            ws_sought_is_thread(options, context->stage == WS_STAGE_FRAGMENT, threads[thread].work))
            added = add_path(part, context, threads, lane, false) &&
                    (!options->with_warp || add_path(part, context, threads, lane, true));
    }
    return added;
}

static struct ws_lanes own_lanes(const struct ws_trace_path *path, const struct ws_context *context,
                                 const struct ws_thread *threads)
{
    struct ws_lanes own = {0, 0};
    for (uint32_t lane = 0; lane < context->lane_count; ++lane) {
        uint32_t thread = context->threads[lane];
        if (thread != WS_NONE &&
            (path->is_warp ? threads[thread].warp == path->number : thread == path->thread))
            own = ws_lanes_or(own, ws_lanes_one(lane));
    }
    return own;
}

static struct ws_trace_watch *watch_begin(struct ws_trace_part *part, const struct ws_context *context,
                                          const struct ws_thread *threads, bool *no_memory)
{
    struct ws_trace_watch *watches = NULL;
    *no_memory = ws_trace_called(context->stage) == WS_NONE && !context->continues &&
                 !begin_paths(part, context, threads);
    for (uint32_t i = part->path_count; i > 0 && part->keeps && !*no_memory; --i) {
        struct ws_lanes own = own_lanes(part->paths[i - 1], context, threads);
        if (!ws_lanes_any(own))
            continue;
        struct ws_trace_watch *watch = calloc(1, sizeof(*watch));
        if (watch == NULL) {
            *no_memory = true;
            break;
        }
        watch->next = watches;
        watch->path = part->paths[i - 1];
        watch->path->regrouped += context->regrouped && !context->continues;
        watch->own = own;
        watches = watch;
    }
    return watches;
}

static void watch_move(const struct ws_trace_watch *from, struct ws_trace_watch *watches, uint32_t lane)
{
    for (; from != NULL; from = from->next)
        for (struct ws_trace_watch *watch = watches; watch != NULL; watch = watch->next)
            if (watch->path == from->path && ws_lanes_has(watch->own, lane))
                watch->calls = from->calls;
}

static bool watch_step(struct ws_trace_part *part, struct ws_trace_watch *watches,
                       const struct ws_context *context, enum ws_trace_step_kind kind, uint32_t block,
                       struct ws_lanes lanes)
{
    const struct ws_catalog *catalog = part->results->catalog;
    bool added = true;
    for (struct ws_trace_watch *watch = watches; watch != NULL && added; watch = watch->next) {
        if (!ws_lanes_any(ws_lanes_and(lanes, watch->own)))
            continue;
        struct ws_trace_step step = {
            .kind = kind,
            .depth = context->depth,
            .shader = context->shader,
            .block = kind == WS_TRACE_BLOCK ? block : 0,
            .lane_count = context->lane_count,
            .context = context->number,
            .lanes = lanes,
            .entered = context->entered,
            .own = watch->own,
        };
        if (kind == WS_TRACE_BLOCK)
            step.calls = ws_trace_calls_block(
                &watch->calls, &catalog->modules[catalog->shaders[context->shader].module], block);
        added = ws_trace_path_add(watch->path, &step);
    }
    return added;
}

struct ws_trace_live {
    struct ws_trace_live *previous;
    struct ws_trace_live *next;
    struct ws_trace_watch *watches; /* NULL = no chosen thread is in it */
    struct ws_lanes lanes;          /* active in the last `run` blocks */
    uint64_t run;
    uint64_t instructions; /* of the blocks of the run */
    uint64_t blocks;       /* of the warp, without those of the run; so the next two */
    uint64_t slots;
    uint64_t active;
    uint32_t lane_capacity;
    uint64_t lane_blocks[]; /* per lane, without those of the run */
};

/* One that is zeroed, with room for the lanes; NULL when there is no memory. */
static struct ws_trace_live *take_live(struct ws_trace_part *part, uint32_t lane_count)
{
    struct ws_trace_live *live = part->spare;
    if (live != NULL)
        part->spare = live->next;
    if (live != NULL && live->lane_capacity >= lane_count) {
        lane_count = live->lane_capacity;
        memset(live, 0, sizeof(*live) + lane_count * sizeof(live->lane_blocks[0]));
    } else {
        free(live);
        live = calloc(1, sizeof(*live) + lane_count * sizeof(live->lane_blocks[0]));
    }
    if (live != NULL)
        live->lane_capacity = lane_count;
    return live;
}

static void *create(const void *user, const struct ws_launch_record *launch)
{
    const struct ws_trace_results *results = user;
    struct ws_trace_part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->results = results;
    part->launch = launch->index;
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
        watch_end(part->live->watches);
        free(part->live);
        part->live = next;
    }
    while (part->spare != NULL) {
        struct ws_trace_live *next = part->spare->next;
        free(part->spare);
        part->spare = next;
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

/* Whether work id `left` comes before `right`: by z, then y, then x, as warps are ranked (replay.h). */
static bool is_before(const uint32_t left[3], const uint32_t right[3])
{
    for (uint32_t axis = 3; axis > 0; --axis)
        if (left[axis - 1] != right[axis - 1])
            return left[axis - 1] < right[axis - 1];
    return false;
}

static bool enter_launched(struct ws_trace_part *part, const struct ws_context *context,
                           const struct ws_thread *threads, bool chosen)
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
        thread->launches = chosen;
        thread->ran = chosen;
        if (warp->launched == 0 || is_before(threads[index].work, threads[warp->thread].work))
            warp->thread = index;
        warp->launched = launched + 1;
    }
    warp->launches = chosen;
    warp->ran = chosen;
    part->shaders[launched].ran = part->shaders[launched].ran || chosen;
    if (chosen)
        ws_trace_work_map_add(&part->shaders[launched].work, context, threads);
    return true;
}

/* The launched shader of a warp; NULL if its launch is not known. */
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
        warp->ran = true;
        launched->ran = true;
        launched->called++;
        launched->regrouped += context->regrouped;
    }
    for (uint32_t lane = 0; lane < context->lane_count; ++lane) {
        if (context->threads[lane] == WS_NONE)
            continue;
        struct ws_trace_thread *thread = ws_page_get(&part->threads, context->threads[lane], sizeof(*thread));
        if (thread != NULL && thread->launched > 0) {
            thread->executions[called]++;
            thread->ran = true;
        }
    }
}

/* Of a shader that was not chosen only its threads are known, since chosen shaders may be called from it. */
static bool enter_unchosen(struct ws_trace_part *part, const struct ws_context *context,
                           const struct ws_thread *threads)
{
    if (ws_trace_called(context->stage) != WS_NONE || context->continues)
        return true;
    return enter_launched(part, context, threads, false) &&
           (!ws_trace_is_chosen(part->results) || begin_paths(part, context, threads));
}

static bool enter(void *user, struct ws_context *context, const struct ws_thread *threads)
{
    struct ws_trace_part *part = user;
    uint32_t called = ws_trace_called(context->stage);
    const bool chosen = ws_selection_runs(part->results->options.selection, part->launch, context->shader);
    if (context->warp == WS_NONE)
        return true;
    if (!chosen)
        return enter_unchosen(part, context, threads);
    struct ws_trace_live *live = take_live(part, context->lane_count);
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
        else if (!enter_launched(part, context, threads, true))
            return false;
    }
    if (ws_trace_is_chosen(part->results)) {
        bool no_memory = false;
        live->watches = watch_begin(part, context, threads, &no_memory);
        if (no_memory)
            return false;
    }
    return live->watches == NULL ||
           watch_step(part, live->watches, context, context->continues ? WS_TRACE_CONTINUE : WS_TRACE_ENTER,
                      0, context->entered);
}

static bool move(void *user, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                 uint32_t lane)
{
    (void)from_lane;
    struct ws_trace_part *part = user;
    const struct ws_trace_live *before = from->user[part->results->user];
    const struct ws_trace_live *live = context->user[part->results->user];
    if (before != NULL && live != NULL)
        watch_move(before->watches, live->watches, lane);
    return true;
}

/* Gives the blocks of the run to its lanes. */
static void end_run(struct ws_trace_live *live, uint32_t lane_count)
{
    struct ws_lanes left = live->lanes;
    while (live->run > 0 && ws_lanes_any(left))
        live->lane_blocks[ws_lanes_take(&left)] += live->run;
    live->blocks += live->run;
    live->slots += lane_count * live->instructions;
    live->active += ws_lanes_count(live->lanes) * live->instructions;
    live->run = 0;
    live->instructions = 0;
}

static uint32_t instructions_of(const struct ws_trace_part *part, const struct ws_context *context,
                                uint32_t block)
{
    const struct ws_catalog *catalog = part->results->catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[context->shader].module];
    return block < module->block_count ? module->blocks[block].info.instruction_count : 0;
}

static bool place(void *user, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    struct ws_trace_part *part = user;
    struct ws_trace_live *live = context->user[part->results->user];
    if (live == NULL || place->tag != WS_TAG_EXECUTION_TRACE_BLOCK)
        return true;
    if (!ws_lanes_equal(live->lanes, lanes)) {
        end_run(live, context->lane_count);
        live->lanes = lanes;
    }
    live->run++;
    live->instructions += instructions_of(part, context, place->block);
    return live->watches == NULL ||
           watch_step(part, live->watches, context, WS_TRACE_BLOCK, place->block, lanes);
}

/* Of no context with watches: adds_up. */
static bool sum_turns(void *user, struct ws_context *context, const struct ws_replay_place *place,
                      const struct ws_replay_sum *sum)
{
    struct ws_trace_part *part = user;
    struct ws_trace_live *live = context->user[part->results->user];
    const uint64_t *times = sum->times;
    if (live == NULL || place->tag != WS_TAG_EXECUTION_TRACE_BLOCK)
        return true;
    const uint64_t instructions = instructions_of(part, context, place->block);
    live->blocks += sum->executions;
    live->slots += context->lane_count * instructions * sum->executions;
    live->active += instructions * sum->active;
    for (struct ws_lanes left = sum->lanes; ws_lanes_any(left);)
        live->lane_blocks[ws_lanes_take(&left)] += *times++;
    return true;
}

/* The steps of chosen threads and warps are kept in their order. */
static bool adds_up(const void *results, uint32_t shader)
{
    (void)shader;
    return !ws_trace_is_chosen(results);
}

static bool leave(void *user, struct ws_context *context, struct ws_lanes lanes)
{
    struct ws_trace_part *part = user;
    struct ws_trace_live *live = context->user[part->results->user];
    return live == NULL || live->watches == NULL ||
           watch_step(part, live->watches, context, WS_TRACE_LEAVE, 0, lanes);
}

static void release(struct ws_trace_part *part, struct ws_trace_live *live)
{
    if (live->previous != NULL)
        live->previous->next = live->next;
    else
        part->live = live->next;
    if (live->next != NULL)
        live->next->previous = live->previous;
    watch_end(live->watches);
    live->next = part->spare;
    part->spare = live;
}

static bool close_context(void *user, struct ws_context *context)
{
    struct ws_trace_part *part = user;
    struct ws_trace_live *live = context->user[part->results->user];
    if (live == NULL)
        return true;
    struct ws_lanes left = ws_lanes_without(context->entered, ws_lanes_or(context->ended, context->moved));
    bool told = live->watches == NULL || !ws_lanes_any(left) ||
                watch_step(part, live->watches, context, WS_TRACE_CUT, 0, left);
    end_run(live, context->lane_count);
    struct ws_trace_warp *warp = ws_page_get(&part->warps, context->warp, sizeof(*warp));
    if (warp != NULL) {
        warp->blocks += live->blocks;
        warp->slots += live->slots;
        warp->active += live->active;
    }
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
    .pass = WS_PASS_EXECUTION_TRACE,
    .create = create,
    .destroy = destroy,
    .enter = enter,
    .move = move,
    .place = place,
    .sum = sum_turns,
    .adds_up = adds_up,
    .leave = leave,
    .close = close_context,
    .merge = ws_trace_merge,
};
