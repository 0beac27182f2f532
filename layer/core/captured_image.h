/* Writes an image of the application to the capture: its texels as a blob, and an IMAG chunk. Thread-safe. */
#ifndef WS_LAYER_CORE_CAPTURED_IMAGE_H
#define WS_LAYER_CORE_CAPTURED_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/chunks.h"

struct ws_capture;

/* Bytes of texels that a capture takes, before they are compressed, when the setting image_limit says nothing. What comes
 * later is left out. */
#define WS_IMAGES_LIMIT ((uint64_t)512 << 20)

/* Why, for the user. */
#define WS_IMAGES_FULL                                                                                       \
    "the limit for them is reached: give a larger one by image_limit, or choose others by frames or "        \
    "launches"

/* Whether there is no room for a further image of that size. */
bool ws_captured_images_full(struct ws_capture *capture, uint64_t size);

/* Writes it, with chunk->pitch * chunk->height bytes; or leaves it out, where there is no room. chunk->blob is set here.
 * Runs no code of the application. */
void ws_captured_image_write(struct ws_capture *capture, struct ws_chunk_image *chunk, const uint8_t *bytes);

/* Counts images as left out; `reason` is written. */
void ws_captured_images_skip(struct ws_capture *capture, uint64_t count, const char *reason);

#endif
