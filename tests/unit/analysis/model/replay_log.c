#include "tests/unit/analysis/model/replay_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/analysis/model/stream.h"

static void *log_create(const void *results, const struct ws_launch_record *launch)
{
    const struct replay_log *log = results;
    struct replay_log *part = malloc(sizeof(*part));
    if (part == NULL)
        return NULL;
    *part = *log;
    fprintf(part->out, "launch %" PRIu64 " %ux%ux%u '%s'\n", launch->index, launch->size[0], launch->size[1],
            launch->size[2], launch->label);
    return part;
}

static void log_destroy(void *part)
{
    free(part);
}

/* The number of a context, which user[0] holds. */
static unsigned name_of(const struct ws_context *context)
{
    return (unsigned)((uintptr_t)context->user[0] - 1);
}

static void print_lanes(FILE *out, struct ws_lanes lanes)
{
    if (lanes.high != 0)
        fprintf(out, " %" PRIx64 ":%016" PRIx64, lanes.high, lanes.low);
    else
        fprintf(out, " %" PRIx64, lanes.low);
}

static bool log_enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    struct replay_log *log = part;
    context->user[0] = (void *)(uintptr_t)++log->contexts;
    fprintf(log->out, "enter c%u shader %u depth %u", name_of(context), context->shader, context->depth);
    if (context->caller != NULL)
        fprintf(log->out, " from c%u", name_of(context->caller));
    if (context->regrouped)
        fprintf(log->out, " regrouped");
    if (context->continues)
        fprintf(log->out, " continues");
    if (context->warp != UINT32_MAX)
        fprintf(log->out, " warp %u", context->warp);
    print_lanes(log->out, context->entered);
    const uint32_t lane = ws_lanes_lowest(context->entered);
    const uint32_t thread = context->threads[lane];
    if (thread != UINT32_MAX)
        fprintf(log->out, " thread %u,%u,%u", threads[thread].work[0], threads[thread].work[1],
                threads[thread].work[2]);
    fprintf(log->out, "\n");
    return true;
}

static bool log_move(void *part, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                     uint32_t lane)
{
    struct replay_log *log = part;
    const bool good = !ws_lanes_has(from->moved, from_lane) &&
                      from->threads[from_lane] == context->threads[lane] && from->shader == context->shader;
    fprintf(log->out, "move c%u %u to c%u %u%s\n", name_of(from), from_lane, name_of(context), lane,
            good ? "" : " WRONG");
    return true;
}

static bool log_place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                      struct ws_lanes lanes)
{
    static const char *const names[] = {"block", "before", "after", "end", "sync", "call"};
    struct replay_log *log = part;
    fprintf(log->out, "%s c%u %u", names[place->tag - WS_SITE_PLACE_BLOCK], name_of(context), place->block);
    print_lanes(log->out, lanes);
    fprintf(log->out, "\n");
    return true;
}

static bool log_data(void *part, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                     const uint32_t *words, uint32_t words_per_lane)
{
    struct replay_log *log = part;
    (void)site;
    fprintf(log->out, "data c%u", name_of(context));
    print_lanes(log->out, lanes);
    for (uint32_t i = 0; i < words_per_lane * ws_lanes_count(lanes); ++i)
        fprintf(log->out, " %u", words[i]);
    fprintf(log->out, "\n");
    return true;
}

static bool log_leave(void *part, struct ws_context *context, struct ws_lanes lanes)
{
    struct replay_log *log = part;
    fprintf(log->out, "leave c%u", name_of(context));
    print_lanes(log->out, lanes);
    fprintf(log->out, "%s\n", ws_lanes_any(ws_lanes_and(lanes, context->ended)) ? " AGAIN" : "");
    return true;
}

static bool log_close(void *part, struct ws_context *context)
{
    struct replay_log *log = part;
    fprintf(log->out, "close c%u", name_of(context));
    const struct ws_lanes gone = ws_lanes_or(context->ended, context->moved);
    if (!ws_lanes_equal(gone, context->entered))
        print_lanes(log->out, ws_lanes_without(context->entered, gone));
    fprintf(log->out, "\n");
    return true;
}

