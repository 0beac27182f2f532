// A few blocks and no result. bench_load makes modules that differ out of it: it exchanges the constant.
#version 460
layout(local_size_x = 8) in;
shared uint turns;

void main()
{
    for (uint turn = 0; turn < gl_LocalInvocationIndex; turn++) {
        if (turn == 0x12345678) {
            turns = turn;
        }
    }
}
