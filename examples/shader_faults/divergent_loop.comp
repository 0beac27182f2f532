// Each pixel of eight takes one turn more than the one before.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    uint pixel = pixel_of(gl_GlobalInvocationID.x);
    uint turns = 2u + 3u * (pixel & 7u);
    vec2 z = start(pixel);
    for (uint i = 0u; i < turns; i++) {
        z = advance(z);
    }
    paint(pixel, z);
}
