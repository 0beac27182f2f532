// The nearest hit is a triangle: of the mesh, of the room or of the pierced screen.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "surface.glsl"

layout(binding = BINDING_POSITIONS, std430) readonly buffer Positions { float positions[]; };
layout(binding = BINDING_NORMALS, std430) readonly buffer Normals { float normals[]; };
layout(binding = BINDING_INDICES, std430) readonly buffer Indices { uint indices[]; };
layout(binding = BINDING_OBJECTS, std430) readonly buffer Objects { Object objects[]; };

hitAttributeEXT vec2 barycentrics;

vec3 position_of(uint vertex)
{
    return vec3(positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]);
}

vec3 normal_of(uint vertex)
{
    return vec3(normals[3 * vertex], normals[3 * vertex + 1], normals[3 * vertex + 2]);
}

void main()
{
    COUNT_RUN(COUNT_CLOSEST_HIT_MESH);
    Object object = objects[gl_InstanceCustomIndexEXT + gl_GeometryIndexEXT];
    uint first = object.first_index + 3u * gl_PrimitiveID;
    uvec3 vertices = object.first_vertex + uvec3(indices[first], indices[first + 1u], indices[first + 2u]);
    vec3 a = position_of(vertices.x);
    vec3 face = cross(position_of(vertices.y) - a, position_of(vertices.z) - a);
    vec3 normal = normal_of(vertices.x) * (1.0 - barycentrics.x - barycentrics.y) +
                  normal_of(vertices.y) * barycentrics.x + normal_of(vertices.z) * barycentrics.y;

    // Normals go through the transposed inverse.
    shade(normalize(face * mat3(gl_WorldToObjectEXT)), normalize(normal * mat3(gl_WorldToObjectEXT)),
          object.material);
}
