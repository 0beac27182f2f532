/* thread_compaction: what it would save to fill warps with the threads that go on.
 *
 * Place records (records.h) stand
 *   - before each call site: traceRay, executeCallable, a ray query's proceed;
 *   - at the sync points of a call site, where threads that came to it and threads that did not are together
 *     again, and before the calls of functions that lead to it (warpscope/spirv/sync_points.h has the rule);
 *   - at every end of a shader invocation.
 * For example, in
 *
 *   for (;;) { if (hit) traceRay(...); }      the call site is in the selection, its sync points are the
 *                                             loop's continue target and merge block
 *
 * From the records follow, for each call site and way to it (analysis/compaction)
 *
 *   thread path   one symbol for each visit of the call site: 1 = taken, 0 = passed by
 *   compaction    for windows of w consecutive warps: required(w) = sum over visits and windows of
 *                 ceil(active threads in the window / subgroup size);
 *                 warps compacted = (required(1) - required(w)) / required(1)
 *
 * The paper ("Vulkan Vision", 3.4) takes traceRay only, one per block.
 *
 * COST. Two or three records per visit of a call site, whatever the shader computes in between. */
#include <spirv/unified1/spirv.h>

#include "warpscope/opcodes.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static void visit(struct ws_visit *visit)
{
    const bool calls = ws_visit_opcode(visit) == SpvOpFunctionCall;
    switch (ws_visit_place(visit)) {
    case WS_PLACE_BEFORE: ws_visit_record(visit, WS_TAG_THREAD_COMPACTION_CALL_SITE); break;
    case WS_PLACE_SYNC:
        ws_visit_record(visit, calls ? WS_TAG_THREAD_COMPACTION_CALL : WS_TAG_THREAD_COMPACTION_SYNC);
        break;
    case WS_PLACE_END: ws_visit_record(visit, WS_TAG_THREAD_COMPACTION_END); break;
    default: break;
    }
}

static const uint16_t opcodes[] = {
    WS_OPS_THAT_CALL_SHADERS,
    SpvOpRayQueryProceedKHR,
};

extern const struct ws_pass ws_pass_thread_compaction;

const struct ws_pass ws_pass_thread_compaction = {
    .name = WS_PASS_THREAD_COMPACTION,
    .summary = "thread paths at rays, callables and ray queries: warps saved by compaction",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL,
    .places = WS_PLACE_BEFORE | WS_PLACE_SYNC | WS_PLACE_END,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};
