// A dome seen from above, made of quads around its pole, each of two triangles. A corner takes the mean of the normals
// around it, and a pixel takes that of four corners. No pixel of the first two rings has a colour: why is what
// examples/probes/README.md finds out by a probe, and so it is not told here. `shader_faults --list` tells it, and REPAIRED
// below is what mends it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_y = 4) in; // of fault.h's `rows`

const uint SECTORS = 24u;
const uint RINGS = 9u;

// How many pixels wide a ring is. The picture is `row` pixels wide.
uint ring_width()
{
    return max(row / 20u, 1u);
}

vec3 corner(uint ring, uint sector)
{
    float angle = 6.2831853 * float(sector % SECTORS) / float(SECTORS);
    float radius = float(ring) / float(RINGS);
    return vec3(radius * cos(angle), radius * sin(angle), 1.0 - radius * radius);
}

vec3 triangle_normal(vec3 a, vec3 b, vec3 c)
{
    vec3 across = cross(b - a, c - a);
#ifdef REPAIRED
    if (dot(across, across) == 0.0)
        return vec3(0.0);
#endif
    return normalize(across);
}

// One of the two triangles of a quad.
vec3 face_normal(uint ring, uint sector, bool is_inner)
{
    vec3 inner = corner(ring, sector);
    vec3 outer = corner(ring + 1u, sector + 1u);
    if (is_inner)
        return triangle_normal(inner, outer, corner(ring, sector + 1u));
    return triangle_normal(inner, corner(ring + 1u, sector), outer);
}

// The mean of the triangles of the quads that meet there: four, and two at the pole.
vec3 corner_normal(uint ring, uint sector)
{
    vec3 sum = vec3(0.0);
    for (uint i = ring > 0u ? 0u : 4u; i < 8u; i++)
        sum += face_normal(ring - 1u + i / 4u, sector + SECTORS - (i & 1u), (i & 2u) == 0u);
    return normalize(sum);
}

vec3 shade(vec3 normal)
{
    float light = 0.5 + 0.5 * dot(normal, normalize(vec3(-0.5, -0.4, 0.8)));
    return mix(vec3(0.2, 0.1, 0.15), vec3(1.0, 0.75, 0.4), light * light);
}

void main()
{
    uvec2 pixel = gl_GlobalInvocationID.xy;
    uvec2 size = uvec2(row, count / row);
    if (any(greaterThanEqual(pixel, size)))
        return;
    vec2 place = vec2(pixel) + 0.5 - vec2(size / 2u);
    float ring = length(place) / float(ring_width());
    uint sector = uint((atan(place.y, place.x) / 6.2831853 + 1.0) * float(SECTORS)) % SECTORS;
    vec3 colour = vec3(0.15, 0.2, 0.3);
    if (ring < float(RINGS)) {
        vec3 normal = vec3(0.0);
        for (uint i = 0u; i < 4u; i++) {
            float near = i < 2u ? 1.0 - fract(ring) : fract(ring);
            normal += near * corner_normal(uint(ring) + i / 2u, sector + (i & 1u));
        }
        colour = shade(normalize(normal));
    }
    pixels[pixel.y * row + pixel.x] = packUnorm4x8(vec4(clamp(colour, 0.0, 1.0), 1.0));
}
