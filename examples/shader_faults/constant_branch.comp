// A mode that nobody chooses is asked for in every turn.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

#ifdef REPAIRED
layout(constant_id = 1) const uint chosen = 0u;
#else
#define chosen mode
#endif

void main()
{
    uint pixel = pixel_of(gl_GlobalInvocationID.x);
    vec2 z = start(pixel);
    for (uint i = 0u; i < 12u; i++) {
        if (chosen == 3u) {
            z = fract(z * 7.0) + sin(z.yx);
        }
        z = advance(z);
    }
    paint(pixel, z);
}
