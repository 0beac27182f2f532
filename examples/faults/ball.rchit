// The nearest hit is a ball.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"
#include "surface.glsl"

layout(location = 0) rayPayloadInEXT Hit hit;
hitAttributeEXT vec3 ball_normal;

void main()
{
    COUNT_RUN(COUNT_CLOSEST_HIT);
    hit.t = gl_HitTEXT;
    hit.normal = normalize(ball_normal * mat3(gl_WorldToObjectEXT));
    hit.colour = ball_colour(gl_PrimitiveID);
    hit.kind = KIND_DIFFUSE;
    hit.facing = gl_HitKindEXT;
    hit.place = uvec4(gl_InstanceID, gl_InstanceCustomIndexEXT, gl_GeometryIndexEXT, gl_PrimitiveID);
}
