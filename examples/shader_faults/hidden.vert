// The same mesh, behind the camera.
#version 460

layout(location = 0) out vec2 place;

void main()
{
    uint square = uint(gl_VertexIndex) / 6u;
    uint corner = uint(gl_VertexIndex) % 6u;
    uvec2 at = uvec2(square % 20u, square / 20u) + uvec2(corner & 1u, corner == 2u || corner > 3u ? 1u : 0u);
    place = vec2(at) / 20.0;
    gl_Position = vec4(place * 2.0 - 1.0, -0.5, -1.0);
}
