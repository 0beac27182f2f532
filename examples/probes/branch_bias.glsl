// Which way branches go: how often threads take each, and in how many of these threads
// the warp is parted.
// Found: RayTracingInVulkan, scene 1: at `t < 0 or not scattered` 14,590 of 41,004 rays end; 15,227 of these threads
// are in parted warps.
//! output taken: count
//! output not_taken: count
//! output parted: count
//! before OpBranchConditional
void branch(bool condition)
{
    uint ways = subgroupBallotBitCount(subgroupBallot(condition));
    if (ways > 0 && ways < lanes())
        count(parted);
    if (condition)
        count(taken);
    else
        count(not_taken);
}
