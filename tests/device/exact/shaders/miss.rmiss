#version 460
#extension GL_GOOGLE_include_directive : require
#include "ray.glsl"

layout(location = 0) rayPayloadInEXT Payload payload;

void main()
{
    payload.value += 1u;
}
