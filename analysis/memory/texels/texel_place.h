/* Where the texel lies that a lane touches, by the format of the view that was bound. Records have its index in the model of
 * warpscope/spirv/texels.h, which is the same for all formats.
 *
 * SIZE. Where the shader says the format of an image, it has that. Else that of the view counts (warpscope/texel_format.h): of
 * a format that is compressed a lane touches the block that the texel is in, which lies at the index of the block. Of a texel
 * buffer texel i lies at i times the size. Where it is not known which view was bound, or lanes may have had several, 4 bytes a
 * texel are assumed, and that is said.
 *
 * PART. Levels and layers that a shader names are those of its view: the first ones of that are added, so that two views of an
 * image share the texels that both show. Of a place that may have several views they count as the image's.
 *
 * By hand: of an image of BC1, 8 bytes for 4 x 4 texels, the texel 9, 5 is in the block 2, 1. Its index is 6: it lies at 48. */
#ifndef WS_ANALYSIS_MEMORY_TEXELS_TEXEL_PLACE_H
#define WS_ANALYSIS_MEMORY_TEXELS_TEXEL_PLACE_H

#include "analysis/memory/texels/footprint.h"
#include "warpscope/model/bound.h"
#include "warpscope/spirv/stretches.h"

struct ws_texel_spot {
    uint64_t byte; /* as ws_stretch_address has it */
    uint32_t size; /* bytes that the lane touches */
    bool is_assumed;
};

/* What an access of a lane touches, by its words. `size`: bytes of the access, or what a compiler leaves of them; `view`: NULL
 * = nothing is known of it. Of other memory than texels it is what the access says. */
struct ws_texel_spot ws_texel_spot_find(const struct ws_stretch_access *access, uint32_t size,
                                        const uint32_t *words, const struct ws_bound_view *view);

/* The same of any access, which may be a sample: writes all that it touches, each once, and returns how many that are.
 * `sampler`: NULL = nothing is known of it, so that the texel counts that the sample points to, as by a sampler that filters
 * nothing and repeats. A sample on a border touches nothing. */
uint32_t ws_texel_spots_find(const struct ws_stretch_access *access, uint32_t size, const uint32_t *words,
                             const struct ws_bound_view *view, const struct ws_sampler *sampler,
                             struct ws_texel_spot spots[WS_FOOTPRINT_MAX]);

#endif
