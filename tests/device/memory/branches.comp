// Samples at products as rounding.comp has, on both sides of a branch: in code that is not optimised each side loads a variable. A
// vector that is put together of numbers is put together once more where it is loaded, one that is computed is not.
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

struct Place {
    vec2 at;
    float level;
};

vec2 shared_at;

float near(vec2 at, const uint t)
{
    if ((t & 1) != 0)
        return textureLod(picture, at, 0.0).x;
    return textureLod(picture, at, 1.0).x * 0.5;
}

float written(vec2 at, const uint t)
{
    at *= factors[7] * 0.1;
    if ((t & 1) != 0)
        return textureLod(picture, at, 0.0).x;
    return textureLod(picture, at, 1.0).x * 0.5;
}

float either(const vec2 left, const vec2 right, const uint t)
{
    float found = 0.0;
    if ((t & 1) != 0)
        found = textureLod(picture, left, 0.0).x;
    else
        found = textureLod(picture, right, 1.0).x * 0.5;
    return found;
}

void main()
{
    const uint t = gl_GlobalInvocationID.x;
    const float x = factors[t & 127];
    const float y = factors[t >> 5 & 127];
    const vec2 at = vec2(x, y);
    vec2 computed = at * factors[0] * 0.3;
    if ((t & 1) != 0)
        sampled[t][0] = textureLod(picture, computed, 0.0).x;
    else
        sampled[t][0] = textureLod(picture, computed, 1.0).x;
    vec2 assembled = vec2(x * factors[1] * 0.31, y);
    if ((t & 1) != 0)
        sampled[t][1] = textureLod(picture, assembled, 0.0).x;
    else
        sampled[t][1] = textureLod(picture, assembled, 1.0).x;
    vec2 parts;
    parts.x = x * factors[2] * 0.32;
    parts.y = y;
    if ((t & 1) != 0)
        sampled[t][2] = textureLod(picture, parts, 0.0).x;
    else
        sampled[t][2] = textureLod(picture, parts, 1.0).x;
    vec2 swizzled = (at * factors[3] * 0.33).yx;
    if ((t & 1) != 0)
        sampled[t][3] = textureLod(picture, swizzled, 0.0).x;
    else
        sampled[t][3] = textureLod(picture, swizzled, 1.0).x;
    Place place;
    place.level = y;
    place.at = at * factors[4] * 0.34;
    if ((t & 1) != 0)
        sampled[t][4] = textureLod(picture, place.at, 0.0).x;
    else
        sampled[t][4] = textureLod(picture, place.at, place.level).x;
    vec2 changed = vec2(x * factors[5] * 0.35, y);
    changed *= 1.01;
    if ((t & 1) != 0)
        sampled[t][5] = textureLod(picture, changed, 0.0).x;
    else
        sampled[t][5] = textureLod(picture, changed, 1.0).x;
    sampled[t][6] = near(at * factors[6] * 0.36, t);
    sampled[t][7] = written(at * 0.37, t);
    shared_at = at * factors[8] * 0.38;
    if ((t & 1) != 0)
        sampled[t][8] = textureLod(picture, shared_at, 0.0).x;
    else
        sampled[t][8] = textureLod(picture, shared_at, 1.0).x;
    const vec2 splat = vec2(x * factors[9] * 0.39);
    sampled[t][9] = either(splat, splat, t);
    // One product in two vectors, and as a level besides.
    const float single = x * factors[10] * 0.4;
    sampled[t][10] =
        textureLod(picture, vec2(single, y), 0.0).x + textureLod(picture, vec2(y, single), 0.0).x;
    const float level = x * factors[11] * 0.41;
    sampled[t][11] = textureLod(picture, vec2(level, y), level).x;
}
