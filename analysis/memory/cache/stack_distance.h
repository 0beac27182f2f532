/* Reuse distances, which are the depths of LRU's stack, exactly and in O(log n); and with them the hits of a fully
 * associative LRU cache of every size at once (Mattson et al., 1970).
 *
 * DISTANCE of an access = how many distinct other lines were accessed since the last access to its line ("Visual Performance
 * Analysis of Ray Tracing" (2024), section 2.3.4 and table 2.1). The first access of a line has none: WS_DISTANCE_NONE. By
 * hand, table 2.1: lines 0 1 1 2 0 have the distances none, none, 0, none, 2.
 * HIT RATE of n lines = accesses whose distance is below n / all accesses.
 *
 * SAMPLING (SHARDS of fixed rate: Waldspurger, Park, Garthwaite and Ahmad, "Efficient MRC construction with SHARDS", FAST
 * 2015): with `one_of` R only the lines are followed whose hash is below 2^64 / R. A distance among them stands for R times
 * as much. Hits are corrected as SHARDS-adj has it (section 3.3): accesses / R were to be followed, and what is missing
 * counts as accesses of distance 0. Where more were followed, they are taken from there. R = 1 follows all: no estimate.
 *
 * Memory: about 50 bytes for each distinct line that is followed, and 8 for each distance up to the largest. Time stamps are
 * given anew when they have reached twice the distinct lines, so a long trace takes no more. Without memory the counts stop
 * (ws_stack_distance_failed). Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_STACK_DISTANCE_H
#define WS_ANALYSIS_MEMORY_CACHE_STACK_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_DISTANCE_NONE    UINT64_MAX
#define WS_DISTANCE_SKIPPED (UINT64_MAX - 1) /* the line is not followed */

struct ws_stack_distance;

/* `one_of`: 1 = every line; R = one of R lines. NULL when there is no memory. */
struct ws_stack_distance *ws_stack_distance_create(uint32_t one_of);
void ws_stack_distance_destroy(struct ws_stack_distance *distances);

/* The distance of an access, or one of the above. Distances are multiplied by `one_of` already. */
uint64_t ws_stack_distance_access(struct ws_stack_distance *distances, uint64_t line);

/* The same for one access after the other, and faster: what later ones need is fetched ahead. `found` gets a distance for each;
 * it may be NULL. */
void ws_stack_distance_run(struct ws_stack_distance *distances, const uint64_t *lines, size_t count,
                           uint64_t *found);

/* There was no memory: accesses from some on are not counted. */
bool ws_stack_distance_failed(const struct ws_stack_distance *distances);

uint64_t ws_stack_distance_accesses(const struct ws_stack_distance *distances);

/* Distinct lines: an estimate where not every line is followed. */
uint64_t ws_stack_distance_lines(const struct ws_stack_distance *distances);

/* Of a fully associative LRU cache of so many lines; 0 where nothing was accessed. */
double ws_stack_distance_hit_rate(const struct ws_stack_distance *distances, uint64_t lines);

/* The histogram: element d counts accesses that were followed, of distance d x one_of. With the accesses of no distance they
 * are all that were followed. */
struct ws_distance_histogram {
    const uint64_t *counts;
    uint64_t size;   /* elements */
    uint64_t none;   /* accesses without a distance */
    uint32_t one_of; /* what a step stands for */
    double missing;  /* accesses to be added to distance 0, by the correction; may be negative */
    double total;    /* accesses that were to be followed */
};

/* Valid until the next access. */
struct ws_distance_histogram ws_stack_distance_histogram(const struct ws_stack_distance *distances);

#endif
