#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "probe.glsl"

layout(location = 0) rayPayloadInEXT uint payload;

void main()
{
    probe(5u);
    payload = mix_bits(payload + 1u);
}
