/* Which texels a sample touches, by its sampler: the one place where that is defined. Chapters are those of the Vulkan
 * specification, Image Operations.
 *
 * LEVEL (LOD Operation). What the shader asks for, or derivatives say, with the sampler's bias, clamped to the sampler's minLod
 * and maxLod. Biases are added as they are: maxSamplerLodBias limits their sum, which is not followed. The operand MinLod is a
 * limit before the bias of a sampler that gets derivatives from the shader. Up to 0 the image is magnified, above minified:
 * that chooses the filter. Then (Image Level(s) Selection):
 *
 *   VK_SAMPLER_MIPMAP_MODE_NEAREST  one level: ceil(level - 0.5)
 *   VK_SAMPLER_MIPMAP_MODE_LINEAR   floor(level), and the next where the fraction is above 0: a level that weighs nothing is
 *                                   not touched
 *
 * both clamped to those of the view. A gather has level 0.
 *
 * FILTER (Integer Texel Coordinate Operations). With u = coordinate x size of the level, or the coordinate itself where the
 * sampler is unnormalized. Records have it to a 16th of a texel of level 0, cut off; from 128 on as it is. That changes no
 * texel but, by a 16th, where an edge falls at further levels of images whose sizes are no powers of two:
 *
 *   VK_FILTER_NEAREST  along each axis one texel: floor(u)
 *   VK_FILTER_LINEAR   two: floor(u - 0.5) and the next, whatever they weigh. So 2, 4 or 8 of a level. A gather takes the same
 *                      four, or with four offsets the first of each.
 *
 * An offset of the instruction is added to these.
 *
 * ADDRESS (Wrapping Operation). Along each axis, of `size` texels:
 *
 *   repeat                i mod size
 *   mirrored repeat       (size - 1) - mirror((i mod (2 x size)) - size), where mirror(n) is n from 0 on, else -(1 + n)
 *   clamp to edge         clamp(i, 0, size - 1)
 *   clamp to border       beyond the image there is no texel: the border is no memory
 *   mirror clamp to edge  clamp(mirror(i), 0, size - 1)
 *
 * CUBES (Cube Map Face Selection, Cube Map Edge Handling). What is beyond an edge of a face is on the face behind that edge;
 * beyond a corner there is none. With VK_EXT_non_seamless_cube_map each face is an image of its own.
 *
 * A texel that is met several times is touched once.
 *
 * NOT MODELLED. Anisotropy: devices choose samples along a line for themselves; it counts as one sample, at the level that the
 * device says. Cubic filters count as linear ones, YCbCr conversion as none. ws_footprint_is_modelled tells.
 *
 * By hand: 4 x 1 texels, linear, coordinate 0.0: u - 0.5 = -0.5, so texels -1 and 0. That is 3 and 0 where it repeats, 0 where
 * it is mirrored or clamped, 0 and no other with a border.
 *
 * Thread-safe: nothing is kept. */
#ifndef WS_ANALYSIS_MEMORY_TEXELS_FOOTPRINT_H
#define WS_ANALYSIS_MEMORY_TEXELS_FOOTPRINT_H

#include "warpscope/sampler.h"
#include "warpscope/spirv/stretches.h"

#define WS_FOOTPRINT_MAX 16 /* 8 of each of two levels */

/* A texel of an image: its coordinates in texels of its level. */
struct ws_footprint_texel {
    uint32_t at[3];
    uint32_t layer; /* of a cube 6 x layer + face */
    uint32_t level;
};

/* Writes the texels that a sample touches, each once, and returns how many. `words` are those of its record. */
uint32_t ws_footprint_find(const struct ws_stretch_access *access, const uint32_t *words,
                           const struct ws_sampler *sampler,
                           struct ws_footprint_texel texels[WS_FOOTPRINT_MAX]);

/* Whether the sampler does nothing that is not modelled. */
bool ws_footprint_is_modelled(const struct ws_sampler *sampler);

/* Whether it touches the texel alone that counters count (warpscope/spirv/texels.h), whatever the coordinates are. */
bool ws_footprint_is_pointed(const struct ws_sampler *sampler);

#endif
