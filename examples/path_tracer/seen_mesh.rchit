// The nearest hit is a triangle: what will it be shaded by?
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "found.glsl"

layout(binding = BINDING_MATERIALS, std430) readonly buffer Materials { Material materials[]; };
layout(binding = BINDING_OBJECTS, std430) readonly buffer Objects { Object objects[]; };

layout(location = 2) rayPayloadInEXT Found found;

void main()
{
    Material material = materials[objects[gl_InstanceCustomIndexEXT + gl_GeometryIndexEXT].material];
    vec3 position = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
    uint callable = material.kind == MATERIAL_LIGHT ? 0u : 1u + kind_of(material.kind, position);

    found.key = 1u + group * KEYS_PER_GROUP + callable;
    found.t = gl_HitTEXT;
}
