// Declares no hit attributes; what they are for triangles follows from where the ray hits the quad of rows 0 and 1.
#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
#define RAYS
#define HIT
#include "log.glsl"

layout(location = 0) rayPayloadInEXT uint payload;
layout(location = 2) rayPayloadEXT uint shadow;

void main()
{
    const vec2 at = gl_WorldRayOriginEXT.xy / vec2(8, 2);
    const vec2 weights = gl_PrimitiveID == 0 ? at : 1 - at.yx;
    const bool is_triangle = gl_HitKindEXT >= 0xfe;
    log_hit(CLOSEST_HIT | NEARLY, is_triangle ? floatBitsToUint(weights.x) : 0,
            is_triangle ? floatBitsToUint(weights.y) : 0);
    if (is_triangle && gl_LaunchIDEXT.x < 4) {
        const vec3 origin = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
        const uint flags = gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT;
        shadow = 0x300 + thread(); // events.c compares it
        log_ray(TRACE, 10, origin, vec3(0, 0, -1), 0.5, 3, flags, 0x81 | 1 << 8 | 2 << 12 | 1 << 16);
        traceRayEXT(scene, flags, 0x81, 1, 2, 1, origin, 0.5, vec3(0, 0, -1), 3, 2);
        log_word(RETURN);
    }
    payload = 1;
}
