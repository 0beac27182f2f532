/* The analysis `divergence`: why lanes of a warp are not active, in instruction slots, from the records of
 * the pass of the same name. This is the one definition (DESIGN.md, "Definitions"; Vulkan Vision thesis,
 * chapter 3, divergence characterisation).
 *
 * A SLOT is one lane's share of one instruction. A warp of SubgroupSize lanes that executes a block of n
 * instructions (ws_block_info.instruction_count: those of the original module that a device executes) has
 * SubgroupSize x n slots. The slots of lanes in the block's record are ACTIVE. The slots of each other lane
 * go into exactly one bucket. To find it, walk from the executing context (replay.h) out through its callers
 * to the first context C_k that the lane's thread has entered and not ended:
 *
 *   - there is none, and the lane has a thread of the launched shader: EARLY RETURN;
 *   - there is none, and the lane never had a thread (partial warp, helper): PARTIAL WARP;
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
 * the same
 * execution of the shader, so its lane there is CONTROL FLOW (k = 0) from then on. It takes part in no call
 * made there, so in called contexts its lane is CONTROL FLOW too. The context that it goes on in is
 * regrouped: lanes without a thread are INDIRECT CALL, since a call put other threads into this warp; in a
 * launched shader lanes whose thread has ended it are EARLY RETURN. Slots of a context that threads have
 * moved from are summed APART from then on.
 *
 * SUM RULE: active + the four buckets = slots, exactly, for each block, shader, stage, pipeline and launch.
 * Sums have 64 bits: 10^9 warp instructions per second fill them in 4 years at 128 lanes.
 *
 * MEMORY: shaders x blocks per worker, some hundred bytes per launch, and 100 bytes per live context. */
#ifndef WS_ANALYSIS_TRACE_DIVERGENCE_H
#define WS_ANALYSIS_TRACE_DIVERGENCE_H

#include "analysis/report/analysis.h"

#define WS_DIVERGENCE_STAGES 14 /* stages in stage.h; index = number of the stage's bit */

/* Sums over a set of block executions. All members but `executions` count slots. */
struct ws_divergence_counts {
    uint64_t executions; /* of blocks by warps */
    uint64_t slots;
    uint64_t active;
    uint64_t early_return;
    uint64_t indirect_call;
    uint64_t control_flow;
    uint64_t partial_warp;
    uint64_t apart; /* of `slots`: in regrouped contexts and those called from them */
};

struct ws_divergence_shader {
    struct ws_divergence_counts counts;
    struct ws_divergence_counts *blocks; /* per block of its module; NULL until it ran */
    uint32_t block_count;
};

struct ws_divergence_launch {
    uint64_t index;
    uint64_t submission;
    uint32_t kind; /* enum ws_launch_kind */
    uint32_t size[3];
    const char *label;      /* in the results' texts */
    uint32_t pipeline;      /* index in the catalog; WS_NONE = none or several */
    uint32_t pipelines;     /* how many it has */
    uint32_t subgroup_size; /* of the device */
    bool truncated;         /* figures are of a part */
    struct ws_divergence_counts counts;
};

/* The pipelines of a launch, as its submission names them. */
struct ws_divergence_bound {
    uint64_t launch;
    uint32_t first; /* in bound_pipelines */
    uint32_t count;
};

struct ws_divergence_results {
    const struct ws_catalog *catalog; /* not owned */
    uint32_t user;                    /* which of context->user is ours */
    uint32_t rows;                    /* most rows of tables; 0 = the usual numbers */
    struct ws_text_pool texts;
    struct ws_divergence_counts total;
    struct ws_divergence_counts stages[WS_DIVERGENCE_STAGES];
    struct ws_divergence_shader *shaders; /* parallel to the catalog's */
    uint32_t shader_count;
    struct ws_divergence_counts *pipelines; /* parallel to the catalog's */
    uint32_t pipeline_count;
    struct ws_divergence_counts shared;    /* of shaders that several pipelines of one launch have: which of
                                           them ran them cannot be told */
    struct ws_divergence_launch *launches; /* in the order of the capture */
    uint32_t launch_count;
    uint32_t launch_capacity;

    struct ws_divergence_bound *bounds;
    uint32_t bound_count;
    uint32_t bound_capacity;
    uint32_t *bound_pipelines;
    uint32_t bound_pipeline_count;
    uint32_t bound_pipeline_capacity;
};

/* Adds `more` to `counts`. */
void ws_divergence_add(struct ws_divergence_counts *counts, const struct ws_divergence_counts *more);

/* A block of a shader, and its inactive slots. */
struct ws_divergence_reference {
    uint32_t shader;
    uint32_t block;
    uint64_t inactive;
};

/* The `*count` blocks with most inactive slots, most first, at most `most` of them; full ones are left out.
 * Freed by the caller; NULL and `*count` WS_NONE when there is no memory. */
struct ws_divergence_reference *ws_divergence_worst(const struct ws_divergence_results *results,
                                                    uint32_t most, uint32_t *count);

/* The kind of report; its results are a struct ws_divergence_results. */
extern const struct ws_analysis ws_analysis_divergence;

/* How it is shown (divergence_report.c); members of struct ws_analysis. */
bool ws_divergence_text(const void *results, FILE *stream);
bool ws_divergence_json(const void *results, cJSON *object);
bool ws_divergence_csv(const void *results, FILE *stream);
bool ws_divergence_plots(const void *results, struct ws_plots *plots, struct ws_error *error);
extern const char ws_divergence_csv_help[];

/* Feeding it, for ws_analysis_divergence and for tests. */
extern const struct ws_replay_operations ws_divergence_operations;

#endif
