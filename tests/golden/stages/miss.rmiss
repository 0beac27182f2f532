#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT vec3 color;

void main()
{
    color = gl_WorldRayDirectionEXT.y > 0 ? vec3(1) : vec3(0);
}
