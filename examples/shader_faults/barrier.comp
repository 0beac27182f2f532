// Not all threads of a workgroup have a part; but all must come to a barrier.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

shared vec2 parts[64];

void main()
{
    uint pixel = pixel_of(gl_GlobalInvocationID.x);
    uint place = gl_LocalInvocationIndex;
    vec2 z = start(pixel);
#ifdef REPAIRED
    if (place < 40u) {
        parts[place] = advance(z);
    }
    barrier();
    if (place < 40u) {
        z = parts[place];
    }
#else
    if (place < 40u) {
        parts[place] = advance(z);
        barrier();
        z = parts[place];
    }
#endif
    paint(pixel, z);
}
