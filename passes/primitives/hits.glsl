// What a hit is, in any-hit and closest-hit shaders; what needs neither its distance nor its kind, in intersection
// shaders too.
#version 460
#extension GL_EXT_ray_tracing : require

uint ws_hit_t()
{
    return floatBitsToUint(gl_RayTmaxEXT);
}

uint ws_hit_instance()
{
    return uint(gl_InstanceID);
}

// 24 bits; they have the rest of a word for the kind of hit.
uint ws_hit_custom()
{
    return uint(gl_InstanceCustomIndexEXT) & 0xffffff;
}

uint ws_hit_custom_kind()
{
    return uint(gl_InstanceCustomIndexEXT) & 0xffffff | gl_HitKindEXT << 24;
}

// Not in modules of SPV_NV_ray_tracing, which has no such built-in.
uint ws_hit_geometry()
{
    return uint(gl_GeometryIndexEXT);
}

uint ws_hit_primitive()
{
    return uint(gl_PrimitiveID);
}

// The word where a triangle was hit, else 0.
uint ws_hit_of_triangle(const uint word)
{
    const bool is_triangle =
        gl_HitKindEXT == gl_HitKindFrontFacingTriangleEXT || gl_HitKindEXT == gl_HitKindBackFacingTriangleEXT;
    return mix(0, word, is_triangle);
}

void main()
{
}
