/* divergence: why lanes are inactive.
 *
 * The pass puts a place record (records.h) at every basic block, at every end of a shader invocation, and
 * before and after each instruction that runs other shaders. So whenever a warp runs a block, the records say
 * where the thread of each inactive lane is.
 *
 * The analysis (analysis/divergence) adds the instruction count of the block to one bucket for each inactive
 * lane. It begins at the executing shader and goes outwards through its callers. It stops at the first shader
 * that the thread has entered and not ended:
 *   no shader, and the lane had a thread of the launched shader    early return
 *   no shader, and the lane never had a thread                     partial warp
 *   the executing shader itself                                    control flow
 *   a caller, and the thread took part in its call                 indirect call
 *   a caller, and the thread did not take part in its call         control flow
 * The active lanes and the buckets together are exactly subgroup size x instructions.
 *
 * For example, in a ray generation shader of 32 lanes
 *
 *   if (x) { traceRay(...); }      x holds for 20 lanes; 5 of their rays run the closest hit shader
 *
 * a block of 10 instructions in that shader counts 10 x 5 for active lanes, 10 x 15 for indirect call, and
 * 10 x 12 for control flow.
 *
 * A place after a call always has a record of its own. So calls in sequence, and several calls in one block,
 * are told apart.
 *
 * COST. The records of execution_trace, and one more after each call. If a capture has both passes, they
 * share the records of blocks and ends. */
#include <spirv/unified1/spirv.h>

#include "warpscope/opcodes.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static void visit(struct ws_visit *visit)
{
    switch (ws_visit_place(visit)) {
    case WS_PLACE_BLOCK: ws_visit_record(visit, WS_TAG_DIVERGENCE_BLOCK); break;
    case WS_PLACE_BEFORE: ws_visit_record(visit, WS_TAG_DIVERGENCE_CALL); break;
    case WS_PLACE_AFTER: ws_visit_record(visit, WS_TAG_DIVERGENCE_RETURN); break;
    case WS_PLACE_END: ws_visit_record(visit, WS_TAG_DIVERGENCE_END); break;
    default: break;
    }
}

/* What runs other shaders before it returns, or puts lanes into other warps. OpReportIntersectionNV and the
 * NV forms of tracing and calling with the same number are these. */
static const uint16_t opcodes[] = {
    WS_OPS_THAT_CALL_SHADERS,
    SpvOpReportIntersectionKHR,
    SpvOpReorderThreadWithHitObjectNV,
    SpvOpReorderThreadWithHintNV,
    WS_OP_REORDER_THREAD_WITH_HIT_OBJECT_EXT,
    WS_OP_REORDER_THREAD_WITH_HINT_EXT,
};

extern const struct ws_pass ws_pass_divergence;

const struct ws_pass ws_pass_divergence = {
    .name = WS_PASS_DIVERGENCE,
    .summary = "inactive instruction slots by cause: early return, indirect call, control flow",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_BLOCK | WS_PLACE_BEFORE | WS_PLACE_AFTER | WS_PLACE_END,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};
