// A camera's ray and, from what it hits, one ray to the sun or to a round lamp, through SHADOW_STRUCTURE.
layout(constant_id = CONSTANT_SHADOW_FLAGS) const uint shadow_flags = 0;
layout(constant_id = CONSTANT_SHADOW_MASK) const uint shadow_mask = 0xff;
layout(constant_id = CONSTANT_SHADOW_OFFSET) const uint shadow_offset = 0;
layout(constant_id = CONSTANT_CHECK_RANGE) const bool check_range = true;

layout(binding = BINDING_STRUCTURE) uniform accelerationStructureEXT structure;
layout(binding = BINDING_SECOND) uniform accelerationStructureEXT second_structure;
layout(binding = BINDING_IMAGE, rgba8) uniform writeonly image2D image;

layout(location = 0) rayPayloadEXT Hit hit;
layout(location = 1) rayPayloadEXT Hit shadow;

const float tmin = 1e-3;

// The share of the light that comes to `position`.
float light_at(vec3 position, vec3 normal)
{
    bool sun = view.light.w == 0.0;
    vec3 to_light = sun ? view.light.xyz : view.light.xyz - position;
    vec3 direction = normalize(to_light);
    float tmax = sun ? 100.0 : max(tmin, length(to_light) - view.light.w);
    float cosine = dot(normal, direction);

    if (cosine <= 0.0) {
        return 0.0;
    }
    if (check_range && tmax <= tmin) {
        return cosine;
    }
    COUNT_RUN(COUNT_SHADOW_RAYS);
    COUNT_IF(COUNT_EMPTY_RANGE, tmax <= tmin);
    shadow.t = 0.0;
    traceRayEXT(SHADOW_STRUCTURE, shadow_flags, shadow_mask, shadow_offset, 0, 1, position, tmin, direction, tmax, 1);
    COUNT_IF(COUNT_SHADOW_HITS, shadow.t >= 0.0);
    return shadow.t < 0.0 ? cosine : 0.0;
}

void main()
{
    vec3 direction = camera_direction(gl_LaunchIDEXT.xy, gl_LaunchSizeEXT.xy);

    COUNT_RUN(COUNT_CAMERA_RAYS);
    traceRayEXT(structure, 0, 0xff, 0, 0, 0, view.eye.xyz, tmin, direction, 100.0, 0);
    vec3 colour = hit.colour;
    if (hit.t >= 0.0 && hit.kind != KIND_LAMP) {
        vec3 normal = dot(hit.normal, direction) > 0.0 ? -hit.normal : hit.normal;
        vec3 position = view.eye.xyz + hit.t * direction + 1e-3 * normal;
        colour = hit.colour * (0.25 + 0.75 * light_at(position, normal));
    }
    imageStore(image, ivec2(gl_LaunchIDEXT.xy), vec4(sqrt(colour), 1.0));
}
