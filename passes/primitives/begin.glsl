// What every instrumented entry point does first.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lanes.glsl"
#include "rows.glsl"

void ws_begin()
{
    if (HAS_ROOT) {
        ws_rows = WsRoot(uvec2(ws_root_lo, ws_root_hi)).counters[ws_slot];
    }
}

void main()
{
}
