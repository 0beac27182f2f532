/* The analysis `divergence`: why lanes of a warp are not active, in instruction slots, from the records of
 * the pass of the same name. This is the one definition (after the Vulkan Vision thesis, chapter 3,
 * divergence characterisation).
 *
 * A SLOT is one lane's share of one instruction. A warp of SubgroupSize lanes that executes a block of n
 * instructions (ws_block_info.instruction_count: those of the original module that a device executes) has
 * SubgroupSize x n slots. The slots of lanes in the block's record are ACTIVE. The slots of each other lane
 * go into exactly one bucket. To find it, walk from the executing context (replay.h) out through its callers
 * to the first context C_k that the lane's thread has entered and not ended:
 *
 *   - there is none, and the lane has a thread of the launched shader: EARLY RETURN;
 *   - there is none, and the lane never had a thread: PARTIAL WARP; of a fragment shader HELPER LANE, which
 *     simt_counts.h explains;
 *   - k = 0, the thread is elsewhere in this very context: CONTROL FLOW;
 *   - k > 0, and the thread takes part in the call of C_k that led here: INDIRECT CALL. Another shader runs
 *     for it, or it has returned from one already, or its ray missed, ...;
 *   - k > 0, and the thread takes no part in that call: CONTROL FLOW.
 *
 *   Example: of a raygen warp of 4, lane 3 has returned. Lanes 0 and 1 trace a ray, lane 2 is in the else
 *   branch. Lane 0 hits, lane 1 misses. In the closest hit shader lane 0 is active, lane 1 an indirect call,
 *   lane 2 control flow and lane 3 an early return.
 *
 * TAKES PART: the call of C_k is one execution of a call instruction (traceRay, executeCallable,
 * reportIntersection, ...). The record before a call shows its lanes. The calls that led here are those whose
 * lanes include a lane that entered C_(k-1); they are several if the device runs several calls as one. A lane
 * takes part in a call until a later record shows it in C_k again: the record after the call, before another
 * call, or of a block. So back-to-back calls, recursive calls and the calls of the halves of a split warp are
 * told apart without a stack of warps.
 *
 * A REGROUPED context, and one whose caller is not known, has lanes from several warps. A lane that has no
 * thread in it, or whose thread has ended it, is INDIRECT CALL. Slots of such contexts, and of contexts
 * called from them, are also summed APART: what other lanes of the original warps did cannot be known.
 *
 * A thread that MOVED (replay.h, CONTINUATIONS) has not ended the context that it left. It is elsewhere in
 * the same execution of the shader, so its lane there is CONTROL FLOW (k = 0) from then on. It takes part in
 * no call made there, so in called contexts its lane is CONTROL FLOW too. The context that it goes on in is
 * regrouped: lanes without a thread are INDIRECT CALL, since a call put other threads into this warp; in a
 * launched shader lanes whose thread has ended it are EARLY RETURN. Slots of a context that threads have
 * moved from are summed APART from then on.
 *
 * SUM RULE: active + the five buckets = slots, exactly, for each block, shader, stage, pipeline and launch.
 * Sums have 64 bits: 10^9 warp instructions per second fill them in 4 years at 128 lanes.
 *
 * MEMORY: shaders x blocks per worker, some hundred bytes per row of the report, and 100 bytes per live
 * context. */
#ifndef WS_ANALYSIS_TRACE_DIVERGENCE_H
#define WS_ANALYSIS_TRACE_DIVERGENCE_H

#include "warpscope/report/analysis.h"

/* Sums over a set of block executions. All members but `executions` and `truncated` count slots. */
struct ws_divergence_counts {
    uint64_t executions; /* of blocks by warps */
    uint64_t slots;
    uint64_t active;
    uint64_t early_return;
    uint64_t indirect_call;
    uint64_t control_flow;
    uint64_t partial_warp;
    uint64_t helper_lane;
    uint64_t apart;     /* of `slots`: in regrouped contexts and those called from them */
    uint64_t truncated; /* 1: records of a launch are missing, so these are sums of a part */
};

/* Dimensions and levels of the report (columns.h). */
enum ws_divergence_dimension {
    WS_DIVERGENCE_LAUNCH,
    WS_DIVERGENCE_PIPELINE,
    WS_DIVERGENCE_STAGE,
    WS_DIVERGENCE_SHADER,
    WS_DIVERGENCE_BLOCK,
    WS_DIVERGENCE_DIMENSIONS,
};

enum ws_divergence_level {
    WS_DIVERGENCE_BY_ALL,
    WS_DIVERGENCE_BY_STAGE,
    WS_DIVERGENCE_BY_PIPELINE,
    WS_DIVERGENCE_BY_SHADER,
    WS_DIVERGENCE_BY_LAUNCH,
    WS_DIVERGENCE_BY_BLOCK,
};

struct ws_divergence_results {
    const struct ws_catalog *catalog;     /* not owned */
    const struct ws_selection *selection; /* likewise; NULL = all shaders */
    uint32_t user;                        /* which of context->user is ours */
    struct ws_groups *groups;             /* sums are struct ws_divergence_counts */
};

/* Adds `more` to `counts`. */
void ws_divergence_add(struct ws_divergence_counts *counts, const struct ws_divergence_counts *more);

/* The sums of a block; NULL where it did not run. */
const struct ws_divergence_counts *ws_divergence_block(const struct ws_divergence_results *results,
                                                       uint32_t shader, uint32_t block);

/* Its results are a struct ws_divergence_results. */
extern const struct ws_analysis ws_analysis_divergence;

/* How it is shown (divergence_report.c): its columns, and members of struct ws_analysis. */
extern const struct ws_columns ws_divergence_columns;
extern const char ws_divergence_words[];
bool ws_divergence_findings(const void *results, struct ws_findings *findings);
const char *ws_divergence_nothing(const void *results);
bool ws_divergence_text(const void *results, FILE *stream);

bool ws_divergence_plots(const void *results, struct ws_plots *plots, struct ws_error *error);

/* Feeding it, for ws_analysis_divergence and for tests. */
extern const struct ws_replay_operations ws_divergence_operations;

#endif
