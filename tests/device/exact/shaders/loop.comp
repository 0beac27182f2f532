#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute.glsl"

void main()
{
    uint sum = 0u;
    for (uint i = 0u; i < LANE; i++) {
        sum += i;
    }
    results[THREAD] = sum;
}
