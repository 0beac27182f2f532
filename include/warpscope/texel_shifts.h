/* How accesses are counted to texels whose size the shader does not say. C and GLSL both include this file.
 *
 * In the order of texels.h, aligned runs of 2^k texels are tiles, whatever the size of a texel: a sector of 32 bytes has 2^5
 * texels of 1 byte, or 2^3 of 4 bytes. So of each warp it is counted how many distinct tiles it touches, for each k at once.
 * Who reads it chooses the k of the format that was bound.
 *
 * A lane's SHIFT is the least k at which its tile is also that of a lane before it that counts; WS_TEXEL_SHIFTS where none is
 * up to there. Word s - 1 of the access has how many lanes had the shift s; of lanes with the shift 0, which touch the texel of
 * another, there is no word. Distinct tiles of 2^k texels, summed over all executions, are the lanes with a shift above k.
 *
 * By hand: lanes that touch the texels 0, 1, 2 and 3 have the shifts 10, 1, 2, 1. So they touch 4 texels, 2 tiles of 2 and one
 * of 4. A word wraps at 2^32 lanes in one launch. */
#ifndef WARPSCOPE_TEXEL_SHIFTS_H
#define WARPSCOPE_TEXEL_SHIFTS_H

#define WS_TEXEL_SHIFTS     10u
#define WS_TEXEL_SHIFT_ROWS 3u /* their words, where a row has the fewest */

#ifndef WS_GLSL
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "warpscope/root.h"
#include "warpscope/texel_format.h"

static_assert(WS_TEXEL_SHIFT_ROWS * WS_BINS_MIN >= WS_TEXEL_SHIFTS, "the words have room");

/* Of a format the k of sectors and of lines. Blocks have 1 x 1, 4 x 4 or 8 x 8 texels; false for others, and for blocks of 3D
 * images, which are no tiles of texels. */
static inline bool ws_texel_shifts_find(const struct ws_texel_format *format, bool is_solid, uint32_t *sector,
                                        uint32_t *line)
{
    const uint32_t log2_side = format->width == 8 ? 3 : format->width == 4 ? 2 : 0;
    *sector = 5 - format->log2_size + 2 * log2_side;
    *line = *sector + 2;
    return format->width == format->height && format->width == 1u << log2_side &&
           (log2_side == 0 || !is_solid) && *line < WS_TEXEL_SHIFTS;
}
#endif

#endif
