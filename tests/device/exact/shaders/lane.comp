#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute.glsl"

void main()
{
    uint value = LANE;
    if ((value & 1u) == 0u) {
        results[THREAD] = value;
    } else {
        results[THREAD] = 3u * value;
    }
    results[THREAD] += 1u;
}
