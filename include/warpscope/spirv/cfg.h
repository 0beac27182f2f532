/* Control flow: the graph of one function's blocks.
 *
 * Blocks are named by their index within their function, in the order of the module: block b of function
 * f is module->blocks[f->block_first + b]. Everything is allocated from the arena that is given. The
 * words behind a module are untrusted: a branch to something that is no block of its function is an
 * error, never undefined behaviour; depth of nesting costs no stack. Time is linear but for a binary
 * search per branch target. */
#ifndef WARPSCOPE_SPIRV_CFG_H
#define WARPSCOPE_SPIRV_CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/spirv/module.h"

/* The graph of one function. Zeroed, it is a function without blocks. */
struct ws_cfg {
    uint32_t block_count;
    uint32_t *successor_first; /* block_count + 1 entries */
    uint32_t *successors; /* of block b: [successor_first[b], successor_first[b + 1]); parallel edges kept */
    uint32_t *order;      /* blocks that the first block reaches, in reverse post-order */
    uint32_t order_count;
    uint32_t *position; /* per block: its place in `order`, WS_NONE when nothing reaches it */
    bool opaque;        /* a block ends in a way that is not understood: only block_count is meaningful */
};

/* Builds the graph of module->functions[function]. False on no memory or a malformed branch. */
bool ws_cfg_build(struct ws_cfg *cfg, struct ws_arena *arena, const struct ws_module *module,
                  uint32_t function, struct ws_error *error);

/* Index, within its function, of the block that begins with the label `id`, or WS_NONE. */
uint32_t ws_cfg_find_block(const struct ws_module *module, const struct ws_function *function, uint32_t id);

/* Of a block that was cut (cuts.h), the index in module->blocks of the part with the terminator. `block` is the
 * index of any of its parts. */
uint32_t ws_cfg_last_part(const struct ws_module *module, uint32_t block);

/* The OpSelectionMerge or OpLoopMerge of a block, NULL where it has none. */
const struct ws_instruction *ws_cfg_merge(const struct ws_module *module, const struct ws_block *block);

#endif
