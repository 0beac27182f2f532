// Where texels lie in the model of warpscope/spirv/texels.h, and which texel a sample touches. Floats are their bits.
#version 460

uint spread_2(const uint bits)
{
    uint spread = (bits | bits << 8) & 0x00ff00ffu;
    spread = (spread | spread << 4) & 0x0f0f0f0fu;
    spread = (spread | spread << 2) & 0x33333333u;
    return (spread | spread << 1) & 0x55555555u;
}

uint spread_3(const uint bits)
{
    uint spread = (bits | bits << 16) & 0x030000ffu;
    spread = (spread | spread << 8) & 0x0300f00fu;
    spread = (spread | spread << 4) & 0x030c30c3u;
    return (spread | spread << 2) & 0x09249249u;
}

// The index of a texel: of 2D images 16 bits of each coordinate, of 3D images 10.
uint ws_texel_2d(const uint x, const uint y)
{
    return spread_2(x & 0xffffu) | spread_2(y & 0xffffu) << 1;
}

uint ws_texel_3d(const uint x, const uint y, const uint z)
{
    return spread_3(x & 0x3ffu) | spread_3(y & 0x3ffu) << 1 | spread_3(z & 0x3ffu) << 2;
}

// What is above these 10, in place of a layer.
uint ws_texel_3d_layer(const uint x, const uint y, const uint z)
{
    return x >> 10 & 15u | (y >> 10 & 15u) << 4 | (z >> 10 & 15u) << 8;
}

// The coordinate of a texel within `size`, where `part` of 1 is, and `offset` texels beside it; beyond the image as if it were
// repeated.
uint ws_texel_at(const uint part, const uint size, const uint offset)
{
    const float texels = float(max(size, 1u));
    const float texel = floor(uintBitsToFloat(part) * texels) + float(int(offset));
    return uint(clamp(texel - floor(texel / texels) * texels, 0.0, texels - 1));
}

// Where `part` of 1 is, in parts of a texel of which each has so many, signed; from `most` on itself (WS_TEXEL_PARTS_MOST).
uint ws_texel_parts(const uint part, const uint size, const uint each, const uint most)
{
    const uint magnitude = part & 0x7fffffffu;
    if (magnitude > 0x7f800000u) // no number
        return 0;
    if (magnitude >= floatBitsToUint(float(most)))
        return min(magnitude, 0x6fffffffu) | part & 0x80000000u;
    return uint(int(floor(uintBitsToFloat(part) * float(clamp(size, 1u, 0xffffu)) * float(each))));
}

// How many texels an axis of a level has.
uint ws_texel_size(const uint size, const uint level)
{
    return max(size >> level, 1u);
}

uint ws_texel_layer(const uint layer, const uint layers)
{
    return uint(clamp(roundEven(uintBitsToFloat(layer)), 0.0, float(max(layers, 1u) - 1)));
}

uint ws_texel_quotient(const uint coordinate, const uint divisor)
{
    return floatBitsToUint(uintBitsToFloat(coordinate) / uintBitsToFloat(divisor));
}

// The nearest of so many levels.
uint ws_texel_level(const uint level, const uint levels)
{
    return uint(clamp(ceil(uintBitsToFloat(level) - 0.5), 0.0, float(max(levels, 1u) - 1)));
}

// The level by derivatives: the logarithm of the longer one in texels of level 0 (Vulkan specification, Scale Factor Operation).
uint ws_texel_gradient(const uint x0, const uint x1, const uint x2, const uint y0, const uint y1, const uint y2,
                       const uint width, const uint height, const uint depth)
{
    const vec3 size = vec3(uvec3(width, height, depth));
    const vec3 x = uintBitsToFloat(uvec3(x0, x1, x2)) * size;
    const vec3 y = uintBitsToFloat(uvec3(y0, y1, y2)) * size;
    return floatBitsToUint(0.5 * log2(max(dot(x, x), dot(y, y))));
}

uint ws_texel_sum(const uint left, const uint right)
{
    return floatBitsToUint(uintBitsToFloat(left) + uintBitsToFloat(right));
}

uint ws_texel_larger(const uint left, const uint right)
{
    return floatBitsToUint(max(uintBitsToFloat(left), uintBitsToFloat(right)));
}

// The face of a cube that a direction points to, and where on it (Vulkan specification, Cube Map Face Selection).
uint ws_texel_face(const uint x, const uint y, const uint z)
{
    const vec3 direction = uintBitsToFloat(uvec3(x, y, z));
    const vec3 size = abs(direction);
    const uint axis = size.z >= size.x && size.z >= size.y ? 2 : size.y >= size.x ? 1 : 0;
    return 2 * axis + (direction[axis] < 0 ? 1 : 0);
}

// A direction as the face has it: across, down, and away from the centre of the cube.
vec3 turned(const uint face, const vec3 direction)
{
    switch (face) {
    case 0: return vec3(-direction.z, -direction.y, direction.x);
    case 1: return vec3(direction.z, -direction.y, -direction.x);
    case 2: return vec3(direction.x, direction.z, direction.y);
    case 3: return vec3(direction.x, -direction.z, -direction.y);
    case 4: return vec3(direction.x, -direction.y, direction.z);
    default: return vec3(-direction.x, -direction.y, -direction.z);
    }
}

uint ws_texel_face_at(const uint face, const uint axis, const uint x, const uint y, const uint z)
{
    const vec3 at = turned(face, uintBitsToFloat(uvec3(x, y, z)));
    return floatBitsToUint(0.5 * (axis == 0 ? at.x : at.y) / at.z + 0.5);
}

// How fast the place on a face moves where its direction does (Vulkan specification, Cube Map Derivative Transformation).
vec2 slope(const vec3 at, const vec3 derivative)
{
    return 0.5 * (at.z * derivative.xy - at.xy * derivative.z) / (at.z * at.z);
}

// The level by derivatives of a direction; `width` texels are on each side of the face.
uint ws_texel_gradient_cube(const uint face, const uint x, const uint y, const uint z, const uint x0, const uint x1,
                            const uint x2, const uint y0, const uint y1, const uint y2, const uint width)
{
    const vec3 at = turned(face, uintBitsToFloat(uvec3(x, y, z)));
    const vec2 across = slope(at, turned(face, uintBitsToFloat(uvec3(x0, x1, x2)))) * float(width);
    const vec2 down = slope(at, turned(face, uintBitsToFloat(uvec3(y0, y1, y2)))) * float(width);
    return floatBitsToUint(0.5 * log2(max(dot(across, across), dot(down, down))));
}

void main()
{
}
