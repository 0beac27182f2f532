// A ray that leaves the scene.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"

layout(location = 0) rayPayloadInEXT Hit hit;

void main()
{
    COUNT_RUN(COUNT_MISS);
    hit.t = -1.0;
    hit.colour = sky_colour(gl_WorldRayDirectionEXT);
}
