/* warp_entry_exit: whether warps leave a shader in one piece.
 *
 * The beginning of every entry point and every end of a shader invocation (OpReturn, and all that ends it
 * early: OpKill, OpTerminateRayKHR, OpIgnoreIntersectionKHR, ...; pass.h) has a histogram row of its own
 * (root.h). So each row counts the executions of just that place by warps, by active lanes. From the rows
 * follows (analysis/simt)
 *
 *   exits per entry   executions of all ends of launched shaders / executions of their entries
 *
 * For example, in
 *
 *   if (x) return; else return;      a warp in which x differs enters once and leaves twice: 2.0
 *
 * It is more than 1 where warps were split: by branches that do not meet again before different ends, or by a
 * device that schedules threads independently. In stages without subgroup operations threads are counted,
 * and there is no such figure.
 *
 * COST. One atomic per warp at each place; no records. */
#include <spirv/unified1/spirv.h>

#include "warpscope/pass.h"
#include "warpscope/passes.h"

static enum ws_warp_entry_exit_tag tag_of_end(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
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
    default: return WS_TAG_WARP_ENTRY_EXIT_OTHER;
    }
}

static void visit(struct ws_visit *visit)
{
    const bool enters = ws_visit_place(visit) == WS_PLACE_ENTRY;
    ws_visit_count_place(visit, enters ? WS_TAG_WARP_ENTRY_EXIT_ENTRY : tag_of_end(ws_visit_opcode(visit)));
}

extern const struct ws_pass ws_pass_warp_entry_exit;

const struct ws_pass ws_pass_warp_entry_exit = {
    .name = WS_PASS_WARP_ENTRY_EXIT,
    .summary = "executions of entries and ends by warps: exits per entry, independent thread scheduling",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_ENTRY | WS_PLACE_END,
    .visit = visit,
};
