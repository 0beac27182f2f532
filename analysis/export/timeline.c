#include "analysis/export/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/write_failure.h"
#include "analysis/time/warp_times.h"
#include "warpscope/base/array.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/passes.h"

/* How the file says what wrote it, with the version behind it. */
#define WRITER "Warpscope "

const struct ws_file_kind ws_timeline_kind = {"{\"display*", "\"" WRITER};

/* Threads of a queue's process; those of a launch's are slots. */
enum { THREAD_FRAMES = 1, THREAD_SUBMISSIONS, THREAD_LAUNCHES };

#define LAUNCH_PROCESS 1000 /* processes of launches: this and their place among those that are shown */

struct timeline {
    struct ws_timeline_export *export;
    const struct ws_catalog *catalog;
    const struct ws_selection *selection;
    struct ws_warp_times *warps;
    FILE *stream;
    bool first;
};

/* A slice of frames or submissions: a queue's launches with the same number. */
struct span {
    uint64_t number;
    uint64_t begin;
    uint64_t end;
    uint32_t queue;
};

static void open_event(struct timeline *timeline, const char *phase, uint32_t process, uint32_t thread)
{
    fprintf(timeline->stream, "%s\n{\"ph\": \"%s\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32,
            timeline->first ? "" : ",", phase, process, thread);
    timeline->first = false;
}

static void put_text(struct timeline *timeline, const char *key, const char *text)
{
    fprintf(timeline->stream, ", \"%s\": ", key);
    ws_json_text(timeline->stream, text);
}

/* Names a process or a thread. */
static void put_name(struct timeline *timeline, const char *what, uint32_t process, uint32_t thread,
                     const char *name)
{
    open_event(timeline, "M", process, thread);
    put_text(timeline, "name", what);
    fputs(", \"args\": {\"name\": ", timeline->stream);
    ws_json_text(timeline->stream, name);
    fputs("}}", timeline->stream);
}

/* Begins a slice, without arguments, which the caller closes. Times are nanoseconds. */
static void open_bare_slice(struct timeline *timeline, uint32_t process, uint32_t thread, const char *name,
                            double begin, double length)
{
    open_event(timeline, "X", process, thread);
    put_text(timeline, "name", name);
    fprintf(timeline->stream, ", \"ts\": %.3f, \"dur\": %.3f", begin / 1000, length / 1000);
}

/* The same with arguments: the caller writes them and closes both. */
static void open_slice(struct timeline *timeline, uint32_t process, uint32_t thread, const char *name,
                       double begin, double length)
{
    open_bare_slice(timeline, process, thread, name, begin, length);
    fputs(", \"args\": {", timeline->stream);
}

static void close_slice(struct timeline *timeline)
{
    fputs("}}", timeline->stream);
}

/* ---- queues ---- */

static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left;
    const struct span *b = right;
    if (a->queue != b->queue)
        return a->queue < b->queue ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Draws the spans of launches with the same number; sorts them. */
static void put_spans(struct timeline *timeline, uint32_t thread, const char *what, struct span *spans,
                      uint32_t count)
{
    if (count > 0)
        qsort(spans, count, sizeof(*spans), compare_spans);
    for (uint32_t i = 0, end; i < count; i = end) {
        struct span whole = spans[i];
        char name[64];
        for (end = i + 1; end < count && compare_spans(&spans[i], &spans[end]) == 0; ++end) {
            whole.begin = spans[end].begin < whole.begin ? spans[end].begin : whole.begin;
            whole.end = spans[end].end > whole.end ? spans[end].end : whole.end;
        }
        snprintf(name, sizeof(name), "%s %" PRIu64, what, whole.number);
        open_slice(timeline, whole.queue + 1, thread, name, (double)whole.begin,
                   (double)(whole.end - whole.begin));
        fprintf(timeline->stream, "\"launches\": %" PRIu32, end - i);
        close_slice(timeline);
    }
}

