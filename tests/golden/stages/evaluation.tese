#version 460

layout(triangles) in;

void main()
{
    gl_Position = vec4(0);
    for (int i = 0; i < 3; i++) {
        if (gl_TessCoord[i] > 0.1) {
            gl_Position += gl_TessCoord[i] * gl_in[i].gl_Position;
        }
    }
}
