/* What paths are made of, in as few PIECES as tell them apart: a piece is all names (thread_walk.h) that stand together, in
 * the same paths, of one shader invocation. What several paths execute together is what their pieces are, each counted once.
 * Most names stand together: a branch without a loop around it makes two pieces of a thousand names.
 *   Example: paths of one span each, {A, B, C}, {A, B, D} and {A, B, C, E}: the pieces are AB, C, D and E.
 *
 * Rounds of a scope are cut where an item begins or ends. Of a loop that n threads turn n times each, every item would be n
 * pieces: a LONG scope, whose items have more than WS_PIECES_OF_ITEM pieces on average, is not cut, and stays as it is.
 *
 * MEMORY: 24 bytes for each piece, 4 for each piece of an item that is kept (spans.h); while they are made 32 to 64 for each
 * name and for each piece, and 4 for each name of such an item. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_PIECES_H
#define WS_ANALYSIS_REORDER_PIECES_H

#include "analysis/reorder/places/spans.h"

#define WS_PIECES_OF_ITEM 16

struct ws_piece {
    uint32_t invocation; /* index in those of the spans */
    uint32_t mark;       /* while they are made */
    uint64_t executions;
    uint64_t instructions;
};

struct ws_pieces {
    struct ws_piece *pieces;
    uint32_t count;
    uint32_t capacity;
    uint32_t *numbers; /* pieces of items, of one after the other */
    uint32_t number_count;
    uint32_t number_capacity;
    uint32_t *firsts; /* per item, and one more: its first number */
    bool *is_long;    /* per scope: its items are in no pieces */
};

/* Zero-initialised before; `spans` has all that it gets. False when there is no memory, or the budget is spent. */
bool ws_pieces_init(struct ws_pieces *pieces, const struct ws_spans *spans);
void ws_pieces_finish(struct ws_pieces *pieces);

#endif
