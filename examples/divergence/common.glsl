// What the kernels share: one thread a pixel, in order of its workgroup, and a known amount of work.
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x_id = 0) in;

layout(binding = 0) writeonly buffer Pixels { uint pixels[]; };

layout(push_constant) uniform Parameters
{
    uint width;
    uint height;
    uint steps; // iterations of work() each time that it is called
    uint block; // lanes in a block
};

// The lane, and not the thread in its workgroup: that is what the expected numbers are about.
uint lane()
{
    return gl_SubgroupInvocationID;
}

bool outside()
{
    return gl_GlobalInvocationID.x >= width * height;
}

// One step of a walk around a Julia set.
vec2 advance(vec2 z)
{
    vec2 next = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2(-0.512511498387847167, 0.521295573094847167);
    return dot(next, next) > 4.0 ? z : next;
}

vec2 start()
{
    vec2 pixel = vec2(gl_GlobalInvocationID.x % width, gl_GlobalInvocationID.x / width) + 0.5;
    return 2.8 * (pixel - 0.5 * vec2(width, height)) / float(height);
}

void paint(vec2 z, vec3 tint)
{
    float glow = 1.0 - exp(-1.4 * length(z));
    vec3 colour = mix(vec3(0.05, 0.07, 0.14), tint, glow) + 0.35 * pow(glow, 6.0);
    pixels[gl_GlobalInvocationID.x] = packUnorm4x8(vec4(min(colour, 1.0), 1.0));
}
