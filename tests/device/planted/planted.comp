// What the probes of the library ask for, planted: planted.py knows the answers. Lines are found by their comments.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 8, local_size_y = 8) in;

layout(buffer_reference, std430) buffer Words
{
    uint words[8192];
};
layout(binding = 0, std430) buffer Results { float results[]; };
layout(binding = 1) uniform sampler2D picture;
layout(push_constant) uniform Parameters { uvec2 address; uvec2 size; } parameters;

void main()
{
    uvec2 place = gl_GlobalInvocationID.xy;
    uint number = gl_LocalInvocationIndex;
    Words near = Words(parameters.address);
    uint read = near.words[number];          // PLANT neighbours
    uint far = near.words[32 * number];      // PLANT strides
    uint one = near.words[5];                // PLANT one word
    float value = float(place.x) + 0.25;     // PLANT path
    value = value * 2.0;                     // PLANT path
    for (int i = 0; i < 3; i++)
        value = value + float(i);            // PLANT path
    int large = int(place.x) + 2147483600;   // PLANT overflow
    uint small = place.x - 10u;              // PLANT wrap
    vec4 texel = textureLod(picture, vec2(0.5), float(place.x % 4) * 0.5); // PLANT levels
    results[place.y * parameters.size.x + place.x] = value + float(read + far + one) + float(large) + float(small) + texel.x;
}
