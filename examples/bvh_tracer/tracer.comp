// Finds the nearest triangle of each pixel's ray by a hierarchy of bounding boxes that it walks itself.
//
// A node has the boxes of its two children. The nearer child that the ray meets comes next, the other one goes onto the
// thread's stack. With IF_IF a turn of the loop takes one step into the tree, and one triangle; without, each of the two
// is a loop of its own (while-while: Aila and Laine, "Understanding the Efficiency of Ray Traversal on GPUs", 2009).
// With STACK_IN_BUFFER the stack lies in memory, as the local memory of CUDA does.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shared.h"

layout(local_size_x = GROUP) in;

struct Node {
    uvec4 left_low; // as floats the corners of the boxes; w is the child
    uvec4 left_high;
    uvec4 right_low;
    uvec4 right_high;
};

struct Face {
    uint a, b, c;
};

layout(set = 0, binding = BINDING_NODES, std430) readonly buffer Nodes { Node nodes[]; };
layout(set = 0, binding = BINDING_FACES, std430) readonly buffer Faces { Face faces[]; };
layout(set = 0, binding = BINDING_VERTICES, std430) readonly buffer Vertices { vec4 vertices[]; };
layout(set = 0, binding = BINDING_PIXELS, std430) writeonly buffer Pixels { uint pixels[]; };
#ifdef STACK_IN_BUFFER
layout(set = 0, binding = BINDING_STACKS, std430) buffer Stacks { uint stacks[]; };
#else
uint stack[STACK_MAX];
#endif

layout(push_constant) uniform Parameters {
    vec4 eye;
    vec4 forward;
    vec4 right;
    vec4 up;
    uint width;
    uint height;
    uint first;       // of the view's pixels
    uint groups;      // workgroups that the pixels are cut into
    uint regions;     // the picture is cut into so many regions, one for each multiprocessor
    uint region_size; // workgroups of each
};

vec3 origin;
vec3 direction;
vec3 inverse;
uint node;
uint depth; // of the stack
float nearest;
float shade;

void push(uint child)
{
#ifdef STACK_IN_BUFFER
    stacks[depth * GROUP * gl_NumWorkGroups.x + gl_GlobalInvocationID.x] = child;
#else
    stack[depth] = child;
#endif
    depth++;
}

uint pop()
{
    if (depth == 0u)
        return DONE;
    depth--;
#ifdef STACK_IN_BUFFER
    return stacks[depth * GROUP * gl_NumWorkGroups.x + gl_GlobalInvocationID.x];
#else
    return stack[depth];
#endif
}

// How far it is to a box; negative where the ray misses it, or has hit something nearer.
float distance_to(uvec4 low, uvec4 high)
{
    const vec3 a = (uintBitsToFloat(low.xyz) - origin) * inverse;
    const vec3 b = (uintBitsToFloat(high.xyz) - origin) * inverse;
    const vec3 near = min(a, b);
    const vec3 far = max(a, b);
    const float enter = max(max(near.x, near.y), max(near.z, 0.0));
    const float leave = min(min(far.x, far.y), far.z) * 1.00001; // so that no rounding loses a triangle

    return enter <= leave && enter <= nearest ? enter : -1.0;
}

void step_node()
{
    const uvec4 left_low = nodes[node].left_low;
    const uvec4 left_high = nodes[node].left_high;
    const uvec4 right_low = nodes[node].right_low;
    const uvec4 right_high = nodes[node].right_high;
    const float left = distance_to(left_low, left_high);
    const float right = distance_to(right_low, right_high);

    if (left < 0.0 && right < 0.0) {
        node = pop();
    } else if (right < 0.0) {
        node = left_low.w;
    } else if (left < 0.0) {
        node = right_low.w;
    } else {
        const bool is_left = left <= right;
        push(is_left ? right_low.w : left_low.w);
        node = is_left ? left_low.w : right_low.w;
    }
}

// Of faces at the same distance, as at an edge, the brightest wins: so all trees give the same picture.
void meet(uint index)
{
    const vec3 a = vertices[faces[index].a].xyz;
    const vec3 u = vertices[faces[index].b].xyz - a;
    const vec3 v = vertices[faces[index].c].xyz - a;
    const vec3 across = cross(direction, v);
    const float area = dot(u, across);
    const vec3 from = origin - a;
    const float x = dot(from, across) / area;
    const vec3 other = cross(from, u);
    const float y = dot(direction, other) / area;
    const float far = dot(v, other) / area;
    const float bright = abs(dot(normalize(cross(u, v)), direction));

    if (area != 0.0 && x >= 0.0 && y >= 0.0 && x + y <= 1.0 && far > 0.0 &&
        (far < nearest || (far == nearest && bright > shade))) {
        nearest = far;
        shade = bright;
    }
}

bool is_leaf(uint child)
{
    return child >= LEAF && child != DONE;
}

// One face of a leaf.
void step_face()
{
    const uint rest = (node & ~LEAF) >> LEAF_SHIFT;

    meet(node & LEAF_FIRST);
    node = rest > 0u ? node + 1u - (1u << LEAF_SHIFT) : pop();
}

void walk()
{
#ifdef IF_IF
    while (node != DONE) {
        if (node < LEAF)
            step_node();
        if (is_leaf(node))
            step_face();
    }
#else
    while (node != DONE) {
        while (node < LEAF)
            step_node();
        while (is_leaf(node))
            step_face();
    }
#endif
}

void main()
{
    const uint region = gl_WorkGroupID.x % regions;
    const uint group = region * region_size + gl_WorkGroupID.x / regions;
    const uint pixel = group * GROUP + gl_LocalInvocationID.x;
    vec3 colour = vec3(0.06, 0.07, 0.09);

    if (group >= groups || pixel >= width * height)
        return;
    const vec2 at = (vec2(pixel % width, pixel / width) + 0.5) / vec2(width, height) * 2.0 - 1.0;
    origin = eye.xyz;
    direction = normalize(forward.xyz + at.x * right.xyz - at.y * up.xyz);
    inverse = 1.0 / mix(direction, vec3(1e-8), lessThan(abs(direction), vec3(1e-8)));
    nearest = 1e30;
    shade = 0.0;
    node = 0u;
    depth = 0u;
    walk();
    if (nearest < 1e30)
        colour = mix(vec3(0.13, 0.10, 0.16), vec3(0.96, 0.90, 0.76), shade);
    pixels[first + pixel] = packUnorm4x8(vec4(sqrt(colour), 1.0));
}
