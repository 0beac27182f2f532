/* The analysis `warp_time`: what workers find out about a launch, and how it is put together. */
#include "analysis/time/warp_times.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/pages.h"
#include "warpscope/passes.h"

/* A thread of a launched shader. */
struct thread {
    uint64_t begin;
    uint64_t end;
    uint32_t shader; /* index + 1; 0 = not known */
    bool begun;
    bool ended;
};

/* What the clock shows lanes at an end, before they are known to have ended. */
struct shown {
    uint64_t time;
    uint32_t lane; /* the lowest of them */
};

/* An execution that runs: context->user. */
struct run {
    struct run *previous;
    struct run *next;
    uint64_t begin;
    uint64_t latest;  /* time that it, or what it called, has shown */
    uint64_t end;     /* of the lanes that have ended the last one's */
    uint64_t end_sum; /* of the lanes that have ended, modulo 2^64 */
    struct shown
        *shown; /* lanes that come to ends apart may each be shown their time before any of them ends */
    uint32_t shown_count;
    uint32_t shown_capacity;
    uint32_t lanes;   /* that have ended */
    uint32_t callees; /* that run */
    uint64_t since;   /* when the first of these began */
    uint64_t until;   /* when the last of them ended */
    uint64_t in_callees;
    bool begun;
    bool counted;   /* its caller knows of it */
    bool backwards; /* it, or what it called, has shown a time before its begin */
};

struct part {
    const struct ws_warp_times *results;
    uint64_t launch;
    struct run *runs;
    struct ws_pages threads;
    struct ws_warp_times_sums *shaders; /* by index in the catalog */
    uint32_t shader_capacity;
    bool of_subgroup;
    struct ws_warp_times_slice *slices;
    uint32_t slice_count;
    uint32_t slice_capacity;
    uint64_t slices_left_out;
};

static void *create_part(const void *user, const struct ws_launch_record *launch)
{
    struct part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->results = user;
    part->launch = launch->index;
    return part;
}

static void destroy_run(struct run *run)
{
    free(run->shown);
    free(run);
}

static void destroy_part(void *user)
{
    struct part *part = user;
    if (part == NULL)
        return;
    while (part->runs != NULL) {
        struct run *next = part->runs->next;
        destroy_run(part->runs);
        part->runs = next;
    }
    ws_pages_finish(&part->threads);
    free(part->shaders);
    free(part->slices);
    free(part);
}

static struct run *run_of(const struct part *part, const struct ws_context *context)
{
    return context != NULL ? context->user[part->results->user] : NULL;
}

/* The sums of a shader; NULL without memory. */
static struct ws_warp_times_sums *sums_of(struct part *part, uint32_t shader)
{
    const uint32_t before = part->shader_capacity;
    if (shader < before)
        return &part->shaders[shader];
    struct ws_warp_times_sums *grown =
        ws_array_grow(part->shaders, &part->shader_capacity, shader + 1, sizeof(*grown));
    if (grown == NULL)
        return NULL;
    memset(grown + before, 0, (part->shader_capacity - before) * sizeof(*grown));
    part->shaders = grown;
    return &grown[shader];
}

static bool enter(void *user, struct ws_context *context, const struct ws_thread *threads)
{
    struct part *part = user;
    (void)threads;
    if (!ws_selection_runs(part->results->options.selection, part->launch, context->shader))
        return true;
    struct run *run = calloc(1, sizeof(*run));
    if (run == NULL)
        return false;
    run->next = part->runs;
    if (run->next != NULL)
        run->next->previous = run;
    part->runs = run;
    context->user[part->results->user] = run;
    for (uint32_t lane = 0; lane < context->lane_count && context->depth == 0 && !context->continues;
         ++lane) {
        if (context->threads[lane] == WS_NONE)
            continue;
        struct thread *thread = ws_page_touch(&part->threads, context->threads[lane], sizeof(*thread));
        if (thread == NULL)
            return false;
        thread->shader = context->shader + 1;
    }
    return true;
}

/* A time that an execution shows is one of all that wait for it, too. */
static void show(const struct part *part, const struct ws_context *context, uint64_t time)
{
    for (; context != NULL; context = context->caller) {
        struct run *run = run_of(part, context);
        if (run == NULL)
            continue;
        run->latest = time > run->latest ? time : run->latest;
        run->backwards |= run->begun && time < run->begin;
    }
}

