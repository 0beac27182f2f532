/* warp_entry_exit: whether warps stay together, and where their lanes leave a shader.
 *
 * These places have histogram rows of their own (root.h), so each row counts the executions of just that place by
 * warps, by active lanes:
 *   entry     the beginning of every entry point
 *   ends      every OpReturn of an entry point's function, and all that ends a shader early: OpKill,
 *             OpTerminateRayKHR, OpIgnoreIntersectionKHR, ... (pass.h)
 *   returned  behind the function of the entry point, where all its OpReturn lead
 *   reports   before and after each OpReportIntersectionKHR, where lanes can end in an any-hit shader
 * From the rows follow (analysis/simt)
 *
 *   parts per entry   executions of returned / executions of entries: evidence of warps that came apart
 *   exits per entry   executions of all ends / executions of entries: how lanes spread over different ends
 *
 * For example, in
 *
 *   if (x) return; else return;      a warp in which x differs enters once and leaves by two ends, so it has 2.0
 *                                    exits. It comes apart only on a device that does not bring its lanes together
 *                                    behind the function: 1 part on one that does, 2 on one that does not
 *
 * "Vulkan Vision" (figure 3.10) puts a function around main for the same reason. In stages without subgroup
 * operations threads are counted, and there are no such figures.
 *
 * COST. One atomic per warp at each place; no records. */
#include <spirv/unified1/spirv.h>

#include "warpscope/opcodes.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static enum ws_warp_entry_exit_tag tag_of_end(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpReturn: return WS_TAG_WARP_ENTRY_EXIT_RETURN;
    case SpvOpKill: return WS_TAG_WARP_ENTRY_EXIT_KILL;
    case SpvOpTerminateInvocation: return WS_TAG_WARP_ENTRY_EXIT_TERMINATE_INVOCATION;
    case SpvOpDemoteToHelperInvocation: return WS_TAG_WARP_ENTRY_EXIT_DEMOTE;
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpIgnoreIntersectionNV: return WS_TAG_WARP_ENTRY_EXIT_IGNORE;
    case SpvOpTerminateRayKHR:
    case SpvOpTerminateRayNV: return WS_TAG_WARP_ENTRY_EXIT_TERMINATE_RAY;
    case SpvOpEmitMeshTasksEXT: return WS_TAG_WARP_ENTRY_EXIT_MESH_TASKS;
    case SpvOpUnreachable: return WS_TAG_WARP_ENTRY_EXIT_UNREACHABLE;
    case WS_OP_ABORT_KHR: return WS_TAG_WARP_ENTRY_EXIT_ABORT;
    default: return WS_TAG_WARP_ENTRY_EXIT_OTHER;
    }
}

static void visit(struct ws_visit *visit)
{
    uint32_t tag = WS_TAG_WARP_ENTRY_EXIT_ENTRY;
    switch (ws_visit_place(visit)) {
    case WS_PLACE_END: tag = tag_of_end(ws_visit_opcode(visit)); break;
    case WS_PLACE_RETURNED: tag = WS_TAG_WARP_ENTRY_EXIT_RETURNED; break;
    case WS_PLACE_BEFORE: tag = WS_TAG_WARP_ENTRY_EXIT_REPORT; break;
    case WS_PLACE_AFTER: tag = WS_TAG_WARP_ENTRY_EXIT_REPORTED; break;
    default: break;
    }
    ws_visit_count_place(visit, tag);
}

/* OpReportIntersectionNV is the same. */
static const uint16_t opcodes[] = {SpvOpReportIntersectionKHR};

extern const struct ws_pass ws_pass_warp_entry_exit;

const struct ws_pass ws_pass_warp_entry_exit = {
    .name = WS_PASS_WARP_ENTRY_EXIT,
    .summary = "executions of entries and ends by warps: whether warps come apart, where lanes leave",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_ENTRY | WS_PLACE_END | WS_PLACE_RETURNED | WS_PLACE_BEFORE | WS_PLACE_AFTER,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};
