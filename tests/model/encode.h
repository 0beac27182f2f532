/* Predicted records and counters as a capture, by the words of records.h and capture.h. */
#ifndef WS_TESTS_MODEL_ENCODE_H
#define WS_TESTS_MODEL_ENCODE_H

#include "tests/model/warps.h"

/* Writes the capture of one launch to `path`. Shaders have the ids that they have in the program. False
 * with a message on stdout. */
bool model_capture_write(const char *path, const struct model_warps *warps,
                         const struct model_module *modules, const char *const *passes, uint32_t pass_count);

#endif
