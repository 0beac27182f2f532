// Histogram rows where there are no subgroup operations: word 0 counts thread executions.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lanes.glsl"
#include "rows.glsl"

void ws_count_thread(const uint row)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        if (COUNTS && (rows.x | rows.y) != 0) {
            atomicAdd(WsWords(rows).word[ws_bins * row], 1);
        }
    }
}

void main()
{
}
