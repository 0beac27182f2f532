// One block, for each of three control points: the patch stays one triangle.
#version 460

layout(vertices = 3) out;

void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter = float[](1, 1, 1, 1);
    gl_TessLevelInner = float[](1, 1);
}
