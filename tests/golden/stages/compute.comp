#version 460

layout(local_size_x_id = 0) in;
layout(constant_id = 7) const int trips = 3;
layout(set = 0, binding = 0) buffer Values
{
    uint values[];
};

uint collatz(uint n)
{
    uint steps = 0;
    while (n > 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        if (++steps > 100u * trips) {
            return 0;
        }
    }
    return steps;
}

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i >= values.length()) {
        return;
    }
    uint value = values[i];
    do {
        value = collatz(value);
        barrier();
    } while (value > 10);
    values[i] = value;
}
