// Every second column is discarded.
#version 460

layout(location = 0) out vec4 colour;

void main()
{
    if ((int(gl_FragCoord.x) & 1) == 1) {
        discard;
    }
    colour = vec4(1);
}
