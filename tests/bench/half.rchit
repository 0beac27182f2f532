// Some lanes do more.
#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT uint payload;
hitAttributeEXT vec2 barycentrics;

void main()
{
    uint value = gl_PrimitiveID + 1;
    if (barycentrics.x > 0.5)
        value *= 3;
    payload = value;
}
