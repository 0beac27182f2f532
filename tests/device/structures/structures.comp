// Eight rays of each thread along z, through one of three structures: by a descriptor each, by a device address that the thread chooses,
// by a function that is called with both, by one that is called with one, by an element of an array that the thread chooses, and by
// one that is a constant. Writes the distances of their hits.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(binding = 0, std430) buffer Distances { float distances[]; };
layout(binding = 1) uniform accelerationStructureEXT near_;
layout(binding = 2) uniform accelerationStructureEXT far_;
layout(binding = 3) uniform accelerationStructureEXT all[3];
layout(push_constant) uniform Push { uvec2 addresses[2]; };

#define START vec3(float(gl_GlobalInvocationID.x) * 0.001, 0.0, -1.0)

float finish(rayQueryEXT query)
{
    rayQueryProceedEXT(query);
    return rayQueryGetIntersectionTEXT(query, true);
}

float by_both(accelerationStructureEXT structure)
{
    rayQueryEXT query;
    rayQueryInitializeEXT(query, structure, gl_RayFlagsOpaqueEXT, 0xff, START, 0.0, vec3(0.0, 0.0, 1.0), 10.0);
    return finish(query);
}

float by_one(accelerationStructureEXT structure)
{
    rayQueryEXT query;
    rayQueryInitializeEXT(query, structure, gl_RayFlagsOpaqueEXT, 0xff, START, 0.0, vec3(0.0, 0.0, 1.0), 10.0);
    return finish(query);
}

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    rayQueryEXT query;
    rayQueryInitializeEXT(query, near_, gl_RayFlagsOpaqueEXT, 0xff, START, 0.0, vec3(0.0, 0.0, 1.0), 10.0);
    distances[8 * thread] = finish(query);
    rayQueryInitializeEXT(query, far_, gl_RayFlagsOpaqueEXT, 0xff, START, 0.0, vec3(0.0, 0.0, 1.0), 10.0);
    distances[8 * thread + 1] = finish(query);
    rayQueryInitializeEXT(query, accelerationStructureEXT(addresses[thread & 1u]), gl_RayFlagsOpaqueEXT, 0xff, START, 0.0,
                          vec3(0.0, 0.0, 1.0), 10.0);
    distances[8 * thread + 2] = finish(query);
    distances[8 * thread + 3] = by_both(near_);
    distances[8 * thread + 4] = by_both(far_);
    distances[8 * thread + 5] = by_one(far_);
    rayQueryInitializeEXT(query, all[nonuniformEXT(thread % 3u)], gl_RayFlagsOpaqueEXT, 0xff, START, 0.0, vec3(0.0, 0.0, 1.0), 10.0);
    distances[8 * thread + 6] = finish(query);
    rayQueryInitializeEXT(query, all[2], gl_RayFlagsOpaqueEXT, 0xff, START, 0.0, vec3(0.0, 0.0, 1.0), 10.0);
    distances[8 * thread + 7] = finish(query);
}
