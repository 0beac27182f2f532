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
