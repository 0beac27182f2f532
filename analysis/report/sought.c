#include "warpscope/report/sought.h"

#include <inttypes.h>
#include <string.h>

bool ws_sought_is_thread(const struct ws_analysis_options *options, bool fragment, const uint32_t work[3])
{
    if (fragment)
        return (work[0] & 0xffff) == options->thread[0] && work[0] >> 16 == options->thread[1];
    return memcmp(work, options->thread, 3 * sizeof(work[0])) == 0;
}

static void look_at_thread(struct ws_sought *sought, const struct ws_analysis_options *options,
                           bool render_pass, const uint32_t work[3])
{
    if (options->has_thread)
        sought->found = sought->found || ws_sought_is_thread(options, false, work) ||
                        (render_pass && ws_sought_is_thread(options, true, work));
    for (uint32_t axis = 0; axis < 3 && !render_pass; ++axis) {
        if (!sought->has_threads || work[axis] < sought->low[axis])
            sought->low[axis] = work[axis];
        if (!sought->has_threads || work[axis] > sought->high[axis])
            sought->high[axis] = work[axis];
    }
    sought->has_threads = sought->has_threads || !render_pass;
}

void ws_sought_look(struct ws_sought *sought, const struct ws_analysis_options *options,
                    const struct ws_replay_threads *threads)
{
    const struct ws_launch_record *launch = threads->launch;
    if ((!options->has_thread && !options->has_warp) ||
        (sought->launches > 0 && sought->last == launch->index))
        return;
    if (sought->launches++ == 0) {
        sought->first = launch->index;
        sought->kind = launch->kind;
        memcpy(sought->size, launch->size, sizeof(sought->size));
    }
    sought->last = launch->index;
    for (uint32_t i = 0; i < threads->thread_count; ++i)
        look_at_thread(sought, options, launch->kind == WS_LAUNCH_RENDER_PASS, threads->threads[i].work);
    for (uint32_t i = 0; i < threads->warp_count; ++i) {
        sought->found = sought->found || (options->has_warp && threads->warp_index[i] == options->warp);
        sought->warps = threads->warp_index[i] >= sought->warps ? threads->warp_index[i] + 1 : sought->warps;
    }
}

/* "launch 3 (trace rays 128x128x1)", "3 launches from 0 on". */
static void name_launches(const struct ws_sought *sought, char *text, size_t size)
{
    if (sought->launches > 1)
        snprintf(text, size, "%" PRIu64 " launches, %" PRIu64 " to %" PRIu64 ",", sought->launches,
                 sought->first, sought->last);
    else if (sought->size[0] > 0)
        snprintf(text, size, "launch %" PRIu64 " (%s %" PRIu32 "x%" PRIu32 "x%" PRIu32 ")", sought->first,
                 ws_launch_kind_name(sought->kind), sought->size[0], sought->size[1], sought->size[2]);
    else
        snprintf(text, size, "launch %" PRIu64 " (%s)", sought->first, ws_launch_kind_name(sought->kind));
}

bool ws_sought_check(const struct ws_sought *sought, const struct ws_analysis_options *options,
                     const char *sampled, struct ws_error *error)
{
    char what[64];
    char launches[128];
    char there[128] = "";
    if ((!options->has_thread && !options->has_warp) || sought->found)
        return true;
    if (options->has_warp)
        snprintf(what, sizeof(what), "warp %" PRIu32, options->warp);
    else
        snprintf(what, sizeof(what), "thread %" PRIu32 ",%" PRIu32 ",%" PRIu32, options->thread[0],
                 options->thread[1], options->thread[2]);
    if (sought->launches == 0)
        return ws_error_set(error, "no %s was recorded: no launch left records of threads", what);
    name_launches(sought, launches, sizeof(launches));
    if (options->has_warp && sought->warps > 0)
        snprintf(there, sizeof(there), " with warps 0 to %" PRIu32, sought->warps - 1);
    else if (options->has_thread && sought->has_threads)
        snprintf(there, sizeof(there),
                 " with threads %" PRIu32 ",%" PRIu32 ",%" PRIu32 " to %" PRIu32 ",%" PRIu32 ",%" PRIu32,
                 sought->low[0], sought->low[1], sought->low[2], sought->high[0], sought->high[1],
                 sought->high[2]);
    return ws_error_set(error, "no %s was recorded: there %s %s%s%s%s", what,
                        sought->launches > 1 ? "are" : "is", launches, there,
                        sampled != NULL ? "; only some were recorded: " : "", sampled != NULL ? sampled : "");
}
