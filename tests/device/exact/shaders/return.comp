#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute.glsl"

void main()
{
    results[THREAD] = LANE;
    if (LANE >= gl_SubgroupSize / 2u) {
        return;
    }
    results[THREAD] += 1u;
}
