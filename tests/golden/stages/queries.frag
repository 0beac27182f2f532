// Ray queries of every kind of storage, handed to functions, and in a fragment shader.
#version 460
#extension GL_EXT_ray_query : require

layout(binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) in vec3 position;
layout(location = 0) out vec4 colour;

rayQueryEXT outer;

bool walk(rayQueryEXT query)
{
    while (rayQueryProceedEXT(query)) {
        if (rayQueryGetIntersectionTypeEXT(query, false) == 0) {
            rayQueryConfirmIntersectionEXT(query);
        } else {
            rayQueryGenerateIntersectionEXT(query, 2.0);
            rayQueryTerminateEXT(query);
        }
    }
    return rayQueryGetIntersectionTypeEXT(query, true) != 0;
}

bool walk_one(rayQueryEXT queries[3], const int index)
{
    return rayQueryProceedEXT(queries[index]);
}

void main()
{
    rayQueryEXT inner;
    rayQueryEXT several[3];
    const int index = int(position.x) % 3;
    rayQueryInitializeEXT(outer, scene, 0, 0xff, position, 0.0, vec3(0, 0, -1), 10.0);
    rayQueryInitializeEXT(inner, scene, 0, 0xff, position, 0.0, vec3(0, 1, 0), 10.0);
    rayQueryInitializeEXT(several[index], scene, 0, 0xff, position, 0.0, vec3(1, 0, 0), 10.0);
    if (!walk(outer)) {
        discard;
    }
    colour = vec4(walk(inner), walk_one(several, index), rayQueryProceedEXT(several[2]), 1);
}
