#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute.glsl"

uint twice(uint value)
{
    if (value > 2u) {
        return 2u * value;
    }
    return value;
}

void main()
{
    uint value = LANE;
    if ((value & 1u) == 1u) {
        value = twice(value);
    }
    results[THREAD] = twice(value);
}
