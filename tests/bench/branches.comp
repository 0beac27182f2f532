// A loop that does little but branch, by numbers that no two threads have alike: what instrumentation costs most in. With
// LEAVES some turns end early, and so do some loops.
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };

void main()
{
    uint x = gl_GlobalInvocationID.x * 747796405u + 1u;
    uint sum = 0u;
    for (uint i = 0u; i < 48u; i++) {
        x ^= x >> 15;
        x = x * 2891336453u + i;
        x ^= x >> 13;
        if ((x & 1u) != 0u) {
            sum += x;
        }
        if ((x & 6u) == 0u) {
            sum ^= x >> 3;
            if ((x & 8u) != 0u) {
                sum *= 3u;
            }
        } else {
            sum += i;
        }
#ifdef LEAVES
        if ((x & 0xf0u) == 0u) {
            continue;
        }
        sum = sum * 5u + 1u;
        if ((x & 0xff00u) == 0u) {
            break;
        }
#endif
    }
    data[gl_GlobalInvocationID.x & 4095u] = sum;
}
