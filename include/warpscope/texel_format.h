/* How the texels of a format lie in memory, by VkFormat. A BLOCK is what lies together: of most formats one texel, of those
 * that are compressed several.
 *
 *   R8G8B8A8_UNORM        4 bytes, 1 x 1 texels
 *   BC1_RGB_UNORM_BLOCK   8 bytes, 4 x 4
 *   ASTC_8x5_UNORM_BLOCK  16 bytes, 8 x 5
 *   R8G8B8_UNORM          3 bytes, which lie as 4: blocks of 3, 6, 12 and 24 bytes take a power of two
 *
 * Of depth and stencil in one format, which lie apart, the depth is meant. Of formats of several planes the first is, which has
 * the brightness; the others have as many bytes at most. */
#ifndef WARPSCOPE_TEXEL_FORMAT_H
#define WARPSCOPE_TEXEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ws_texel_format {
    uint8_t log2_size; /* of the bytes of a block */
    uint8_t width;     /* of a block, in texels */
    uint8_t height;
};

/* False where the format is not known; 0 is none. */
static inline bool ws_texel_format_find(uint32_t format, struct ws_texel_format *found)
{
    static const struct {
        uint32_t first;
        uint32_t last;
        struct ws_texel_format format;
    } table[] = {
        {1, 1, {0, 1, 1}},     /* R4G4 */
        {2, 8, {1, 1, 1}},     /* 16 bits in all */
        {9, 15, {0, 1, 1}},    /* R8 */
        {16, 22, {1, 1, 1}},   /* R8G8 */
        {23, 69, {2, 1, 1}},   /* three and four of 8 bits, and those of 10 and 2 */
        {70, 76, {1, 1, 1}},   /* R16 */
        {77, 83, {2, 1, 1}},   /* R16G16 */
        {84, 97, {3, 1, 1}},   /* three and four of 16 bits */
        {98, 100, {2, 1, 1}},  /* R32 */
        {101, 103, {3, 1, 1}}, /* R32G32 */
        {104, 109, {4, 1, 1}}, /* three and four of 32 bits */
        {110, 112, {3, 1, 1}}, /* R64 */
        {113, 115, {4, 1, 1}}, /* R64G64 */
        {116, 121, {5, 1, 1}}, /* three and four of 64 bits */
        {122, 123, {2, 1, 1}}, /* B10G11R11, E5B9G9R9 */
        {124, 124, {1, 1, 1}}, /* D16 */
        {125, 126, {2, 1, 1}}, /* X8_D24, D32 */
        {127, 127, {0, 1, 1}}, /* S8 */
        {128, 128, {1, 1, 1}}, /* D16 with S8 */
        {129, 130, {2, 1, 1}}, /* D24 and D32 with S8 */
        {131, 134, {3, 4, 4}}, /* BC1 */
        {135, 138, {4, 4, 4}}, /* BC2, BC3 */
        {139, 140, {3, 4, 4}}, /* BC4 */
        {141, 146, {4, 4, 4}}, /* BC5, BC6H, BC7 */
        {147, 150, {3, 4, 4}}, /* ETC2 without alpha, or with one bit of it */
        {151, 152, {4, 4, 4}}, /* ETC2 */
        {153, 154, {3, 4, 4}}, /* EAC R11 */
        {155, 156, {4, 4, 4}}, /* EAC R11G11 */
        {157, 158, {4, 4, 4}}, /* ASTC from here on: unorm and sRGB */
        {159, 160, {4, 5, 4}},
        {161, 162, {4, 5, 5}},
        {163, 164, {4, 6, 5}},
        {165, 166, {4, 6, 6}},
        {167, 168, {4, 8, 5}},
        {169, 170, {4, 8, 6}},
        {171, 172, {4, 8, 8}},
        {173, 174, {4, 10, 5}},
        {175, 176, {4, 10, 6}},
        {177, 178, {4, 10, 8}},
        {179, 180, {4, 10, 10}},
        {181, 182, {4, 12, 10}},
        {183, 184, {4, 12, 12}},
        /* PVRTC with 2 and 4 bits a texel, in turn */
        {1000054000, 1000054000, {3, 8, 4}},
        {1000054001, 1000054001, {3, 4, 4}},
        {1000054002, 1000054002, {3, 8, 4}},
        {1000054003, 1000054003, {3, 4, 4}},
        {1000054004, 1000054004, {3, 8, 4}},
        {1000054005, 1000054005, {3, 4, 4}},
        {1000054006, 1000054006, {3, 8, 4}},
        {1000054007, 1000054007, {3, 4, 4}},
        /* ASTC with floats */
        {1000066000, 1000066000, {4, 4, 4}},
        {1000066001, 1000066001, {4, 5, 4}},
        {1000066002, 1000066002, {4, 5, 5}},
        {1000066003, 1000066003, {4, 6, 5}},
        {1000066004, 1000066004, {4, 6, 6}},
        {1000066005, 1000066005, {4, 8, 5}},
        {1000066006, 1000066006, {4, 8, 6}},
        {1000066007, 1000066007, {4, 8, 8}},
        {1000066008, 1000066008, {4, 10, 5}},
        {1000066009, 1000066009, {4, 10, 6}},
        {1000066010, 1000066010, {4, 10, 8}},
        {1000066011, 1000066011, {4, 10, 10}},
        {1000066012, 1000066012, {4, 12, 10}},
        {1000066013, 1000066013, {4, 12, 12}},
        /* Two texels that share colours, and several planes; of 8, 10, 12 and 16 bits */
        {1000156000, 1000156001, {2, 2, 1}},
        {1000156002, 1000156006, {0, 1, 1}},
        {1000156007, 1000156007, {1, 1, 1}},
        {1000156008, 1000156008, {2, 1, 1}},
        {1000156009, 1000156009, {3, 1, 1}},
        {1000156010, 1000156011, {3, 2, 1}},
        {1000156012, 1000156017, {1, 1, 1}},
        {1000156018, 1000156018, {2, 1, 1}},
        {1000156019, 1000156019, {3, 1, 1}},
        {1000156020, 1000156021, {3, 2, 1}},
        {1000156022, 1000156026, {1, 1, 1}},
        {1000156027, 1000156028, {3, 2, 1}},
        {1000156029, 1000156033, {1, 1, 1}},
        {1000330000, 1000330000, {0, 1, 1}},
        {1000330001, 1000330003, {1, 1, 1}},
        {1000340000, 1000340001, {1, 1, 1}}, /* 4 bits each */
        {1000464000, 1000464000, {2, 1, 1}}, /* R16G16_SFIXED5 */
        {1000470000, 1000470000, {1, 1, 1}}, /* A1B5G5R5 */
        {1000470001, 1000470001, {0, 1, 1}}, /* A8 */
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (format < table[i].first || format > table[i].last)
            continue;
        *found = table[i].format;
        return true;
    }
    return false;
}

#endif
