// Sampled counters (root.h, SAMPLING): whether this warp runs the instrumented body of its entry point, and in which group
// it counts. Compiled once per family of stages, WS_SAMPLE_*; of fragment stages also per kind of lanes.
//
// What is drawn is a thread's place in the launch, or a workgroup's, and not a time: the same run draws the same warps.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#ifdef WS_SAMPLE_RAY
#extension GL_EXT_ray_tracing : require
#endif
#include "lanes.glsl"
#include "rows.glsl"

#if defined(WS_SAMPLE_RAY)
uint place()
{
    const uvec3 id = gl_LaunchIDEXT;
    const uvec3 size = gl_LaunchSizeEXT;
    return (id.z * size.y + id.y) * size.x + id.x;
}
#elif defined(WS_SAMPLE_COMPUTE)
uint place()
{
    const uvec3 id = gl_WorkGroupID;
    const uvec3 size = gl_NumWorkGroups;
    return (id.z * size.y + id.y) * size.x + id.x;
}
#elif defined(WS_SAMPLE_VERTEX)
// 2^32 by the golden ratio: instances begin far from each other.
uint place()
{
    return uint(gl_VertexIndex) + 0x9e3779b9 * uint(gl_InstanceIndex);
}
#elif defined(WS_SAMPLE_GEOMETRY)
layout(points) in;
layout(points, max_vertices = 1) out;
uint place()
{
    return uint(gl_PrimitiveIDIn);
}
#elif defined(WS_SAMPLE_TESS_CONTROL)
layout(vertices = 1) out;
uint place()
{
    return uint(gl_PrimitiveID);
}
#elif defined(WS_SAMPLE_TESS_EVALUATION)
layout(triangles) in;
uint place()
{
    return uint(gl_PrimitiveID);
}
#elif defined(WS_SAMPLE_FRAGMENT)
uint place()
{
    const uvec2 pixel = uvec2(gl_FragCoord.xy);
    return pixel.x | pixel.y << 16;
}
#endif

// The same places are drawn of launches of all sizes: those whose bits begin with enough zeros. So what is wrong with one is wrong with
// all of them, and adds up. Where places were mixed as they are, launches of 32 to 4096 workgroups had 15 % too few, of which the first
// was always drawn. With this added, the best of 1500 that were tried, it is 2 % at most (tests/device/sampled.py).
#define FIRST_PLACE 0xbf49a64fu

// The finalizer of MurmurHash3: each bit of the result depends on all of `bits`, so neighbours are drawn independently.
uint mix_bits(uint bits)
{
    bits += FIRST_PLACE;
    bits = (bits ^ bits >> 16) * 0x85ebca6b;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35;
    return bits ^ bits >> 16;
}

// Of the 64 bits of drawn * one_in, the upper ones are 0 for one number in one_in, and the lower ones are spread evenly then: their
// first bits are the group. A software device divides lane by lane: so drawing took longer than ten turns of a small loop.
uint draw_group(const uint drawn, const uint one_in, out bool counted)
{
    uint high, low, group, rest;
    umulExtended(drawn, one_in, high, low);
    umulExtended(low, WS_SAMPLE_GROUPS, group, rest);
    counted = high == 0;
    return group;
}

#ifdef WS_SAMPLE_COMPUTE
uint product(const uint left, const uint right)
{
    uint high, low;
    umulExtended(left, right, high, low);
    return high != 0 ? WS_SAMPLE_WORKGROUPS : min(low, WS_SAMPLE_WORKGROUPS);
}

// Whole workgroups are drawn, so that all their warps come to the same barriers. ws_sample_one_in (root.h) says the same
// to the host.
uint ws_sample(const uint most)
{
    if (HAS_ROOT) {
        const uvec3 size = gl_NumWorkGroups;
        const uint count = product(product(size.x, size.y), size.z);
        const uint one_in = clamp(count / WS_SAMPLE_LEAST, 1u, most);
        bool counted;
        ws_group = draw_group(mix_bits(place()), one_in, counted);
        return uint(counted);
    }
    return 0;
}
#else
bool any_lane(const bool value)
{
    return subgroupBallotBitCount(subgroupBallot(value)) != 0;
}

// The lowest lane that counts draws for its warp, so that all lanes run the same body.
uint ws_sample(const uint one_in)
{
    if (HAS_ROOT) {
        bool counted;
        const uint group = draw_group(mix_bits(place()), one_in, counted);
        const bool draws = COUNTS && subgroupBallotExclusiveBitCount(subgroupBallot(COUNTS)) == 0;
        ws_group = uint(any_lane(draws && (group & 1) != 0)) | uint(any_lane(draws && (group & 2) != 0)) << 1 |
                   uint(any_lane(draws && (group & 4) != 0)) << 2;
        return uint(any_lane(draws && counted));
    }
    return 0;
}
#endif

#ifndef WS_SAMPLE_COMPUTE
// Where there are no subgroup operations each thread is a warp.
uint ws_sample_thread(const uint one_in)
{
    if (HAS_ROOT) {
        bool counted;
        ws_group = draw_group(mix_bits(place()), one_in, counted);
        return uint(counted);
    }
    return 0;
}
#endif

void main()
{
}
