// Every other column is discarded; what is left goes on.
#version 460

layout(location = 0) out vec4 colour;

void main()
{
    if ((uint(gl_FragCoord.x) & 1u) == 1u) {
        discard;
    }
    colour = vec4(fract(gl_FragCoord.xy / 16.0), 0.5, 1.0);
}
