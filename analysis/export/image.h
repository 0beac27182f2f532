/* What `warpscope export --image` does: the image of a launch as a file. */
#ifndef WS_ANALYSIS_EXPORT_IMAGE_H
#define WS_ANALYSIS_EXPORT_IMAGE_H

#include "warpscope/chunks.h"
#include "warpscope/report/analysis.h"

/* What to write: `user` of the options. */
struct ws_image_export {
    const char *path;            /* NULL = not wanted */
    uint64_t launch;             /* whose image it is */
    struct ws_chunk_image image; /* set by the analysis */
};

/* Finds the image: of the last of the chosen launches that have one. */
extern const struct ws_analysis ws_analysis_image_export;

/* Reads the image that was found from the capture, and writes it. */
bool ws_image_export_write(const struct ws_image_export *image, const char *capture, struct ws_error *error);

#endif
