/* simt_efficiency: how full the warps are.
 *
 * Every basic block in every stage gets a histogram row: word n - 1 counts the warp executions of the block
 * with exactly n active lanes. From it follow (analysis/simt_efficiency)
 *   executions       the histogram's sum
 *   active lanes     the sum of n times its word
 *   SIMT efficiency  active lanes / (subgroup size x executions), of blocks, shaders, stages, ...
 * and, with the blocks' instruction counts, the dynamic instruction counts and the opcode mix. Helper lanes
 * are not active. In stages without subgroup operations word 0 counts thread executions: there are dynamic
 * counts then, but no efficiency.
 *
 * A fragment shader that writes memory is run before the depth and stencil tests, unless it has the execution
 * mode EarlyFragmentTests (the Vulkan specification, "Early Fragment Test Mode"). So of a shader that wrote
 * none before, fragments count that a device would have culled without us; the picture is the same. */
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
