#include "tests/model/figures/warp_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/time/warp_times.h"

/* One execution of a shader by a warp. */
struct execution {
    uint64_t begin;
    uint64_t end;
    uint64_t ends[MODEL_LANES];  /* of each lane; 0 = it left no record */
    uint64_t shown[MODEL_LANES]; /* by the record of lanes of which this is the lowest */
};

struct warp {
    uint64_t begin;
    uint64_t end;
    uint64_t waiting;
    uint32_t threads;
};

struct times {
    const struct model_warps *warps;
    const struct model_module *modules;
    struct execution *executions; /* by context */
    bool all_end; /* every lane of every execution left a record where it ended, in that execution */
    struct warp list[MODEL_THREADS];
    bool agrees;
};

static void same(struct times *times, const char *what, uint32_t shader, uint64_t found, uint64_t expected)
{
    if (found == expected)
        return;
    printf("times: %s of shader %u: %" PRIu64 ", expected %" PRIu64 "\n", what, shader, found, expected);
    times->agrees = false;
}

/* Takes in what the records show. */
static void read_units(struct times *times)
{
    const struct model_warps *warps = times->warps;
    for (uint32_t i = 0; i < warps->unit_count; i++) {
        const struct model_unit *unit = &warps->units[i];
        struct execution *execution = &times->executions[unit->context];
        const uint32_t lowest = ws_lanes_lowest(unit->lanes);
        if (unit->time != 0 && unit->site == times->modules[warps->contexts[unit->context].shader].clock)
            execution->begin = unit->time;
        else if (unit->time != 0)
            execution->shown[lowest] = unit->time;
        for (uint32_t r = unit->first; r != MODEL_NONE; r = warps->records[r].next)
            for (uint32_t lane = 0; lane < warps->lanes && warps->records[r].place == MODEL_PLACE_END; lane++)
                if (ws_lanes_has(unit->lanes, lane))
                    execution->ends[lane] = execution->shown[lowest];
    }
    times->all_end = true;
    for (uint32_t c = 0; c < warps->context_count; c++) {
        for (uint32_t lane = 0; lane < warps->lanes; lane++) {
            const uint64_t end = times->executions[c].ends[lane];
            times->executions[c].end = end > times->executions[c].end ? end : times->executions[c].end;
            if (ws_lanes_has(warps->contexts[c].entered, lane))
                times->all_end = times->all_end && end != 0 && !warps->contexts[c].continues;
        }
    }
}

/* The time in which something runs that the execution called: from one begin or end of those to the next. */
static uint64_t time_in_callees(const struct times *times, uint32_t caller)
{
    const struct model_context *contexts = times->warps->contexts;
    uint64_t sum = 0, at = times->executions[caller].begin;
    while (at < times->executions[caller].end) {
        uint64_t next = times->executions[caller].end;
        bool runs = false;
        for (uint32_t c = 0; c < times->warps->context_count; c++) {
            const struct execution *self = &times->executions[c];
            if (contexts[c].caller != caller)
                continue;
            runs = runs || (self->begin <= at && at < self->end);
            next = self->begin > at && self->begin < next ? self->begin : next;
            next = self->end > at && self->end < next ? self->end : next;
        }
        sum += runs ? next - at : 0;
        at = next;
    }
    return sum;
}

static const struct ws_warp_times_sums *row_of(const struct ws_warp_times *results, uint32_t shader)
{
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_WARP_TIMES_BY_SHADER); i++) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_WARP_TIMES_BY_SHADER, i, &row);
        if (row.keys[WS_WARP_TIMES_SHADER] == shader)
            return row.sums;
    }
    return NULL;
}

static void compare_shader(struct times *times, const struct ws_warp_times *results, uint32_t shader)
{
    const struct model_warps *warps = times->warps;
    struct ws_warp_times_sums sums = {0};
    static const struct ws_warp_times_sums nothing;
    const struct ws_warp_times_sums *found = row_of(results, warps->first_shader + shader);
    found = found != NULL ? found : &nothing;
    for (uint32_t c = 0; c < warps->context_count; c++) {
        const struct execution *self = &times->executions[c];
        const struct model_context *context = &warps->contexts[c];
        if (context->shader != shader || context->continues)
            continue;
        sums.executions++;
        sums.ticks += self->end - self->begin;
        sums.self += self->end - self->begin - time_in_callees(times, c);
        sums.lane_ticks += (self->end - self->begin) * ws_lanes_count(context->entered);
        for (uint32_t lane = 0; lane < warps->lanes; lane++)
            sums.waiting += ws_lanes_has(context->entered, lane) ? self->end - self->ends[lane] : 0;
    }
    same(times, "executions", shader, found->executions, sums.executions);
    same(times, "executions without a begin", shader, found->unknown, 0);
    same(times, "executions that run backwards", shader, found->backwards, 0);
    if (!times->all_end)
        return;
    same(times, "time", shader, found->ticks, sums.ticks);
    if (!warps->shuffled) /* else another execution may begin between an end's two records */
        same(times, "own time", shader, found->self, sums.self);
    same(times, "time of lanes", shader, found->lane_ticks, sums.lane_ticks);
    same(times, "waiting", shader, found->waiting, sums.waiting);
}

