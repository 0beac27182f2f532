// How soft a shadow would be here: once meant for the payload.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"

void main()
{
    COUNT_RUN(COUNT_CLOSEST_HIT);
    float distance = gl_HitTEXT * length(gl_WorldRayDirectionEXT);
    float softness = clamp(distance / 2.0, 0.0, 1.0);
    softness *= softness;
}
