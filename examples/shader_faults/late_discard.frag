// Light is worked out for the holes of a chess board, too.
#version 460

layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;

void main()
{
    uvec2 tile = uvec2(gl_FragCoord.xy) / 8u;
#ifdef REPAIRED
    if (((tile.x + tile.y) & 1u) == 1u) {
        discard;
    }
#endif
    vec3 light = vec3(place, 0.5);
    for (uint i = 0u; i < 10u; i++) {
        light = fract(light.yzx * 1.7 + light * light.zxy);
    }
#ifndef REPAIRED
    if (((tile.x + tile.y) & 1u) == 1u) {
        discard;
    }
#endif
    colour = vec4(light, 1.0);
}
