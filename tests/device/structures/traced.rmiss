#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT vec2 found;

void main()
{
    found -= vec2(1.0);
}
