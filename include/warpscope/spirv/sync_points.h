/* Finds sync points. A CALL SITE is a traceRay, an executeCallable, the proceed of a ray query, or any
 * chosen opcode. At a SYNC POINT the threads of a warp that ran a call site are together again with the
 * threads that did not. The pass thread_compaction records there. Its analysis finds the same sync points
 * in the original module.
 *
 * THE RULE. Around a call site stand the loops and selections of structured control flow (SPIR-V
 * specification, 2.11), of its own function and of the functions on the way from the entry point to it.
 *   - Each loop around it has two sync points: its continue target, where the lanes of an iteration meet,
 *     and its merge block, where those of the loop do.
 *   - A call site without a loop around it in its function has one sync point: the merge block of the
 *     outermost selection around it in its function. The block that branches is not part of the selection:
 *     its calls come before the branch, so all threads that run the block run them.
 *   - Before each OpFunctionCall that leads to a call site there is a record too. These calls are the WAY
 *     to the call site. If a function is called at two places, a call site in it counts as two, with
 *     different ways. So a visit of a call site is identified by its way and the iteration of each loop
 *     around it, outermost first. The loops and selections around the OpFunctionCall have sync points as if
 *     the OpFunctionCall were the call site. Example: in `if (c) { f(); }` the merge block of the `if` is a
 *     sync point for what f traces outside of its own loops (thread_compaction.h: 0 at the merge block of a
 *     selection).
 *
 * A call site in the continue construct of its loop (in_continue) runs after the sync point of its
 * iteration. Its visit begins at a continue target and ends at the next one, or at the merge block. The
 * same is true if the header is the continue target itself (a loop of one block). Then each iteration
 * begins at a sync point, the first one too. In both cases as many visits are complete as sync points have
 * been passed.
 *
 * The paper ("Vulkan Vision", figures 3.7 and 3.8) counts the visits of a thread one after the other. Its
 * sync point is the merge block of the outermost construct or, within a loop, the continue target, in the
 * function that is walked. The rule here goes further. It covers:
 *   - loops nested to any depth, with the visits of all threads aligned by iteration: lanes that leave an
 *     inner loop early are inactive for the rest of it, and join again in the next iteration of the outer
 *     loop,
 *   - several call sites in a block,
 *   - call sites in called functions, by their ways,
 *   - paths of any length,
 *   - every call-like instruction. */
#ifndef WARPSCOPE_SPIRV_SYNC_POINTS_H
#define WARPSCOPE_SPIRV_SYNC_POINTS_H

#include "warpscope/spirv/calls.h"

struct ws_sync_loop {
    uint32_t function; /* index in module->functions */
    uint32_t header;   /* index in module->blocks, as the next two; WS_NONE = a malformed module has none */
    uint32_t continue_target;
    uint32_t merge;
    uint32_t parent; /* the next loop around it in its function, index in loops; WS_NONE = none */
};

/* A call site, or an OpFunctionCall on the way to one. */
struct ws_sync_place {
    uint32_t function;
    uint32_t block;       /* index in module->blocks */
    uint32_t instruction; /* index in module->instructions */
    uint32_t offset;      /* word offset of the instruction */
    uint32_t
        callee; /* OpFunctionCall: the called function, index in module->functions; WS_NONE = a call site */
    uint32_t loop;      /* innermost loop around it in its function, index in loops; WS_NONE = none */
    uint32_t selection; /* without a loop: merge block of the outermost selection around it; WS_NONE = none */
    bool in_continue;   /* it is in the continue construct of `loop`, and so after its sync point */
};

struct ws_sync {
    struct ws_sync_loop *loops; /* the loops around places, outer before inner */
    uint32_t loop_count;
    struct ws_sync_place *places; /* in the order of the module */
    uint32_t place_count;
    bool *blocks; /* per module->blocks: whether it is a sync point */
};

/* Finds the call sites with one of `opcodes`, and their sync points. `cfgs` has one entry per function.
 * module->arena owns all results. Any module that parses is accepted. Control flow that is not structured
 * yields fewer loops. False and `error` if there is no memory. Takes time n log n, and does not recurse. */
bool ws_sync_find(struct ws_sync *sync, const struct ws_module *module, const struct ws_cfg *cfgs,
                  const uint16_t *opcodes, size_t opcode_count, struct ws_error *error);

/* Returns the place of an instruction, by its index in module->instructions; NULL if it has none. */
const struct ws_sync_place *ws_sync_place_at(const struct ws_sync *sync, uint32_t instruction);

#endif
