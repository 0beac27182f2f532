/* Counts what new warps execute: each name of their threads' tails once (reorder.h), span by span. A span that several threads
 * of a warp have is looked at once. Of others the pieces are counted that the warp does not have yet (pieces.h). In long
 * scopes rounds in which threads execute one set are counted together, so that a loop of a thousand rounds costs no more than
 * one of two.
 *   Example: three threads turn a loop 50, 50 and 100 times, each with {A} in all rounds but the last, which has {A, B}. The
 *   warp executes A 100 times and B twice. Counted are rounds 0 to 48 and 49 of the first thread, none of the second, and of
 *   the third 50 to 98 and 99: in round 49, where {A, B} is already, {A} adds nothing.
 *
 * MEMORY: the pieces; 4 bytes for each path, 20 for each span, 40 for each item of a long scope and 20 for each scope, and the
 * sets that come together, of which at most WS_NEW_WARP_SETS_MAX are kept from one warp to the next. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_NEW_WARPS_H
#define WS_ANALYSIS_REORDER_NEW_WARPS_H

#include "analysis/reorder/pieces.h"

#define WS_NEW_WARP_SETS_MAX (1u << 18)

/* What new warps execute of a shader. */
struct ws_reorder_after {
    uint64_t executions; /* of blocks, by warps */
    uint64_t slots;
};

/* Rounds of a scope in which the warp executes one set. */
struct ws_new_rounds {
    uint32_t first;
    uint32_t end;
    uint32_t set;
    uint32_t next; /* index, or WS_NONE: those of a scope ascend */
};

struct ws_new_scope {
    struct ws_new_rounds first; /* its first rounds, if it was in any */
    uint32_t warp;              /* the last that was in the scope */
};

/* An item of a long scope, with what it counts. */
struct ws_new_item {
    struct ws_new_rounds rounds;
    uint32_t scope;
    uint32_t shader;
    uint64_t executions; /* in all rounds */
    uint64_t instructions;
};

struct ws_new_warps {
    struct ws_spans *spans;
    struct ws_pieces pieces;
    uint32_t set_count; /* of sets that are kept */
    uint32_t block_count;
    struct ws_id_map united; /* two sets -> their union */
    uint32_t *path_warps;    /* per path: the last warp that had it */
    uint32_t *span_warps;    /* likewise per span */
    struct ws_new_item *items;
    struct ws_span *spans_items; /* per span: its items here */
    struct ws_new_scope *scopes;
    struct ws_new_rounds *rounds;
    uint32_t round_count;
    uint32_t round_capacity;
    uint32_t warp;                  /* the number of the one that is counted */
    uint32_t size;                  /* lanes */
    uint64_t steps;                 /* that it took (budget.h) */
    struct ws_reorder_after *after; /* per shader of the catalog */
};

/* `spans` gets no more of them. False when there is no memory. */
bool ws_new_warps_init(struct ws_new_warps *warps, struct ws_spans *spans);
void ws_new_warps_finish(struct ws_new_warps *warps);

/* A new warp begins, of so many lanes: what it executes is added to `after`. */
void ws_new_warp_begin(struct ws_new_warps *warps, uint32_t size, struct ws_reorder_after *after);

/* One of its threads executes a path. False when there is no memory. */
bool ws_new_warp_add(struct ws_new_warps *warps, uint32_t path);

#endif
