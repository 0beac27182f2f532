// The target is a quarter of the viewport. One triangle that covers it all, or, where `choice` is 1, a rectangle
// of two triangles that covers its left 33 of 64 and its upper 21 of 32 pixels.
#version 460

layout(constant_id = 1) const uint choice = 0u;

void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
    if (choice == 1u) {
        corner = vec2(33.0 / 128.0, 21.0 / 64.0) * vec2(gl_VertexIndex % 3 % 2 ^ gl_VertexIndex / 3,
                                                       gl_VertexIndex % 3 / 2 ^ gl_VertexIndex / 3);
    }
    gl_Position = vec4(2.0 * corner - 1.0, 0.5, 1.0);
}
