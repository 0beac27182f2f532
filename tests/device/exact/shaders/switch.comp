#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute.glsl"

void main()
{
    uint value = LANE;
    switch (value & 3u) {
    case 0u:
        results[THREAD] = 1u;
    case 1u:
        results[THREAD] += 2u;
        break;
    case 2u:
        switch (value >> 2u & 1u) {
        case 0u:
            results[THREAD] = 3u;
            break;
        default:
            results[THREAD] = 4u;
            break;
        }
        break;
    default:
        results[THREAD] = 5u;
        break;
    }
    results[THREAD] += 6u;
}
