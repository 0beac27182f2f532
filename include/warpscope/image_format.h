/* The formats of images that the layer captures and the analyses show, by VkFormat. A format that is not in the table is
 * neither: compressed ones, those of several planes, of depth and stencil, and of 64 bits a component. */
#ifndef WARPSCOPE_IMAGE_FORMAT_H
#define WARPSCOPE_IMAGE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum ws_image_values {
    WS_IMAGE_UNORM,    /* from 0 to 1, for a display as they are */
    WS_IMAGE_SRGB,     /* likewise */
    WS_IMAGE_SNORM,    /* from -1 to 1 */
    WS_IMAGE_FLOAT,    /* linear */
    WS_IMAGE_INTEGERS, /* no colours */
};

/* How the components lie in a texel, little endian. */
enum ws_image_layout {
    WS_IMAGE_RGBA,        /* one after the other, of `bits` each: red first */
    WS_IMAGE_BGRA,        /* likewise, blue first */
    WS_IMAGE_RGB10_A2,    /* from the lowest bit: red 10, green 10, blue 10, alpha 2 */
    WS_IMAGE_BGR10_A2,    /* blue 10, green 10, red 10, alpha 2 */
    WS_IMAGE_B5_G6_R5,    /* blue 5, green 6, red 5 */
    WS_IMAGE_R11_G11_B10, /* unsigned floats: red 6 + 5 bits, green 6 + 5, blue 5 + 5 */
    WS_IMAGE_RGB9_E5,     /* red 9, green 9, blue 9, the exponent that they share 5 */
};

struct ws_image_format {
    uint32_t format;     /* VkFormat */
    const char *name;    /* without VK_FORMAT_ */
    uint32_t size;       /* bytes of a texel */
    uint32_t components; /* colours and alpha */
    uint32_t bits;       /* of each component; 0 = they differ */
    enum ws_image_layout layout;
    enum ws_image_values values;
};

/* Returns the format; NULL where it is not in the table. */
static inline const struct ws_image_format *ws_image_format_find(uint32_t format)
{
    static const struct ws_image_format table[] = {
        {4, "R5G6B5_UNORM_PACK16", 2, 3, 0, WS_IMAGE_B5_G6_R5, WS_IMAGE_UNORM},
        {9, "R8_UNORM", 1, 1, 8, WS_IMAGE_RGBA, WS_IMAGE_UNORM},
        {10, "R8_SNORM", 1, 1, 8, WS_IMAGE_RGBA, WS_IMAGE_SNORM},
        {13, "R8_UINT", 1, 1, 8, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {14, "R8_SINT", 1, 1, 8, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {16, "R8G8_UNORM", 2, 2, 8, WS_IMAGE_RGBA, WS_IMAGE_UNORM},
        {17, "R8G8_SNORM", 2, 2, 8, WS_IMAGE_RGBA, WS_IMAGE_SNORM},
        {20, "R8G8_UINT", 2, 2, 8, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {21, "R8G8_SINT", 2, 2, 8, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {37, "R8G8B8A8_UNORM", 4, 4, 8, WS_IMAGE_RGBA, WS_IMAGE_UNORM},
        {38, "R8G8B8A8_SNORM", 4, 4, 8, WS_IMAGE_RGBA, WS_IMAGE_SNORM},
        {41, "R8G8B8A8_UINT", 4, 4, 8, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {42, "R8G8B8A8_SINT", 4, 4, 8, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {43, "R8G8B8A8_SRGB", 4, 4, 8, WS_IMAGE_RGBA, WS_IMAGE_SRGB},
        {44, "B8G8R8A8_UNORM", 4, 4, 8, WS_IMAGE_BGRA, WS_IMAGE_UNORM},
        {50, "B8G8R8A8_SRGB", 4, 4, 8, WS_IMAGE_BGRA, WS_IMAGE_SRGB},
        {51, "A8B8G8R8_UNORM_PACK32", 4, 4, 8, WS_IMAGE_RGBA, WS_IMAGE_UNORM},
        {57, "A8B8G8R8_SRGB_PACK32", 4, 4, 8, WS_IMAGE_RGBA, WS_IMAGE_SRGB},
        {58, "A2R10G10B10_UNORM_PACK32", 4, 4, 0, WS_IMAGE_BGR10_A2, WS_IMAGE_UNORM},
        {64, "A2B10G10R10_UNORM_PACK32", 4, 4, 0, WS_IMAGE_RGB10_A2, WS_IMAGE_UNORM},
        {68, "A2B10G10R10_UINT_PACK32", 4, 4, 0, WS_IMAGE_RGB10_A2, WS_IMAGE_INTEGERS},
        {70, "R16_UNORM", 2, 1, 16, WS_IMAGE_RGBA, WS_IMAGE_UNORM},
        {71, "R16_SNORM", 2, 1, 16, WS_IMAGE_RGBA, WS_IMAGE_SNORM},
        {74, "R16_UINT", 2, 1, 16, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {75, "R16_SINT", 2, 1, 16, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {76, "R16_SFLOAT", 2, 1, 16, WS_IMAGE_RGBA, WS_IMAGE_FLOAT},
        {77, "R16G16_UNORM", 4, 2, 16, WS_IMAGE_RGBA, WS_IMAGE_UNORM},
        {78, "R16G16_SNORM", 4, 2, 16, WS_IMAGE_RGBA, WS_IMAGE_SNORM},
        {81, "R16G16_UINT", 4, 2, 16, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {82, "R16G16_SINT", 4, 2, 16, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {83, "R16G16_SFLOAT", 4, 2, 16, WS_IMAGE_RGBA, WS_IMAGE_FLOAT},
        {91, "R16G16B16A16_UNORM", 8, 4, 16, WS_IMAGE_RGBA, WS_IMAGE_UNORM},
        {92, "R16G16B16A16_SNORM", 8, 4, 16, WS_IMAGE_RGBA, WS_IMAGE_SNORM},
        {95, "R16G16B16A16_UINT", 8, 4, 16, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {96, "R16G16B16A16_SINT", 8, 4, 16, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {97, "R16G16B16A16_SFLOAT", 8, 4, 16, WS_IMAGE_RGBA, WS_IMAGE_FLOAT},
        {98, "R32_UINT", 4, 1, 32, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {99, "R32_SINT", 4, 1, 32, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {100, "R32_SFLOAT", 4, 1, 32, WS_IMAGE_RGBA, WS_IMAGE_FLOAT},
        {101, "R32G32_UINT", 8, 2, 32, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {102, "R32G32_SINT", 8, 2, 32, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {103, "R32G32_SFLOAT", 8, 2, 32, WS_IMAGE_RGBA, WS_IMAGE_FLOAT},
        {107, "R32G32B32A32_UINT", 16, 4, 32, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {108, "R32G32B32A32_SINT", 16, 4, 32, WS_IMAGE_RGBA, WS_IMAGE_INTEGERS},
        {109, "R32G32B32A32_SFLOAT", 16, 4, 32, WS_IMAGE_RGBA, WS_IMAGE_FLOAT},
        {122, "B10G11R11_UFLOAT_PACK32", 4, 3, 0, WS_IMAGE_R11_G11_B10, WS_IMAGE_FLOAT},
        {123, "E5B9G9R9_UFLOAT_PACK32", 4, 3, 0, WS_IMAGE_RGB9_E5, WS_IMAGE_FLOAT},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].format == format)
            return &table[i];
    return NULL;
}

#endif
