/* Copies of functions that callers of several kinds share, so that each kind has a body that can be instrumented
 * for it:
 *
 *   - shaders of fragments count other lanes than those of other stages (link.h), and so call other primitives.
 *     Modules with several entry points (of WGSL, Slang, HLSL) share every function of their libraries;
 *   - the device calls some functions by itself (calls.h, callbacks), in threads that are not those of the
 *     shader. These keep the original, which nothing is put into;
 *   - the warps that a sampled entry point does not count (root.h, SAMPLING) run copies which nothing is put into, of the
 *     entry point's own function too.
 *
 * A function is copied only where callers of different kinds reach it, and something is to be put into it, or it
 * calls a copied one. The copies stand behind all functions of the module. They are equal to the original but for
 * the ids that they define and the functions that they call. An instruction of which is not known which words
 * are ids (operands.h) keeps its function from being copied; such a function is refused (plan.h). */
#ifndef WS_PASSES_INSTRUMENT_COPIES_H
#define WS_PASSES_INSTRUMENT_COPIES_H

#include "passes/instrument/plan.h"

/* The module with the copies, and what each part of it was. */
struct ws_copies {
    const uint32_t *words;
    size_t word_count;
    const uint32_t
        *offsets; /* per instruction: word offset in the original module; WS_NONE = it was not there */
    const uint32_t *origins; /* per function: index of the function that it is, or is a copy of */
    /* Per function: id of the copy that warps which do not count run instead of it, where it is the function of a sampled
     * entry point; else 0. */
    const uint32_t *plain;
};

/* The function that a function of the plan's module is, or is a copy of. */
static inline uint32_t ws_plan_origin(const struct ws_instrument_plan *plan, uint32_t function)
{
    return plan->copies != NULL ? plan->copies->origins[function] : function;
}

/* The same of a block: copies have the same blocks in the same order. */
static inline uint32_t ws_plan_origin_block(const struct ws_instrument_plan *plan, uint32_t block)
{
    const struct ws_function *functions = plan->module->functions;
    const uint32_t function = plan->module->blocks[block].function;
    return functions[ws_plan_origin(plan, function)].block_first + (block - functions[function].block_first);
}

/* The word offset in the original module of an instruction of the plan's module. */
static inline uint32_t ws_plan_offset(const struct ws_instrument_plan *plan, uint32_t instruction)
{
    return plan->copies != NULL ? plan->copies->offsets[instruction]
                                : plan->module->instructions[instruction].offset;
}

/* Copies what must be copied for the module of `plan`, which has been made for these passes. With `sampled` entry points are
 * sampled where they can be: not in task and mesh stages, nor where a function is reached that cannot be copied, or an
 * instruction that all threads of a patch or pixel must come to in the same place, or that reorders threads. `*copies` receives
 * NULL where nothing must be copied. Everything is allocated from the module's arena. False and `error` if
 * there is no memory. */
bool ws_copies_make(const struct ws_copies **copies, const struct ws_instrument_plan *plan,
                    const struct ws_pass *const *passes, size_t pass_count, bool sampled,
                    struct ws_error *error);

#endif
