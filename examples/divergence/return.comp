// Early return: the upper half of the lanes leaves before the work begins.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    if (outside()) {
        return;
    }
    vec2 z = start();
    if (lane() >= gl_SubgroupSize / 2u) {
        paint(z, vec3(0.85, 0.55, 0.95));
        return; // block "left"
    }
    for (uint i = 0; i < steps; i++) {
        z = advance(z); // block "work"
    }
    paint(z, vec3(0.85, 0.55, 0.95));
}
