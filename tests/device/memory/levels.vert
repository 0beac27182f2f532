// One triangle over the whole target, which is a sixteenth of the viewport: so nothing is clipped, and it stays one.
#version 460

void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 1.0 : -1.0, gl_VertexIndex == 2 ? 1.0 : -1.0, 0.0, 1.0);
}
