#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute.glsl"

void main()
{
    uint sum = 0u;
    uint i = 0u;
    while (true) {
        i++;
        if (i > LANE) {
            break;
        }
        if ((i & 1u) == 1u) {
            continue;
        }
        sum += i;
    }
    results[THREAD] = sum;
}
