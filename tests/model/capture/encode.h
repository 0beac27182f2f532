/* Predicted records and counters as a capture, by the words of records.h and capture.h. */
#ifndef WS_TESTS_MODEL_ENCODE_H
#define WS_TESTS_MODEL_ENCODE_H

#include "tests/model/run/paths.h"
#include "tests/model/run/sampled.h"

/* Writes the capture of one launch to `path`. Shaders have the ids that they have in the program. `paths`: the records that
 * the units of `warps` became. `sampled`: what the
 * counters have where they are sampled; else NULL. False with a message on stdout. */
bool model_capture_write(const char *path, const struct model_warps *warps,
                         const struct model_module *modules, const char *const *passes, uint32_t pass_count,
                         const struct model_paths *paths, const struct model_sampled *sampled);

/* The counter rows of a shader; freed by the caller. `launched`: its launch row is written. NULL with a message where blocks
 * that share a row differ. */
uint32_t *model_count_rows(const struct model_warps *warps, const struct model_module *module,
                           uint32_t shader, const struct model_counts *counts, bool launched);

#endif