static void begin(struct part *part, struct ws_context *context, struct run *run, uint64_t time)
{
    run->begin = time;
    run->begun = true;
    struct run *caller = run_of(part, context->caller);
    if (caller != NULL && caller->callees++ == 0)
        caller->since = time;
    run->counted = caller != NULL;
    for (uint32_t lane = 0; lane < context->lane_count && context->depth == 0; ++lane) {
        struct thread *thread = context->threads[lane] != WS_NONE
                                    ? ws_page_get(&part->threads, context->threads[lane], sizeof(*thread))
                                    : NULL;
        if (thread != NULL && !thread->begun) {
            thread->begin = time;
            thread->begun = true;
        }
    }
}

/* Lanes of which `lane` is the lowest come to an end. False without memory. */
static bool show_end(struct run *run, uint32_t lane, uint64_t time)
{
    struct shown *grown =
        ws_array_grow(run->shown, &run->shown_capacity, run->shown_count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    run->shown = grown;
    run->shown[run->shown_count++] = (struct shown){time, lane};
    return true;
}

/* What lanes that end were shown; the latest time of the execution where they were shown none. */
static uint64_t take_shown(struct run *run, struct ws_lanes lanes)
{
    for (uint32_t i = run->shown_count; i-- > 0;) {
        const uint64_t time = run->shown[i].time;
        if (!ws_lanes_has(lanes, run->shown[i].lane))
            continue;
        run->shown[i] = run->shown[--run->shown_count];
        return time;
    }
    return run->latest;
}

static bool data(void *user, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    struct part *part = user;
    struct run *run = run_of(part, context);
    const struct ws_catalog *catalog = part->results->catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[context->shader].module];
    if (run == NULL || words_per_lane < 2 || site >= module->site_count || !ws_lanes_any(lanes))
        return true;
    const uint32_t tag = module->sites[site].info.tag;
    const uint64_t time = (uint64_t)words[1] << 32 | words[0];
    part->of_subgroup |= tag == WS_TAG_WARP_TIME_SUBGROUP_BEGIN || tag == WS_TAG_WARP_TIME_SUBGROUP_END;
    if (tag == WS_TAG_WARP_TIME_BEGIN || tag == WS_TAG_WARP_TIME_SUBGROUP_BEGIN) {
        begin(part, context, run, time);
    } else if (tag == WS_TAG_WARP_TIME_END || tag == WS_TAG_WARP_TIME_SUBGROUP_END) {
        if (!show_end(run, ws_lanes_lowest(lanes), time))
            return false;
    }
    show(part, context, time);
    return true;
}

/* Lanes have ended, or gone, at a time that is not before the begin. */
static void end_lanes(struct part *part, struct ws_context *context, struct run *run, struct ws_lanes lanes,
                      uint64_t time, bool gone)
{
    time = run->begun && time < run->begin ? run->begin : time;
    run->lanes += ws_lanes_count(lanes);
    run->end = time > run->end ? time : run->end;
    run->end_sum += time * ws_lanes_count(lanes);
    while (context->depth == 0 && !gone && ws_lanes_any(lanes)) {
        const uint32_t index = context->threads[ws_lanes_take(&lanes)];
        struct thread *thread = index != WS_NONE ? ws_page_get(&part->threads, index, sizeof(*thread)) : NULL;
        if (thread != NULL) {
            thread->end = time < thread->begin ? thread->begin : time;
            thread->ended = true;
        }
    }
}

static bool leave(void *user, struct ws_context *context, struct ws_lanes lanes)
{
    struct part *part = user;
    struct run *run = run_of(part, context);
    if (run == NULL)
        return true;
    end_lanes(part, context, run, lanes, take_shown(run, lanes), false);
    return true;
}

static bool move(void *user, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                 uint32_t lane)
{
    struct part *part = user;
    struct run *before = run_of(part, from);
    struct run *run = run_of(part, context);
    (void)lane;
    if (before == NULL)
        return true;
    end_lanes(part, from, before, ws_lanes_one(from_lane), before->latest, true);
    if (run != NULL && before->begun && (!run->begun || before->latest > run->begin)) {
        run->begin = run->latest = before->latest;
        run->begun = true;
    }
    return true;
}

