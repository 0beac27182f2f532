// Accesses to texels, each on a line of its own, in the order of texels.py.
#version 460
#extension GL_EXT_shader_image_load_formatted : require

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, r32ui) uniform uimage2D words;
layout(set = 0, binding = 1) writeonly uniform image2D wide;
layout(set = 0, binding = 2, r32ui) uniform uimage3D solid;
layout(set = 0, binding = 3) readonly uniform image2DArray layers;
layout(set = 0, binding = 4) uniform sampler2D picture;
layout(set = 0, binding = 5) uniform samplerCube cube;
layout(set = 0, binding = 6) uniform usampler3D volume;
layout(set = 0, binding = 7) uniform samplerCubeArray cubes;
layout(set = 0, binding = 8) uniform samplerBuffer row;
layout(set = 0, binding = 9, r32ui) uniform uimageBuffer column;
layout(set = 0, binding = 10) buffer Sums
{
    uint sums[];
};

vec4 fetch(const sampler2D image, const ivec2 at)
{
    return texelFetch(image, at, 0);
}

void main()
{
    const int t = int(gl_LocalInvocationIndex);
    const float part = (float(t) + 0.5) / 64.0;
    uint sum = imageLoad(words, ivec2(t, 0)).x;
    sum += imageLoad(words, ivec2(0, t)).x;
    sum += imageLoad(words, ivec2(t & 3, t >> 2)).x;
    sum += imageAtomicAdd(words, ivec2(t & 1, 63), 1);
    imageStore(wide, ivec2(t, 5), vec4(sum));
    sum += imageLoad(solid, ivec3(t & 1, t >> 1 & 1, t >> 2)).x;
    sum += uint(imageLoad(layers, ivec3(7, 7, t)).x);
    vec4 colour = texelFetch(picture, ivec2(t & 31, 3), t & 1);
    colour += fetch(picture, ivec2(t, 62));
    colour += texelFetch(row, 3 * t + 32);
    sum += imageLoad(column, t).x;
    sum += imageAtomicMax(column, 5, sum);
    colour += textureLod(picture, vec2(part, 0.01), 0.0);
    colour += textureLod(picture, vec2(part, 0.01), float(t & 2));
    colour += textureLod(picture, vec2(part + 3.0, -0.01), 0.6);
    colour += textureGrad(picture, vec2(part, 0.5), vec2(0.0625, 0), vec2(0, 0.03125));
    colour += textureLodOffset(picture, vec2(part, 0.5), 0.0, ivec2(-2, 1));
    colour += textureLod(cube, vec3(float(t & 1) * 2.0 - 1.0, 0.1, 0.9 - part), 0.0);
    colour += textureGrad(cube, vec3(1.0, 0.1, 0.9 - part), vec3(0, 0, 0.0625), vec3(0, 0.03125, 0));
    colour += textureGrad(cube, vec3(0.1, 0.9 - part, -1.0), vec3(0, 0, -0.5), vec3(0.0));
    colour += textureLod(cubes, vec4(0.1, float(t & 1) * 2.0 - 1.0, 0.9 - part, float(t >> 2 & 1)), 0.0);
    colour += vec4(textureLod(volume, vec3(part, 0.99, part), 0.0));
    colour += textureGather(picture, vec2(0.3, part));
    if ((t & 1) != 0) {
        colour += texelFetch(picture, ivec2(t, t), 0);
    }
    sums[gl_GlobalInvocationID.x] = sum + uint(colour.x);
}
