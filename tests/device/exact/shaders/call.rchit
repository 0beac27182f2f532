// Even and odd lanes call different shaders.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ray.glsl"

layout(location = 0) rayPayloadInEXT Payload payload;
layout(location = 0) callableDataEXT uint answer;

void main()
{
    answer = 0u;
    executeCallableEXT(LANE & 1u, 0);
    payload.value += answer;
}
