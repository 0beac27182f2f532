// Loops of an unsigned number that goes down to a constant, with a second exit that counts to a constant. Mesa 25.0 writes them
// out right as long as nothing stands between the two tests. Each thread yields what it came to, as whole numbers.
#version 460

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 1) buffer Factors
{
    uint factors[];
};
layout(set = 0, binding = 2) buffer Results
{
    uint results[][12];
};

uint mixed(uint x)
{
    x = x * 229 + 759;
    x ^= x >> 7;
    x = x * 1213 + 806;
    return x ^ x >> 7;
}

uint down_or_out(uint x)
{
    uint turns = 0;
    for (uint i = 5; i > 0; i--) {
        if (turns++ > 40) {
            return x;
        }
        x = mixed(x);
    }
    return x;
}

void main()
{
    const uint t = gl_GlobalInvocationID.x;
    for (uint k = 0; k < 12; k++) {
        results[t][k] = 0;
    }
    uint x = t * 747796405u + factors[t & 127];
    uint turns = 0;
    for (uint i = 5; i > 0; i--) {
        if (turns++ > 40) {
            break;
        }
        x = mixed(x);
    }
    results[t][0] = x;
    turns = 0;
    for (uint i = 8; i >= 3; i--) {
        if (turns++ > 30) {
            break;
        }
        x = mixed(x);
    }
    results[t][1] = x;
    results[t][2] = down_or_out(x);
    turns = 0;
    for (uint i = 10; 0 < i; i -= 2) {
        if (turns++ > 20) {
            break;
        }
        if ((x & 4) != 0) {
            x = mixed(x);
        }
    }
    results[t][3] = x;
}
