// Which way branches go: how often threads take each, and in how many of these threads
// the warp is parted.
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
