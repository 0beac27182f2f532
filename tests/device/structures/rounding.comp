// Eight rays of each thread whose origins and directions are products of factors that a compiler may put together, but only where
// nothing else uses the product. Writes the distances of their hits.
#version 460
#extension GL_EXT_ray_query : require
layout(local_size_x = 64) in;
layout(binding = 0, std430) buffer Distances { float distances[]; };
layout(binding = 1) uniform accelerationStructureEXT near_;

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    for (uint i = 0; i < 8; i++) {
        rayQueryEXT query;
        const float factor = distances[8 * thread + i] + 2.0 + 0.0137 * float(i); // it holds 0
        const vec3 direction = vec3(float(thread) * 0.001, 0.0, 1.0 + 0.013 * float(thread + i)) * factor * 0.3;
        const vec3 origin = vec3(float(thread) * 0.001, 0.0, -1.0) * factor * 0.3;
        rayQueryInitializeEXT(query, near_, gl_RayFlagsOpaqueEXT, 0xff, origin, 0.0, direction, 10.0);
        rayQueryProceedEXT(query);
        distances[8 * thread + i] = rayQueryGetIntersectionTEXT(query, true);
    }
}
