/* Mattson's stacks: the hits of many set-associative LRU caches from one pass over a trace (Mattson, Gecsei, Slutz and
 * Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9.2, 1970).
 *
 * LRU has the stack property: what a set of n ways has, one of n + 1 ways has too. So for one number of sets each set is a
 * stack of lines, most recent first. An access hits with n ways where its line stands at DEPTH below n, counted from 0.
 *
 * Lines are whole: there are no sectors. Each access brings its line in. Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_SET_STACKS_H
#define WS_ANALYSIS_MEMORY_CACHE_SET_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/memory/cache/cache_sets.h"
#include "warpscope/error.h"

#define WS_SET_STACKS_WAYS  64u
#define WS_SET_STACKS_LINES (1u << 24) /* the most that all stacks have together */

struct ws_set_stacks;

/* Stacks of up to `ways` lines (1 to WS_SET_STACKS_WAYS) for each of `count` numbers of sets. NULL where that is refused or
 * there is no memory. They take 8 bytes a line; of 5 to 16 ways 136 a set. */
struct ws_set_stacks *ws_set_stacks_create(const uint32_t *sets, uint32_t count, uint32_t ways,
                                           enum ws_cache_index index, struct ws_error *error);
void ws_set_stacks_destroy(struct ws_set_stacks *stacks);

void ws_set_stacks_access(struct ws_set_stacks *stacks, uint64_t line);

uint64_t ws_set_stacks_accesses(const struct ws_set_stacks *stacks);

/* Hits of a cache that has the number of sets at `which` of those given, and `ways` (at most those given). */
uint64_t ws_set_stacks_hits(const struct ws_set_stacks *stacks, uint32_t which, uint32_t ways);

#endif
