/* Where control comes to from a block of a function, within one turn of a loop or within the function; and whether it may avoid
 * another block on the way. What counts blocks together asks that (passes/instrument/marks.h).
 *
 * A TURN of a loop ends where control comes to its header or to its merge block.
 *
 * ALL LANES THAT RUN A COME TO B, in the same turn, where no walk from A that stops at B ends the turn, leaves the loop or
 * the function, or comes to a block that parts warps (warpscope/spirv/calls.h): each lane takes one of these walks, and each of
 * them comes to B, unless a lane stays for ever in a loop within. Where A and B are of one mask context (equivalence.h), each
 * runs once at most for the lanes that began it. So what lanes did in A can be counted in B. Others may come to B as well: what
 * is run in B cannot be counted in A. For example, in `if (c) A; else if (d) return; B` those of A all come to B. */
#ifndef WS_PASSES_FLOW_REACH_H
#define WS_PASSES_FLOW_REACH_H

#include "passes/flow/loops.h"

#define WS_REACH_MAX 256 /* blocks of an answer */

/* How one function is looked at. Blocks are indices within it. */
struct ws_reach {
    const struct ws_cfg *cfg;
    const struct ws_loops *loops;
    const bool *parts; /* per block: lanes end there or are handed over (ws_calls.block_parts) */
    uint32_t first;    /* of the function's blocks in module->blocks */
    uint32_t *seen;    /* per block: the search that met it */
    uint32_t search;
};

/* Prepares to look at a function. All that is given must stay. `parts` is of the whole module. False if the arena has no
 * memory. */
bool ws_reach_init(struct ws_reach *reach, struct ws_arena *arena, const struct ws_cfg *cfg, uint32_t first,
                   const struct ws_loops *loops, const bool *parts);

/* Finds the blocks that control comes to from block `from` of a loop in a turn, that one first, without passing `without`.
 * Where `loop` is NULL, it is one of the function. False where there are too many. `blocks` has room for WS_REACH_MAX. */
bool ws_reach_in_turn(struct ws_reach *reach, const struct ws_loop *loop, uint32_t from, uint32_t without,
                      uint32_t *blocks, uint32_t *count);

/* Whether block `to` is one of these. True where there are too many. */
bool ws_reach_comes_to(struct ws_reach *reach, const struct ws_loop *loop, uint32_t from, uint32_t without,
                       uint32_t to);

/* Whether all lanes that run block `from` come to block `to`, another one, in the same turn of the innermost loop around both;
 * `loop` NULL = both are in no loop. False where that is not certain. */
bool ws_reach_comes_only_to(struct ws_reach *reach, const struct ws_loop *loop, uint32_t from, uint32_t to);

/* Finds what control runs between two blocks of a class (equivalence.h) that follow each other. False where there are too many,
 * or where control comes back to before the first one. `blocks` as above. */
bool ws_reach_between(struct ws_reach *reach, uint32_t from, uint32_t to, uint32_t *blocks, uint32_t *count);

#endif
