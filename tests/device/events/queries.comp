// A query step by step: it takes boxes, and of triangles those of some columns, where it may end.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 16) in;
#include "log.glsl"
#include "queries.glsl"

void main()
{
    rayQueryEXT single;
    const uint column = thread() % 8;
    log_initialize(SINGLE, 20, gl_RayFlagsNoneEXT, 0xff);
    rayQueryInitializeEXT(single, scene, gl_RayFlagsNoneEXT, 0xff, origin(), 0.25, vec3(0, 0, -1), 20);
    bool proceeded = true;
    while (proceeded) {
        proceeded = rayQueryProceedEXT(single);
        LOG_PROCEED(SINGLE, single, proceeded)
        if (proceeded && rayQueryGetIntersectionTypeEXT(single, false) == 1) {
            const float t = 9 + 0.125 * column;
            const uint at = log_event(GENERATE, 2);
            log_words[at] = SINGLE;
            log_words[at + 1] = floatBitsToUint(t);
            rayQueryGenerateIntersectionEXT(single, t);
        } else if (proceeded && column % 3 != 0) {
            log_key(CONFIRM, SINGLE);
            rayQueryConfirmIntersectionEXT(single);
            if (column % 3 == 1) {
                log_key(TERMINATE_QUERY, SINGLE);
                rayQueryTerminateEXT(single);
            }
        }
    }
}
