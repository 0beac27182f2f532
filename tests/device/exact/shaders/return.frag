// Odd columns return at once. Of the others, odd rows return from the second turn of a loop, and even rows end it.
#version 460

layout(location = 0) out vec4 colour;

void main()
{
    const uvec2 pixel = uvec2(gl_FragCoord.xy);
    colour = vec4(0.25, 0.0, 0.0, 1.0);
    if ((pixel.x & 1u) == 1u) {
        return;
    }
    for (uint i = 0u; i < 3u; i++) {
        if (i + 2u * (pixel.y & 1u) == 3u) {
            return;
        }
        colour.g += 0.25;
    }
    colour.b = 0.5;
}
