// The nearest hit is a triangle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"
#include "surface.glsl"

layout(location = 0) rayPayloadInEXT Hit hit;

void main()
{
    COUNT_RUN(COUNT_CLOSEST_HIT);
    hit = triangle_hit(gl_HitTEXT, gl_InstanceCustomIndexEXT + gl_GeometryIndexEXT, gl_PrimitiveID,
                       gl_WorldToObjectEXT);
    hit.facing = gl_HitKindEXT;
    hit.place = uvec4(gl_InstanceID, gl_InstanceCustomIndexEXT, gl_GeometryIndexEXT, gl_PrimitiveID);
}
