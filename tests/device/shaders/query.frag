// A ray along z for each pixel. Blocks: all pixels, and those whose ray hits.
#version 460
#extension GL_EXT_ray_query : require

layout(binding = 0) uniform accelerationStructureEXT structure;
layout(binding = 1) buffer Hits { uint hits; };
layout(location = 0) out vec4 color;

void main()
{
    rayQueryEXT query;
    color = vec4(1);
    rayQueryInitializeEXT(query, structure, gl_RayFlagsOpaqueEXT, 0xff, vec3(gl_FragCoord.xy, -1.0), 0.0,
                          vec3(0.0, 0.0, 1.0), 10.0);
    rayQueryProceedEXT(query);
    if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionTriangleEXT) {
        atomicAdd(hits, 1u);
    }
}
