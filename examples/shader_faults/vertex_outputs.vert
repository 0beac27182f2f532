// A mesh of small squares, with a tangent that no fragment asks for.
#version 460

layout(location = 0) out vec2 place;
#ifndef REPAIRED
layout(location = 1) out vec3 tangent;
#endif

void main()
{
    uint square = uint(gl_VertexIndex) / 6u;
    uint corner = uint(gl_VertexIndex) % 6u;
    uvec2 at = uvec2(square % 20u, square / 20u) + uvec2(corner & 1u, corner == 2u || corner > 3u ? 1u : 0u);
    place = vec2(at) / 20.0;
    gl_Position = vec4(place * 2.0 - 1.0, 0.5, 1.0);
#ifndef REPAIRED
    vec3 along = normalize(vec3(cos(place.x), 0.3, sin(place.y)));
    tangent = cross(along, vec3(place, 1.0)) * inversesqrt(1.0 + dot(along, along));
#endif
}
