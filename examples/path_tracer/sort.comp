// Sorts hits by their keys, and keeps the order of equal ones: counts the hits of each key in each chunk, finds where they
// go, and puts them there.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared.h"
#include "found.glsl"

layout(local_size_x = 8) in;

layout(constant_id = 0) const uint step_of_sort = SORT_COUNT;
layout(constant_id = 1) const bool sorted = true; // false: hits only close up

layout(binding = BINDING_FOUND, std430) readonly buffer FoundHits { Found found_hits[]; };
layout(binding = BINDING_ORDER, std430) buffer Order { uint order[]; };
layout(binding = BINDING_TALLIES, std430) buffer Tallies { uint tallies[]; };

layout(push_constant) uniform Parameters
{
    uint samples;
    uint bounces;
    uint patches;
    uint sample_index;
    uint bounce;
    uint items;
} parameters;

uint chunk_count()
{
    return (parameters.items + SORT_CHUNK - 1u) / SORT_CHUNK;
}

void place_all()
{
    uint sum = 0u;
    for (uint i = 0u; i < KEY_COUNT * chunk_count(); i++) {
        uint count = tallies[i];
        tallies[i] = sum;
        sum += count;
    }
    order[parameters.items] = sum;
}

void main()
{
    uint chunk = gl_GlobalInvocationID.x;
    if (step_of_sort == SORT_PLACE) {
        if (chunk == 0u) {
            place_all();
        }
        return;
    }
    if (chunk >= chunk_count()) {
        return;
    }
    for (uint key = 0u; step_of_sort == SORT_COUNT && key < KEY_COUNT; key++) {
        tallies[key * chunk_count() + chunk] = 0u;
    }
    for (uint i = chunk * SORT_CHUNK; i < min((chunk + 1u) * SORT_CHUNK, parameters.items); i++) {
        uint key = found_hits[i].key;
        if (key == KEY_NONE) {
            continue;
        }
        uint place = (sorted ? key : 0u) * chunk_count() + chunk;
        uint before = tallies[place]++;
        if (step_of_sort == SORT_SCATTER) {
            order[before] = i;
        }
    }
}
