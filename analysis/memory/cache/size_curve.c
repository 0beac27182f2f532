#include "analysis/memory/cache/size_curve.h"

#include <math.h>
#include <stddef.h>

#include "analysis/memory/cache/sdcm.h"
#include "analysis/memory/cache/set_stacks.h"
#include "analysis/memory/cache/stack_distance.h"
#include "warpscope/passes.h"

static uint32_t lines_of(uint32_t size)
{
    return (WS_CURVE_FIRST << size) / WS_MEMORY_LINE;
}

void ws_size_run_finish(struct ws_size_run *run)
{
    ws_stack_distance_destroy(run->distances);
    ws_set_stacks_destroy(run->stacks);
    *run = (struct ws_size_run){0};
}

/* Makes the caches of all sizes. */
static bool begin(struct ws_size_run *run, uint32_t one_of)
{
    struct ws_error unsaid;
    uint32_t sets[WS_CURVE_SIZES];
    for (uint32_t i = 0; i < WS_CURVE_SIZES; ++i)
        sets[i] = lines_of(i) / WS_CURVE_WAYS;
    if (one_of <= 1)
        run->stacks = ws_set_stacks_create(sets, WS_CURVE_SIZES, WS_CURVE_WAYS, WS_CACHE_MODULO, &unsaid);
    if (one_of <= 1 && run->stacks == NULL)
        return false;
    run->distances = ws_stack_distance_create(one_of);
    return run->distances != NULL;
}

bool ws_size_run_access(struct ws_size_run *run, uint32_t one_of, uint64_t line)
{
    if (run->distances == NULL && !begin(run, one_of))
        return false;
    const uint64_t distance = ws_stack_distance_access(run->distances, line);
    if (run->stacks != NULL)
        ws_set_stacks_access(run->stacks, line);
    else if (distance != WS_DISTANCE_SKIPPED) {
        const uint64_t group = (line + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        for (uint32_t i = 0; i < WS_CURVE_SIZES && distance >= lines_of(i); ++i)
            run->misses[i][group % WS_CURVE_GROUPS]++;
    }
    return !ws_stack_distance_failed(run->distances);
}

/* Half of what the hit rate rises from the smallest to the largest cache that this may be in truth. */
static double rise_of(const struct ws_stack_distance *distances, uint32_t one_of, uint32_t lines)
{
    const double share = one_of > 1 ? sqrt((one_of - 1.0) / lines) : 0;
    const double low = share < 1 ? lines * (1 - share) : 0;
    return (ws_stack_distance_hit_rate(distances, (uint64_t)(lines * (1 + share))) -
            ws_stack_distance_hit_rate(distances, (uint64_t)low)) /
           2;
}

void ws_size_curve_add(struct ws_size_curve *curve, const struct ws_size_run *run)
{
    if (run->distances == NULL)
        return;
    const double lines = (double)ws_stack_distance_accesses(run->distances);
    const struct ws_distance_histogram histogram = ws_stack_distance_histogram(run->distances);
    for (uint32_t i = 0; i < WS_CURVE_SIZES; ++i) {
        curve->full[i] += lines * ws_stack_distance_hit_rate(run->distances, lines_of(i));
        curve->expected[i] += lines * ws_sdcm_hit_rate(&histogram, WS_CURVE_WAYS, lines_of(i));
        curve->rise[i] += lines * rise_of(run->distances, curve->one_of, lines_of(i));
        if (run->stacks != NULL)
            curve->ways[i] += (double)ws_set_stacks_hits(run->stacks, i, WS_CURVE_WAYS);
        for (uint32_t j = 0; j < WS_CURVE_GROUPS; ++j)
            curve->misses[i][j] += run->misses[i][j];
    }
    curve->lines += ws_stack_distance_accesses(run->distances);
}

double ws_size_curve_spread(const uint64_t *misses, uint32_t groups, uint32_t one_of, uint64_t accesses)
{
    double mean = 0;
    double squares = 0;
    if (one_of <= 1 || groups < 2 || accesses == 0)
        return 0;
    for (uint32_t i = 0; i < groups; ++i)
        mean += (double)misses[i] / groups;
    for (uint32_t i = 0; i < groups; ++i)
        squares += ((double)misses[i] - mean) * ((double)misses[i] - mean);
    return (double)one_of / (double)accesses *
           sqrt((double)groups / (groups - 1) * squares * (1 - 1.0 / one_of));
}

double ws_size_curve_error(const struct ws_size_curve *curve, uint32_t size)
{
    if (curve->one_of <= 1 || curve->lines == 0)
        return 0;
    const double spread =
        ws_size_curve_spread(curve->misses[size], WS_CURVE_GROUPS, curve->one_of, curve->lines);
    const double rise = curve->rise[size] / (double)curve->lines;
    return sqrt(spread * spread + rise * rise);
}
