// A loop that runs as often as the lane's number says: lane 0 never, the last lane longest.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    if (outside()) {
        return;
    }
    vec2 z = start();
    for (uint i = 0; i < lane(); i++) {
        z = advance(z); // block "work"
    }
    paint(z, vec3(0.55, 0.90, 0.50));
}
