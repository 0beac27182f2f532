// Something is in the way.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"

layout(location = 1) rayPayloadInEXT bool blocked;

void main()
{
    COUNT_RUN(COUNT_CLOSEST_HIT);
    blocked = true;
}
