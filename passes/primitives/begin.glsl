// What every instrumented entry point does first.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lanes.glsl"
#include "rows.glsl"
#include "yield_words.glsl"

layout(buffer_reference, buffer_reference_align = 8, std430) readonly buffer WsYieldRoot
{
    uvec2 unused[WS_ROOT_YIELDS / 8];
    uvec2 yields[];
};

void ws_begin()
{
    if (HAS_ROOT) {
        ws_rows = WsRoot(uvec2(ws_root_lo, ws_root_hi)).counters[ws_slot];
    }
}

// The rows of a sampled warp's group, in an entry point with `row_count` rows. Called behind the launch row, which stands
// among those of the first group for all.
void ws_begin_group(const uint row_count)
{
    const uvec2 rows = ws_rows;
    if ((rows.x | rows.y) != 0) {
        uint carry;
        const uint low = uaddCarry(rows.x, 4 * ws_bins * row_count * ws_group, carry);
        ws_rows = uvec2(low, rows.y + carry);
    }
}

// The same of a module with probes.
void ws_begin_yields()
{
    if (HAS_ROOT) {
        ws_yield_words = WsYieldRoot(uvec2(ws_root_lo, ws_root_hi)).yields[ws_slot];
    }
}

void main()
{
}
