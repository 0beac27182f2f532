/* warp_time: when each warp began and ended each shader, by the shader clock of the device.
 *
 * Where an entry point begins, and at every end of a shader invocation (pass.h), a clock record says what the clock shows: that
 * of the device where it has one, which is the same for all warps; else that of the subgroup. Lanes of a warp may end at
 * several places: each place has a record, and the execution ends with the last of them. For example, of
 *
 *   if (x) { for (...) ...; return; } else return;
 *
 * a warp in which x differs records its begin, the end of those lanes that have no loop, and the end of the others. From the
 * records follow (analysis/time/warp_times.h)
 *
 *   how many warps are in flight, how long a launch runs out, which warps take longest
 *   how long lanes wait for the slowest of their warp
 *   the time of each shader, with the shaders that it calls and without
 *
 * It needs VK_KHR_shader_clock (shaderDeviceClock, else shaderSubgroupClock). On other devices its records are skipped, with
 * the reason. The clock's unit is the device's own: beside the pass time a reader can tell how long a tick is.
 *
 * COST. Per execution of a shader by a warp an entry record (records.h), 16 bytes for its begin, and 24 for each end. The time
 * that the records take themselves is in the times of those that call the shader, and, but for the entry record and the last
 * end, not in its own. The clocks of hardware may be slow to read; so there are no records at blocks. */
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static void visit(struct ws_visit *visit)
{
    const bool ends = ws_visit_place(visit) == WS_PLACE_END;
    const uint32_t of_subgroup =
        ws_visit_clock(visit) == WS_CLOCK_SUBGROUP ? WS_TAG_WARP_TIME_SUBGROUP_BEGIN : WS_TAG_WARP_TIME_BEGIN;
    ws_visit_record_clock(visit, of_subgroup + ends);
    if (ends && ws_visit_clock(visit) != WS_CLOCK_NONE)
        ws_visit_record(visit, WS_TAG_WARP_TIME_ENDED);
}

extern const struct ws_pass ws_pass_warp_time;

const struct ws_pass ws_pass_warp_time = {
    .name = WS_PASS_WARP_TIME,
    .summary = "when each warp began and ended each shader, by the shader clock; not part of all",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_ENTRY | WS_PLACE_END,
    .visit = visit,
};
