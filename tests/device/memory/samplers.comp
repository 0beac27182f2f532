// Samples by samplers of all kinds, each on a line of its own, in the order of samplers.py.
#version 460

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform sampler2D repeated;
layout(set = 0, binding = 1) uniform sampler2D mirrored;
layout(set = 0, binding = 2) uniform sampler2D clamped;
layout(set = 0, binding = 3) uniform sampler2D bordered;
layout(set = 0, binding = 4) uniform sampler2D near;
layout(set = 0, binding = 5) uniform sampler2D mixed;
layout(set = 0, binding = 6) uniform sampler2D limited;
layout(set = 0, binding = 7) uniform sampler2D halves;
layout(set = 0, binding = 8) uniform sampler2D counted;
layout(set = 0, binding = 9) uniform sampler3D solid;
layout(set = 0, binding = 10) uniform samplerCube cube;
layout(set = 0, binding = 11) uniform sampler2D plain;
layout(set = 0, binding = 12) uniform sampler2D wide;
layout(set = 0, binding = 13) buffer Sums
{
    float sums[];
};

void main()
{
    const int t = int(gl_LocalInvocationIndex);
    const float x = float(t - 20) / 16.0; // 16 texels of level 0 are 1
    const float z = 0.75 + float(t) / 128.0;
    vec4 sum = textureLod(repeated, vec2(x, 0.5), 0.0);
    sum += textureLod(mirrored, vec2(x, 0.03125), 0.0);
    sum += textureLod(clamped, vec2(x, -1.0), 0.0);
    sum += textureLod(bordered, vec2(x, 0.0), 0.0);
    sum += textureLod(near, vec2(x + 0.03125, 0.5), 0.0);
    sum += textureLod(mixed, vec2(x, 0.5), float(t & 3) * 0.5);
    sum += textureLod(limited, vec2(x + 0.03125, 0.5), float(t & 3));
    sum += textureLod(halves, vec2(x, 0.5), float(t & 1));
    sum += textureLod(counted, vec2(float(t) * 0.25, 3.0), 0.0);
    sum += textureLod(solid, vec3(x, 0.5, x), 0.0);
    sum += textureLod(cube, vec3(1.0, 0.0, z), 0.0);
    sum += textureGather(bordered, vec2(x, 0.0));
    sum += textureProjLod(repeated, vec3(2.0 * x, 1.0, 2.0), 0.0);
    sum += textureLodOffset(mirrored, vec2(x, 0.5), 0.0, ivec2(-3, 1));
    sum += textureLod(plain, vec2(x + 0.03125, 0.5), 0.0);
    sum += textureLod(wide, vec2(16383.5 - 256.5 * float(t), 1.0), 0.0);
    sum += textureLod(repeated, vec2(x + 5000.0, -777.0), 0.0);
    sum += textureLod(mirrored, vec2(x - 4097.0, 131.03125), 0.0);
    sum += textureLod(bordered, vec2(x * 1e30, 0.5), 0.0);
    sums[gl_GlobalInvocationID.x] = sum.x;
}
