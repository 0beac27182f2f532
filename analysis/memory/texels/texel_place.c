#include "analysis/memory/texels/texel_place.h"

#include "warpscope/spirv/texels.h"
#include "warpscope/texel_format.h"

/* Bits of numbers with gaps between them, as many as axes but one: see passes/primitives/texels.glsl. */
#define TWO_8   0x00ff00ffu
#define TWO_4   0x0f0f0f0fu
#define TWO_2   0x33333333u
#define TWO_1   0x55555555u
#define THREE_8 0xff0000ffu
#define THREE_4 0x0f00f00fu
#define THREE_2 0xc30c30c3u
#define THREE_1 0x49249249u

/* The coordinate whose bits are each `axes`th of the index, from bit `axis` on. */
static uint32_t coordinate(uint32_t index, uint32_t axes, uint32_t axis)
{
    uint32_t bits = index >> axis;
    if (axes == 1)
        return bits;
    if (axes == 2) {
        bits &= TWO_1;
        bits = (bits | bits >> 1) & TWO_2;
        bits = (bits | bits >> 2) & TWO_4;
        bits = (bits | bits >> 4) & TWO_8;
        return (bits | bits >> 8) & 0xffff;
    }
    bits &= THREE_1;
    bits = (bits | bits >> 2) & THREE_2;
    bits = (bits | bits >> 4) & THREE_4;
    bits = (bits | bits >> 8) & THREE_8;
    return (bits | bits >> 16) & 0x7ff;
}

/* The reverse. */
static uint32_t spread(uint32_t bits, uint32_t axes, uint32_t axis)
{
    if (axes == 1)
        return bits << axis;
    if (axes == 2) {
        bits &= 0xffff;
        bits = (bits | bits << 8) & TWO_8;
        bits = (bits | bits << 4) & TWO_4;
        bits = (bits | bits << 2) & TWO_2;
        return ((bits | bits << 1) & TWO_1) << axis;
    }
    bits &= 0x7ff;
    bits = (bits | bits << 16) & THREE_8;
    bits = (bits | bits << 8) & THREE_4;
    bits = (bits | bits << 4) & THREE_2;
    return ((bits | bits << 2) & THREE_1) << axis;
}

/* The index of the block that a texel is in. */
static uint32_t block_of(uint32_t index, uint32_t axes, const struct ws_texel_format *format)
{
    const uint32_t sizes[3] = {format->width, format->height, 1};
    uint32_t block = 0;
    if (format->width == 1 && format->height == 1)
        return index;
    for (uint32_t axis = 0; axis < axes; axis++)
        block |= spread(coordinate(index, axes, axis) / sizes[axis], axes, axis);
    return block;
}

/* The part of the image that is `part` of a view. */
static uint32_t part_of(uint32_t part, const struct ws_bound_view *view)
{
    const uint32_t level = (part + view->level) & WS_TEXEL_LEVEL_MASK;
    return level | ((part >> WS_TEXEL_LEVEL_BITS) + view->layer) << WS_TEXEL_LEVEL_BITS;
}

/* Where a texel lies, by its index and part in the model. */
static void place_texel(struct ws_texel_spot *spot, const struct ws_stretch_access *access, uint32_t index,
                        uint32_t part, const struct ws_bound_view *view, const struct ws_texel_format *found,
                        bool is_found)
{
    const uint32_t axes = access->axes > 0 && access->axes <= 3 ? access->axes : 1;
    const uint64_t place = (uint64_t)part_of(part, view) << 32 | block_of(index, axes, found);
    spot->byte = place * (is_found ? 1u << found->log2_size : access->size);
}

struct ws_texel_spot ws_texel_spot_find(const struct ws_stretch_access *access, uint32_t size,
                                        const uint32_t *words, const struct ws_bound_view *view)
{
    struct ws_texel_spot spot = {ws_stretch_address(access, words), size, access->is_assumed};
    struct ws_texel_format found = {.width = 1, .height = 1};
    if (view == NULL)
        return spot;
    const bool is_found = access->is_assumed && ws_texel_format_find(view->format, &found);
    spot.is_assumed = access->is_assumed && !is_found;
    if (is_found) /* a compiler may have joined several */
        spot.size = size / WS_TEXEL_SIZE_ASSUMED << found.log2_size;
    if (access->memory == WS_MEMORY_IMAGE) {
        place_texel(&spot, access, words[access->base], access->has_part ? words[access->base + 1] : 0, view,
                    &found, is_found);
    } else if (is_found) {
        spot.byte = spot.byte / WS_TEXEL_SIZE_ASSUMED << found.log2_size;
    }
    return spot;
}

/* The index of a texel of a footprint, and its part: as passes/primitives/texels.glsl has them. */
static uint32_t index_of(const struct ws_footprint_texel *texel, uint32_t axes, uint32_t *part)
{
    uint32_t layer = texel->layer;
    uint32_t index = texel->at[0];
    if (axes == 2) {
        index = spread(texel->at[0] & 0xffff, 2, 0) | spread(texel->at[1] & 0xffff, 2, 1);
    } else if (axes == 3) {
        index = 0;
        layer = 0;
        for (uint32_t i = 0; i < 3; i++) {
            index |= spread(texel->at[i] & 0x3ff, 3, i);
            layer |= (texel->at[i] >> 10 & 15) << 4 * i;
        }
    }
    *part = (texel->level & WS_TEXEL_LEVEL_MASK) | (layer & 0xfff) << WS_TEXEL_LEVEL_BITS;
    return index;
}

uint32_t ws_texel_spots_find(const struct ws_stretch_access *access, uint32_t size, const uint32_t *words,
                             const struct ws_bound_view *view, const struct ws_sampler *sampler,
                             struct ws_texel_spot spots[WS_FOOTPRINT_MAX])
{
    static const struct ws_bound_view none = {0};
    static const struct ws_sampler usual = {.most_level = 1000};
    struct ws_footprint_texel texels[WS_FOOTPRINT_MAX];
    struct ws_texel_format format = {.width = 1, .height = 1};
    uint32_t count = 0;
    if (access->sample.is_sample == 0) {
        spots[0] = ws_texel_spot_find(access, size, words, view);
        return 1;
    }
    const struct ws_bound_view *of = view != NULL ? view : &none;
    const bool is_found = access->is_assumed && ws_texel_format_find(of->format, &format);
    const uint32_t found = ws_footprint_find(access, words, sampler != NULL ? sampler : &usual, texels);
    for (uint32_t i = 0; i < found; i++) {
        struct ws_texel_spot *spot = &spots[count];
        uint32_t part = 0;
        uint32_t same = 0;
        const uint32_t index = index_of(&texels[i], access->axes, &part);
        *spot = (struct ws_texel_spot){.size = size, .is_assumed = access->is_assumed && !is_found};
        if (is_found)
            spot->size = size / WS_TEXEL_SIZE_ASSUMED << format.log2_size;
        place_texel(spot, access, index, part, of, &format, is_found);
        while (spots[same].byte != spot->byte)
            same++;
        count += same == count; /* else it is of a block that is there */
    }
    return count;
}
