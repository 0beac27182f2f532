// Rays that end here have nothing to tell.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"

void main()
{
    COUNT_RUN(COUNT_EMPTY);
}
