// Four materials are made by different code, and lie side by side.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    uint pixel = pixel_of(gl_GlobalInvocationID.x);
    vec2 z = start(pixel);
    switch (pixel & 3u) {
    case 0u:
        for (uint i = 0u; i < 12u; i++) {
            z = advance(z);
        }
        break;
    case 1u:
        for (uint i = 0u; i < 6u; i++) {
            z = advance(z.yx) + 0.1;
        }
        break;
    case 2u:
        for (uint i = 0u; i < 9u; i++) {
            z = advance(z + 0.05).yx;
        }
        break;
    default:
        for (uint i = 0u; i < 3u; i++) {
            z = advance(-z);
        }
        break;
    }
    paint(pixel, z);
}
