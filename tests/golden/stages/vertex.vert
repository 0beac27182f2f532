#version 460

layout(location = 0) in vec3 position;
layout(location = 0) flat out int parity;

void main()
{
    parity = gl_VertexIndex % 2;
    gl_Position = parity == 0 ? vec4(position, 1) : vec4(-position, 1);
}
