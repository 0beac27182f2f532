// Queries in an array, and handed to functions.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 16) in;
#include "log.glsl"
#include "queries.glsl"

rayQueryEXT outer;

// Called with `third` and with `outer`.
void step(rayQueryEXT query)
{
    const bool proceeded = rayQueryProceedEXT(query);
    LOG_PROCEED(UNKNOWN, query, proceeded)
}

// Called with `outer` alone.
void end(rayQueryEXT query)
{
    log_key(TERMINATE_QUERY, OUTER);
    rayQueryTerminateEXT(query);
}

// Called with `several` alone.
void step_one(rayQueryEXT queries[3], const uint index)
{
    const bool proceeded = rayQueryProceedEXT(queries[index]);
    LOG_PROCEED(SEVERAL | index << 24, queries[index], proceeded)
}

void main()
{
    rayQueryEXT several[3];
    rayQueryEXT third;
    const vec3 direction = vec3(0, 0, -1);
    const uint index = thread() % 3;
    log_initialize(SEVERAL | index << 24, 15, gl_RayFlagsOpaqueEXT, 0x3f);
    rayQueryInitializeEXT(several[index], scene, gl_RayFlagsOpaqueEXT, 0x3f, origin(), 0.25, direction, 15);
    step_one(several, index);

    log_initialize(OUTER, 9.5, gl_RayFlagsCullBackFacingTrianglesEXT, 0xff);
    rayQueryInitializeEXT(outer, scene, gl_RayFlagsCullBackFacingTrianglesEXT, 0xff, origin(), 0.25, direction, 9.5);
    step(outer);
    end(outer);

    log_initialize(THIRD, 15, gl_RayFlagsNoOpaqueEXT, 0xff);
    rayQueryInitializeEXT(third, scene, gl_RayFlagsNoOpaqueEXT, 0xff, origin(), 0.25, direction, 15);
    step(third);
}
