// Every ray-tracing test. The launch is divided from left to right into bands as wide as a subgroup; the
// rays of band b see only instances whose mask has bit b. All rays run along z, none meets an edge.
#extension GL_EXT_ray_tracing : require

layout(constant_id = 0) const uint band_width = 1u;

layout(binding = 0) uniform accelerationStructureEXT structure;
layout(binding = 1) buffer Results { uint results[]; };

struct Payload
{
    uint depth; // of traces
    uint value;
};

const vec3 along = vec3(0.0, 0.0, 1.0);

#define BAND (gl_LaunchIDEXT.x / band_width)
#define LANE (gl_LaunchIDEXT.x % band_width)
#define ORIGIN vec3(vec2(gl_LaunchIDEXT.xy) + 0.5, -1.0)
