// What all shaders of the path tracer share.
#extension GL_EXT_ray_tracing : require
#include "shared.h"

const float pi = 3.14159265358979;

// The state of the random numbers of one path: they depend on nothing else, so that every run of the
// program draws the same picture.
struct Random
{
    uint pixel;     // hash of the pixel
    uint index;     // sample of the pixel
    uint dimension; // pairs drawn so far
};

// What a ray brings back.
struct Path
{
    vec3 radiance; // shining from the hit towards the origin, but for what the next ray brings
    bool done;     // there is no next ray
    vec3 origin;   // of the next ray
    bool sharp;    // in: light that the ray meets counts; out: the same for the next ray
    vec3 direction;
    vec3 weight; // of the next ray
    Random random;
};

// How a material scatters light: what it is asked, then what it answers.
struct Scatter
{
    vec3 incoming; // direction of the ray
    float roughness;
    vec3 normal; // on the side from which the ray comes
    bool inside; // the ray comes from within
    vec3 colour;
    float choice; // random number
    vec2 point;   // random numbers
    vec3 direction;
    bool sharp;   // direct light does not reach it by a shadow ray
    vec3 weight;
    vec3 diffuse; // the part that scatters to all sides: lit by shadow rays
};

struct Object
{
    uint first_index;
    uint first_vertex;
    uint material;
    uint padding;
};

struct Material
{
    vec3 colour;
    uint kind;
    vec3 emission;
    float roughness;
    vec3 colour2; // the other colour of a chequered floor
    float tile;   // size of its tiles, 0 = none
};

struct Sphere
{
    vec3 centre;
    float radius;
    uint material;
    uint padding[3];
};

layout(binding = BINDING_VIEW) readonly buffer View
{
    vec4 eye;
    vec4 right; // as long as half the image is wide at distance 1
    vec4 up;
    vec4 forward;
    vec4 light_corner; // of the rectangle that shines; in the open: the direction to the sun
    vec4 light_u;      // its sides; in the open: two directions across, as long as the sun is wide
    vec4 light_v;
    vec4 light; // radiance
} view;

layout(push_constant) uniform Parameters
{
    uint samples;
    uint bounces;
    uint patches;      // callable shaders of --materials; 0 = each material has its own
    uint sample_index; // of runs that trace in waves, as the next
    uint bounce;
    uint items;
} parameters;

#ifdef COUNT
layout(binding = BINDING_COUNTS) buffer Counts { uint counts[]; };
#define COUNT_RUN(counter) atomicAdd(counts[counter], 1u)
#else
#define COUNT_RUN(counter)
#endif

// PCG: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random
// Number Generation", 2014; as a hash of one word.
uint hash(uint word)
{
    uint state = word * 747796405u + 2891336453u;
    uint mixed = (state >> ((state >> 28u) + 4u) ^ state) * 277803737u;
    return mixed >> 22u ^ mixed;
}

// Two numbers in [0, 1): the samples of a pixel follow Roberts' R2 sequence, which spreads them evenly;
// each pixel and dimension shifts it and changes its order.
vec2 draw(inout Random random)
{
    uint scramble = hash(random.pixel ^ random.dimension * 0x9e3779b9u);
    uint order = random.index ^ (hash(scramble) & 15u);
    uvec2 point = uvec2(scramble, hash(scramble + 0x85ebca6bu)) + order * uvec2(3242174889u, 2447445414u);

    random.dimension++;
    return vec2(point >> 8u) / 16777216.0;
}

// Two directions across `normal`.
mat2x3 across(vec3 normal)
{
    vec3 u = normalize(abs(normal.x) > 0.5 ? vec3(normal.y, -normal.x, 0.0) : vec3(0.0, normal.z, -normal.y));
    return mat2x3(u, cross(normal, u));
}

// A direction around `normal`, as likely as its cosine is large.
vec3 cosine_direction(vec3 normal, vec2 point)
{
    float radius = sqrt(point.x);
    float angle = 2.0 * pi * point.y;
    vec2 disc = radius * vec2(cos(angle), sin(angle));
    return normalize(across(normal) * disc + normal * sqrt(max(0.0, 1.0 - point.x)));
}

// Schlick's approximation of Fresnel's reflectance.
float fresnel(float cosine, float at_normal)
{
    float side = 1.0 - clamp(cosine, 0.0, 1.0);
    return at_normal + (1.0 - at_normal) * side * side * side * side * side;
}

// Which callable shader a surface has. With --materials it is a patchwork of cubes, whatever the material.
#ifdef PATCHWORK
layout(constant_id = 1) const uint group = 0; // GROUP_*: so that each hit group has a shader of its own

uint kind_of(uint kind, vec3 position)
{
    if (parameters.patches == 0u) {
        return kind;
    }
    uvec3 cell = uvec3(ivec3(floor(position * 4.0 + 0.37)));
    return PATCH_FIRST + hash(cell.x ^ hash(cell.y ^ hash(cell.z ^ hash(group)))) % parameters.patches;
}
#else
#define kind_of(kind, position) (kind)
#endif
