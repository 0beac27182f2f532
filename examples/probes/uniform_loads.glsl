// Loads from memory that give all lanes of a warp the same value: one scalar load would do. `all` is how many there were;
// a vector counts once for each component.
// Found: computeraytracing: 921,984,795 of 922,412,792 loads give a warp one value.
//! output all: count
//! output same: count
bool is_same(uint bits)
{
    uint first = subgroupShuffle(bits, subgroupBallotFindLSB(subgroupBallot(true)));
    return subgroupBallotBitCount(subgroupBallot(bits != first)) == 0;
}
//! after OpLoad of buffer uniform reference shared
void load(uint result)
{
    count(all);
    if (lanes() > 1 && is_same(result))
        count(same);
}
void load(float result)
{
    count(all);
    if (lanes() > 1 && is_same(floatBitsToUint(result)))
        count(same);
}
