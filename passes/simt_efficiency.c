/* simt_efficiency: how full the warps are.
 *
 * Every basic block in every stage has a histogram row (root.h). Its word n - 1 counts the warp executions of
 * the block with exactly n active lanes. For example, a block that a warp of 8 lanes ran twice, once with all
 * lanes and once with 3, has 1 in word 7 and 1 in word 2. From the rows follow (analysis/simt)
 *
 *   executions       the sum of the histogram
 *   active lanes     the sum of n times word n - 1
 *   SIMT efficiency  active lanes / (subgroup size x executions), of blocks, shaders, stages, ...
 *
 * and, with the instruction counts of the blocks, dynamic instruction counts and the opcode mix. Helper lanes
 * are not active. In stages without subgroup operations, word 0 counts thread executions: then there are
 * dynamic counts, but no efficiency.
 *
 * A fragment shader that writes memory runs before the depth and stencil tests, unless it has the execution mode
 * EarlyFragmentTests (Vulkan specification, "Early Fragment Test Mode"). So the counters may make fragments run,
 * and count, which the device would have culled without them. A shader that can have that mode is given it where
 * its pipeline allows (passes/instrument/fragment_tests.h); of the others the report says so. The picture is the
 * same.
 *
 * COST. Blocks that always run with the same lanes share a row, and the rows of most loop headers and functions are sums of
 * others, which the host adds up (instrument.h, struct ws_row_part). Lanes mark in bits what they run, and one place counts for
 * many rows: no block has a ballot or an atomic of its own (passes/instrument/marks.h). What does not fit there has one atomic
 * per warp and row; in loops one where the number of active lanes changes, and one where the loop is left
 * (passes/instrument/runs.h). */
#include "warpscope/pass.h"
#include "warpscope/passes.h"

static void visit(struct ws_visit *visit)
{
    ws_visit_count(visit, WS_TAG_SIMT_EFFICIENCY_BLOCK);
}

extern const struct ws_pass ws_pass_simt_efficiency;

const struct ws_pass ws_pass_simt_efficiency = {
    .name = WS_PASS_SIMT_EFFICIENCY,
    .summary =
        "active lanes of every warp at every basic block: SIMT efficiency, instruction counts, hotspots",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_BLOCK,
    .visit = visit,
};
