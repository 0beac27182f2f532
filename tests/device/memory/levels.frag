// Samples at the levels that derivatives choose, in the order of texels.py. The picture has 64 x 64 texels.
#version 460

layout(set = 0, binding = 0) uniform sampler2D picture;

layout(location = 0) out vec4 colour;

void main()
{
    const vec2 part = gl_FragCoord.xy / 16.0;
    colour = texture(picture, part);
    colour += texture(picture, part, -1.0);
    colour += texture(picture, part / 4.0);
    colour += textureProj(picture, vec3(part * 0.5, 0.5));
}
