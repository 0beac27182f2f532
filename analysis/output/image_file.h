/* Writes colours as an image file. */
#ifndef WS_ANALYSIS_OUTPUT_IMAGE_FILE_H
#define WS_ANALYSIS_OUTPUT_IMAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/output/file_kind.h"
#include "warpscope/error.h"

extern const struct ws_file_kind ws_image_file_kind;

/* Writes `width` * `height` texels of red, green, blue and alpha, which is left out, as PNG. The path `-` is standard
 * output. False and `error` where the file cannot be written, or this build has no cairo. */
bool ws_image_file_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height,
                         struct ws_error *error);

#endif
