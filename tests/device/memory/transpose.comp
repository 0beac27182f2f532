// A matrix of 64 x 64 floats, transposed as one writes it first.
#version 460
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer From { float from[]; };
layout(binding = 1, std430) buffer To { float to[]; };

void main()
{
    const uint column = gl_LocalInvocationIndex;
    const uint row = gl_WorkGroupID.x;
    to[64 * column + row] = from[64 * row + column];
}
