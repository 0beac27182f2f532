/* The SPIR-V of the modules of a capture, for the views of shaders: reports do not keep it. It is read when it is first asked
 * for, and belongs to the capture. Not thread-safe. */
#ifndef WS_ANALYSIS_VIEWER_SHADERS_MODULES_H
#define WS_ANALYSIS_VIEWER_SHADERS_MODULES_H

#include "analysis/viewer/viewer.h"

struct ws_shader_words {
    uint32_t *words; /* NULL = the capture does not hold the module */
    uint32_t count;
};

/* The words of each module of the catalog. NULL and `error` when they cannot be read. */
const struct ws_shader_words *ws_viewer_modules(struct ws_viewer_capture *capture, struct ws_error *error);

#endif
