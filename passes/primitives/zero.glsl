// A 0 that no compiler can know, for copies of numbers that it must not look through (passes/instrument/handed.c).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lanes.glsl"

uint ws_zero()
{
    if (HAS_ROOT) {
        return WsRoot(uvec2(ws_root_lo, ws_root_hi)).zero.x;
    }
    return 0;
}

void main()
{
}
