// What both closest-hit shaders do with the surface that they found.
layout(constant_id = 0) const bool open = false;

layout(binding = BINDING_STRUCTURE) uniform accelerationStructureEXT structure;
layout(binding = BINDING_MATERIALS, std430) readonly buffer Materials { Material materials[]; };

layout(location = 0) rayPayloadInEXT Path path;
layout(location = 1) rayPayloadEXT bool lit;
layout(location = 0) callableDataEXT Scatter scatter;

// Light that falls on a surface from the lamp, or from the sun, times the cosine; none in shadow.
vec3 direct_light(vec3 position, vec3 normal, vec2 point)
{
    vec3 target = view.light_corner.xyz + point.x * view.light_u.xyz + point.y * view.light_v.xyz;
    vec3 direction = open ? normalize(target) : normalize(target - position);
    float distance = open ? 1e4 : length(target - position);
    float cosine = dot(normal, direction);
    float share = cosine; // of the light's radiance

    if (!open) {
        vec3 area = cross(view.light_u.xyz, view.light_v.xyz);
        share *= max(0.0, -dot(direction, area)) / (distance * distance);
    }
    if (cosine <= 0.0 || share <= 0.0) {
        return vec3(0.0);
    }
    lit = false;
    traceRayEXT(structure, gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT, 0xff, HIT_MESH,
                0, MISS_SHADOW, position, 1e-3, direction, distance - 2e-3, 1);
    return lit ? view.light.rgb * share : vec3(0.0);
}

vec3 colour_at(Material material, vec3 position)
{
    if (material.tile > 0.0) {
        ivec2 tile = ivec2(floor(position.xz / material.tile));
        return ((tile.x + tile.y) & 1) == 0 ? material.colour : material.colour2;
    }
    return material.colour;
}

// Answers the ray: `face` is the surface's own normal, `normal` the one to shade with.
void shade(vec3 face, vec3 normal, uint material_index)
{
    Material material = materials[material_index];
    vec3 position = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
    bool inside = dot(gl_WorldRayDirectionEXT, face) > 0.0;

    if (material.kind == MATERIAL_LIGHT) {
        path.radiance = path.sharp && !inside ? material.emission : vec3(0.0);
        path.done = true;
        return;
    }
    if (inside) {
        face = -face;
        normal = -normal;
    }
    scatter.incoming = gl_WorldRayDirectionEXT;
    scatter.roughness = material.roughness;
    scatter.normal = dot(normal, gl_WorldRayDirectionEXT) < 0.0 ? normal : face;
    scatter.inside = inside;
    scatter.colour = colour_at(material, position);
    scatter.point = draw(path.random);
    scatter.choice = draw(path.random).x;
    executeCallableEXT(kind_of(material.kind, position), 0);

    path.radiance = vec3(0.0);
    if (!scatter.sharp) {
        vec3 light = direct_light(position + 1e-3 * face, scatter.normal, draw(path.random));
        path.radiance = scatter.diffuse / pi * light;
    }
    path.done = false;
    path.sharp = scatter.sharp;
    path.weight = scatter.weight;
    path.direction = scatter.direction;
    path.origin = position + (dot(scatter.direction, face) < 0.0 ? -1e-3 : 1e-3) * face;
}
