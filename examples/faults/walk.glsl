// Camera, sun, a mirror and the sun again: up to RAY_SLOTS rays for each pixel, each of which is written down. Who
// includes this has `find`, which traces one and sets `hit`. Hits of shadow rays tell no more than that
// they are.
layout(binding = BINDING_IMAGE, rgba8) uniform writeonly image2D image;
layout(binding = BINDING_RAYS, std430) buffer Rays { uint rays[]; };

const float ray_tmin = 1e-3;
const float ray_tmax = 100.0;

void follow(uint ray, vec3 origin, vec3 direction, uint flags)
{
    uint at = ray * RAY_WORDS;
    bool shadow = flags != 0u;

    find(origin, ray_tmin, direction, ray_tmax, flags);
    for (uint i = 0; i < 3; i++) {
        rays[at + i] = floatBitsToUint(origin[i]);
        rays[at + 4 + i] = floatBitsToUint(direction[i]);
    }
    rays[at + 3] = floatBitsToUint(ray_tmin);
    rays[at + 7] = floatBitsToUint(ray_tmax);
    rays[at + 8] = flags;
    rays[at + 9] = hit.t < 0.0 ? 1 : 2;
    if (hit.t >= 0.0 && !shadow) {
        rays[at + 10] = floatBitsToUint(hit.t);
        for (uint i = 0; i < 4; i++) {
            rays[at + 11 + i] = hit.place[i];
        }
        rays[at + 15] = hit.facing;
    }
}

void walk(uvec2 pixel, uvec2 size)
{
    uint ray = RAY_SLOTS * (pixel.y * size.x + pixel.x);
    vec3 origin = view.eye.xyz;
    vec3 direction = camera_direction(pixel, size);
    vec3 weight = vec3(1.0);
    vec3 colour = vec3(0.0);

    for (uint bounce = 0; bounce < 2; bounce++) {
        COUNT_IF(COUNT_CAMERA_RAYS, bounce == 0);
        COUNT_IF(COUNT_BOUNCE_RAYS, bounce > 0);
        follow(ray + 2 * bounce, origin, direction, 0);
        if (hit.t < 0.0) {
            colour += weight * hit.colour;
            break;
        }
        Hit surface = hit;
        vec3 normal = dot(surface.normal, direction) > 0.0 ? -surface.normal : surface.normal;
        origin += surface.t * direction + 1e-3 * normal;
        float cosine = dot(normal, view.light.xyz);
        if (cosine > 0.0) {
            COUNT_RUN(COUNT_SHADOW_RAYS);
            follow(ray + 2 * bounce + 1, origin, view.light.xyz,
                   gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT);
            cosine = hit.t < 0.0 ? cosine : 0.0;
        }
        bool mirror = surface.kind == KIND_MIRROR;
        colour += weight * surface.colour * (mirror ? 0.3 : 1.0) * (0.25 + 0.75 * max(cosine, 0.0));
        if (!mirror) {
            break;
        }
        weight *= 0.6;
        direction = reflect(direction, normal);
    }
    imageStore(image, ivec2(pixel), vec4(sqrt(colour), 1.0));
}