static bool log_merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    struct replay_log *log = results;
    log->contexts = ((struct replay_log *)part)->contexts;
    fprintf(log->out, "threads %u%s\n", threads->thread_count,
            threads->launch->truncated ? " truncated" : "");
    for (uint32_t i = 0; i < threads->warp_count; ++i)
        fprintf(log->out, "warp %u index %u lanes %u\n", i, threads->warp_index[i], threads->warp_lanes[i]);
    return true;
}

const struct ws_replay_operations replay_log_operations = {
    .pass = STREAM_PASS,
    .create = log_create,
    .destroy = log_destroy,
    .enter = log_enter,
    .move = log_move,
    .place = log_place,
    .data = log_data,
    .leave = log_leave,
    .close = log_close,
    .merge = log_merge,
};

static void *sum_create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return calloc(1, sizeof(struct replay_sum));
}

/* FNV-1a over 64-bit words. */
static void mix(struct ws_context *context, uint64_t value)
{
    uint64_t hash = (uint64_t)(uintptr_t)context->user[0];
    hash = (hash ^ value) * UINT64_C(0x100000001b3);
    context->user[0] = (void *)(uintptr_t)(hash ^ hash >> 29);
}

static void mix_lanes(struct ws_context *context, uint64_t value, struct ws_lanes lanes)
{
    mix(context, value);
    mix(context, lanes.low);
    mix(context, lanes.high);
    mix(context, context->away.low);
    mix(context, context->away.high);
    mix(context, context->ended.low);
}

static bool sum_enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    (void)part;
    mix(context, UINT64_C(0xcbf29ce484222325));
    mix_lanes(context, context->shader << 8 | context->depth << 1 | context->regrouped, context->entered);
    mix(context, context->caller != NULL ? context->caller->number : 0);
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        const uint32_t thread = context->threads[ws_lanes_take(&left)];
        mix(context, thread == UINT32_MAX ? 0 : 1 + threads[thread].work[0]);
    }
    return true;
}

static bool sum_move(void *part, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                     uint32_t lane)
{
    (void)part;
    mix(from, 11 + from_lane);
    mix(context, from->number << 8 | lane);
    return true;
}

static bool sum_place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                      struct ws_lanes lanes)
{
    if (place->tag == WS_SITE_PLACE_BLOCK)
        ((struct replay_sum *)part)->blocks++;
    mix_lanes(context, place->tag << 20 ^ place->block << 10 ^ place->offset, lanes);
    return true;
}

static bool sum_data(void *part, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                     const uint32_t *words, uint32_t words_per_lane)
{
    (void)part;
    mix_lanes(context, site, lanes);
    for (uint32_t i = 0; i < words_per_lane * ws_lanes_count(lanes); ++i)
        mix(context, words[i]);
    return true;
}

static bool sum_leave(void *part, struct ws_context *context, struct ws_lanes lanes)
{
    (void)part;
    mix_lanes(context, 7, lanes);
    return true;
}

static bool sum_close(void *part, struct ws_context *context)
{
    struct replay_sum *sum = part;
    sum->contexts++;
    sum->sum += (uint64_t)(uintptr_t)context->user[0];
    return true;
}

static bool sum_merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    struct replay_sum *sum = results;
    const struct replay_sum *more = part;
    sum->sum += more->sum;
    sum->contexts += more->contexts;
    sum->blocks += more->blocks;
    sum->parts++;
    if (sum->launches == threads->launch->index + 1)
        return true;
    sum->launches = threads->launch->index + 1;
    sum->threads += threads->thread_count;
    sum->warps += threads->warp_count;
    sum->truncated += threads->launch->truncated;
    for (uint32_t i = 0; i < threads->warp_count; ++i)
        sum->sum += (threads->warp_index[i] + 1) * UINT64_C(0x9e3779b97f4a7c15) * threads->warp_lanes[i];
    return true;
}

const struct ws_replay_operations replay_sum_operations = {
    .pass = STREAM_PASS,
    .create = sum_create,
    .destroy = free,
    .enter = sum_enter,
    .move = sum_move,
    .place = sum_place,
    .data = sum_data,
    .leave = sum_leave,
    .close = sum_close,
    .merge = sum_merge,
};
