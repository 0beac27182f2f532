#version 460
layout(local_size_x = 8) in;
layout(constant_id = 0) const uint FACTOR = 1;
layout(constant_id = 3) const uint OFFSET = 0;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
    uint id = gl_GlobalInvocationID.x;
    if ((id & 1) == 0)
        data[id] = id * FACTOR + OFFSET;
    else
        data[id] = id;
}
