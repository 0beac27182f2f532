/* Which blocks of a module can run, once its specialization constants have their values.
 *
 * Values are followed from constants through arithmetic, comparisons, phis, and through variables of one number
 * (Function and Private) that are only loaded and stored as a whole. A branch or switch on a value that is known takes
 * one way. All other values VARY. This is conditional constant propagation (Wegman and Zadeck 1991), of all functions
 * that an entry point calls together; parameters and results of functions vary.
 *
 * Known are numbers and booleans of up to 64 bits. Floating point is compared, not computed: a device may round as
 * it likes. */
#ifndef WARPSCOPE_SPIRV_FOLD_H
#define WARPSCOPE_SPIRV_FOLD_H

#include "warpscope/spirv/module.h"

/* The value that a pipeline gives to a specialization constant: its bits, zero-extended; of booleans 0 is false. */
struct ws_fold_constant {
    uint32_t constant_id; /* SpecId */
    uint64_t value;
};

/* Per module->blocks; in the arena. */
struct ws_fold {
    bool *live; /* the block can run */
    uint32_t *
        target; /* label of the only block that a branch with several targets goes to; 0 = it varies, or has one */
};

/* Finds the blocks that can run when the entry function is module->functions[function]. Constants that are not among
 * the `count` given have their default. Where that is not found after a number of steps that is linear in the module, or
 * a block ends in a way that is not understood, every block can run. False on no memory. */
bool ws_fold_find(struct ws_fold *fold, struct ws_arena *arena, const struct ws_module *module,
                  uint32_t function, const struct ws_fold_constant *constants, uint32_t count);

#endif
