/* The caches of a device in use: an L1 per multiprocessor, behind them one L2, behind it the memory ("Visual Performance
 * Analysis of Ray Tracing" (2024), section 3.1.2, p. 36).
 *
 * REQUEST = one execution of one access by a warp on one multiprocessor. Its lanes' bytes are put together to distinct LINES
 * of the L1, in the order of the first lane that touches each, with the sectors of them that some lane touches.
 * Loads ask the L1; sectors that miss ask the L2 (p. 36: "only memory references that miss the L1 cache are forwarded").
 * Stores and atomics ask the L2 with all their sectors (p. 36: they "have an immediate impact on the L2 cache"). A store makes
 * a line of its own L1 the most recent one, where it is there. An atomic leaves the L1 as it is, which is an assumption.
 * L1 HITS and L1 MISSES = sectors of loads that the L1 had and had not. L2 HITS and L2 MISSES = sectors of the L2's own size
 * that were asked for, by what asked.
 * MEMORY BYTES = bytes read from memory: L2 misses of loads and atomics x the L2's sector. A store that misses reads nothing.
 * WRITTEN BYTES = bytes of L2 sectors that were changed and then displaced or flushed. They are counted for no request.
 *
 * By hand: 32 lanes load neighbouring floats from a multiple of 128 on. That is 1 line with 4 sectors of 32 bytes: at first 4
 * L1 misses, 4 L2 misses and 128 memory bytes, the second time 4 L1 hits. From another multiprocessor: 4 L1 misses, 4 L2 hits.
 *
 * Not thread-safe: the L2 is shared, so requests have one order. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_HIERARCHY_H
#define WS_ANALYSIS_MEMORY_CACHE_HIERARCHY_H

#include "analysis/memory/cache/cache_shape.h"

/* Sums of requests. Zero-initialised is none. */
struct ws_hierarchy_counts {
    uint64_t requests[WS_CACHE_KINDS];
    uint64_t lines;
    uint64_t l1_hits;
    uint64_t l1_misses;
    uint64_t l2_hits[WS_CACHE_KINDS];
    uint64_t l2_misses[WS_CACHE_KINDS];
    uint64_t memory_bytes;
};

struct ws_hierarchy_request {
    uint32_t multiprocessor; /* beyond the device's: modulo them */
    enum ws_cache_kind kind;
    const uint64_t *addresses; /* of the lanes that are active */
    uint32_t lanes;
    uint32_t size; /* bytes that each lane touches; 0 touches nothing */
    uint32_t
        who; /* whom it is counted for: an index of the caller's, such as a buffer's or a source line's */
    /* Called for each of its lines, with the line's address and what it counts, memory bytes too, but no request; NULL =
     * nobody asks. */
    void (*part)(void *user, uint64_t address, const struct ws_hierarchy_counts *counts);
    void *user;
};

struct ws_hierarchy;

struct ws_hierarchy *ws_hierarchy_create(const struct ws_cache_shape *shape, struct ws_error *error);
void ws_hierarchy_destroy(struct ws_hierarchy *hierarchy);

/* Runs a request, and adds what it counts to `sums`. Lines are told apart up to 256 in a request; one of more may count a line
 * twice. */
void ws_hierarchy_run(struct ws_hierarchy *hierarchy, const struct ws_hierarchy_request *request,
                      struct ws_hierarchy_counts *sums);

/* Whether a line of the L1s has so many bytes, and sectors of so many. */
bool ws_hierarchy_has_lines(const struct ws_hierarchy *hierarchy, uint32_t line_bytes, uint32_t sector_bytes);

/* Cuts a request into the lines that it asks for, in the order in which `give` gets them: with the line's address / the bytes
 * of a line of the L1s, and its sectors. Nothing is run. */
typedef void ws_hierarchy_cut_part(void *user, uint64_t line, uint32_t sectors);
void ws_hierarchy_cut(const struct ws_hierarchy *hierarchy, const struct ws_hierarchy_request *request,
                      ws_hierarchy_cut_part *give, void *user);

/* One such line, and what it comes to. */
struct ws_hierarchy_part {
    uint32_t multiprocessor; /* below the device's */
    uint16_t sectors;
    uint8_t kind; /* enum ws_cache_kind */
};

struct ws_hierarchy_outcome {
    uint8_t l1_hits;
    uint8_t l1_misses;
    uint8_t l2_hits; /* of its kind */
    uint8_t l2_misses;
    uint32_t memory_bytes;
};

/* Runs such lines, parallel to `lines`: the same as the requests that they were cut from, one after the other. */
void ws_hierarchy_run_parts(struct ws_hierarchy *hierarchy, const uint64_t *lines,
                            const struct ws_hierarchy_part *parts, size_t count,
                            struct ws_hierarchy_outcome *outcomes);

uint64_t ws_hierarchy_written_bytes(const struct ws_hierarchy *hierarchy);

/* Empties all caches. */
void ws_hierarchy_flush(struct ws_hierarchy *hierarchy);

#endif
