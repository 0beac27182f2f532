/* The definitions of the analyses (analysis/trace/divergence.h, analysis/trace/execution_trace.h,
 * analysis/compaction/thread_compaction.h) by brute force: record by record, lane by lane, thread by thread, over lists
 * that hold everything. */
#ifndef WS_TESTS_MODEL_NAIVE_H
#define WS_TESTS_MODEL_NAIVE_H

#include "tests/model/run/warps.h"

struct model_slots {
    uint64_t executions;
    uint64_t slots;
    uint64_t active;
    uint64_t early_return;
    uint64_t indirect_call;
    uint64_t control_flow;
    uint64_t partial_warp;
    uint64_t
        apart; /* of regrouped contexts, of those called from them, and of those that threads have moved from */
};

struct model_naive {
    struct model_slots slots[MODEL_SHADERS][MODEL_BLOCKS][MODEL_PARTS];
    uint64_t thread_blocks[MODEL_THREADS]; /* lifetimes */
    uint64_t warp_blocks[MODEL_THREADS];
};

/* Needs records of blocks; buckets need those before and after calls too. */
void model_naive_make(struct model_naive *naive, const struct model_warps *warps,
                      const struct model_module *modules);

#endif
