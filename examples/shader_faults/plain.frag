#version 460

layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(fract(place * 3.0), 0.4, 1.0);
}
