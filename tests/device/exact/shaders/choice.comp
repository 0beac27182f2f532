#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute.glsl"

void main()
{
    uint value = LANE;
    if (choice == 1u) {
        value += 1u;
    } else if (choice == 2u && (value & 1u) == 1u) {
        value += 2u;
    }
    results[THREAD] = value;
}
