// Something stands between a surface and the light.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"

layout(location = 0) rayPayloadInEXT Hit hit;

void main()
{
    COUNT_RUN(COUNT_CLOSEST_HIT);
    hit.t = gl_HitTEXT;
}
