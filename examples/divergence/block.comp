// Divergence by blocks of lanes: every other block of `block` lanes works.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    if (outside()) {
        return;
    }
    vec2 z = start();
    if ((lane() / block & 1u) == 1u) {
        for (uint i = 0; i < steps; i++) {
            z = advance(z); // block "work"
        }
    }
    paint(z, vec3(0.95, 0.45, 0.35));
}
