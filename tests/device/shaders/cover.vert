// A triangle over the whole viewport.
#version 460

void main()
{
    gl_Position = vec4(4 * (gl_VertexIndex & 1) - 1, 4 * (gl_VertexIndex >> 1) - 1, 0, 1);
}
