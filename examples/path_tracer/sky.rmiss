// A ray that leaves the scene: the sky, or the dark of a closed box that has none.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = 0) const bool open = false;

layout(location = 0) rayPayloadInEXT Path path;

void main()
{
    COUNT_RUN(COUNT_MISS_SKY);
    path.done = true;
    path.radiance = vec3(0.0);
    if (open) {
        vec3 direction = gl_WorldRayDirectionEXT;
        float height = max(direction.y, 0.0);
        float sun = max(dot(direction, view.light_corner.xyz), 0.0);
        vec3 sky = mix(vec3(0.66, 0.50, 0.38), vec3(0.08, 0.20, 0.52), pow(height, 0.45));
        path.radiance = sky + vec3(1.0, 0.75, 0.45) * (0.25 * pow(sun, 8.0) + 0.8 * pow(sun, 120.0));
        if (path.sharp && sun > 0.9995) {
            path.radiance += view.light.rgb;
        }
    }
}
