/* What the requests of a launch come to, part by part of the launch.
 *
 * PARTS. Requests are numbered in the order in which they run. The launch is cut into WS_PARTS parts of equally many:
 * request i of n is in part i x WS_PARTS / n, rounded down. Requests are kept together in steps of 1, 2, 4, ... of them, so
 * that a launch has WS_PART_STEPS steps at most; a step is in the part of its first request. So a border of parts is off by
 * a 32nd of a part at most. A launch of fewer requests than parts has parts without any.
 * By hand: of 100 requests part 0 has the requests 0 and 1, part 49 the requests 98 and 99.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_PART_SUMS_H
#define WS_ANALYSIS_MEMORY_PART_SUMS_H

#include "analysis/memory/buffer_pairs.h"
#include "analysis/memory/caches.h"

#define WS_PARTS      50u
#define WS_PART_STEPS (64 * WS_PARTS)

/* Of one step and one buffer. */
struct ws_part_row {
    uint32_t step;
    uint32_t pair; /* number in `pairs` */
    struct ws_caches_sums sums;
};

/* Zero-initialised is empty. */
struct ws_part_sums {
    struct ws_part_row *rows; /* by step */
    uint32_t row_count;
    uint32_t row_capacity;
    struct ws_buffer_pairs pairs;
    uint32_t *last; /* per pair: its last row + 1; 0 = none */
    uint32_t last_capacity;
    uint64_t requests; /* that were added */
    uint32_t shift;    /* log2 of the requests of a step */
};

void ws_part_sums_finish(struct ws_part_sums *sums);

/* Adds the next request. NULL: it takes its place, and counts for nothing. False when there is no memory. */
bool ws_part_sums_add(struct ws_part_sums *sums, const struct ws_traced_access *access, uint32_t bound,
                      const struct ws_caches_sums *request);

/* The part that a row is in. */
uint32_t ws_part_sums_part(const struct ws_part_sums *sums, const struct ws_part_row *row);

#endif
