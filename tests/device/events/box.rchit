#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
#define RAYS
#define HIT
#include "log.glsl"

struct Spot
{
    uint place;
    vec3 weights;
};
layout(location = 0) rayPayloadInEXT uint payload;
hitAttributeEXT Spot spot;

void main()
{
    log_hit(CLOSEST_HIT, spot.place, floatBitsToUint(spot.weights.x));
    payload = 3;
}
