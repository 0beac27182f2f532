/* The plan: which entry points and functions of a module are instrumented, how, and which are not and why.
 * Decided before anything is changed. */
#ifndef WS_PASSES_INSTRUMENT_PLAN_H
#define WS_PASSES_INSTRUMENT_PLAN_H

#include <stddef.h>

#include "passes/link/link.h"
#include "warpscope/pass.h"
#include "warpscope/spirv/calls.h"

struct ws_copies; /* copies.h */

struct ws_instrument_plan_function {
    const char *refusal;      /* why it is left alone; NULL where it is not. Static string */
    uint32_t stages;          /* stages of the wanted entry points that reach it; 0 = none does */
    uint32_t passes;          /* mask by index: the passes that want one of these entry points */
    bool entry;               /* it is the function of an entry point */
    bool reached;             /* by any entry point, wanted or not */
    bool called_back;         /* the device calls it by itself, or what calls it (calls.h) */
    uint32_t opcodes;         /* mask by index: the passes of which it has an opcode */
    bool per_thread;          /* its executions are counted per thread */
    enum ws_link_lanes lanes; /* which variants of the primitives it calls */
    uint32_t *entry_points;   /* indices of all entry points that reach it, wanted or not */
    uint32_t entry_point_count;
    uint32_t *leaders; /* per block: whose counter it shares (ws_equivalence_find); NULL unless stages != 0
                          and it is not refused */
    struct ws_block_sum
        *sums; /* per block (ws_equivalence_sums); NULL = none, as where each block has a counter */
};

struct ws_instrument_plan_entry {
    uint32_t stage;  /* enum ws_stage, 0 = unknown */
    uint32_t passes; /* mask by index: the passes that want it (pass.h, stages_by_opcode) */
    bool wanted;     /* by any of them */
    bool no_place;   /* its stage is chosen, but it reaches no place that a pass wants */
    bool per_thread;
    enum ws_link_lanes lanes;
    uint32_t *functions; /* indices of the functions that it reaches, its own first */
    uint32_t function_count;
    uint32_t called_count; /* that many are reached by calls; the others only as callbacks */
};

struct ws_instrument_plan {
    const struct ws_module *module;
    const char
        *refusal; /* why the whole module is left alone, NULL where it is not; then the rest is empty */
    struct ws_cfg *cfgs; /* per function */
    struct ws_calls calls;
    struct ws_instrument_plan_function *functions; /* per function */
    struct ws_instrument_plan_entry *entries;      /* per entry point */
    const struct ws_copies *copies; /* what the module has been made of; NULL = it is the original itself */
};

/* Makes the plan, and cuts the blocks of the module (cuts.h). Everything is allocated from module->arena.
 * False and `error` where the module is malformed or there is no memory. */
bool ws_instrument_plan_make(struct ws_instrument_plan *plan, struct ws_module *module,
                             const struct ws_pass *const *passes, size_t pass_count,
                             const struct ws_instrument_options *options, struct ws_error *error);

/* Whether all that call the function are instrumented, so that it may leave something to them. */
bool ws_plan_has_takers(const struct ws_instrument_plan *plan, uint32_t function);

#endif
