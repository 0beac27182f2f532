/* Loops of a function: where control comes to one from outside, where its iterations begin, and where it ends.
 *
 * A loop is what an OpLoopMerge declares (SPIR-V specification 2.11). Its header is the block with that instruction. A block
 * is in the loop where the header dominates it and the merge block does not: so it includes code that leaves the function.
 *
 * An ITERATION begins as often as a statement at the top of the loop's body would run:
 *   - from the header along unconditional branches to the first conditional one, where that has the merge block as a target
 *     (or an empty block that jumps there): at its other target;
 *   - else at the header: do-while, loops without a test, and where that target has other predecessors.
 * For example, `for (i = 0; i < n; i++) f();` begins n iterations, and tests n + 1 times. */
#ifndef WS_PASSES_FLOW_LOOPS_H
#define WS_PASSES_FLOW_LOOPS_H

#include "warpscope/spirv/cfg.h"

/* One loop. Blocks are indices in module->blocks. */
struct ws_loop {
    uint32_t header;
    uint32_t instruction; /* index of its OpLoopMerge in module->instructions */
    uint32_t merge;       /* WS_NONE where control flow cannot reach it */
    uint32_t iterate;     /* where an iteration begins */
    uint32_t
        before; /* the only block from which control comes, and which leads nowhere else; WS_NONE = none */
    uint32_t outer; /* index of the next loop around it; WS_NONE = none */
};

/* The loops of one function. */
#define WS_LOOPS_DEPTH 256

struct ws_loops {
    struct ws_loop *list; /* outer ones before inner ones */
    uint32_t count;
    uint32_t
        left_out; /* loops of a function that has loops in each other deeper than WS_LOOPS_DEPTH: then `count` is 0 */
    /* Per block of the function, by index within it: indices in `list`; WS_NONE = none. */
    uint32_t *innermost;  /* the loop that the block is in */
    uint32_t *merge_of;   /* whose merge block it is */
    uint32_t *iterate_of; /* whose iterations begin there; of two, the one around the loop of this header */
    uint32_t *header_of;
};

/* Finds the loops that control flow can reach. Everything is allocated from the arena. False and `error` if there is no
 * memory. A function with loops in each other deeper than WS_LOOPS_DEPTH counts as one without loops; `left_out` says how
 * many. */
bool ws_loops_find(struct ws_loops *loops, struct ws_arena *arena, const struct ws_module *module,
                   uint32_t function, const struct ws_cfg *cfg, struct ws_error *error);

#endif
