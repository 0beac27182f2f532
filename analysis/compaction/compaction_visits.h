/* The visits of call sites in one launch: how many threads of each warp are active in each visit, and how
 * many warps that makes with each compaction window. thread_compaction.h has the definitions.
 *
 * A warp that visits with all its S lanes requires one warp in every window, whatever a others are active
 * there:
 * ceil((a + S) / S) = ceil(a / S) + 1. So such visits are only counted, in `full`. For warps with inactive
 * lanes, pairs of a visit and a warp are kept. These make most visits cheap: where nothing diverges there are
 * no pairs.
 *
 * MEMORY: 8 bytes per pair, for WS_VISIT_PAIRS_MAX pairs at most, and 16 + 4 x (loops + 3) bytes per visit,
 * for WS_VISITS_SITE_MAX per call site and WS_VISITS_MAX in all at most. This is per worker, and once more
 * (pairs: twice more) while the parts of the workers are merged. Beyond that, a visit by a warp is only
 * counted in `rest`: it requires one warp in every window, as if it could not be compacted. */
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

/* Required warps with each window: [w] is the window of 2^w warps, [WS_WINDOW_ALL] that of all. */
struct ws_windows {
    uint64_t required[WS_WINDOWS];
};

/* What is counted of one call site while windows are not worked out yet. */
struct ws_compaction_visit_site {
    uint64_t full;   /* visits of a warp with all its lanes */
    uint64_t rest;   /* visits of a warp that are beyond the bound */
    uint64_t active; /* sum over visits of the threads in each, with those of full and rest */
    uint32_t visits; /* that are kept */
};

struct ws_compaction_visit {
    uint64_t key;  /* first word of its key, in words */
    uint32_t site; /* number of its call site, as the caller numbers them */
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

/* Adds a visit of call site number `site_number`, whose counts are `site`, by `active` lanes of a warp of
 * `size` lanes. `key`, of at most WS_VISIT_KEY_MAX words, names the visit among those of the call site in the
 * launch; its first word is the subgroup size. False when there is no memory. */
bool ws_compaction_visits_add(struct ws_compaction_visits *visits, struct ws_compaction_visit_site *site,
                              uint32_t site_number, const uint32_t *key, uint32_t length, uint32_t warp,
                              uint32_t active, uint32_t size);

/* Adds the visits and pairs of one worker. Call site n of `from` has number numbers[n] in `to`, and the
 * counts to_sites[numbers[n]]. Warp w of `from` has index warp_index[w] in `to`. False when there is no
 * memory. */
bool ws_compaction_visits_merge(struct ws_compaction_visits *to, struct ws_compaction_visit_site *to_sites,
                                const struct ws_compaction_visits *from, const uint32_t *numbers,
                                const uint32_t *warp_index);

/* Adds the warps that the pairs of each call site require to windows[its number]. The warps of pairs must be
 * indices; sorts the pairs. False when there is no memory. */
bool ws_compaction_visits_windows(struct ws_compaction_visits *visits, struct ws_windows *windows);

/* Adds `count` warps to every window. */
void ws_windows_add(struct ws_windows *windows, uint64_t count);

#endif