static void put_launch(struct timeline *timeline, const struct ws_timed_launch *timed,
                       const struct ws_launch_record *launch)
{
    char name[512];
    if (launch->label[0] != '\0')
        snprintf(name, sizeof(name), "%s", launch->label);
    else if (launch->pipeline != WS_NONE && launch->pipeline < timeline->catalog->pipeline_count)
        snprintf(name, sizeof(name), "%s", ws_pipeline_name(timeline->catalog, launch->pipeline));
    else
        snprintf(name, sizeof(name), "%s", ws_launch_kind_name(launch->kind));
    open_slice(timeline, timed->queue + 1, THREAD_LAUNCHES, name, (double)timed->begin,
               (double)timed->nanoseconds);
    fprintf(timeline->stream,
            "\"launch\": %" PRIu64 ", \"kind\": \"%s\", \"size\": \"%" PRIu32 "x%" PRIu32 "x%" PRIu32
            "\", \"frame\": %" PRIu64 ", \"submission\": %" PRIu64,
            launch->index, ws_launch_kind_name(launch->kind), launch->size[0], launch->size[1],
            launch->size[2], launch->frame, launch->submission);
    if (launch->pipeline != WS_NONE && launch->pipeline < timeline->catalog->pipeline_count)
        put_text(timeline, "pipeline", ws_pipeline_name(timeline->catalog, launch->pipeline));
    close_slice(timeline);
    timeline->export->launches++;
}

static void name_queues(struct timeline *timeline)
{
    const struct ws_times *times = &timeline->catalog->times;
    for (uint32_t i = 0; i < times->queue_count; ++i) {
        const struct ws_timed_queue *queue = &times->queues[i];
        char name[320];
        snprintf(name, sizeof(name), "queue %" PRIu32 " of family %" PRIu32 ", %.200s", queue->index,
                 queue->family, timeline->catalog->devices[queue->device].name);
        put_name(timeline, "process_name", i + 1, 0, name);
        put_name(timeline, "thread_name", i + 1, THREAD_FRAMES, "frames");
        put_name(timeline, "thread_name", i + 1, THREAD_SUBMISSIONS, "submissions");
        put_name(timeline, "thread_name", i + 1, THREAD_LAUNCHES, "launches");
    }
}

/* The time of a launch that has one on this device; NULL where there is none. */
static const struct ws_timed_launch *time_of(const struct timeline *timeline, uint64_t launch)
{
    const struct ws_times *times = &timeline->catalog->times;
    uint32_t place;
    return times->join == NULL && ws_id_map_get(&times->by_launch, launch, &place) &&
                   times->launches[place].state == WS_TIME_TAKEN
               ? &times->launches[place]
               : NULL;
}

static bool put_launches(struct timeline *timeline)
{
    const struct ws_launch_table *table = &timeline->catalog->launches;
    struct span *frames = malloc(2 * (size_t)table->count * sizeof(*frames) + 1);
    uint32_t count = 0;
    if (frames == NULL)
        return false;
    struct span *submissions = frames + table->count;
    name_queues(timeline);
    for (uint32_t i = 0; i < table->count; ++i) {
        const struct ws_launch_record *launch = &table->launches[i];
        const struct ws_timed_launch *timed = time_of(timeline, launch->index);
        if (!ws_selection_has_launch(timeline->selection, launch->index))
            continue;
        if (timed == NULL) {
            timeline->export->untimed++;
            continue;
        }
        put_launch(timeline, timed, launch);
        frames[count] =
            (struct span){launch->frame, timed->begin, timed->begin + timed->nanoseconds, timed->queue};
        submissions[count] = frames[count];
        submissions[count++].number = launch->submission;
    }
    put_spans(timeline, THREAD_FRAMES, "frame", frames, count);
    put_spans(timeline, THREAD_SUBMISSIONS, "submission", submissions, count);
    free(frames);
    return true;
}

/* ---- warps ---- */

/* How ticks of a launch become nanoseconds. */
struct scale {
    uint64_t tick;      /* is at `begin` */
    double begin;       /* ns */
    double nanoseconds; /* per tick */
};

static double at(const struct scale *scale, uint64_t tick)
{
    return scale->begin +
           (tick < scale->tick ? -(double)(scale->tick - tick) : (double)(tick - scale->tick)) *
               scale->nanoseconds;
}

