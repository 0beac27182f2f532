// A ray that only looks, and leaves the scene.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "found.glsl"

layout(location = 2) rayPayloadInEXT Found found;

void main()
{
    found.key = 0u;
}
