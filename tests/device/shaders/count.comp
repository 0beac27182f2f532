// One block: a dispatch of n groups runs it n * local size times.
#version 460
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

void main()
{
}
