// A ray along z for each thread of a row. Blocks: all threads, and those whose ray hits.
#version 460
#extension GL_EXT_ray_query : require

layout(local_size_x = 64) in;
layout(binding = 0) uniform accelerationStructureEXT structure;
layout(binding = 1) buffer Hits { uint hits; };

void main()
{
    rayQueryEXT query;
    rayQueryInitializeEXT(query, structure, gl_RayFlagsOpaqueEXT, 0xff,
                          vec3(gl_GlobalInvocationID.x + 0.5, gl_WorkGroupID.y + 0.5, -1.0), 0.0, vec3(0.0, 0.0, 1.0), 10.0);
    rayQueryProceedEXT(query);
    if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionTriangleEXT) {
        atomicAdd(hits, 1u);
    }
}
