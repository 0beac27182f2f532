/* Sync points: where the threads of a warp that did and did not run a call site (traceRay, executeCallable, a
 * ray query's proceed, or any chosen opcode) are together again. thread_compaction records there, and its
 * analysis reads the same structure again from the original module.
 *
 * THE RULE. Around a call site stand the loops and selections of structured control flow (SPIR-V
 * specification, 2.11), of its own function and of the functions on the way from the entry point to it.
 *   - Each loop around it has two sync points: its continue target, where the lanes of an iteration meet, and
 *     its merge block, where those of the loop do.
 *   - A call site that no loop of its function is around has one: the merge block of the outermost selection
 *     around it in its function. The block that branches is not within the selection: what it calls comes
 *     before the branch, and all that run the block run that.
 *   - Before each OpFunctionCall that leads to a call site stands a record too: the way to the call site. A
 * call site in a function that is called at two places is two, told apart by it. So a visit of a call site is
 *     named by its way and the iteration of each loop around it, outermost first. What is around the
 *     OpFunctionCall has sync points as if it were the call site: `if (c) { f(); }` passes by what f traces
 *     outside of loops of its own (thread_compaction.h: 0 at the merge block of a selection).
 *
 * A call site in the continue construct of its loop (in_continue) runs after that iteration's sync point: a
 * visit begins with a continue target and lasts until the next one, or the merge block. So it does where the
 * header is the loop's own continue target (a loop of one block): that is a sync point where each iteration
 * begins, the first too. In both cases as many visits are completed as sync points are seen.
 *
 * The paper ("Vulkan Vision", figures 3.7 and 3.8) counts the visits of a thread one after the other, and its
 * code takes the merge block of the outermost construct or, within a loop, the continue target, of the
 * function that is walked. Past it go: any nesting of loops, with the visits of all threads aligned iteration
 * by iteration, as lanes that leave an inner loop early are inactive for the rest of it and join again in the
 * next iteration of the outer; several call sites in a block; call sites in called functions, by way; paths
 * of any length; every call-like instruction. */
#ifndef WS_PASSES_SPIRV_SYNC_H
#define WS_PASSES_SPIRV_SYNC_H

#include "passes/spirv/calls.h"

struct ws_sync_loop {
    uint32_t function; /* index in module->functions */
    uint32_t header; /* these three: indices in module->blocks; WS_NONE where a malformed module names none */
    uint32_t continue_target;
    uint32_t merge;
    uint32_t parent; /* the next loop around it in the function, index in loops; WS_NONE */
};

/* A call site, or an OpFunctionCall on the way to one. */
struct ws_sync_place {
    uint32_t function;
    uint32_t block;       /* index in module->blocks */
    uint32_t instruction; /* index in module->instructions */
    uint32_t offset;      /* word offset of the instruction */
    uint32_t callee;    /* index in module->functions of what an OpFunctionCall calls; WS_NONE: a call site */
    uint32_t loop;      /* innermost loop around it in its function, index in loops; WS_NONE */
    uint32_t selection; /* merge block of the outermost selection around it, where loop is WS_NONE; WS_NONE */
    bool in_continue;   /* it is within the continue construct of `loop`: it runs after that iteration's
                           sync point */
};

struct ws_sync {
    struct ws_sync_loop *loops; /* only those around places, outer before inner */
    uint32_t loop_count;
    struct ws_sync_place *places; /* in the order of the module */
    uint32_t place_count;
    bool *blocks; /* per module->blocks: it is a sync point */
};

/* Finds call sites with one of `opcodes` and their sync points. `cfgs` is per function. All from
 * module->arena. Any module that parses is accepted; where control flow is not structured there are fewer
 * loops. False and `error` on no memory. Time n log n, no recursion. */
bool ws_sync_find(struct ws_sync *sync, const struct ws_module *module, const struct ws_cfg *cfgs,
                  const uint16_t *opcodes, size_t opcode_count, struct ws_error *error);

/* The place that is about this instruction (index in module->instructions); NULL if none is. */
const struct ws_sync_place *ws_sync_place_at(const struct ws_sync *sync, uint32_t instruction);

#endif
