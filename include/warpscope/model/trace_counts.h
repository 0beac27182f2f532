/* How often each value occurred: exact, kept sparsely, put into bins only when shown. */
#ifndef WARPSCOPE_MODEL_TRACE_COUNTS_H
#define WARPSCOPE_MODEL_TRACE_COUNTS_H

#include "warpscope/base/id_map.h"

struct ws_trace_count {
    uint64_t value;
    uint64_t count;
};

/* Zero-initialised is empty. */
struct ws_trace_counts {
    struct ws_id_map index; /* value -> index below */
    struct ws_trace_count *counts;
    uint32_t count;
    uint32_t capacity;
    uint64_t total; /* sum of counts */
    uint64_t sum;   /* of values, each as often as it occurred */
};

struct ws_trace_summary {
    uint64_t total;
    uint64_t sum;
    uint64_t minimum;
    uint64_t median; /* the smallest value that at least half do not exceed */
    uint64_t ninety; /* the smallest that at least nine tenths do not exceed */
    uint64_t maximum;
};

void ws_trace_counts_finish(struct ws_trace_counts *counts);

/* False when there is no memory. */
bool ws_trace_counts_add(struct ws_trace_counts *counts, uint64_t value, uint64_t times);
bool ws_trace_counts_merge(struct ws_trace_counts *counts, const struct ws_trace_counts *more);

/* Sorts by value; nothing may be added any more. */
void ws_trace_counts_sort(struct ws_trace_counts *counts);

/* Of sorted counts. All zero where there is none. */
struct ws_trace_summary ws_trace_counts_summary(const struct ws_trace_counts *counts);

/* The width of bins, 1, 2 or 5 times a power of ten, in which values from `minimum` to `maximum` need at most
 * `most` bins that begin at multiples of it. */
uint64_t ws_trace_bin_width(uint64_t minimum, uint64_t maximum, uint32_t most);

/* How many of sorted counts are of values first .. last. */
uint64_t ws_trace_counts_within(const struct ws_trace_counts *counts, uint64_t first, uint64_t last);

#endif
