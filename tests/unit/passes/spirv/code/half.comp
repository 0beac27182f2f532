// Doubles every other value. The test knows its lines by number.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint values[]; };

uint twice(uint x)
{
    return x * 2u;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i % 2u == 0u)
        values[i] = twice(i);
    else
        values[i] = 1u;
}
