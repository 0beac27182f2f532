/* Which contexts a chosen thread or warp is in, and what it does there. */
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_part.h"

/* A path that goes through a context. A context has one for each. */
struct ws_trace_watch {
    struct ws_trace_watch *next;
    struct ws_trace_path *path;
    struct ws_lanes own; /* lanes of the chosen thread or warp */
    struct ws_trace_calls calls;
};

void ws_trace_watch_end(struct ws_trace_watch *watches)
{
    while (watches != NULL) {
        struct ws_trace_watch *next = watches->next;
        free(watches);
        watches = next;
    }
}

static bool is_chosen_thread(const struct ws_analysis_options *options, uint32_t stage,
                             const uint32_t work[3])
{
    if (stage == WS_STAGE_FRAGMENT)
        return (work[0] & 0xffff) == options->thread[0] && work[0] >> 16 == options->thread[1];
    return memcmp(work, options->thread, 3 * sizeof(work[0])) == 0;
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
    uint32_t rows = part->results->options.rows;
    if (part->path_count == WS_TRACE_PATHS) {
        part->paths_left_out++;
        return true;
    }
    struct ws_trace_path *path = ws_trace_path_create(rows > 0 ? rows : WS_TRACE_LINES);
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

/* Begins the paths of what is chosen and launched here. */
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
        if (thread != WS_NONE && is_chosen_thread(options, context->stage, threads[thread].work))
            added = add_path(part, context, threads, lane, false);
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

struct ws_trace_watch *ws_trace_watch_begin(struct ws_trace_part *part, const struct ws_context *context,
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

void ws_trace_watch_move(const struct ws_trace_watch *from, struct ws_trace_watch *watches, uint32_t lane)
{
    for (; from != NULL; from = from->next)
        for (struct ws_trace_watch *watch = watches; watch != NULL; watch = watch->next)
            if (watch->path == from->path && ws_lanes_has(watch->own, lane))
                watch->calls = from->calls;
}

bool ws_trace_watch_step(struct ws_trace_part *part, struct ws_trace_watch *watches,
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
