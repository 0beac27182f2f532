// Writes where it is.
#version 460

layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0, std430) buffer Words
{
    uint words[];
};

void main()
{
    const uvec3 id = gl_GlobalInvocationID;
    words[(id.z * 32 + id.y) * 64 + id.x] = gl_WorkGroupID.x * 100 + gl_NumWorkGroups.x; // OpIMul
}