/* Threads end where a record of the launched shader says so, whichever warp they are in then. */
static void make_warps(struct times *times)
{
    const struct model_warps *warps = times->warps;
    uint64_t ends[MODEL_THREADS] = {0};
    for (uint32_t c = 0; c < warps->context_count; c++) {
        const struct model_context *context = &warps->contexts[c];
        for (uint32_t lane = 0; lane < warps->lanes && context->shader == 0; lane++) {
            const uint32_t thread = context->threads[lane];
            if (!ws_lanes_has(context->entered, lane))
                continue;
            struct warp *warp = &times->list[warps->warp_of[thread]];
            ends[thread] =
                times->executions[c].ends[lane] > 0 ? times->executions[c].ends[lane] : ends[thread];
            warp->begin = context->continues ? warp->begin : times->executions[c].begin;
            warp->threads += !context->continues;
        }
    }
    const uint32_t count = model_program_threads(warps->program);
    for (uint32_t t = 0; t < count; t++) {
        struct warp *warp = &times->list[warps->warp_of[t]];
        warp->end = ends[t] > warp->end ? ends[t] : warp->end;
    }
    for (uint32_t t = 0; t < count; t++)
        times->list[warps->warp_of[t]].waiting += times->list[warps->warp_of[t]].end - ends[t];
}

/* How many warps are in flight at a time. */
static uint64_t in_flight(const struct times *times, uint64_t at)
{
    uint64_t count = 0;
    for (uint32_t w = 0; w < times->warps->warp_count; w++)
        count += times->list[w].begin <= at && at < times->list[w].end;
    return count;
}

static uint64_t next_change(const struct times *times, uint64_t at, uint64_t last)
{
    for (uint32_t w = 0; w < times->warps->warp_count; w++) {
        const struct warp *warp = &times->list[w];
        last = warp->begin > at && warp->begin < last ? warp->begin : last;
        last = warp->end > at && warp->end < last ? warp->end : last;
    }
    return last;
}

static void compare_launch(struct times *times, const struct ws_warp_times *results)
{
    const uint32_t count = times->warps->warp_count;
    struct ws_flight flight = {.first = UINT64_MAX};
    uint64_t last_begin = 0, fallen = 0, before = 0;
    for (uint32_t w = 0; w < count; w++) {
        const struct warp *warp = &times->list[w];
        flight.first = warp->begin < flight.first ? warp->begin : flight.first;
        flight.last = warp->end > flight.last ? warp->end : flight.last;
        last_begin = warp->begin > last_begin ? warp->begin : last_begin;
        flight.warp_ticks += warp->end - warp->begin;
    }
    for (uint64_t at = flight.first; at < flight.last; at = next_change(times, at, flight.last))
        flight.peak = in_flight(times, at) > flight.peak ? in_flight(times, at) : flight.peak;
    for (uint64_t at = flight.first; at < flight.last; at = next_change(times, at, flight.last)) {
        const uint64_t now = in_flight(times, at), next = next_change(times, at, flight.last);
        fallen = 2 * before >= flight.peak && 2 * now < flight.peak ? at : fallen;
        before = now;
        flight.drain += at >= last_begin ? (flight.peak - now) * (next - at) : 0;
    }
    /* At the end of the span n falls to 0. */
    fallen = 2 * before >= flight.peak ? flight.last : fallen;
    flight.tail = flight.last - fallen;
    const struct ws_warp_times_launch *found = ws_warp_times_launch(results, 0);
    if (found == NULL) {
        printf("times: the launch is missing\n");
        times->agrees = false;
        return;
    }
    same(times, "warps of the launch", 0, found->warps, count);
    same(times, "begin of the launch", 0, found->flight.first, flight.first);
    same(times, "end of the launch", 0, found->flight.last, flight.last);
    same(times, "peak", 0, found->flight.peak, flight.peak);
    same(times, "time of warps", 0, found->flight.warp_ticks, flight.warp_ticks);
    same(times, "tail", 0, found->flight.tail, flight.tail);
    same(times, "drain", 0, found->flight.drain, flight.drain);
}

static void compare_warps(struct times *times, const struct ws_warp_times *results)
{
    const struct ws_warp_times_sums *found = row_of(results, times->warps->first_shader);
    struct ws_warp_times_sums sums = {0};
    for (uint32_t w = 0; w < times->warps->warp_count; w++) {
        const struct warp *warp = &times->list[w];
        sums.warps++;
        sums.warp_ticks += warp->end - warp->begin;
        sums.warp_waiting += warp->waiting;
        sums.warp_lane_ticks += (warp->end - warp->begin) * warp->threads;
    }
    if (found == NULL) {
        printf("times: the launched shader is missing\n");
        times->agrees = false;
        return;
    }
    same(times, "warps", 0, found->warps, sums.warps);
    same(times, "time of warps", 0, found->warp_ticks, sums.warp_ticks);
    same(times, "waiting of warps", 0, found->warp_waiting, sums.warp_waiting);
    same(times, "time of warps' lanes", 0, found->warp_lane_ticks, sums.warp_lane_ticks);
}

bool model_compare_warp_times(const struct ws_warp_times *results, const struct model_warps *warps,
                              const struct model_module *modules)
{
    struct times times = {.warps = warps, .modules = modules, .agrees = true};
    times.executions = calloc(warps->context_count + 1, sizeof(*times.executions));
    if (times.executions == NULL)
        abort();
    read_units(&times);
    make_warps(&times);
    for (uint32_t s = 0; s < warps->program->shader_count; s++)
        compare_shader(&times, results, s);
    compare_warps(&times, results);
    compare_launch(&times, results);
    free(times.executions);
    return times.agrees;
}
