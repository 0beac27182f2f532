// Launch rows where there are no subgroup operations: every thread is a warp of one.
#version 460
#extension GL_GOOGLE_include_directive : require
#ifdef WS_LAUNCH_RAYGEN
#extension GL_EXT_ray_tracing : require
#endif
#include "lanes.glsl"
#include "rows.glsl"
#include "launch_size.glsl"

void ws_launch_thread(const uint row)
{
    if (HAS_ROOT) {
        const uvec2 rows = ws_rows;
        const bool wanted = (rows.x | rows.y) != 0;
        if (COUNTS && wanted) {
            write_launch(rows, row, 1);
        }
    }
}

void main()
{
}
