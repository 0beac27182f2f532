// The rays of walk.glsl, traced by ray queries. What a pipeline's shaders do is done here: cut-outs and balls.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_query : require
#include "common.glsl"
#include "surface.glsl"

layout(local_size_x = 8, local_size_y = 4) in;

layout(binding = BINDING_STRUCTURE) uniform accelerationStructureEXT structure;

Hit hit;

// What a pipeline's any-hit and intersection shaders would do with a candidate.
void consider(rayQueryEXT query, float tmin, float tmax)
{
    if (rayQueryGetIntersectionTypeEXT(query, false) == gl_RayQueryCandidateIntersectionTriangleEXT) {
        uint object = rayQueryGetIntersectionInstanceCustomIndexEXT(query, false) +
                      rayQueryGetIntersectionGeometryIndexEXT(query, false);
        COUNT_RUN(COUNT_ANY_HIT);
        if (objects[object].pattern == PATTERN_LEAF &&
            leaf_hole(rayQueryGetIntersectionPrimitiveIndexEXT(query, false),
                      rayQueryGetIntersectionBarycentricsEXT(query, false))) {
            COUNT_RUN(COUNT_IGNORED);
            return;
        }
        rayQueryConfirmIntersectionEXT(query);
        return;
    }
    // A pipeline's shader sees the range that is left, and so must this.
    bool found = rayQueryGetIntersectionTypeEXT(query, true) != gl_RayQueryCommittedIntersectionNoneEXT;
    float t = ball_distance(spheres[rayQueryGetIntersectionPrimitiveIndexEXT(query, false)],
                            rayQueryGetIntersectionObjectRayOriginEXT(query, false),
                            rayQueryGetIntersectionObjectRayDirectionEXT(query, false), tmin,
                            found ? rayQueryGetIntersectionTEXT(query, true) : tmax);
    COUNT_RUN(COUNT_INTERSECTION);
    COUNT_IF(COUNT_UNREPORTED, t < 0.0);
    if (t >= 0.0) {
        COUNT_RUN(COUNT_REPORTED);
        rayQueryGenerateIntersectionEXT(query, t);
    }
}

void find(vec3 origin, float tmin, vec3 direction, float tmax, uint flags)
{
    rayQueryEXT query;

    rayQueryInitializeEXT(query, structure, flags, 0xff, origin, tmin, direction, tmax);
    while (rayQueryProceedEXT(query)) {
        consider(query, tmin, tmax);
    }
    uint type = rayQueryGetIntersectionTypeEXT(query, true);
    hit.t = -1.0;
    if (type == gl_RayQueryCommittedIntersectionNoneEXT) {
        COUNT_RUN(COUNT_MISS);
        hit.colour = sky_colour(direction);
        return;
    }
    float t = rayQueryGetIntersectionTEXT(query, true);
    hit.t = t;
    if (flags != 0u) {
        return;
    }
    COUNT_RUN(COUNT_CLOSEST_HIT);
    uint custom = rayQueryGetIntersectionInstanceCustomIndexEXT(query, true);
    uint geometry = rayQueryGetIntersectionGeometryIndexEXT(query, true);
    uint primitive = rayQueryGetIntersectionPrimitiveIndexEXT(query, true);
    if (type == gl_RayQueryCommittedIntersectionTriangleEXT) {
        hit = triangle_hit(t, custom + geometry, primitive, rayQueryGetIntersectionWorldToObjectEXT(query, true));
        hit.facing = rayQueryGetIntersectionFrontFaceEXT(query, true) ? 0xfe : 0xff;
    } else {
        vec3 place = rayQueryGetIntersectionObjectRayOriginEXT(query, true) +
                     t * rayQueryGetIntersectionObjectRayDirectionEXT(query, true);
        vec4 ball = spheres[primitive];
        hit.normal = normalize((place - ball.xyz) / ball.w * mat3(rayQueryGetIntersectionWorldToObjectEXT(query, true)));
        hit.colour = ball_colour(primitive);
        hit.kind = KIND_DIFFUSE;
        hit.facing = 0;
    }
    hit.place = uvec4(rayQueryGetIntersectionInstanceIdEXT(query, true), custom, geometry, primitive);
}

#include "walk.glsl"

void main()
{
    uvec2 size = uvec2(imageSize(image));

    if (all(lessThan(gl_GlobalInvocationID.xy, size))) {
        walk(gl_GlobalInvocationID.xy, size);
    }
}
