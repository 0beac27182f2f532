// A switch in a switch, with a case that falls through into the next.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

void main()
{
    if (outside()) {
        return;
    }
    vec2 z = start();
    switch (lane() & 3u) {
    case 0u:
        z = advance(z); // block "first"
    case 1u:
        z = advance(advance(z)); // block "second", which the first falls into
        break;
    case 2u:
        switch (lane() >> 2u & 1u) {
        case 0u:
            z = z.yx; // block "even"
            break;
        default:
            z = -advance(z); // block "odd"
            break;
        }
        break;
    default:
        break;
    }
    paint(z, vec3(0.95, 0.65, 0.75));
}
