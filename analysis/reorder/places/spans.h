/* What threads execute, in pieces that many of them have in common.
 *
 * A SET is blocks of a module that a thread executes in one scope, one after the other. (Each at most once, where loops are
 * known: thread_walk.h.) An ITEM is a set in so many consecutive rounds of one scope. A SPAN is what a thread executes between
 * two calls of shaders: a list of items, WS_SPAN_ITEMS_MAX at most. Each different one is kept once.
 *   Example: for (i < 100) { A; if (x) B; }, where x is true in the last round only. The items are {header, A} in rounds 0 to
 *   98 and {header, A, B} in round 99, however many threads do so. A thread that turns 50 times has rounds 0 to 48, and 49.
 *
 * A PATH is spans, one after the other: what a thread executes behind a call. Each different one is kept once, too.
 *
 * Equal ones are known by hashes of 64 bits, as names are.
 *
 * Threads that are all different still consist of few different items: a loop of 48 rounds with two branches has 192. Spans are
 * lists of numbers of items, and equal items are kept once, as far as they came just now.
 *
 * MEMORY, bounded: 4 bytes for each item of different spans, at most WS_SPAN_ITEMS_TOTAL, 16 bytes for each item that is kept,
 * 4 bytes for each span in different paths, at most WS_SPAN_PATHS_TOTAL, and 32 to 64 bytes for each path, span, set, scope and
 * shader invocation; and 4 for each of WS_SPAN_ITEMS_RECENT items. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_PLACES_SPANS_H
#define WS_ANALYSIS_REORDER_PLACES_SPANS_H

#include "warpscope/base/id_map.h"
#include "warpscope/model/catalog.h"

#define WS_SPAN_ITEMS_MAX    256
#define WS_SPAN_ITEMS_TOTAL  (1u << 24)
#define WS_SPAN_PATHS_TOTAL  (1u << 26)
#define WS_SPAN_BLOCKS_MAX   1024 /* of a set */
#define WS_SPAN_RECENT       16
#define WS_SPAN_ITEMS_RECENT (1u << 14) /* a power of two */
#define WS_SPAN_ITEMS_ALIKE  8u         /* of them, so many that have one place; likewise */

struct ws_span_set {
    uint64_t hash; /* of module and blocks */
    uint32_t module;
    uint32_t first; /* of its blocks, in `blocks`: they ascend */
    uint32_t count;
    uint64_t instructions;
};

/* A shader invocation (ws_walk_invocation), and the one that called it. */
struct ws_span_invocation {
    uint64_t hash;
    uint64_t caller; /* hash; 0 = none, or not known */
};

struct ws_span_scope {
    uint64_t hash; /* ws_walk_place.scope */
    uint32_t shader;
    uint32_t invocation; /* index in invocations */
};

struct ws_span_item {
    uint32_t scope; /* index in scopes */
    uint32_t set;   /* index in sets */
    uint32_t round; /* the first */
    uint32_t rounds;
};

struct ws_span {
    uint64_t hash;
    uint32_t first; /* of its items, in `span_items` */
    uint32_t count;
};

struct ws_span_path {
    uint64_t hash;
    uint32_t first; /* of its spans, in `path_spans` */
    uint32_t count;
};

/* Zero-initialise, then set the catalog. */
struct ws_spans {
    const struct ws_catalog *catalog;
    struct ws_id_map
        sets_at; /* by hash, and by the hash of the blocks in the order in which they were executed */
    struct ws_span_set *sets;
    uint32_t set_count;
    uint32_t set_capacity;
    uint32_t *blocks;
    uint32_t block_count;
    uint32_t block_capacity;
    struct ws_id_map invocations_at;
    struct ws_span_invocation *invocations;
    uint32_t invocation_count;
    uint32_t invocation_capacity;
    struct ws_id_map scopes_at;
    struct ws_span_scope *scopes;
    uint32_t scope_count;
    uint32_t scope_capacity;
    struct ws_id_map spans_at;
    struct ws_span *spans;
    uint32_t span_count;
    uint32_t span_capacity;
    uint32_t *span_items; /* items of spans, of one after the other */
    uint32_t span_item_count;
    uint32_t span_item_capacity;
    struct ws_span_item *items; /* in the order in which spans first had them */
    uint32_t item_count;
    uint32_t item_capacity;
    uint32_t *recent_items; /* + 1, by bits of their hashes: those that came just now; 0 = none */
    struct ws_id_map paths_at;
    struct ws_span_path *paths;
    uint32_t path_count;
    uint32_t path_capacity;
    uint32_t *path_spans;
    uint32_t path_span_count;
    uint32_t path_span_capacity;
    uint32_t recent_paths[WS_SPAN_RECENT]; /* + 1: those that were asked for just now; 0 = none */
};

/* An item while its span is not known yet. */
struct ws_span_step {
    uint64_t scope;
    uint32_t shader;
    uint32_t set;
    uint32_t round;
    uint32_t rounds;
};

/* An item of a span, from 0 on. */
static inline const struct ws_span_item *ws_span_item(const struct ws_spans *spans,
                                                      const struct ws_span *span, uint32_t index)
{
    return &spans->items[spans->span_items[span->first + index]];
}

void ws_spans_finish(struct ws_spans *spans);

/* Whether nothing more is to be added. */
bool ws_spans_full(const struct ws_spans *spans);

/* The set of blocks in the order in which they were executed; `hash` is of them in that order, and differs for other modules.
 * False when there is no memory. */
bool ws_spans_set(struct ws_spans *spans, uint32_t module, uint64_t hash, const uint32_t *blocks,
                  uint32_t count, uint32_t *set);

/* The set of all blocks that are in one of two sets of one module. False when there is no memory. */
bool ws_spans_unite(struct ws_spans *spans, uint32_t a, uint32_t b, uint32_t *set);

/* A scope is of a shader invocation. Of one that was not said before its first span, another of its shader is made up. False
 * when there is no memory. */
bool ws_spans_scope(struct ws_spans *spans, uint64_t hash, uint32_t shader, uint64_t invocation,
                    uint32_t *scope);

/* A shader invocation, and by which it was called; 0 = that is not known. False when there is no memory. */
bool ws_spans_invocation(struct ws_spans *spans, uint64_t hash, uint64_t caller, uint32_t *invocation);

/* The span of these items. False when there is no memory. */
bool ws_spans_add(struct ws_spans *spans, const struct ws_span_step *steps, uint32_t count, uint32_t *span);

/* Shaders of the catalog from `first` up to `end`, those of a launch: a capture may have ten thousand more. */
struct ws_shader_range {
    uint32_t first;
    uint32_t end;
};

/* From the first that the spans have to the last. */
struct ws_shader_range ws_spans_shaders(const struct ws_spans *spans);

/* Makes the range so wide that the shader is in it. */
void ws_shader_range_add(struct ws_shader_range *range, uint32_t shader);

/* The path of these spans. False when there is no memory. */
bool ws_spans_path(struct ws_spans *spans, const uint32_t *path, uint32_t count, uint32_t *number);

/* Adds the paths of `from`. Returns, for each of them, the equal one of `to`: freed by the caller. NULL when there is no
 * memory. */
uint32_t *ws_spans_translate(struct ws_spans *to, const struct ws_spans *from);

/* Ranks of paths in the order of a dictionary: by spans, these by items, and these by scope and set, both by hash, and then
 * rounds. Of paths that differ in how often a loop was turned, those that turned it nearly as often are neighbours. The same
 * whichever was added first. Freed by the caller; NULL when there is no memory. */
uint32_t *ws_spans_rank(const struct ws_spans *spans);

#endif
