#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute.glsl"

void main()
{
    uint value = LANE;
    if ((value / choice & 1u) == 0u) {
        results[THREAD] = value;
    }
    results[THREAD] += 1u;
}
