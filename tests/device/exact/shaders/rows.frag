// Divergence by rows of pixels.
#version 460

layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(1.0);
    if ((uint(gl_FragCoord.y) & 1u) == 1u) {
        colour.r = 0.5;
    }
}
