// Samples at products whose factors a compiler may put together, but only where nothing else uses the product.
#version 460

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 1) buffer Factors
{
    float factors[];
};
layout(set = 0, binding = 2) buffer Sampled
{
    float sampled[][12];
};

float sample_at(const vec2 at)
{
    return textureLod(picture, at, 0.0).x;
}

void main()
{
    const uint t = gl_GlobalInvocationID.x;
    const vec2 at = vec2(factors[t & 127], factors[t >> 5 & 127]);
    sampled[t][0] = textureLod(picture, at * factors[0] * 0.3, 0.0).x;
    sampled[t][1] = textureLod(picture, vec2(0.5), at.x * factors[1] * 0.3).x;
    sampled[t][2] = textureGrad(picture, vec2(0.5), at * factors[2] * 0.3, vec2(0.0)).x;
    sampled[t][3] = textureLod(picture, vec2(at.x * factors[3] * 0.3, 0.5), 0.0).x;
    sampled[t][4] = sample_at(at * factors[4] * 0.3);
    // Used twice by the program itself.
    const vec2 twice = at * factors[5] * 0.3;
    sampled[t][5] = textureLod(picture, twice, 0.0).x + textureLod(picture, twice, 1.0).x;
    const vec2 both = at * factors[6] * 0.3;
    sampled[t][6] = textureGrad(picture, both, both, vec2(0.0)).x;
    sampled[t][7] = textureProjLod(picture, vec3(at, 1.0 + at.x) * factors[7] * 0.3, 0.0).x;
    const float level = at.x * factors[8] * 0.3;
    sampled[t][8] = textureLod(picture, vec2(0.5), level).x + textureLod(picture, vec2(0.25), level).x;
    const vec2 parted = at * factors[9] * 0.3;
    if ((t & 1) != 0) {
        sampled[t][9] = textureLod(picture, parted, 0.0).x;
    }
    vec2 joined = at * factors[10] * 0.3;
    if ((t & 2) != 0) {
        joined = at * factors[11] * 0.7;
    }
    sampled[t][10] = textureLod(picture, joined, 0.0).x;
    const vec2 used = at * factors[11] * 0.3;
    sampled[t][11] = textureLod(picture, used, 0.0).x + used.x;
}
