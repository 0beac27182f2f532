// Lanes that become helper lanes: in straight-line code, in a loop, in functions and in functions that these call.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_demote_to_helper_invocation : require
#define DEMOTES
#include "probe.glsl"

layout(location = 0) out vec4 colour;

void leave(uint h)
{
    probe(0u);
    if ((h & 7u) == 7u) {
        probe(1u);
        demote;
        probe(2u);
    }
    probe(3u);
}

void leave_deeper(uint h)
{
    leave(h);
    probe(4u);
    leave(h >> 3);
    probe(5u);
}

void main()
{
    const uint h = mix_bits(uint(gl_FragCoord.x) * 64u + uint(gl_FragCoord.y));
    probe(6u);
    leave(h);
    probe(7u);
    leave_deeper(h >> 3);
    probe(8u);
    for (uint i = 0u; i < (h >> 9 & 3u); i++) {
        probe(9u);
        leave(h >> (10u + i));
        probe(10u);
    }
    probe(11u);
    if ((h >> 16 & 1u) == 0u) {
        probe(12u);
        demote;
        probe(13u);
    }
    probe(14u);
    colour = vec4(dFdx(float(h & 255u)));
    probe(15u);
}
