#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
#include "handed.glsl"

layout(location = 0) rayPayloadInEXT Handed handed;

void main()
{
    if ((handed.kind & 1u) != 0u) {
        handed.sum = work(handed.seed, 10u);
    }
}
