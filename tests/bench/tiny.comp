// One block, one warp.
#version 460
layout(local_size_x = 8) in;

void main()
{
}