static bool keep_slice(struct part *part, const struct ws_context *context, const struct run *run)
{
    if (part->results->slice_limit == 0)
        return true;
    if (part->slice_count == part->results->slice_limit) {
        part->slices_left_out++;
        return true;
    }
    struct ws_warp_times_slice *grown =
        ws_array_grow(part->slices, &part->slice_capacity, part->slice_count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    part->slices = grown;
    grown[part->slice_count++] = (struct ws_warp_times_slice){part->launch,
                                                              run->begin,
                                                              run->end,
                                                              context->shader,
                                                              context->warp,
                                                              context->depth,
                                                              ws_lanes_count(context->entered)};
    return true;
}

/* Tells the caller that an execution that it called has ended. */
static void end_call(const struct part *part, const struct ws_context *context, const struct run *run)
{
    struct run *caller = run_of(part, context->caller);
    if (!run->counted || caller == NULL || caller->callees == 0)
        return;
    caller->until = run->end > caller->until ? run->end : caller->until;
    if (--caller->callees == 0)
        caller->in_callees += caller->until > caller->since ? caller->until - caller->since : 0;
}

static bool add_run(struct part *part, const struct ws_context *context, const struct run *run)
{
    struct ws_warp_times_sums *sums = sums_of(part, context->shader);
    if (sums == NULL)
        return false;
    if (!run->begun) {
        sums->unknown++;
        return true;
    }
    const uint64_t total = run->end > run->begin ? run->end - run->begin : 0;
    sums->executions += !context->continues;
    sums->backwards += run->backwards;
    sums->ticks += total;
    sums->self += total > run->in_callees ? total - run->in_callees : 0;
    sums->lane_ticks += total * ws_lanes_count(context->entered);
    sums->waiting += run->end * run->lanes - run->end_sum;
    return keep_slice(part, context, run);
}

static bool close_context(void *user, struct ws_context *context)
{
    struct part *part = user;
    struct run *run = run_of(part, context);
    if (run == NULL)
        return true;
    const struct ws_lanes left =
        ws_lanes_without(context->entered, ws_lanes_or(context->ended, context->moved));
    if (ws_lanes_any(left) || run->lanes == 0)
        end_lanes(part, context, run, left, run->latest, false);
    const bool added = add_run(part, context, run);
    end_call(part, context, run);
    context->user[part->results->user] = NULL;
    if (run->previous != NULL)
        run->previous->next = run->next;
    else
        part->runs = run->next;
    if (run->next != NULL)
        run->next->previous = run->previous;
    destroy_run(run);
    return added;
}

/* ---- a launch ---- */

/* A warp, as its threads show it. */
struct warp {
    uint64_t begin;
    uint64_t end;
    uint64_t end_sum; /* modulo 2^64 */
    uint32_t threads;
    uint32_t lowest; /* index of the thread with the lowest work id */
    uint32_t shader;
    bool unknown; /* some thread has no time */
};

static bool is_lower(const uint32_t left[3], const uint32_t right[3])
{
    for (uint32_t axis = 3; axis > 0; --axis)
        if (left[axis - 1] != right[axis - 1])
            return left[axis - 1] < right[axis - 1];
    return false;
}

static void add_thread(struct warp *warp, const struct thread *thread, const struct ws_thread *threads,
                       uint32_t index)
{
    if (!thread->begun || !thread->ended) {
        warp->unknown = true;
        return;
    }
    if (warp->threads == 0 || is_lower(threads[index].work, threads[warp->lowest].work))
        warp->lowest = index;
    warp->begin = warp->threads == 0 || thread->begin < warp->begin ? thread->begin : warp->begin;
    warp->end = thread->end > warp->end ? thread->end : warp->end;
    warp->end_sum += thread->end;
    warp->shader = thread->shader - 1;
    warp->threads++;
}

static bool is_slower(const struct ws_warp_times_slow *left, const struct ws_warp_times_slow *right)
{
    if (left->ticks != right->ticks)
        return left->ticks > right->ticks;
    return left->launch != right->launch ? left->launch < right->launch : left->warp < right->warp;
}

static void add_slow(struct ws_warp_times *results, const struct ws_warp_times_slow *slow)
{
    if (results->slow_count == WS_WARP_TIMES_MOST) {
        if (!is_slower(slow, &results->slow[WS_WARP_TIMES_MOST - 1]))
            return;
        results->slow_count--;
    }
    uint32_t at = results->slow_count++;
    for (; at > 0 && is_slower(slow, &results->slow[at - 1]); --at)
        results->slow[at] = results->slow[at - 1];
    results->slow[at] = *slow;
}

static bool add_flight(struct ws_warp_times *results, const struct warp *warp)
{
    struct ws_flight_warp *grown =
        ws_array_grow(results->flights, &results->flight_capacity, results->flight_count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    results->flights = grown;
    grown[results->flight_count++] = (struct ws_flight_warp){warp->begin, warp->end};
    return true;
}

static bool add_warp(struct ws_warp_times *results, struct part *part, const struct warp *warp,
                     const struct ws_replay_threads *threads, uint32_t number)
{
    if (warp->threads == 0 || warp->unknown)
        return true;
    struct ws_warp_times_sums *sums = sums_of(part, warp->shader);
    const struct ws_thread *lowest = &threads->threads[warp->lowest];
    const struct ws_warp_times_slow slow = {
        .launch = part->launch,
        .ticks = warp->end - warp->begin,
        .waiting = warp->end * warp->threads - warp->end_sum,
        .lane_ticks = (warp->end - warp->begin) * warp->threads,
        .shader = warp->shader,
        .work = {lowest->work[0], lowest->work[1], lowest->work[2]},
        .warp = threads->warp_index[number],
    };
    if (sums == NULL)
        return false;
    sums->warps++;
    sums->warp_ticks += slow.ticks;
    sums->warp_waiting += slow.waiting;
    sums->warp_lane_ticks += slow.lane_ticks;
    add_slow(results, &slow);
    return add_flight(results, warp);
}

static struct ws_warp_times_picture *picture_of(struct ws_warp_times *results, uint32_t shader,
                                                const struct ws_replay_threads *threads,
                                                const uint32_t first[3], const uint32_t last[3])
{
    const struct ws_launch_record *launch = threads->launch;
    uint64_t room = WS_WARP_TIMES_PIXELS;
    for (uint32_t i = 0; i < results->picture_count; ++i) {
        struct ws_warp_times_picture *picture = &results->pictures[i];
        room -= ws_work_grid_pixels(&picture->grid);
        if (picture->shader == shader && picture->kind == launch->kind &&
            memcmp(picture->size, launch->size, sizeof(picture->size)) == 0)
            return picture;
    }
    struct ws_warp_times_picture made = {.shader = shader,
                                         .stage = results->catalog->shaders[shader].stage,
                                         .kind = launch->kind,
                                         .last = UINT64_MAX};
    memcpy(made.size, launch->size, sizeof(made.size));
    if (results->picture_count == WS_WARP_TIMES_PICTURES ||
        !ws_work_grid_make(&made.grid, results->catalog, launch, shader, first, last, room))
        return NULL;
    const uint64_t pixels = ws_work_grid_pixels(&made.grid);
    made.values = malloc(pixels * sizeof(*made.values));
    if (made.values == NULL)
        return NULL;
    memset(made.values, 0xff, pixels * sizeof(*made.values));
    results->pictures[results->picture_count] = made;
    return &results->pictures[results->picture_count++];
}

/* Adds the threads of a shader to its picture. Stages whose work ids are no places have none. */
static void draw(struct ws_warp_times *results, struct part *part, const struct ws_replay_threads *threads,
                 uint32_t shader)
{
    uint32_t first[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    uint32_t last[3] = {0, 0, 0};
    uint32_t place[3];
    const uint32_t stage = results->catalog->shaders[shader].stage;
    if ((stage & (WS_STAGE_RAYGEN | WS_STAGE_COMPUTE | WS_STAGE_FRAGMENT)) == 0)
        return;
    for (uint32_t i = 0; i < threads->thread_count; ++i) {
        const struct thread *thread = ws_page_get(&part->threads, i, sizeof(*thread));
        if (threads->launch->kind == WS_LAUNCH_RENDER_PASS &&
            (thread == NULL || thread->shader != shader + 1))
            continue; /* other stages have other work ids */
        ws_work_place(stage, threads->threads[i].work, place);
        for (uint32_t axis = 0; axis < 3; ++axis) {
            first[axis] = place[axis] < first[axis] ? place[axis] : first[axis];
            last[axis] = place[axis] > last[axis] ? place[axis] : last[axis];
        }
    }
    struct ws_warp_times_picture *picture = picture_of(results, shader, threads, first, last);
    if (picture == NULL) {
        results->pictures_left_out++;
        return;
    }
    picture->launches += picture->last != part->launch;
    picture->last = part->launch;
    for (uint32_t i = 0; i < threads->thread_count; ++i) {
        const struct thread *thread = ws_page_get(&part->threads, i, sizeof(*thread));
        if (thread == NULL || thread->shader != shader + 1 || !thread->begun || !thread->ended)
            continue;
        ws_work_place(stage, threads->threads[i].work, place);
        const uint64_t pixel = ws_work_grid_pixel(&picture->grid, place);
        if (pixel == WS_WORK_GRID_NONE)
            continue;
        const uint64_t before = picture->values[pixel] == UINT64_MAX ? 0 : picture->values[pixel];
        picture->values[pixel] = before + (thread->end - thread->begin);
    }
}

static bool report_shaders(struct ws_warp_times *results, const struct part *part)
{
    bool added = true;
    for (uint32_t i = 0; i < part->shader_capacity && added; ++i) {
        const uint64_t keys[WS_WARP_TIMES_DIMENSIONS] = {
            [WS_WARP_TIMES_LAUNCH] = part->launch,
            [WS_WARP_TIMES_STAGE] = i < results->catalog->shader_count
                                        ? ws_key_stage(results->catalog->shaders[i].stage)
                                        : WS_KEY_NONE,
            [WS_WARP_TIMES_SHADER] = i,
            [WS_WARP_TIMES_SLOW] = WS_KEY_NONE,
        };
        const struct ws_warp_times_sums *sums = &part->shaders[i];
        results->self += sums->self;
        if (sums->executions + sums->unknown + sums->warps > 0)
            added = ws_groups_add(results->groups, keys, sums);
    }
    return added;
}

static bool take_slices(struct ws_warp_times *results, const struct part *part,
                        const struct ws_replay_threads *threads)
{
    results->slices_left_out += part->slices_left_out;
    if (part->slice_count == 0)
        return true;
    if (part->slice_count > UINT32_MAX - results->slice_count)
        return false;
    struct ws_warp_times_slice *grown = ws_array_grow(
        results->slices, &results->slice_capacity, results->slice_count + part->slice_count, sizeof(*grown));
    if (grown == NULL)
        return false;
    results->slices = grown;
    for (uint32_t i = 0; i < part->slice_count; ++i) {
        grown[results->slice_count] = part->slices[i];
        if (part->slices[i].warp != WS_NONE)
            grown[results->slice_count].warp = threads->warp_index[part->slices[i].warp];
        results->slice_count++;
    }
    return true;
}

static bool merge(void *user, void *from, const struct ws_replay_threads *threads)
{
    struct ws_warp_times *results = user;
    struct part *part = from;
    struct warp *warps = calloc((size_t)threads->warp_count + 1, sizeof(*warps));
    bool merged = warps != NULL;
    results->of_subgroup |= part->of_subgroup;
    for (uint32_t i = 0; i < part->shader_capacity; ++i)
        results->backwards |= part->shaders[i].backwards > 0;
    for (uint32_t i = 0; merged && i < threads->thread_count; ++i) {
        const struct thread *thread = ws_page_get(&part->threads, i, sizeof(*thread));
        if (thread != NULL && thread->shader != 0)
            add_thread(&warps[threads->threads[i].warp], thread, threads->threads, i);
    }
    for (uint32_t i = 0; merged && i < threads->warp_count; ++i)
        merged = add_warp(results, part, &warps[i], threads, i);
    for (uint32_t i = 0; merged && results->options.plots && i < part->shader_capacity; ++i)
        if (part->shaders[i].warps > 0)
            draw(results, part, threads, i);
    free(warps);
    return merged && report_shaders(results, part) && take_slices(results, part, threads);
}

static int compare_slices(const void *left, const void *right)
{
    const struct ws_warp_times_slice *a = left;
    const struct ws_warp_times_slice *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->depth != b->depth ? (a->depth < b->depth ? -1 : 1) : (a->end < b->end) - (a->end > b->end);
}

/* Of several workers each has kept as many as there may be: the first in time stay. */
static void cut_slices(struct ws_warp_times *results)
{
    const uint32_t first = results->slice_first;
    const uint32_t room = first < results->slice_limit ? results->slice_limit - first : 0;
    if (results->slice_count > first + 1)
        qsort(results->slices + first, results->slice_count - first, sizeof(*results->slices),
              compare_slices);
    if (results->slice_count - first > room) {
        results->slices_left_out += results->slice_count - first - room;
        results->slice_count = first + room;
    }
    results->slice_first = results->slice_count;
}

/* Keeps the curve of a launch, if its span is among the longest. */
static bool keep_curve(struct ws_warp_times *results, struct ws_warp_times_launch *launch)
{
    const uint64_t span = launch->flight.last - launch->flight.first;
    struct ws_warp_times_launch *shortest = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < results->launch_count; ++i) {
        struct ws_warp_times_launch *other = &results->launches[i];
        if (other->curve == NULL)
            continue;
        kept++;
        if (shortest == NULL ||
            other->flight.last - other->flight.first < shortest->flight.last - shortest->flight.first)
            shortest = other;
    }
    if (kept == WS_WARP_TIMES_CURVES) {
        if (span <= shortest->flight.last - shortest->flight.first)
            return true;
        free(shortest->curve);
        shortest->curve = NULL;
    }
    launch->curve = malloc(WS_WARP_TIMES_BINS * sizeof(*launch->curve));
    if (launch->curve != NULL)
        ws_flight_bins(&launch->flight, results->flights, results->flight_count, launch->curve,
                       WS_WARP_TIMES_BINS);
    return launch->curve != NULL;
}

/* Warps are compared only by a clock that is the same for all. */
static bool finish(void *user, const struct ws_replay_threads *threads)
{
    struct ws_warp_times *results = user;
    struct ws_warp_times_launch launch = {
        .launch = threads->launch->index, .warps = results->flight_count, .backwards = results->backwards};
    results->backwards = false;
    cut_slices(results);
    if (results->flight_count == 0 || results->of_subgroup) {
        results->flight_count = 0;
        return true;
    }
    struct ws_warp_times_launch *grown = ws_array_grow(results->launches, &results->launch_capacity,
                                                       results->launch_count + 1, sizeof(*grown));
    results->launches = grown != NULL ? grown : results->launches;
    if (grown == NULL || !ws_flight_of(results->flights, results->flight_count, &launch.flight))
        return false;
    const struct ws_flight *flight = &launch.flight;
    const struct ws_warp_times_sums sums = {
        .launches = 1,
        .span = flight->last - flight->first,
        .peak = flight->peak,
        .tail = flight->tail,
        .drain = flight->drain,
        .room = flight->peak * (flight->last - flight->first),
        .flight_ticks = flight->warp_ticks,
    };
    const uint64_t keys[WS_WARP_TIMES_DIMENSIONS] = {
        [WS_WARP_TIMES_LAUNCH] = launch.launch,
        [WS_WARP_TIMES_STAGE] = WS_KEY_NONE,
        [WS_WARP_TIMES_SHADER] = WS_KEY_NONE,
        [WS_WARP_TIMES_SLOW] = WS_KEY_NONE,
    };
    bool added = ws_groups_add(results->groups, keys, &sums) &&
                 (!results->options.plots || keep_curve(results, &launch));
    grown[results->launch_count++] = launch;
    results->flight_count = 0;
    return added;
}

const struct ws_replay_operations ws_warp_times_replay = {
    .pass = WS_PASS_WARP_TIME,
    .create = create_part,
    .destroy = destroy_part,
    .enter = enter,
    .move = move,
    .data = data,
    .leave = leave,
    .close = close_context,
    .merge = merge,
    .finish = finish,
};

/* ---- the capture ---- */

void ws_warp_times_destroy(void *user)
{
    struct ws_warp_times *results = user;
    if (results == NULL)
        return;
    for (uint32_t i = 0; i < results->launch_count; ++i)
        free(results->launches[i].curve);
    for (uint32_t i = 0; i < results->picture_count; ++i)
        free(results->pictures[i].values);
    ws_groups_destroy(results->groups);
    free(results->launches);
    free(results->flights);
    free(results->slices);
    free(results);
}

void *ws_warp_times_create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                           struct ws_error *error)
{
    struct ws_warp_times *results = calloc(1, sizeof(*results));
    if (results == NULL) {
        ws_error_set(error, "no memory for the times of warps");
        return NULL;
    }
    results->catalog = catalog;
    results->options = *options;
    results->groups = ws_groups_create(&ws_warp_times_columns, catalog, results, &options->view, error);
    if (results->groups == NULL) {
        ws_warp_times_destroy(results);
        return NULL;
    }
    return results;
}

void ws_warp_times_attach(void *user, uint32_t number)
{
    struct ws_warp_times *results = user;
    results->user = number;
}

const struct ws_warp_times_launch *ws_warp_times_launch(const struct ws_warp_times *results, uint64_t launch)
{
    for (uint32_t i = 0; i < results->launch_count; ++i)
        if (results->launches[i].launch == launch)
            return &results->launches[i];
    return NULL;
}

const struct ws_timed_launch *ws_warp_times_timed(const struct ws_warp_times *results, uint32_t index)
{
    const struct ws_times *times = &results->catalog->times;
    uint32_t place;
    if (times->join != NULL || !ws_id_map_get(&times->by_launch, results->launches[index].launch, &place) ||
        times->launches[place].state != WS_TIME_TAKEN)
        return NULL;
    return &times->launches[place];
}

double ws_warp_times_rate(const struct ws_warp_times *results, uint32_t index)
{
    const struct ws_timed_launch *time = ws_warp_times_timed(results, index);
    const struct ws_warp_times_launch *launch = &results->launches[index];
    return time != NULL && time->nanoseconds > 0 && !launch->backwards
               ? (double)(launch->flight.last - launch->flight.first) / (double)time->nanoseconds
               : 0;
}

/* Bounds of the clock's rate, by the launches of the first queue that has times. */
static void find_rate(struct ws_warp_times *results)
{
    const struct ws_timed_launch *first = NULL;
    const struct ws_timed_launch *last = NULL;
    const struct ws_flight *a = NULL;
    const struct ws_flight *z = NULL;
    results->least_rate = results->most_rate = 0;
    for (uint32_t i = 0; i < results->launch_count; ++i) {
        const struct ws_timed_launch *time = ws_warp_times_timed(results, i);
        if (time == NULL || (first != NULL && time->queue != first->queue))
            continue;
        results->rate_launches++;
        const double alone = ws_warp_times_rate(results, i);
        results->least_rate = alone > results->least_rate ? alone : results->least_rate;
        if (first == NULL || time->begin < first->begin) {
            first = time;
            a = &results->launches[i].flight;
        }
        if (last == NULL || time->begin > last->begin) {
            last = time;
            z = &results->launches[i].flight;
        }
    }
    if (first == NULL)
        return;
    const uint64_t most = last->begin + last->nanoseconds - first->begin;
    const double both = most > 0 && z->last > a->first ? (double)(z->last - a->first) / (double)most : 0;
    results->least_rate = both > results->least_rate ? both : results->least_rate;
    if (last->begin > first->begin + first->nanoseconds && z->first > a->last)
        results->most_rate =
            (double)(z->first - a->last) / (double)(last->begin - first->begin - first->nanoseconds);
    /* Bounds that contradict each other are none: the clock stopped or jumped. */
    if (results->most_rate > 0 && results->most_rate < results->least_rate)
        results->most_rate = results->least_rate = 0;
}

static bool report_slow(struct ws_warp_times *results)
{
    bool added = true;
    for (uint32_t i = 0; i < results->slow_count && added; ++i) {
        const struct ws_warp_times_slow *slow = &results->slow[i];
        const uint64_t keys[WS_WARP_TIMES_DIMENSIONS] = {
            [WS_WARP_TIMES_LAUNCH] = slow->launch,
            [WS_WARP_TIMES_STAGE] = ws_key_stage(results->catalog->shaders[slow->shader].stage),
            [WS_WARP_TIMES_SHADER] = slow->shader,
            [WS_WARP_TIMES_SLOW] = i,
        };
        added = ws_groups_add_to(results->groups, keys, &(struct ws_warp_times_sums){.warps = 0},
                                 1u << WS_WARP_TIMES_SLOW, 0);
    }
    return added;
}

bool ws_warp_times_end(void *user, struct ws_error *error)
{
    struct ws_warp_times *results = user;
    find_rate(results);
    return report_slow(results) || ws_error_set(error, "no memory for the slowest warps");
}
