// One block: a triangle over the whole viewport runs it once per pixel.
#version 460
layout(constant_id = 0) const float RED = 0;
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(RED, 0, 0, 1);
}
