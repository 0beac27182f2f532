#include "analysis/trace/trace_path.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"

/* FOLDING. Each new step is compared with the steps before it, as soon as it comes. If the last `period`
 * steps equal the `period` before them, both become one repetition of 2; if they equal the body of the
 * repetition before them, its count grows. A folded repetition counts as one step, so loops in loops fold
 * too. Bodies of up to PERIOD_MOST are found: a step costs PERIOD_MOST comparisons of two steps, since most
 * of these differ in the last step. */

/* The longest body of a repetition, in steps and folded repetitions. */
#define PERIOD_MOST 64

/* Steps kept past the limit, so that a body that reaches the limit can still fold. */
#define SLACK 128

struct ws_trace_path *ws_trace_path_create(uint32_t limit)
{
    struct ws_trace_path *path = calloc(1, sizeof(*path));
    if (path != NULL)
        path->limit = limit;
    return path;
}

void ws_trace_path_destroy(struct ws_trace_path *path)
{
    if (path == NULL)
        return;
    free(path->steps);
    free(path->tops);
    free(path);
}

/* Equal in everything that a report shows. */
static bool is_equal(const struct ws_trace_step *a, const struct ws_trace_step *b)
{
    return a->kind == b->kind && a->depth == b->depth && a->shader == b->shader && a->block == b->block &&
           a->calls == b->calls && a->length == b->length && a->count == b->count &&
           ws_lanes_equal(a->lanes, b->lanes) && ws_lanes_equal(a->own, b->own);
}

static bool are_equal(const struct ws_trace_path *path, uint32_t first, uint32_t second, uint32_t length)
{
    for (uint32_t i = length; i > 0; --i)
        if (!is_equal(&path->steps[first + i - 1], &path->steps[second + i - 1]))
            return false;
    return true;
}

/* Where the last `period` steps begin, counting a repetition as one. */
static uint32_t begin_of(const struct ws_trace_path *path, uint32_t period)
{
    return path->tops[path->top_count - period];
}

/* If the last `period` steps equal the body of the repetition before them: counts them there. */
static bool extend(struct ws_trace_path *path, uint32_t period)
{
    if (path->top_count <= period)
        return false;
    uint32_t begin = begin_of(path, period);
    uint32_t length = path->step_count - begin;
    struct ws_trace_step *repeat = &path->steps[begin_of(path, period + 1)];
    if (repeat->kind != WS_TRACE_REPEAT || repeat->length != length ||
        !are_equal(path, begin - length, begin, length))
        return false;
    repeat->count++;
    path->step_count = begin;
    path->top_count -= period;
    return true;
}

/* If the last `period` steps equal the `period` before them: makes a repetition of both. */
static bool fold(struct ws_trace_path *path, uint32_t period)
{
    if (path->top_count < 2 * period)
        return false;
    uint32_t begin = begin_of(path, period);
    uint32_t before = begin_of(path, 2 * period);
    uint32_t length = path->step_count - begin;
    if (begin - before != length || !are_equal(path, before, begin, length))
        return false;
    memmove(&path->steps[before + 1], &path->steps[before], length * sizeof(*path->steps));
    path->steps[before] = (struct ws_trace_step){.kind = WS_TRACE_REPEAT, .length = length, .count = 2};
    path->step_count = before + 1 + length;
    path->top_count -= 2 * period - 1;
    return true;
}

static bool fold_any(struct ws_trace_path *path)
{
    for (uint32_t period = 1; period <= PERIOD_MOST; ++period)
        if (extend(path, period))
            return true;
    for (uint32_t period = 1; period <= PERIOD_MOST; ++period)
        if (fold(path, period))
            return true;
    return false;
}

bool ws_trace_path_add(struct ws_trace_path *path, const struct ws_trace_step *step)
{
    path->blocks += step->kind == WS_TRACE_BLOCK;
    path->executions += step->kind == WS_TRACE_ENTER;
    path->full = path->full || path->step_count >= (uint64_t)path->limit + SLACK;
    if (path->full)
        return true;
    struct ws_trace_step *steps =
        ws_array_grow(path->steps, &path->step_capacity, path->step_count + 1, sizeof(*steps));
    if (steps == NULL)
        return false;
    path->steps = steps;
    uint32_t *tops = ws_array_grow(path->tops, &path->top_capacity, path->top_count + 1, sizeof(*tops));
    if (tops == NULL)
        return false;
    path->tops = tops;
    tops[path->top_count++] = path->step_count;
    steps[path->step_count++] = *step;
    while (fold_any(path))
        ;
    return true;
}

uint32_t ws_trace_calls_block(struct ws_trace_calls *calls, const struct ws_module_record *module,
                              uint32_t block)
{
    const uint32_t most = sizeof(calls->functions) / sizeof(calls->functions[0]);
    uint32_t function = module->blocks[block].info.function;
    uint32_t place = calls->count;
    while (place > 0 && calls->functions[place - 1] != function)
        --place;
    if (place > 0) {
        calls->count = place;
        return calls->count - 1;
    }
    /* Functions that do not call it have returned. */
    place = calls->count;
    while (place > 0 && !ws_catalog_calls(module, calls->functions[place - 1], function))
        --place;
    if (place > 0)
        calls->count = place;
    if (calls->count < most)
        calls->functions[calls->count++] = function;
    return calls->count - 1;
}
