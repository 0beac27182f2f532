/* What the accesses of each thread come to, by buffer: for figures by pixel ("A Visual Profiling System for Direct Volume
 * Rendering", Eurographics 2024; in "Visual Performance Analysis of Ray Tracing" (2024) section 3.5, eq. 3.3 to 3.5).
 *
 * A request of a warp counts for each of its active lanes: for each with all its lanes, and all the sectors that it touches. So
 * of a thread (x, y) and a buffer i
 *   requests = |r(x,y)|, those that the thread took part in
 *   lanes = N(x,y), the active lanes of these requests (eq. 3.4)
 *   active = b(x,y) = N(x,y) / (w x |r(x,y)|), with w lanes of a warp (eq. 3.5)
 *   L1 hit rate = p(x,y,i), hits of these requests by their sectors (eq. 3.3), and the same of the L2.
 * FIRST = how many requests of the launch came before: the access order of "Profiling and Visualizing GPU Memory Access and
 * Cache Behavior of Ray Tracers" (2022), section 5.6 and figure 7, of the first of a thread to a buffer.
 * Sums over threads are no sums over requests: one of 8 lanes is there 8 times.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_THREAD_SUMS_H
#define WS_ANALYSIS_MEMORY_THREAD_SUMS_H

#include "analysis/memory/buffer_pairs.h"
#include "analysis/memory/caches.h"
#include "warpscope/base/id_map.h"

/* Of one thread and one buffer of the application. */
struct ws_thread_row {
    uint32_t thread; /* index in the launch */
    uint32_t shader; /* that was launched, or where that is not known the one that it was met in first */
    enum ws_access_memory memory;
    const char *buffer; /* text of the catalog; NULL = not known */
    uint32_t bound;     /* what that was: ws_bound_find */
    uint64_t first;     /* requests of the launch before the first one of these */
    struct ws_caches_sums sums;
};

/* Zero-initialised is empty. */
struct ws_thread_sums {
    struct ws_thread_row *rows;
    uint32_t row_count;
    uint32_t row_capacity;
    struct ws_id_map ids; /* thread << 32 | number of a pair -> row */
    struct ws_buffer_pairs pairs;
    uint64_t requests; /* that were added */
};

void ws_thread_sums_finish(struct ws_thread_sums *sums);

/* Adds a request, `request`, for each of its threads; WS_NONE = not known. `shader`: that they were launched with. `bound`:
 * what they touched. False when there is no memory. */
bool ws_thread_sums_add(struct ws_thread_sums *sums, uint32_t shader, const uint32_t *threads, uint32_t count,
                        const struct ws_traced_access *access, uint32_t bound,
                        const struct ws_caches_sums *request);

#endif
