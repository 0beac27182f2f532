#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
#define RAYS
#define HIT
#include "log.glsl"

layout(location = 0) rayPayloadInEXT uint payload;
hitAttributeEXT vec2 weights;

void main()
{
    log_hit(CLOSEST_HIT, floatBitsToUint(weights.x), floatBitsToUint(weights.y));
    payload = 2;
}
