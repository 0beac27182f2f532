// Threads beyond the last pixel return.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    uint thread = gl_GlobalInvocationID.x;
    if (thread >= count) {
        return;
    }
    vec2 z = start(thread);
    for (uint i = 0u; i < 2u; i++) {
        z = advance(z);
    }
    paint(thread, z);
}
