/* The stack distance cache model: how probable a hit is in a cache of `ways` ways and `lines` lines, from the reuse distance
 * alone (Agarwal, Hennessy and Horowitz, 1989; "Visual Performance Analysis of Ray Tracing" (2024), eq. 2.28).
 *
 * HIT of distance D = sum over a = 0 .. A - 1 of C(D, a) (A / B)^a (1 - A / B)^(D - a), with A ways and B lines: of the D other
 * lines, each in the access's set with probability A / B, fewer than A are. So distances below A hit; with A = B (fully
 * associative) no others do; an access without a distance does not. By hand: 1 way, 4 lines, D = 2: (3/4)^2 = 0.5625.
 *
 * Thread-safe: nothing is kept. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_SDCM_H
#define WS_ANALYSIS_MEMORY_CACHE_SDCM_H

#include <stdint.h>

#include "analysis/memory/cache/stack_distance.h"

/* Of one distance (WS_DISTANCE_NONE: 0), with 1 <= ways <= lines. Takes as many steps as there are ways. */
double ws_sdcm_hit(uint64_t distance, uint32_t ways, uint32_t lines);

/* The mean over all accesses: the hit rate of the cache. One step for each distance up to the largest. */
double ws_sdcm_hit_rate(const struct ws_distance_histogram *histogram, uint32_t ways, uint32_t lines);

#endif
