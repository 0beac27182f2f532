#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT vec3 color;
layout(location = 1) rayPayloadEXT float shadow;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
hitAttributeEXT vec2 uv;

void main()
{
    color = vec3(uv, 0);
    if (uv.x < 0.5) {
        traceRayEXT(scene, gl_RayFlagsTerminateOnFirstHitEXT, 255u, 0, 0, 1, vec3(0), 0.01, vec3(0, 1, 0), gl_HitTEXT, 1);
        color *= shadow;
    }
}
