// No divergence: every lane does the same work.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    if (outside()) {
        return;
    }
    vec2 z = start();
    for (uint i = 0; i < steps; i++) {
        z = advance(z); // block "work"
    }
    paint(z, vec3(0.95, 0.80, 0.45));
}
