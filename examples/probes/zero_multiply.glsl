// Products with a zero operand: work that a branch could leave out. `all` is how many products there were.
// Found: The path tracer: 99,600 of 225,894 products of raygen.rgen:21 have a factor 0.
//! output all: count
//! output zero: count
//! output whole_warp: count
//! after OpFMul
void multiply(float operand_1, float operand_2)
{
    bool is_zero = operand_1 == 0.0 || operand_2 == 0.0;
    count(all);
    if (is_zero)
        count(zero);
    if (subgroupBallotBitCount(subgroupBallot(!is_zero)) == 0)
        count(whole_warp);
}
