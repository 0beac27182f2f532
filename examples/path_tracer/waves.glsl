// What waves keep of a path between launches (waves.h).

struct State
{
    vec3 origin; // of its next ray
    uint dimension;
    vec3 direction;
    uint sharp;
    vec3 weight;
    uint alive;
    vec3 radiance; // of this sample
    uint padding;
    vec3 sum; // of the samples before
    uint padding2;
};

layout(binding = BINDING_STATES, std430) buffer States { State states[]; };
layout(binding = BINDING_FOUND, std430) buffer FoundHits { Found found_hits[]; };
layout(binding = BINDING_ORDER, std430) buffer Order { uint order[]; }; // behind the last: how many there are

// The number of a thread in its launch.
uint number_of_thread()
{
    return gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
}

Random random_of(uvec2 pixel, uint dimension)
{
    return Random(hash(pixel.x + hash(pixel.y)), parameters.sample_index, dimension);
}
