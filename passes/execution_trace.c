/* execution_trace: which blocks each warp ran, in what order, with which lanes.
 *
 * Every basic block and every end of a shader invocation has a place record (records.h), in every stage with
 * subgroup operations. Every entry point that reaches one has an entry record, which says which thread is in
 * which lane. For example, of
 *
 *   A: if (x) { B; } C;      with 8 lanes, x true in lanes 0 to 2
 *
 * a warp records A with 8 lanes, B with lanes 0 to 2, C with 8 lanes, and its end. From the records follow
 * (analysis/trace)
 *
 *   the trace of a warp, thread or pixel   its blocks in order, through calls and called shaders
 *   lifetime                               blocks executed: of a thread those that it was active in, all
 *                                          shaders on its behalf; of a warp the executions of them
 *   work ids to warps                      which threads share a warp
 *
 * COST. A warp appends 8 bytes per block where all lanes that entered the shader are active, and a mask
 * more where not. A block that can only follow on another recorded block costs nothing more, and neither
 * does an end behind a record (pass.h, ws_visit_record). Where only counts are wanted, simt_efficiency
 * costs far less. */
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static void visit(struct ws_visit *visit)
{
    const bool ends = ws_visit_place(visit) == WS_PLACE_END;
    ws_visit_record(visit, ends ? WS_TAG_EXECUTION_TRACE_END : WS_TAG_EXECUTION_TRACE_BLOCK);
}

extern const struct ws_pass ws_pass_execution_trace;

const struct ws_pass ws_pass_execution_trace = {
    .name = WS_PASS_EXECUTION_TRACE,
    .summary = "order of basic blocks per warp and thread: traces, lifetimes, work ids to warps",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_BLOCK | WS_PLACE_END,
    .visit = visit,
};
