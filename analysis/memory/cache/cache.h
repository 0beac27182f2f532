/* One level of cache: what of each access is there, and what it displaces. Knows nothing of captures.
 *
 * LINE = address / line_bytes. A line has `sectors` equal SECTORS, each of which is there or not; what is displaced is the
 * line with all of them. So the L1 of "Visual Performance Analysis of Ray Tracing" (2024) is 456 lines of 128 bytes that
 * "can be loaded partially at a granularity of 32B" (p. 36, section 3.1.2).
 * REQUEST = one call of ws_cache_access: some sectors of one line.
 * SECTOR HITS = sectors of requests that were there before. SECTOR MISSES = the others.
 * LINE MISSES = requests whose line was not there with any sector.
 * WRITTEN SECTORS = sectors that were changed in this cache and then displaced, which a next level has to take.
 *
 * Loads: sectors that miss are there afterwards, in a line that is the most recent one.
 * Stores and atomics, WS_CACHE_WRITE_THROUGH (the papers' L1, section 2.3.2: an L1 is coherent with no other, so that what
 * is written goes on at once): they bring in nothing. A line that is there becomes the most recent one.
 * Stores and atomics, WS_CACHE_WRITE_BACK (the papers' L2, section 2.3.2): their sectors are there afterwards, and changed.
 *
 * Empty slots of a set are taken first, in order. Then the line is displaced
 * - with LRU: that was used the longest time ago;
 * - with tree pseudo-LRU (p. 36: the policy that predicted L1s best): at which a binary tree over the slots points. The tree
 *   has as many leaves as the next power of two; where a right half has no slots (456 of 512), it points to the left one.
 *   Each use of a slot makes the nodes above it point to their other halves.
 *
 * Not thread-safe. After ws_cache_create nothing is allocated. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_CACHE_H
#define WS_ANALYSIS_MEMORY_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/memory/cache/cache_sets.h"
#include "warpscope/error.h"

#define WS_CACHE_SECTORS_MAX 16
#define WS_CACHE_LINE_MIN    16u
#define WS_CACHE_LINE_MAX    1024u
#define WS_CACHE_SECTOR_MIN  16u
#define WS_CACHE_LINES_MAX   (1u << 23)
#define WS_CACHE_TREE_WAYS   4096u /* the most ways with tree pseudo-LRU */

enum ws_cache_kind {
    WS_CACHE_LOAD,
    WS_CACHE_STORE,
    WS_CACHE_ATOMIC,
    WS_CACHE_KINDS,
};

enum ws_cache_replacement {
    WS_CACHE_LRU,
    WS_CACHE_TREE_PLRU,
};

enum ws_cache_writes {
    WS_CACHE_WRITE_THROUGH, /* and no allocation */
    WS_CACHE_WRITE_BACK,    /* and allocation */
};

struct ws_cache_settings {
    uint32_t line_bytes; /* a power of two, WS_CACHE_LINE_MIN to WS_CACHE_LINE_MAX */
    uint32_t
        sectors; /* of a line: a power of two, at most WS_CACHE_SECTORS_MAX, of WS_CACHE_SECTOR_MIN bytes or more */
    uint32_t lines; /* 1 to WS_CACHE_LINES_MAX, a multiple of ways */
    uint32_t ways;  /* 0 or `lines` = fully associative */
    enum ws_cache_replacement replacement;
    enum ws_cache_writes writes;
    enum ws_cache_index index;
};

struct ws_cache_counts {
    uint64_t requests;
    uint64_t sector_hits;
    uint64_t sector_misses;
    uint64_t line_misses;
};

struct ws_cache;

/* Whether a cache can have these settings; `what` names it in the error, for example "l1". */
bool ws_cache_check(const struct ws_cache_settings *settings, const char *what, struct ws_error *error);

/* An empty cache, of about 30 bytes a line. NULL where the settings are refused or there is no memory. */
struct ws_cache *ws_cache_create(const struct ws_cache_settings *settings, const char *what,
                                 struct ws_error *error);
void ws_cache_destroy(struct ws_cache *cache);

/* Accesses `sectors` (bit i = sector i; bits that the line has not are left out) of `line`. Returns those that were there. */
uint32_t ws_cache_access(struct ws_cache *cache, uint64_t line, uint32_t sectors, enum ws_cache_kind kind);

/* Empties the cache, as between frames. Counts stay; sectors that were changed count as written. */
void ws_cache_flush(struct ws_cache *cache);

const struct ws_cache_counts *ws_cache_counts(const struct ws_cache *cache, enum ws_cache_kind kind);
uint64_t ws_cache_written_sectors(const struct ws_cache *cache);

/* How many of 16 bits are set. */
static inline uint32_t ws_cache_count_sectors(uint32_t sectors)
{
    uint32_t count = (uint32_t)(0x4332322132212110u >> 4 * (sectors & 15)) & 15;
    while ((sectors >>= 4) != 0)
        count += (uint32_t)(0x4332322132212110u >> 4 * (sectors & 15)) & 15;
    return count;
}

#endif
