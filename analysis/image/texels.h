/* Texels of a captured image as colours for a display: RGBA, 8 bits each, sRGB.
 *
 * VALUES of UNORM and sRGB formats are for a display as they are: one of n bits becomes round(value * 255 / (2^n - 1)).
 * SNORM: the same of value / (2^(n-1) - 1), below 0 as 0. Floats are linear: from 0 to 1 (what is outside, or no number,
 * as the nearer end or 0), then encoded by sRGB's transfer function (IEC 61966-2-1). Integers are no colours.
 *
 * COMPONENTS. An image of one is grey, of two red and green. Alpha is 255 everywhere: what it means is the
 * application's to say. */
#ifndef WS_ANALYSIS_IMAGE_TEXELS_H
#define WS_ANALYSIS_IMAGE_TEXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/chunks.h"
#include "warpscope/error.h"

/* Most texels of an image that is shown. */
#define WS_TEXELS_MOST ((uint64_t)1 << 28)

/* The bytes that the image needs. False and `error` where it cannot be shown: it has integers, no texels or too many, or a
 * format or pitch that cannot be. The file is untrusted. */
bool ws_texels_size(const struct ws_chunk_image *image, uint64_t *size, struct ws_error *error);

/* Writes image->width * image->height * 4 bytes to `rgba`. `bytes` has what ws_texels_size said, which must be true. */
void ws_texels_to_rgba(const struct ws_chunk_image *image, const uint8_t *bytes, uint8_t *rgba);

/* The name of a VkFormat, without VK_FORMAT_; "an unknown format" where it is not known. */
const char *ws_texels_format_name(uint32_t format);

#endif
