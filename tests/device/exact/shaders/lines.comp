#version 460
// Lines that count themselves: COUNT(n) adds one to the warp executions of place n, and to its lanes how many were
// there. It is an expression without branches and stands in the line that it counts. tests/device/exact/lines.c finds
// the lines by it.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 32) in;

layout(binding = 0) buffer Probes { uvec2 probes[]; };

#define FIRST (gl_SubgroupInvocationID == subgroupBallotFindLSB(subgroupBallot(true)))
#define COUNT(n) atomicAdd(probes[n].x, uint(FIRST)), atomicAdd(probes[n].y, 1u)

uint inner(uint value)
{
    COUNT(0), value = value * 5u + 1u;
    return COUNT(1), value ^ value >> 3;
}

// Inlined wherever it is called, with one more function in it.
uint twice(uint value)
{
    if ((COUNT(2), value) % 3u == 0u)
        return COUNT(3), inner(value) + 7u;
    COUNT(4), value = value / 2u + 3u;
    return COUNT(5), value * 2u;
}

bool odd(uint value)
{
    return (COUNT(6), value & 1u) == 1u;
}

void main()
{
    uint value = gl_GlobalInvocationID.x;
    uint sum = 0u;

    // The head of a loop: initialisation, condition and increment in one line.
    for (uint i = 0u; (COUNT(7), i) < value % 5u; ++i) {
        COUNT(8), sum += i * value;
        if ((COUNT(9), sum) % 7u == 3u)
            continue;
        COUNT(10), sum ^= value << i;
    }
    // Loops inside loops, and a while.
    for (uint i = 0u; (COUNT(11), i) < 3u; i += 1u + (value & 1u))
        for (uint j = i; (COUNT(12), j) < value % 4u; ++j)
            COUNT(13), sum += twice(i * j);
    uint left = value % 6u;
    while ((COUNT(14), left) > 0u) {
        COUNT(15), left -= 1u + left / 4u;
        sum += inner(left);
    }
    // Lines of several blocks.
    if ((COUNT(16), odd(value)) && odd(value >> 1) || odd(value >> 2))
        COUNT(17), sum += 11u;
    sum += (COUNT(18), odd(sum)) ? twice(value) : inner(sum);
    // Straight line: twice the same function, in two lines and in one.
    COUNT(19), sum += inner(value);
    COUNT(20), sum += inner(sum);
    COUNT(21), sum += inner(sum) * inner(value);
    // A statement of several lines, which comes back to the first.
    sum += (COUNT(22), value + sum) *
           (value - 3u) +
           value;
    // A loop that is unrolled.
    [[unroll]] for (uint i = 0u; i < 3u; ++i) {
        COUNT(23), sum += i * value;
        COUNT(24), sum ^= value >> i;
    }
    switch ((COUNT(25), value) & 3u) {
    case 0u: COUNT(26), sum += 1u; break;
    case 1u: COUNT(27), sum += twice(sum);
    default: COUNT(28), sum += 2u;
    }
    probes[31].x = sum;
}
