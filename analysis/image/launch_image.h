/* The image of a launch, where the capture has one (`warpscope record --image`). */
#ifndef WS_ANALYSIS_IMAGE_LAUNCH_IMAGE_H
#define WS_ANALYSIS_IMAGE_LAUNCH_IMAGE_H

#include "analysis/image/texels.h"
#include "warpscope/model/catalog.h"

/* The storage image that the launch wrote, else the one that was presented at the end of its frame. NULL where there is
 * neither. It is the catalog's. */
const struct ws_chunk_image *ws_launch_image_find(const struct ws_catalog *catalog,
                                                  const struct ws_launch_record *launch);

/* Reads the image from the capture at `path`: width * height * 4 bytes (texels.h), to be freed. NULL and `error` where
 * its texels are not whole in the file, or are no colours. */
uint8_t *ws_launch_image_read(const char *path, const struct ws_chunk_image *image, struct ws_error *error);

/* The same of the bytes of the blob. */
uint8_t *ws_launch_image_convert(const struct ws_chunk_image *image, const uint8_t *bytes, uint64_t size,
                                 struct ws_error *error);

#endif
