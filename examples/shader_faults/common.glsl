// What the compute shaders share: one thread a pixel, and work that takes its time.
#extension GL_GOOGLE_include_directive : require

layout(local_size_x_id = 0) in;

layout(binding = 0) writeonly buffer Pixels { uint pixels[]; };

layout(push_constant) uniform Parameters
{
    uint count; // pixels
    uint row;   // threads i, i + 1, ... have pixels that lie `step` apart, for `row` threads; in nan.comp the picture's width
    uint step;
    uint mode;
    vec4 tint;
    mat4 turn;
};

// The pixel of a thread. With row = count and step = 1 it is the thread's own number.
uint pixel_of(uint thread)
{
    return thread % row * step + thread / row;
}

// One step of a walk around a Julia set.
vec2 advance(vec2 z)
{
    return vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) * 0.5 + vec2(-0.5125, 0.5213);
}

vec2 start(uint pixel)
{
    return vec2(float(pixel & 63u) - 32.0, float(pixel >> 6u) - 30.0) / 32.0;
}

void paint(uint pixel, vec2 z)
{
    pixels[pixel] = packUnorm4x8(vec4(clamp(abs(z), 0.0, 1.0), 0.6, 1.0));
}
