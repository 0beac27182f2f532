// Every pixel takes the same way: nothing is wrong with this code.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    uint pixel = pixel_of(gl_GlobalInvocationID.x);
    vec2 z = start(pixel);
    for (uint i = 0u; i < 12u; i++) {
        z = advance(z);
    }
    paint(pixel, z);
}
