// Traces again: even lanes until one trace is under way, odd ones until there are three, and then a ray that
// meets nothing.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ray.glsl"

layout(location = 0) rayPayloadInEXT Payload payload;

void main()
{
    uint mask = 0u;
    payload.value += 10000u;
    if (payload.depth < 1u + 2u * (LANE & 1u)) {
        mask = 1u << BAND;
    }
    payload.depth += 1u;
    traceRayEXT(structure, gl_RayFlagsNoneEXT, mask, 0, 0, 0, ORIGIN, 0.0, along, 10.0, 0);
}
