// Every function that `warpscope help probes` says a probe may ask a warp by.
//! output seen: sum uint
//! after OpFMul
void look(float operand_1, float operand_2)
{
    uvec4 ballot = subgroupBallot(operand_1 > operand_2);
    uint n = subgroupBallotBitCount(ballot) + subgroupBallotFindLSB(ballot) + subgroupBallotFindMSB(ballot) +
             subgroupBallotInclusiveBitCount(ballot) + subgroupBallotExclusiveBitCount(ballot);
    if (subgroupElect() && subgroupInverseBallot(ballot) && subgroupBallotBitExtract(ballot, 1))
        n++;
    if (subgroupAll(n > 1) || subgroupAny(n > 2) || subgroupAllEqual(operand_1))
        n++;
    n += subgroupBroadcastFirst(n) + subgroupBroadcast(n, 0) + subgroupShuffle(n, 1) + subgroupShuffleXor(n, 1);
    n += subgroupAdd(n) + subgroupMul(n) + subgroupMin(n) + subgroupMax(n) + subgroupAnd(n) + subgroupOr(n) + subgroupXor(n);
    n += subgroupInclusiveAdd(n) + subgroupExclusiveAdd(n) + subgroupInclusiveMax(n) + subgroupExclusiveXor(n);
    add(seen, n);
}
