#include "warpscope/model/trace_counts.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"

void ws_trace_counts_finish(struct ws_trace_counts *counts)
{
    ws_id_map_finish(&counts->index);
    free(counts->counts);
    memset(counts, 0, sizeof(*counts));
}

bool ws_trace_counts_add(struct ws_trace_counts *counts, uint64_t value, uint64_t times)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&counts->index, value, &index)) {
        struct ws_trace_count *grown =
            ws_array_grow(counts->counts, &counts->capacity, counts->count + 1, sizeof(*grown));
        if (grown == NULL)
            return false;
        counts->counts = grown;
        index = counts->count;
        if (!ws_id_map_put(&counts->index, value, index))
            return false;
        grown[counts->count++] = (struct ws_trace_count){value, 0};
    }
    counts->counts[index].count += times;
    counts->total += times;
    counts->sum += value * times;
    return true;
}

bool ws_trace_counts_merge(struct ws_trace_counts *counts, const struct ws_trace_counts *more)
{
    bool added = true;
    for (uint32_t i = 0; i < more->count && added; ++i)
        added = ws_trace_counts_add(counts, more->counts[i].value, more->counts[i].count);
    return added;
}

static int compare(const void *left, const void *right)
{
    const struct ws_trace_count *a = left;
    const struct ws_trace_count *b = right;
    return a->value < b->value ? -1 : a->value > b->value;
}

void ws_trace_counts_sort(struct ws_trace_counts *counts)
{
    ws_id_map_finish(&counts->index);
    if (counts->count > 0)
        qsort(counts->counts, counts->count, sizeof(*counts->counts), compare);
}

/* The smallest value that at least `tenths` tenths of all values do not exceed. */
static uint64_t quantile(const struct ws_trace_counts *counts, uint32_t tenths)
{
    /* Its rank, from 1: tenths / 10 of the total, rounded up, computed without overflow. */
    uint64_t rank = counts->total / 10 * tenths + (counts->total % 10 * tenths + 9) / 10;
    uint64_t passed = 0;
    uint32_t i = 0;
    while (i + 1 < counts->count && passed + counts->counts[i].count < rank)
        passed += counts->counts[i++].count;
    return counts->counts[i].value;
}

struct ws_trace_summary ws_trace_counts_summary(const struct ws_trace_counts *counts)
{
    struct ws_trace_summary summary = {0};
    if (counts->count == 0)
        return summary;
    summary.total = counts->total;
    summary.sum = counts->sum;
    summary.minimum = counts->counts[0].value;
    summary.median = quantile(counts, 5);
    summary.ninety = quantile(counts, 9);
    summary.maximum = counts->counts[counts->count - 1].value;
    return summary;
}

uint64_t ws_trace_bin_width(uint64_t minimum, uint64_t maximum, uint32_t most)
{
    static const uint64_t steps[] = {1, 2, 5};
    for (uint64_t power = 1; power <= UINT64_MAX / 100; power *= 10)
        for (uint32_t i = 0; i < 3; ++i)
            if (maximum / (steps[i] * power) - minimum / (steps[i] * power) < most)
                return steps[i] * power;
    return UINT64_MAX;
}

uint64_t ws_trace_counts_within(const struct ws_trace_counts *counts, uint64_t first, uint64_t last)
{
    uint32_t low = 0;
    for (uint32_t high = counts->count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (counts->counts[middle].value < first)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t within = 0;
    for (; low < counts->count && counts->counts[low].value <= last; ++low)
        within += counts->counts[low].count;
    return within;
}
