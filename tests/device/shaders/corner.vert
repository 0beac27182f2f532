// A triangle in the corner of a target of 16 x 16: pixels with x + y <= 9.
#version 460

void main()
{
    const vec2 corner = vec2(gl_VertexIndex == 1, gl_VertexIndex == 2) * 10.5;
    gl_Position = vec4(corner / 8 - 1, 0, 1);
}
