// Histogram rows: how many warp executions of a site had n active lanes. See "counter rows" in root.h.
#version 460
#extension GL_GOOGLE_include_directive : require
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

void main()
{
}
