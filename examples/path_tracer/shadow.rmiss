// A shadow ray that nothing stopped.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(location = 1) rayPayloadInEXT bool lit;

void main()
{
    COUNT_RUN(COUNT_MISS_SHADOW);
    lit = true;
}
