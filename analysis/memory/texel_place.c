#include "analysis/memory/texel_place.h"

#include "warpscope/spirv/texels.h"
#include "warpscope/texel_format.h"

/* The coordinate whose bits are each `axes`th of the index, from bit `axis` on. */
static uint32_t coordinate(uint32_t index, uint32_t axes, uint32_t axis)
{
    uint32_t found = 0;
    for (uint32_t from = axis, to = 0; from < 32; from += axes, to++)
        found |= (index >> from & 1) << to;
    return found;
}

static uint32_t spread(uint32_t bits, uint32_t axes, uint32_t axis)
{
    uint32_t found = 0;
    for (uint32_t to = axis, from = 0; to < 32; to += axes, from++)
        found |= (bits >> from & 1) << to;
    return found;
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
        const uint64_t part = part_of(access->has_part ? words[access->base + 1] : 0, view);
        const uint32_t axes = access->axes > 0 && access->axes <= 3 ? access->axes : 1;
        const uint64_t index = part << 32 | block_of(words[access->base], axes, &found);
        spot.byte = index * (is_found ? 1u << found.log2_size : access->size);
    } else if (is_found) {
        spot.byte = spot.byte / WS_TEXEL_SIZE_ASSUMED << found.log2_size;
    }
    return spot;
}
