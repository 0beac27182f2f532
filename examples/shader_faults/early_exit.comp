// Three of four pixels are done at once.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    uint pixel = pixel_of(gl_GlobalInvocationID.x);
    vec2 z = start(pixel);
    if ((pixel & 3u) != 0u) {
        paint(pixel, z);
        return;
    }
    for (uint i = 0u; i < 16u; i++) {
        z = advance(z);
    }
    paint(pixel, z);
}
