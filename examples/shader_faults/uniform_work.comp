// Every thread multiplies the same matrices. The repaired program does so before.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    uint pixel = pixel_of(gl_GlobalInvocationID.x);
#ifdef REPAIRED
    mat4 whole = turn;
#else
    mat4 whole = turn * turn * turn;
#endif
    vec2 z = start(pixel);
    paint(pixel, (whole * vec4(z, 0.0, 1.0)).xy);
}
