/* The call graph of a module, and where a warp may part.
 *
 * A block or function PARTS when the lanes that come out of it need not be the lanes that went in, all of
 * them, alone and together: because it can end some (OpKill, OpTerminateRayKHR, ...) or make them helper
 * lanes, which are not active; or because other shaders run in between (OpTraceRayKHR, ...), from which a
 * device may come back in another grouping. A plain return parts nothing: all come back to the caller.
 *
 * Only calls in blocks that control flow can reach count. Everything is allocated from the arena given.
 * Linear time but for a binary search per call; recursion in the module (SPIR-V forbids it) is harmless. */
#ifndef WARPSCOPE_SPIRV_CALLS_H
#define WARPSCOPE_SPIRV_CALLS_H

#include "warpscope/spirv/cfg.h"

struct ws_calls {
    uint32_t *callee_first; /* function_count + 1 entries */
    uint32_t *callees;      /* of function f: [callee_first[f], callee_first[f + 1]), indices in
                               module->functions, WS_NONE for what is no function of the module */
    uint32_t *caller_first; /* function_count + 1 entries */
    uint32_t *
        caller_blocks; /* the blocks that call function f, indices in module->blocks: a block that calls it twice stands
                                there twice */
    uint32_t *by_rank; /* all functions, each before those that it calls, where nothing calls itself */
    uint32_t *ranks;   /* per function: its place in by_rank */
    /* The same of instructions other than OpFunctionCall that name functions: the device calls these by itself,
     * in threads of its own choosing (SPV_NV_cooperative_matrix2). */
    uint32_t *callback_first;
    uint32_t *callbacks;
    bool *block_parts;    /* per module->blocks, calls that it makes included */
    bool *function_parts; /* per module->functions, likewise */
};

/* Fills `calls`; `cfgs` are the graphs of all functions. False on no memory. */
bool ws_calls_build(struct ws_calls *calls, struct ws_arena *arena, const struct ws_module *module,
                    const struct ws_cfg *cfgs, struct ws_error *error);

/* Writes to `reached` (room for function_count) the functions that `root` reaches, itself first, each
 * once, breadth first. `marks` has an entry per function; those equal to `mark` count as met, so that a
 * caller who never uses a mark twice need not clear it. Returns how many. */
uint32_t ws_calls_reached(const struct ws_calls *calls, uint32_t root, uint32_t *marks, uint32_t mark,
                          uint32_t *reached);

/* Sorts functions so that each stands before those that it calls, where nothing calls itself. */
void ws_calls_sort(const struct ws_calls *calls, uint32_t *functions, uint32_t count);

/* Marks the functions that call a marked one, however deep: `marked` has an entry per function. Only calls that control
 * flow is known to reach count. Everything is allocated from module->arena. False on no memory. */
bool ws_calls_mark_callers(const struct ws_module *module, const struct ws_cfg *cfgs, bool *marked);

/* Appends to the `count` functions of `reached`, which ws_calls_reached has written with this mark, those that
 * the device calls for them, and what these call. A function that is there already comes a second time, once.
 * `marks` are others than those. `reached` has room for function_count more. Returns how many there are. */
uint32_t ws_calls_add_callbacks(const struct ws_calls *calls, uint32_t *marks, uint32_t mark,
                                uint32_t *reached, uint32_t count);

/* Whether lanes may be in other warps, or in other lanes, after the instruction: in ray tracing stages it is
 * a launch repack instruction (Vulkan specification, Ray Tracing, Shader Call Instructions), or one that
 * is not known. */
bool ws_instruction_repacks(const struct ws_instruction *instruction);

/* Index of the function that an OpFunctionCall calls, or WS_NONE when the module does not define it. */
uint32_t ws_calls_callee(const struct ws_module *module, const struct ws_instruction *call);

/* Whether what runs before and after the instruction must be told apart by records: it parts by itself, or it
 * is an OpFunctionCall. A call that parts nothing is one too, since the records of the callee stand between.
 */
bool ws_instruction_calls(const struct ws_instruction *instruction);

#endif
