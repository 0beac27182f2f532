// The product of two matrices of 64 x 64 floats, as one writes it first.
#version 460
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { float a[]; };
layout(binding = 1, std430) readonly buffer B { float b[]; };
layout(binding = 2, std430) buffer C { float c[]; };

void main()
{
    const uint column = gl_LocalInvocationIndex;
    const uint row = gl_WorkGroupID.x;
    float sum = 0;
    for (uint k = 0; k < 64; k++)
        sum += a[64 * row + k] * b[64 * k + column];
    c[64 * row + column] = sum;
}
