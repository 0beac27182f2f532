// Functions that discard, called from straight-line code, from a loop, from both sides of a branch, and through others.
#version 460
#extension GL_GOOGLE_include_directive : require
#define FRAGMENT
#include "probe.glsl"

layout(location = 0) out vec4 colour;

void clip(uint h)
{
    probe(0u);
    if ((h & 7u) == 7u) {
        probe(1u);
        discard;
    }
    probe(2u);
}

void clip_deeper(uint h)
{
    probe(3u);
    clip(h >> 3);
    probe(4u);
    clip(h >> 6);
    probe(5u);
}

uint plain(uint h)
{
    probe(6u);
    return (h & 1u) == 0u ? h * 3u : h >> 1;
}

void always()
{
    probe(7u);
    discard;
}

void main()
{
    const uint h = mix_bits(uint(gl_FragCoord.x) * 64u + uint(gl_FragCoord.y));
    probe(8u);
    uint sum = plain(h);
    probe(9u);
    clip(h);
    probe(10u);
    clip_deeper(h);
    probe(11u);
    for (uint i = 0u; i < (h >> 9 & 3u); i++) {
        probe(12u);
        clip(h >> (10u + i));
        probe(13u);
        if ((h >> i & 3u) == 0u) {
            probe(14u);
            continue;
        }
        clip_deeper(h >> (12u + i));
        probe(15u);
        sum += plain(h + i);
    }
    probe(16u);
    if ((h >> 20 & 1u) == 0u) {
        probe(17u);
        clip(h >> 21);
        probe(18u);
    } else {
        probe(19u);
        clip(h >> 22);
        clip(h >> 25);
        probe(20u);
    }
    probe(21u);
    if ((h >> 28 & 3u) == 0u) {
        probe(22u);
        always();
        probe(23u);
    }
    probe(24u);
    colour = vec4(float(sum & 255u) / 255.0);
}
