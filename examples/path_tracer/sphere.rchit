// The nearest hit is a sphere.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "surface.glsl"

layout(binding = BINDING_SPHERES, std430) readonly buffer Spheres { Sphere spheres[]; };

hitAttributeEXT vec3 sphere_normal;

void main()
{
    COUNT_RUN(COUNT_CLOSEST_HIT_SPHERE);
    vec3 normal = normalize(sphere_normal * mat3(gl_WorldToObjectEXT));
    shade(normal, normal, spheres[gl_PrimitiveID].material);
}
