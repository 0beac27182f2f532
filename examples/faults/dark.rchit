// No light comes from there.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"

layout(location = 2) rayPayloadInEXT float lit;

void main()
{
    COUNT_RUN(COUNT_CLOSEST_HIT);
    lit = 0.0;
}
