// Reads subpass inputs, in the order of texels.py.
#version 460

layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput input_image;

layout(location = 0) out vec4 colour;

void main()
{
    colour = subpassLoad(input_image);
    if ((int(gl_FragCoord.x) & 1) != 0) {
        colour += subpassLoad(input_image);
    }
}
