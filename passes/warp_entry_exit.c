/* warp_entry_exit: whether warps leave a shader in one piece.
 *
 * The beginning of every entry point and every end of its launch (OpReturn, and all that ends it early:
 * OpKill, OpTerminateRayKHR, OpIgnoreIntersectionKHR, ...; pass.h) has a histogram row of its own (root.h),
 * so each counts the executions of just that place by warps, with how many lanes. From them follows
 * (analysis/entry_exit)
 *   exits per entry  executions of all ends of launched shaders / executions of their entries
 * which is more than 1 where warps were split: by branches that do not meet again before different ends, or
 * by a device that schedules threads independently. In stages without subgroup operations threads are
 * counted, and there is no such figure.
 *
 * COST. One atomic per warp at each: no records. */
#include "warpscope/pass.h"

static void visit(struct ws_visit *visit)
{
    ws_visit_count_place(visit);
}

extern const struct ws_pass ws_pass_warp_entry_exit;

const struct ws_pass ws_pass_warp_entry_exit = {
    .name = "warp_entry_exit",
    .summary = "executions of entries and ends by warps: exits per entry, independent thread scheduling",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_ENTRY | WS_PLACE_END,
    .visit = visit,
};
