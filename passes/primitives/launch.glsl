// Launch rows: which sizes the subgroups of a launch had, and how large the launch was. See "launch row" in root.h.
//
// Compiled once more per kind of launch that has a size: WS_LAUNCH_RAYGEN, WS_LAUNCH_COMPUTE.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#ifdef WS_LAUNCH_RAYGEN
#extension GL_EXT_ray_tracing : require
#endif
#include "lanes.glsl"
#include "rows.glsl"
#include "launch_size.glsl"

void ws_launch_warp(const uint row)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        const bool wanted = (rows.x | rows.y) != 0;
        if (COUNTS && wanted) {
            write_launch(rows, row, gl_SubgroupSize);
        }
    }
}

void main()
{
}
