// Queries in an array, and handed to functions. Rays of rows 0 and 1 alone, so that what each query has is known and
// little is to be compiled.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 16) in;
#include "log.glsl"
#include "queries.glsl"

#define LOG_TRIANGLE(key, state, query, committed)                                                           \
    {                                                                                                        \
        const uint at = log_event(PROCEED, 9);                                                               \
        log_words[at] = key;                                                                                 \
        log_words[at + 1] = state;                                                                           \
        DISTANCE(query, committed)                                                                           \
        HIT_WORDS(query, committed)                                                                          \
        TRIANGLE(query, committed)                                                                           \
    }

rayQueryEXT outer;

// Called with `third` and with `outer`.
void step(rayQueryEXT query)
{
    rayQueryProceedEXT(query);
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
    rayQueryProceedEXT(queries[index]);
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
    LOG_TRIANGLE(SEVERAL | index << 24, 1, several[index], true)

    // Ends before the quad.
    log_initialize(OUTER, 9.5, gl_RayFlagsCullBackFacingTrianglesEXT, 0xff);
    rayQueryInitializeEXT(outer, scene, gl_RayFlagsCullBackFacingTrianglesEXT, 0xff, origin(), 0.25, direction, 9.5);
    step(outer);
    log_words[log_event(PROCEED, 9)] = UNKNOWN;
    end(outer);

    log_initialize(THIRD, 15, gl_RayFlagsNoOpaqueEXT, 0xff);
    rayQueryInitializeEXT(third, scene, gl_RayFlagsNoOpaqueEXT, 0xff, origin(), 0.25, direction, 15);
    step(third);
    LOG_TRIANGLE(UNKNOWN, 0x100, third, false)
}
