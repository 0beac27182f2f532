#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
#define RAYS
#include "log.glsl"

layout(location = 0) rayPayloadInEXT uint payload;

void main()
{
    log_word(MISS);
    payload = 4;
}
