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

void main()
{
}
