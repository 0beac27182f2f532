// Every compute test: one thread, one word of results. Workgroups are as large as constant 0 says.
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint choice = 0u;

layout(binding = 0) buffer Results { uint results[]; };

// What is expected is said by lanes, so lanes decide, and not threads. No functions: each would be a block
// of its own.
#define LANE gl_SubgroupInvocationID
#define THREAD gl_GlobalInvocationID.x