/* How long a tick is in a launch that has a time: at most as long as in others of its queue. */
static double tick_of(const struct timeline *timeline, const struct ws_warp_times_launch *launch,
                      const struct ws_timed_launch *timed)
{
    const struct ws_warp_times *warps = timeline->warps;
    double most = (double)(launch->flight.last - launch->flight.first) / (double)timed->nanoseconds;
    for (uint32_t i = 0; i < warps->launch_count && !launch->backwards; ++i) {
        const struct ws_timed_launch *other = ws_warp_times_timed(warps, i);
        const double rate = ws_warp_times_rate(warps, i);
        if (other != NULL && other->queue == timed->queue && rate > most)
            most = rate;
    }
    return 1 / most;
}

static struct scale scale_of(struct timeline *timeline, const struct ws_warp_times_launch *launch)
{
    const struct ws_timed_launch *timed = time_of(timeline, launch->launch);
    const struct ws_flight *flight = &launch->flight;
    if (timed != NULL && timed->nanoseconds > 0 && flight->last > flight->first)
        return (struct scale){flight->last, (double)timed->begin + (double)timed->nanoseconds,
                              tick_of(timeline, launch, timed)};
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < timeline->warps->launch_count; ++i)
        first = timeline->warps->launches[i].flight.first < first ? timeline->warps->launches[i].flight.first
                                                                  : first;
    timeline->export->ticks = true;
    return (struct scale){first, 0, 1};
}

/* Which slot each warp has, and when the slots are free. */
struct slots {
    struct ws_id_map by_warp; /* shader << 32 | warp -> slot */
    uint64_t *free_at;
    uint32_t count;
    uint32_t capacity;
};

static bool find_slot(struct slots *slots, const struct ws_warp_times_slice *slice, uint32_t *slot)
{
    if (ws_id_map_get(&slots->by_warp, slice->warp, slot) && slice->depth > 0)
        return true;
    for (*slot = 0; *slot < slots->count && slots->free_at[*slot] > slice->begin;)
        ++*slot;
    if (*slot == slots->count) {
        uint64_t *grown = ws_array_grow(slots->free_at, &slots->capacity, slots->count + 1, sizeof(*grown));
        if (grown == NULL)
            return false;
        slots->free_at = grown;
        slots->count++;
    }
    slots->free_at[*slot] = slice->end;
    return ws_id_map_put(&slots->by_warp, slice->warp, *slot);
}

static void put_warp(struct timeline *timeline, uint32_t process, uint32_t slot, const struct scale *scale,
                     const struct ws_warp_times_slice *slice)
{
    open_bare_slice(timeline, process, slot + 1, ws_shader_name(timeline->catalog, slice->shader),
                    at(scale, slice->begin), (double)(slice->end - slice->begin) * scale->nanoseconds);
    fprintf(timeline->stream, ", \"cat\": \"warp %" PRIu32 ",%" PRIu32 " lanes\"}", slice->warp,
            slice->lanes);
    timeline->export->warps++;
}

