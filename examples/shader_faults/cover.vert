// Two triangles over the whole picture.
#version 460

layout(location = 0) out vec2 place;

void main()
{
    place = vec2(gl_VertexIndex % 3 == 1 ? 2.0 : 0.0, gl_VertexIndex % 3 == 2 ? 2.0 : 0.0);
    gl_Position = vec4(place * 2.0 - 1.0, 0.5, 1.0);
}
