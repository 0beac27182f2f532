// What all shaders of the faults share.
#include "shared.h"

const float pi = 3.14159265358979;

// What a ray brings back.
struct Hit
{
    float t; // below 0 = it hit nothing
    vec3 normal; // of the triangle, to the outside of its mesh
    vec3 colour; // of the surface, or of the sky
    uint kind;
    uint facing; // hit kind
    uvec4 place; // instance, its custom index, geometry, primitive
};

struct Object
{
    uint first_index;
    uint first_vertex;
    uint kind;
    uint pattern;
    vec4 colour;
};

layout(binding = BINDING_VIEW) readonly buffer View
{
    vec4 eye;
    vec4 right; // as long as half the image is wide at distance 1
    vec4 up;
    vec4 forward;
    vec4 light; // direction to the sun, 0; or the centre of a round lamp, its radius
} view;

#ifdef COUNT
layout(binding = BINDING_COUNTS) buffer Counts { uint counts[]; };
#define COUNT_IF(counter, condition)                                                                         \
    if (condition) {                                                                                         \
        atomicAdd(counts[counter], 1u);                                                                      \
    }
#else
#define COUNT_IF(counter, condition)
#endif
#define COUNT_RUN(counter) COUNT_IF(counter, true)

// PCG, as a hash of one word.
uint hash(uint word)
{
    uint state = word * 747796405u + 2891336453u;
    uint mixed = (state >> ((state >> 28u) + 4u) ^ state) * 277803737u;
    return mixed >> 22u ^ mixed;
}

// The state of random numbers that depend on nothing but what it starts from.
vec2 draw(inout uint random)
{
    random = hash(random);
    uint second = hash(random ^ 0x9e3779b9u);
    return vec2(random >> 8u, second >> 8u) / 16777216.0;
}

// A direction around `normal`, as likely as its cosine is large.
vec3 cosine_direction(vec3 normal, vec2 point)
{
    float radius = sqrt(point.x);
    float angle = 2.0 * pi * point.y;
    vec3 u = normalize(abs(normal.x) > 0.5 ? vec3(normal.y, -normal.x, 0.0) : vec3(0.0, normal.z, -normal.y));
    vec3 v = cross(normal, u);
    return normalize(radius * (cos(angle) * u + sin(angle) * v) + normal * sqrt(max(0.0, 1.0 - point.x)));
}

// The direction of the camera's ray through the middle of a pixel.
vec3 camera_direction(uvec2 pixel, uvec2 size)
{
    vec2 place = 2.0 * (vec2(pixel) + 0.5) / vec2(size) - 1.0;
    return normalize(view.forward.xyz + place.x * view.right.xyz - place.y * view.up.xyz);
}

vec3 sky_colour(vec3 direction)
{
    return mix(vec3(0.80, 0.72, 0.62), vec3(0.22, 0.38, 0.66), clamp(direction.y, 0.0, 1.0));
}
