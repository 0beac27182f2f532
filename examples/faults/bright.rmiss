// All the light comes from there.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"

layout(location = 2) rayPayloadInEXT float lit;

void main()
{
    COUNT_RUN(COUNT_MISS);
    lit = 1.0;
}
