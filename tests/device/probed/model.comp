// The Vulkan memory model; with DEVICE the scope of the device too, which is a feature of its own.
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#ifdef DEVICE
#define SCOPE gl_ScopeDevice
#else
#define SCOPE gl_ScopeQueueFamily
#endif

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Words
{
    uint words[];
};
shared uint most;

void main()
{
    const uint id = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationIndex == 0) {
        most = 0;
    }
    barrier();
    const uint tripled = id * 3; // OpIMul
    atomicMax(most, tripled, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelaxed);
    atomicAdd(words[192], 1, SCOPE, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
    barrier();
    words[id] = most + id;
}
