// Small loops of known numbers of turns, which a compiler writes out, and then puts constants of several turns together. Each thread
// yields what they come to, as bits.
#version 460

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 1) buffer Factors
{
    float factors[];
};
layout(set = 0, binding = 2) buffer Results
{
    float results[][12];
};

float shrink(const float value, const uint i, const float bound)
{
    if (bound > 1.0) {
        return value * 0.7;
    }
    return value * 0.6 * float(i + 1) * 0.3;
}

void main()
{
    const uint t = gl_GlobalInvocationID.x;
    const float x = factors[t & 127];
    const float y = factors[t >> 5 & 127];
    float a[12];
    for (int k = 0; k < 12; k++) {
        a[k] = x * (1.1 + 0.07 * float(k));
    }
    for (uint i = 0; i < 4; i++) {
        a[0] = a[0] * 0.7 * float(i + 1) * 0.5;
    }
    for (uint i = 0; i < 5; i++) {
        a[1] = a[1] * 0.7 * float(i + 1) * 0.5;
        if ((t & 4) != 0) {
            a[2] = a[2] * 0.9 * float(i + 2) * 0.4;
        }
    }
    for (uint i = 0; i < 4; i++) {
        a[3] = shrink(a[3], i, y) * 0.9;
    }
    for (uint i = 0; i < 6; i++) {
        a[4] = a[4] * 0.7 * float(i + 1) * 0.5;
        if (a[4] > 1.2) {
            break;
        }
    }
    for (int i = 7; i > 0; i -= 2) {
        a[5] = a[5] * 0.8 * float(i) * 0.5;
        if (a[5] > 1.2) {
            continue;
        }
        a[5] *= 0.9;
    }
    for (uint i = 0; i < 3; i++) {
        a[6] = a[6] * 0.7 * float(i + 1) * 0.5;
        a[6] += textureLod(picture, vec2(a[6] * 0.9, y), 0.0).x;
    }
    uint turn = 0;
    do {
        a[7] = a[7] * y * 0.712;
        if ((t & 8) != 0) {
            a[8] = a[8] * 1.071 * float(turn + 2) * 0.4;
            a[7] = a[7] + a[8];
        }
        turn++;
    } while (turn < 8);
    for (uint i = 0; i < 10; i++) {
        a[9] = a[9] * factors[t + i & 127] * 0.83;
    }
    for (uint i = 0; i < 4; i++) {
        a[10] = (a[10] * 0.93 + 0.31) * 1.12;
        if (i > 1) {
            a[11] = a[11] * 1.3 * a[10] * 0.4;
        } else {
            a[11] = a[11] * 1.1 * 0.7;
        }
    }
    for (int k = 0; k < 12; k++) {
        results[t][k] = a[k];
    }
}
