#include "analysis/memory/cache/size_curve.h"

#include <math.h>

#include "analysis/memory/cache/sdcm.h"
#include "analysis/memory/cache/set_stacks.h"
#include "analysis/memory/cache/stack_distance.h"
#include "warpscope/passes.h"

enum { FOUND = 256 };

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

bool ws_size_run_begin(struct ws_size_run *run, uint32_t one_of)
{
    struct ws_error unsaid;
    uint32_t sets[WS_CURVE_SIZES];
    run->one_of = one_of;
    for (uint32_t i = 0; i < WS_CURVE_SIZES; ++i)
        sets[i] = lines_of(i) / WS_CURVE_WAYS;
    if (one_of <= 1)
        run->stacks = ws_set_stacks_create(sets, WS_CURVE_SIZES, WS_CURVE_WAYS, WS_CACHE_MODULO, &unsaid);
    if (one_of <= 1 && run->stacks == NULL)
        return false;
    run->distances = ws_stack_distance_create(one_of);
    return run->distances != NULL;
}

void ws_size_run_distances(struct ws_size_run *run, const uint64_t *lines, size_t count)
{
    uint64_t found[FOUND];
    for (size_t done = 0; done < count; done += FOUND) {
        const size_t now = count - done < FOUND ? count - done : FOUND;
        ws_stack_distance_run(run->distances, lines + done, now, run->one_of > 1 ? found : NULL);
        for (size_t i = 0; run->one_of > 1 && i < now; ++i) {
            const uint64_t group = (lines[done + i] + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
            if (found[i] == WS_DISTANCE_SKIPPED)
                continue;
            for (uint32_t size = 0; size < WS_CURVE_SIZES && found[i] >= lines_of(size); ++size)
                run->misses[size][group % WS_CURVE_GROUPS]++;
        }
    }
}

void ws_size_run_stacks(struct ws_size_run *run, const uint64_t *lines, size_t count)
{
    for (size_t i = 0; run->stacks != NULL && i < count; ++i)
        ws_set_stacks_access(run->stacks, lines[i]);
}

bool ws_size_run_failed(const struct ws_size_run *run)
{
    return run->distances != NULL && ws_stack_distance_failed(run->distances);
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
