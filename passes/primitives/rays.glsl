// What the words of ray events are packed from (ray_events.h).
#version 460
#extension GL_GOOGLE_include_directive : require
#define WS_GLSL
#include "warpscope/ray_events.h"

// Of the operands of a trace: the bits of each that are used, in one word.
uint ws_ray_pack(const uint cull_mask, const uint offset, const uint stride, const uint miss)
{
    return WS_RAY_PACK(cull_mask, offset, stride, miss);
}

uint ws_ray_report(const uint kind, const uint accepted)
{
    return kind & 0xff | accepted << 31;
}

// Where it is not known whether it was accepted.
uint ws_ray_report_open(const uint kind)
{
    return kind & 0xff | 1u << 30;
}

// Element `index` of an array whose variable has this id.
uint ws_query_key(const uint variable, const uint index)
{
    return variable | index << 24;
}

void main()
{
}
