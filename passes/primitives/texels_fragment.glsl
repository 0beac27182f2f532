// Which texel of a subpass input a fragment reads (warpscope/spirv/texels.h).
#version 460

// The coordinate of the fragment's pixel along an axis, and `offset` texels beside it.
uint ws_texel_pixel(const uint axis, const uint offset)
{
    const vec4 pixel = gl_FragCoord;
    return uint(axis == 0 ? pixel.x : pixel.y) + offset;
}

void main()
{
}
