/* The visits of call sites in one launch: how many threads of each warp were active in each, and what
 * follows for compaction windows. thread_compaction.h has the definitions.
 *
 * A warp that visits with all its lanes fills one warp in every window: ceil((a + S) / S) = ceil(a / S) + 1.
 * So only visits of warps with inactive lanes are kept, as pairs of a visit and a warp.
 *
 * MEMORY: 8 bytes per pair, of which WS_VISIT_PAIRS_MAX are kept, and (16 + 4 x (loops + 3)) bytes per visit,
 * of which WS_VISITS_SITE_MAX are per call site and WS_VISITS_MAX in all; per worker, and once more (pairs:
 * twice more) while the workers' parts are brought together. What is beyond goes into `rest`: there each
 * record of a warp counts as one warp in every window, as though it were not compacted. */
#ifndef WS_ANALYSIS_COMPACTION_COMPACTION_VISITS_H
#define WS_ANALYSIS_COMPACTION_COMPACTION_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_VISIT_PAIRS_MAX (1u << 24)
#define WS_VISITS_MAX      (1u << 23) /* fits the 24 bits of a pair */
#define WS_VISITS_SITE_MAX (1u << 20)
#define WS_VISIT_KEY_MAX   20 /* words of a visit's key */

/* Windows: 1, 2, 4, ... 2^31 warps, and all. */
#define WS_WINDOWS    33
#define WS_WINDOW_ALL 32

/* Required warps, per window. */
struct ws_windows {
    uint64_t required[WS_WINDOWS];
};

/* What is counted of one call site, without windows. */
struct ws_compaction_visit_site {
    uint64_t full;   /* visits of a warp with all its lanes */
    uint64_t rest;   /* warps whose visits were too many to be kept */
    uint64_t active; /* threads, over all visits, those in full and rest too */
    uint32_t visits; /* kept */
};

struct ws_compaction_visit {
    uint64_t key;  /* first word of its key, in words */
    uint32_t site; /* its number, as the user of the table has it */
    uint32_t length;
};

/* Zero-initialised is empty. */
struct ws_compaction_visits {
    struct ws_compaction_visit *visits;
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* hash table: number of a visit + 1; 0 = free */
    uint32_t slot_count;
    uint32_t *words;
    uint64_t word_count;
    uint64_t word_capacity;
    uint64_t *pairs; /* visit << 40 | warp << 8 | active lanes */
    uint32_t pair_count;
    uint32_t pair_capacity;
    uint32_t site_limit; /* most visits per site; 0 = WS_VISITS_SITE_MAX */
};

void ws_compaction_visits_finish(struct ws_compaction_visits *visits);

/* A visit of call site number `site_number`, whose figures are `site`, by `active` lanes of a warp of `size`
 * lanes. `key` names the visit among all of the launch; its first word is the subgroup size. False when
 * there is no memory. */
bool ws_compaction_visits_add(struct ws_compaction_visits *visits, struct ws_compaction_visit_site *site,
                              uint32_t site_number, const uint32_t *key, uint32_t length, uint32_t warp,
                              uint32_t active, uint32_t size);

/* Adds the visits and pairs of one worker. numbers[n] is the number that site n of `from` has in `to`, whose
 * figures are to_sites[number]; warp_index[w] what warp w is called in `to`. False when there is no memory.
 */
bool ws_compaction_visits_merge(struct ws_compaction_visits *to, struct ws_compaction_visit_site *to_sites,
                                const struct ws_compaction_visits *from, const uint32_t *numbers,
                                const uint32_t *warp_index);

/* Adds what the pairs of all visits require to windows[site number]. Warps are by index; pairs are sorted by
 * it. False when there is no memory. */
bool ws_compaction_visits_windows(struct ws_compaction_visits *visits, struct ws_windows *windows);

/* Adds `count` warps to every window. */
void ws_windows_add(struct ws_windows *windows, uint64_t count);

#endif
