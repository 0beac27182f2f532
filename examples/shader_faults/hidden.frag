// Of what no camera sees.
#version 460

layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(place, 0.0, 0.0);
}
