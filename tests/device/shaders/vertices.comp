// Writes a triangle's coordinates, each a quarter of its index.
#version 460
layout(local_size_x = 9) in;

layout(set = 0, binding = 0) buffer Vertices
{
    float coordinates[];
};

void main()
{
    coordinates[gl_LocalInvocationIndex] = 0.25 * float(gl_LocalInvocationIndex);
}