static int compare_ticks(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* How many of the warps that are shown are in flight, where that changes. */
static bool put_flight(struct timeline *timeline, uint32_t process, const struct scale *scale,
                       const struct ws_warp_times_slice *slices, uint32_t count)
{
    uint64_t *begins = malloc(2 * (size_t)count * sizeof(*begins) + 1);
    uint32_t warps = 0;
    if (begins == NULL)
        return false;
    uint64_t *ends = begins + count;
    for (uint32_t i = 0; i < count; ++i)
        if (slices[i].depth == 0) {
            begins[warps] = slices[i].begin;
            ends[warps++] = slices[i].end;
        }
    if (warps > 1) {
        qsort(begins, warps, sizeof(*begins), compare_ticks);
        qsort(ends, warps, sizeof(*ends), compare_ticks);
    }
    for (uint32_t begun = 0, ended = 0; ended < warps;) {
        const uint64_t tick = begun < warps && begins[begun] < ends[ended] ? begins[begun] : ends[ended];
        while (begun < warps && begins[begun] == tick)
            begun++;
        while (ended < warps && ends[ended] == tick)
            ended++;
        open_event(timeline, "C", process, 0);
        fprintf(timeline->stream,
                ", \"name\": \"warps in flight\", \"ts\": %.3f, \"args\": {\"warps\": %" PRIu32 "}}",
                at(scale, tick) / 1000, begun - ended);
    }
    free(begins);
    return true;
}

/* The slices of one launch, in the order of time. */
static bool put_warps(struct timeline *timeline, uint32_t number, const struct ws_warp_times_slice *slices,
                      uint32_t count)
{
    const struct ws_warp_times_launch *launch = ws_warp_times_launch(timeline->warps, slices[0].launch);
    const uint32_t process = LAUNCH_PROCESS + number;
    struct slots slots = {.count = 0};
    char name[64];
    if (launch == NULL)
        return true;
    const struct scale scale = scale_of(timeline, launch);
    bool put = true;
    snprintf(name, sizeof(name), "warps of launch %" PRIu64, slices[0].launch);
    put_name(timeline, "process_name", process, 0, name);
    for (uint32_t i = 0; i < count && put; ++i) {
        uint32_t slot = 0;
        put = find_slot(&slots, &slices[i], &slot);
        if (put)
            put_warp(timeline, process, slot, &scale, &slices[i]);
    }
    for (uint32_t i = 0; i < slots.count && put; ++i) {
        snprintf(name, sizeof(name), "slot %" PRIu32, i);
        put_name(timeline, "thread_name", process, i + 1, name);
    }
    put = put && put_flight(timeline, process, &scale, slices, count);
    ws_id_map_finish(&slots.by_warp);
    free(slots.free_at);
    return put;
}

static bool put_all_warps(struct timeline *timeline)
{
    const struct ws_warp_times *warps = timeline->warps;
    uint32_t number = 0;
    bool put = true;
    for (uint32_t i = 0, end; i < warps->slice_count && put; i = end) {
        for (end = i + 1; end < warps->slice_count && warps->slices[end].launch == warps->slices[i].launch;)
            ++end;
        put = put_warps(timeline, number++, warps->slices + i, end - i);
    }
    return put;
}

static bool write_all(struct timeline *timeline, struct ws_error *error)
{
    const char *path = timeline->export->path;
    const bool is_file = strcmp(path, "-") != 0;
    timeline->stream = is_file ? fopen(path, "w") : stdout;
    if (timeline->stream == NULL)
        return ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
    fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"version\": \"" WRITER WS_VERSION
          "\"}, \"traceEvents\": [",
          timeline->stream);
    const bool put = put_launches(timeline) && put_all_warps(timeline);
    fputs("\n]}\n", timeline->stream);
    const bool failed = ferror(timeline->stream) != 0;
    const bool closed = (is_file ? fclose(timeline->stream) : fflush(timeline->stream)) == 0;
    if (!put)
        return ws_error_set(error, "no memory for the timeline");
    return (closed && !failed) || ws_error_set(error, "cannot write '%s': %s", path, ws_write_failure(errno));
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    const struct ws_timeline_export *export = options->user;
    struct ws_warp_times *warps = ws_warp_times_create(catalog, options, error);
    if (warps != NULL)
        warps->slice_limit = export->most;
    return warps;
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    (void)results, (void)chunk, (void)error;
    return true;
}

static bool end(void *results, struct ws_error *error)
{
    struct ws_warp_times *warps = results;
    struct ws_timeline_export *export = warps->options.user;
    struct timeline timeline = {.export = export,
                                .catalog = warps->catalog,
                                .selection = warps->options.selection,
                                .warps = warps,
                                .first = true};
    export->left_out = warps->slices_left_out;
    export->of_subgroup = warps->of_subgroup;
    return write_all(&timeline, error);
}

static const char *const passes[] = {WS_PASS_TIME, WS_PASS_WARP_TIME, NULL};

const struct ws_analysis ws_analysis_timeline_export = {
    .name = "--perfetto",
    .passes = passes,
    .summary = "when launches and warps ran",
    .create = create,
    .destroy = ws_warp_times_destroy,
    .replay = &ws_warp_times_replay,
    .attach = ws_warp_times_attach,
    .record = record,
    .end = end,
};
