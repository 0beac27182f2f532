// Shades a knot; some are pierced, some are marbled, some are plain.
#version 460

layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 position;
layout(location = 2) in vec3 view;
layout(location = 3) flat in uint knot;

layout(location = 0) out vec4 colour;

// Waves added up, more of them where the surface is near.
float marble(vec3 place, uint octaves)
{
    float sum = 0.0;
    float height = 0.5;
    for (uint i = 0; i < octaves; i++) {
        sum += height * sin(9.0 * place.x + 7.0 * place.y + 4.0 * sin(11.0 * place.z + sum));
        place = 1.9 * place.zxy + 0.7;
        height *= 0.5;
    }
    return sum;
}

void main()
{
    vec3 tint = 0.5 + 0.5 * cos(vec3(0.2, 2.1, 4.0) + 0.9 * float(knot));
    tint = mix(tint, vec3(0.9, 0.8, 0.65), 0.35);
    switch (knot % 3u) {
    case 0u:
        if (length(fract(position * 12.0) - 0.5) < 0.36) {
            discard;
        }
        break;
    case 1u:
        tint *= 0.75 + 0.6 * marble(position, 2u + uint(5.0 * fract(3.0 * position.y)));
        break;
    default:
        break;
    }
    vec3 facing = normalize(gl_FrontFacing ? normal : -normal);
    vec3 light = normalize(vec3(0.4, 0.7, 0.6));
    float diffuse = max(dot(facing, light), 0.0);
    float glint = pow(max(dot(reflect(normalize(view), facing), light), 0.0), 40.0);
    float sky = 0.5 + 0.5 * facing.y;
    vec3 shaded = tint * (0.12 + 0.22 * sky + 0.85 * diffuse) + 0.6 * glint;
    colour = vec4(pow(clamp(shaded, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}
