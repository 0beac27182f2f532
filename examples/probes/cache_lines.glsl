// How many cache lines of 128 bytes a warp's load from a buffer reference touches: 1 is best, one per lane the worst.
// Found: Only loads by buffer references have addresses. A planted kernel: 1 line a warp of 8 for neighbours, 8 lines
// for strides of 128 bytes.
//! output lines: values 32 uint
//! output loads: count
//! before OpLoad
void load(uvec2 pointer)
{
    uvec2 mine = uvec2(pointer.x & ~127u, pointer.y);
    bool is_first_of_line = false;
    bool is_waiting = true;
    while (is_waiting) { // once for each line: the lowest lane and those with its line leave
        uint lowest = subgroupBallotFindLSB(subgroupBallot(true));
        uvec2 its = subgroupShuffle(mine, lowest);
        is_first_of_line = lane() == lowest;
        is_waiting = mine != its;
    }
    uint distinct = subgroupBallotBitCount(subgroupBallot(is_first_of_line));
    count(loads);
    if (is_first())
        value(lines, distinct);
}
