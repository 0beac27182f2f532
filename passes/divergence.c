/* divergence: why lanes are inactive.
 *
 * Every basic block, every end of a shader invocation, and the places before and after each instruction that
 * runs other shaders have a place record (records.h). So at every block execution it is known of each lane of
 * the warp that is not active where its thread is. For each of them the block's instruction count goes to one
 * bucket (analysis/divergence). Walk out from the executing shader through its callers, to the first that the
 * lane's thread has entered and not ended:
 *   there is none, and the lane has a thread of the launched shader  early return
 *   there is none, and the lane never had a thread                   partial warp
 *   it is the executing shader itself                                control flow
 *   it is a caller, and the thread took part in its call             indirect call
 *   it is a caller, and the thread did not take part                 control flow
 * Active lanes and buckets make up subgroup size x instructions, exactly.
 *
 * Back-to-back calls, one first in a block and several in one block are told apart since each has its own
 * places: a place after a call never shows the lanes of the place before it, nor that of another.
 *
 * COST. That of execution_trace, and a record after each call. With execution_trace in one capture both have
 * the same records of blocks and ends. */
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
    case WS_PLACE_ENTRY:
    case WS_PLACE_SYNC: break;
    }
}

/* What runs other shaders before it returns, or puts lanes into other warps. OpReportIntersectionNV and the
 * NV forms of tracing and calling with the same number are these. */
static const uint16_t opcodes[] = {
    SpvOpTraceRayKHR,
    SpvOpTraceNV,
    SpvOpTraceMotionNV,
    SpvOpTraceRayMotionNV,
    SpvOpExecuteCallableKHR,
    SpvOpExecuteCallableNV,
    SpvOpReportIntersectionKHR,
    SpvOpHitObjectTraceRayNV,
    SpvOpHitObjectTraceRayMotionNV,
    SpvOpHitObjectExecuteShaderNV,
    SpvOpReorderThreadWithHitObjectNV,
    SpvOpReorderThreadWithHintNV,
    WS_OP_HIT_OBJECT_TRACE_RAY_EXT,
    WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT,
    WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT,
    WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT,
    WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT,
    WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT,
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
