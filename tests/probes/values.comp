// 3 workgroups of 20 threads, each with values that follow from its id t. tests/device/probe_yields.c knows them.
#version 460
layout(local_size_x = 20) in;

uint scaled(uint t)
{
    if (t == 13) {
        return 0; // of a function, within no loop
    }
    return t * 2654435761u; // OpIMul, uint
}

void main()
{
    const uint t = gl_GlobalInvocationID.x;
    const uint bits = scaled(t);
    const float f = uintBitsToFloat(bits); // OpBitcast, float
    const int i = int(bits);               // OpBitcast, int
    uint sum = 0;
    for (uint outer = 0; outer < t % 4; outer++) {
        for (uint inner = 0; inner < 9; inner++) {
            if (inner == t % 3) {
                break;
            }
            sum += inner;
        }
    }
    do {
        sum++;
        if (sum > 1000 && t == 1000) {
            return;
        }
    } while (sum < 3);
    vec3 v = vec3(f, float(t), float(sum)) + vec3(1.0, 0.5, 0.25); // OpFAdd, vec3
    if (v.y == 4.5) {
        for (;;) {
            if (i != 5) {
                return; // out of a loop: thread 4
            }
        }
    }
}
