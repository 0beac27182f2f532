// From pixels to rays, and from light to colours.

// The direction of a ray through a point of the pixel.
vec3 look(uvec2 pixel, inout Random random)
{
    vec2 place = (vec2(pixel) + draw(random)) / vec2(gl_LaunchSizeEXT.xy) * 2.0 - 1.0;
    return normalize(view.forward.xyz + place.x * view.right.xyz - place.y * view.up.xyz);
}

// Narkowicz's fit of the ACES film curve, then sRGB's gamma.
vec3 develop(vec3 colour)
{
    vec3 film = colour * (2.51 * colour + 0.03) / (colour * (2.43 * colour + 0.59) + 0.14);
    return pow(clamp(film, 0.0, 1.0), vec3(1.0 / 2.2));
}
