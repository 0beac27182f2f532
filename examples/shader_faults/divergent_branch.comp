// Odd and even pixels are made by different code, and lie side by side.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    uint pixel = pixel_of(gl_GlobalInvocationID.x);
    vec2 z = start(pixel);
    if ((pixel & 1u) == 1u) {
        for (uint i = 0u; i < 12u; i++) {
            z = advance(z);
        }
    } else {
        for (uint i = 0u; i < 12u; i++) {
            z = advance(z.yx) + 0.1;
        }
    }
    paint(pixel, z);
}
