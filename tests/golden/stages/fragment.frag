#version 460

layout(location = 0) flat in int parity;
layout(location = 0) out vec4 color;

void cut(float x)
{
    if (x > 0.5) {
        discard;
    }
}

void main()
{
    color = vec4(0);
    if (parity == 0) {
        cut(fract(gl_FragCoord.x));
        color = vec4(1);
    }
    for (int i = 0; i < int(gl_FragCoord.y); i++) {
        if (i == 5) {
            continue;
        }
        color += dFdx(color);
    }
}
