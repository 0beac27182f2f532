// Loads of every layout that 32 bits have, by indices that only the running shader knows. layouts.py has the same, in the order
// of the code. Nothing is stored: the sum is never what would be.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 64) in;

struct Inner
{
    vec3 point;
    float weight;
    vec2 pairs[3];
};

struct Outer
{
    uint head;
    Inner inner[2];
    mat3x2 turn;
};

layout(binding = 0, std140) buffer Wide
{
    uint first;
    float numbers[7];
    mat2x3 columns[5];
    layout(row_major) mat2x3 rows[5];
    Outer outer[];
} wide;

layout(binding = 1, std430) buffer Tight
{
    uint first;
    float numbers[7];
    mat2x3 columns[5];
    layout(row_major) mat2x3 rows[5];
    Outer outer[];
} tight;

layout(binding = 2, scalar) buffer Packed
{
    uint first;
    vec3 points[9];
    Outer outer[];
} packed_;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Far
{
    uvec2 next;
    ivec4 quads[6];
    Inner inner[];
};

layout(push_constant) uniform Where { uvec2 far; };

void main()
{
    const uint t = gl_LocalInvocationIndex;
    const uint i = t % 5;
    float sum = wide.numbers[t % 7];
    sum += wide.columns[i][t & 1].z;
    sum += wide.columns[i][1].y;
    sum += wide.rows[i][t & 1][2];
    sum += dot(wide.columns[i][t & 1], vec3(1));
    sum += wide.outer[t].inner[t & 1].pairs[t % 3].y;
    sum += wide.outer[t].turn[t % 3].x;
    sum += tight.numbers[t % 7];
    sum += tight.columns[i][t & 1].z;
    sum += tight.rows[i][t & 1][2];
    sum += dot(tight.outer[t].inner[t & 1].point, vec3(1));
    sum += tight.outer[t].turn[t % 3].y;
    sum += dot(packed_.points[t % 9], vec3(1));
    sum += packed_.outer[t].inner[t & 1].weight;
    sum += packed_.outer[t].turn[t % 3].x;
    Far there = Far(far);
    sum += there.quads[t % 6].w;
    sum += dot(there.quads[t % 6], ivec4(1));
    sum += there.inner[t].pairs[t % 3].x;
    if (floatBitsToUint(sum) == 0x7fc12345)
        wide.first = 1;
}
