// Two bindings of one buffer: each thread loads a word by the first, changes it by the second, and loads it again.
#version 460
layout(local_size_x = 64) in;
layout(binding = 0, std430) volatile coherent buffer Loaded { uint loaded[]; };
layout(binding = 1, std430) volatile coherent buffer Stored { uint stored[]; };

void main()
{
    const uint t = gl_GlobalInvocationID.x;
    stored[t] = loaded[t] + 1;
    memoryBarrierBuffer();
    stored[1024 + t] = loaded[t];
}
