/* The hit rate of one cache of each size, 16 KiB to 64 MiB: of lines of 128 bytes, with LRU, fully associative
 * (stack_distance.h), with 16 ways (set_stacks.h), and what the distances alone let one expect of 16 ways (sdcm.h).
 *
 * SAMPLING: with `one_of` R above 1 one of R lines is followed (stack_distance.h, SHARDS of fixed rate), and hit rates are
 * estimates. The rate with 16 ways is not known then: a sample of lines does not fill its sets as all lines do.
 * ERROR = the standard error of an estimated hit rate: the root of a^2 + b^2, of
 *   a: which lines are followed. These are dealt into WS_CURVE_GROUPS groups by another hash, which a line has in all
 *      launches; group g misses m(g) times, on average m. With N accesses in all, of G groups,
 *      a = R / N x sqrt(G / (G - 1) x sum of (m(g) - m)^2 x (1 - 1 / R)).
 *   b: how far off distances are. Of a cache of L lines L / R are followed on average, more or fewer by the share
 *      s = sqrt((R - 1) / L): b is half of what the hit rate rises from a cache of L (1 - s) lines to one of L (1 + s).
 * By hand, with R = 2, two groups and 8 accesses: misses 3 and 1 give a = 2 / 8 x sqrt(2 / 1 x (1 + 1) x 1/2) = 0.354.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_SIZE_CURVE_H
#define WS_ANALYSIS_MEMORY_CACHE_SIZE_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_CURVE_SIZES  13
#define WS_CURVE_FIRST  (16u << 10) /* bytes; each is twice the one before */
#define WS_CURVE_WAYS   16u
#define WS_CURVE_GROUPS 64u

/* Accesses that hit, of all launches. Zero-initialise, and set `one_of`. */
struct ws_size_curve {
    uint32_t one_of; /* 1 = all lines are followed */
    uint64_t lines;  /* accesses to lines */
    double full[WS_CURVE_SIZES];
    double ways[WS_CURVE_SIZES];
    double expected[WS_CURVE_SIZES];
    double rise[WS_CURVE_SIZES];                      /* b above, of these accesses */
    uint64_t misses[WS_CURVE_SIZES][WS_CURVE_GROUPS]; /* of lines that are followed, where not all are */
};

/* One launch. Zero-initialised has accessed nothing. */
struct ws_size_run {
    uint32_t one_of;
    struct ws_stack_distance *distances; /* NULL = it has accessed nothing */
    struct ws_set_stacks *stacks;        /* NULL likewise, or one_of is above 1 */
    uint64_t misses[WS_CURVE_SIZES][WS_CURVE_GROUPS];
};

void ws_size_run_finish(struct ws_size_run *run);

/* Makes the caches of all sizes. False when there is no memory. */
bool ws_size_run_begin(struct ws_size_run *run, uint32_t one_of);

/* Accesses lines, which are addresses / 128: both are to be called with the same lines, and may run beside each other. */
void ws_size_run_distances(struct ws_size_run *run, const uint64_t *lines, size_t count);
void ws_size_run_stacks(struct ws_size_run *run, const uint64_t *lines, size_t count);

/* There was no memory: accesses from some on are not counted. */
bool ws_size_run_failed(const struct ws_size_run *run);

/* Adds the launch. */
void ws_size_curve_add(struct ws_size_curve *curve, const struct ws_size_run *run);

/* The standard error of the hit rate of a size; 0 where all lines are followed. */
double ws_size_curve_error(const struct ws_size_curve *curve, uint32_t size);

/* a above; `groups`: how many of them there are. */
double ws_size_curve_spread(const uint64_t *misses, uint32_t groups, uint32_t one_of, uint64_t accesses);

#endif
