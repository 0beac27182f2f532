#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT vec2 found;
hitAttributeEXT vec2 at;

void main()
{
    found += vec2(gl_HitTEXT, at.x);
}
