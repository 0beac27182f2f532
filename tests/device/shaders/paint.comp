// Texel (x, y) of the image becomes x, y and NUMBER, of 255 each.
#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const uint NUMBER = 0;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D painted;

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    imageStore(painted, ivec2(at), vec4(at, NUMBER, 255) / 255.0);
}
