// Histogram rows: how many warp executions of a site had n active lanes. See "counter rows" in root.h.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "lanes.glsl"
#include "rows.glsl"

// One more execution with as many lanes as count here.
void ws_count_warp(const uint row)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        const uvec4 ballot = subgroupBallot(COUNTS);
        const uint before = subgroupBallotExclusiveBitCount(ballot);
        const bool wanted = (rows.x | rows.y) != 0;
        if (COUNTS && before == 0 && wanted) {
            atomicAdd(WsWords(rows).word[ws_bins * row + subgroupBallotBitCount(ballot) - 1], 1);
        }
    }
}

// RUNS. A counter in a loop changes by one at nearly every turn, and nearly always in the same word. So the lowest lane that
// counts keeps in a variable how often it has found the same number of active lanes, and adds that to the row when the number
// changes, and when it leaves the loop (passes/instrument/runs.h). Each execution is charged to one lane, and each lane adds
// all that it was charged with: the row has the same words in the end. A variable holds the number of lanes in its upper bits
// and the repetitions below.
#define REPEAT_BITS 24
#define REPEAT_MOST ((1u << REPEAT_BITS) - 1u)

// Software devices run short branches under a mask, and so an atomic for no lane at every turn; they jump over branches that
// have a loop. This one has one turn: a compiler cannot know that `part` is all that is left, since it does not know the
// address.
void add_run(const uint row, const uint run)
{
    const uvec2 rows = ws_rows;
    uint left = (rows.x | rows.y) != 0 ? run & REPEAT_MOST : 0;
    if (left != 0) {
        do {
            const uint part = min(left, REPEAT_MOST | rows.x);
            atomicAdd(WsWords(rows).word[ws_bins * row + (run >> REPEAT_BITS) - 1], part);
            left -= part;
        } while (left != 0);
    }
}

// One more execution: what the variable holds then.
uint ws_count_run(const uint row, const uint run)
{
    if (HAS_ROOT) {
        const uvec4 ballot = subgroupBallot(COUNTS);
        const uint lanes = subgroupBallotBitCount(ballot);
        const bool lowest = COUNTS && subgroupBallotExclusiveBitCount(ballot) == 0;
        const bool same = run >> REPEAT_BITS == lanes && (run & REPEAT_MOST) != REPEAT_MOST;
        add_run(row, lowest && !same ? run : 0);
        return lowest ? (same ? run + 1 : lanes << REPEAT_BITS | 1) : run;
    }
    return run;
}

void ws_end_run(const uint row, const uint run)
{
    if (HAS_ROOT) {
        add_run(row, run);
    }
}

// BINS. Where other lanes come from turn to turn, a run would end nearly each time. There a lane keeps how often it was the how-manieth
// that counts, a byte for each how-manieth, from 0 on. One that is the how-manieth has met an execution of more lanes than that: so the
// sum of a byte over the lanes, less that of the byte behind it, is how often just so many were together. For example, executions by 3,
// 1 and 3 lanes leave 3, 2 and 2 in the sums, and so 1, 0 and 2 in words 0 to 2 of the row. No lane has to know how many there are, and
// each may add what it has at any time, alone or with others: what it takes from a word for now, another gives to it.
#define IN_BINS (ws_bins <= 8) // bytes of two words; where more lanes are there, the first word is a run

#define BIN_FULL 128

uint ws_bins_high; // what ws_count_bins has the second word hold

// Adds a byte that is full, and takes as much from the word before it. The loop is for software devices, as that of add_run.
void add_full(const uint row, const uint place, const uint full)
{
    const uvec2 rows = ws_rows;
    if (full != 0 && (rows.x | rows.y) != 0) {
        uint at = place;
        uint by = BIN_FULL;
        do {
            atomicAdd(WsWords(rows).word[ws_bins * row + at], by);
            at--;
            by = -by;
        } while (by != BIN_FULL && at != 0xffffffffu);
    }
}

// One more execution: what the first word holds then.
uint ws_count_bins(const uint row, const uint low, const uint high)
{
    if (HAS_ROOT && IN_BINS) {
        const uint place = subgroupExclusiveAdd(COUNTS ? 1 : 0);
        const uint one = COUNTS ? 1 << (8 * place & 31u) : 0;
        const uint in_low = low + (place < 4 ? one : 0);
        const uint in_high = ws_bins > 4 ? high + (place < 4 ? 0 : one) : 0;
        add_full(row, place, (in_low | in_high) & 0x80808080u);
        ws_bins_high = in_high & 0x7f7f7f7fu;
        return in_low & 0x7f7f7f7fu;
    }
    ws_bins_high = 0;
    return ws_count_run(row, low);
}

uint ws_take_bins_high()
{
    return ws_bins_high;
}

// What each byte has more than the one of the next place, below 128 as they are: bytes with a sign.
uint differences(const uint kept, const uint next)
{
    return ((kept | 0x80808080u) - next) ^ 0x80808080u;
}

// Adds what is kept of two rows.
void ws_end_bins(const uint row_a, const uint low_a, const uint high_a, const uint row_b, const uint low_b, const uint high_b)
{
    const uvec2 rows = ws_rows;
    const bool wanted = HAS_ROOT && (rows.x | rows.y) != 0;
    if (IN_BINS) {
        uint a = wanted ? differences(low_a, low_a >> 8 | high_a << 24) : 0;
        uint b = wanted ? differences(high_a, high_a >> 8) : 0;
        uint c = wanted ? differences(low_b, low_b >> 8 | high_b << 24) : 0;
        uint d = wanted ? differences(high_b, high_b >> 8) : 0;
        if ((a | b | c | d) != 0) {
            do {
                const uint left = a != 0 ? a : b != 0 ? b : c != 0 ? c : d;
                const uint row = (a | b) != 0 ? row_a : row_b;
                const uint first = a != 0 || (b == 0 && c != 0) ? 0 : 4;
                const uint shift = uint(findLSB(left)) & 0x18u;
                const uint others = ~(0xffu << shift);
                atomicAdd(WsWords(rows).word[ws_bins * row + first + (shift >> 3)], uint(int(left << (24 - shift)) >> 24));
                d &= (a | b | c) == 0 ? others : 0xffffffffu;
                c &= (a | b) == 0 ? others : 0xffffffffu;
                b &= a == 0 ? others : 0xffffffffu;
                a &= others;
            } while ((a | b | c | d) != 0);
        }
    } else if (wanted) {
        add_run(row_a, low_a);
        add_run(row_b, low_b);
    }
}

void main()
{
}
