// Marches along each pixel's ray through a volume, from front to back, and gathers what it emits and absorbs
// (emission and absorption: Max, "Optical models for direct volume rendering", 1995).
//
// A sample is interpolated between eight densities. With `skip` a brick in which nothing can be seen is crossed in one
// step. With `early` a ray ends where what lies behind can hardly be seen any more.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shared.h"

layout(local_size_x = GROUP, local_size_y = GROUP) in;

layout(set = 0, binding = BINDING_DENSITIES, std430) readonly buffer Densities { float densities[]; };
layout(set = 0, binding = BINDING_BRICKS, std430) readonly buffer Bricks { float bricks[]; }; // the largest of each
layout(set = 0, binding = BINDING_PIXELS, std430) writeonly buffer Pixels { uint pixels[]; };

layout(push_constant) uniform Parameters {
    vec4 eye; // in voxels, like all of these
    vec4 forward;
    vec4 right;
    vec4 up;
    uint width;
    uint height;
    int edge; // voxels
    uint tiled; // bricks lie one behind the other, not lines of the volume
    uint skip;
    uint early;
    float stride; // from sample to sample
};

uint place_of(ivec3 voxel)
{
    voxel = clamp(voxel, ivec3(0), ivec3(edge - 1));
    if (tiled == 0u)
        return uint((voxel.z * edge + voxel.y) * edge + voxel.x);
    const ivec3 brick = voxel / BRICK;
    const ivec3 within = voxel % BRICK;
    const int count = edge / BRICK;
    return uint((((brick.z * count + brick.y) * count + brick.x) * BRICK + within.z) * BRICK * BRICK + within.y * BRICK +
                within.x);
}

float density_at(vec3 place)
{
    const vec3 from = place - 0.5;
    const ivec3 low = ivec3(floor(from));
    const vec3 part = from - vec3(low);
    float sum = 0.0;

    for (int i = 0; i < 8; i++) {
        const ivec3 side = ivec3(i & 1, i >> 1 & 1, i >> 2);
        const vec3 weight = mix(1.0 - part, part, vec3(side));
        sum += densities[place_of(low + side)] * weight.x * weight.y * weight.z;
    }
    return sum;
}

// Where the ray enters a box (x) and leaves it (y).
vec2 cross_box(vec3 inverse, vec3 low, vec3 high)
{
    const vec3 a = (low - eye.xyz) * inverse;
    const vec3 b = (high - eye.xyz) * inverse;
    const vec3 near = min(a, b);
    const vec3 far = max(a, b);

    return vec2(max(max(near.x, near.y), near.z), min(min(far.x, far.y), far.z));
}

// How many samples from `place` on lie in the same brick, if nothing can be seen in it; else 0.
int empty_samples(vec3 place, vec3 inverse, float distance)
{
    const ivec3 brick = clamp(ivec3(place) / BRICK, ivec3(0), ivec3(edge / BRICK - 1));
    const int count = edge / BRICK;

    if (bricks[(brick.z * count + brick.y) * count + brick.x] >= EMPTY)
        return 0;
    const float leave = cross_box(inverse, vec3(brick * BRICK), vec3((brick + 1) * BRICK)).y;
    return max(1, int((leave - distance) / stride));
}

void main()
{
    const uvec2 pixel = gl_GlobalInvocationID.xy;
    vec3 colour = vec3(0.0);
    float clear = 1.0; // what share of the light behind comes through

    if (pixel.x >= width || pixel.y >= height)
        return;
    const vec2 at = (vec2(pixel) + 0.5) / vec2(width, height) * 2.0 - 1.0;
    const vec3 direction = normalize(forward.xyz + at.x * right.xyz - at.y * up.xyz);
    const vec3 inverse = 1.0 / mix(direction, vec3(1e-8), lessThan(abs(direction), vec3(1e-8)));
    const vec2 box = cross_box(inverse, vec3(0.0), vec3(float(edge)));
    const float begin = max(box.x, 0.0);
    const int samples = box.y > begin ? int((box.y - begin) / stride) : 0;

    for (int i = 0; i < samples; i++) {
        const float distance = begin + (float(i) + 0.5) * stride;
        const vec3 place = eye.xyz + distance * direction;
        const int empty = skip != 0u ? empty_samples(place, inverse, distance) : 0;
        if (empty > 0) {
            i += empty - 1;
            continue;
        }
        const float density = density_at(place);
        if (density < EMPTY)
            continue;
        const float opaque = 1.0 - exp(-(density - EMPTY) * 1.5 * stride);
        colour += clear * opaque * mix(vec3(0.85, 0.28, 0.12), vec3(1.0, 0.93, 0.70), min(density, 1.0));
        clear *= 1.0 - opaque;
        if (early != 0u && clear < 0.01)
            break;
    }
    colour += clear * vec3(0.06, 0.07, 0.09);
    pixels[pixel.y * width + pixel.x] = packUnorm4x8(vec4(sqrt(colour), 1.0));
}
