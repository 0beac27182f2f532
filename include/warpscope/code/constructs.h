/* Where the lanes that run a block come from, and why they may be fewer than those.
 *
 * The OUTER block of a block is the one whose lanes are the nearest that all its lanes were among:
 *   - of the merge block of a selection, the header: the lanes meet there again;
 *   - of the merge block of a loop, the block before the loop's header: likewise;
 *   - of any other block, its immediate dominator.
 * So the outer blocks of a function are a tree, whose root is the first block. The way from a block to its outer
 * block is a STEP. A step is of one kind, by what can keep lanes of the outer block from the block:
 *   - BRANCH: they took another side of a branch;
 *   - LOOP: they have left a loop that others are still in;
 *   - EXIT: they have ended: by OpReturn of an entry point's function, OpKill, a call of what discards and so on;
 *   - NONE: nothing does.
 * `place` is the block that ends in the branch, or the header of the loop. Of an exit it is the header of the
 * selection or loop in which lanes end, or the block that was cut behind a call that ends lanes (cuts.h).
 *
 *   Example: `A; if (c) { B; } C;` has the steps B -> A (BRANCH at A) and C -> A (NONE). With a return in B the step
 *   C -> A is EXIT at A. `A; for (;H;) { B; } C;` has H -> A and B -> H (LOOP at H), and C -> A (NONE). */
#ifndef WARPSCOPE_CODE_CONSTRUCTS_H
#define WARPSCOPE_CODE_CONSTRUCTS_H

#include "warpscope/spirv/cfg.h"

/* The most blocks of a function that is looked at: finding who leaves which construct takes, at worst, the square of
 * it. No compiler makes functions of so many blocks from code that people write. */
#define WS_CONSTRUCT_BLOCKS_MAX 8192

enum ws_step_kind { WS_STEP_NONE, WS_STEP_BRANCH, WS_STEP_LOOP, WS_STEP_EXIT };

/* Blocks are named by their index within their function, as in cfg.h. */
struct ws_step {
    uint32_t outer; /* WS_NONE: the first block, or one that nothing reaches */
    uint32_t place; /* WS_NONE where the kind is NONE */
    uint32_t kind;  /* enum ws_step_kind */
};

/* A tree over blocks: which is above which. */
struct ws_block_tree {
    uint32_t *parent; /* WS_NONE = the root, or not in the tree */
    uint32_t *first;  /* per block: a number by which, with `size`, all that is below it is told */
    uint32_t *size;   /* blocks below it, itself included; 0 = not in the tree */
};

/* The constructs of one function. All arrays are per block and in the arena. */
struct ws_constructs {
    uint32_t block_count; /* 0: the function has none, too many, or ends in ways that are not understood */
    struct ws_block_tree dominators;
    struct ws_block_tree
        postdominators; /* each turn of a loop taken for itself; without blocks from which the
                                            function's end is not reached */
    uint32_t *order;    /* blocks that are reached, each behind its dominators */
    uint32_t order_count;
    uint32_t
        *loop; /* header of the innermost loop around the block, its own header included; WS_NONE = none */
    uint32_t *merge; /* of a header of a selection or loop: its merge block; WS_NONE = no header */
    bool *loop_header;
    struct ws_step *steps;
};

/* Whether `block` is `above`, or below it. */
static inline bool ws_block_tree_is_below(const struct ws_block_tree *tree, uint32_t block, uint32_t above)
{
    return tree->size[block] > 0 && tree->size[above] > 0 && tree->first[block] >= tree->first[above] &&
           tree->first[block] - tree->first[above] < tree->size[above];
}

/* Finds the constructs of module->functions[function], whose blocks have been cut and whose graph is `cfg`. A malformed
 * module gives fewer. False on no memory. */
bool ws_constructs_find(struct ws_constructs *constructs, struct ws_arena *arena,
                        const struct ws_module *module, uint32_t function, const struct ws_cfg *cfg);

#endif
