/* Sampled counters of a capture, and the errors that analyses tell, against those of the model. */
#ifndef WS_TESTS_MODEL_COMPARE_SAMPLED_H
#define WS_TESTS_MODEL_COMPARE_SAMPLED_H

#include "tests/model/run/sampled.h"

/* Whether the counters of a capture are those of the sets, word for word. Shaders have the ids of the program's, from
 * `first_shader` on. False with a message on stdout. */
bool model_sampled_compare_rows(const char *path, const struct model_sampled *sampled,
                                const struct model_module *modules);

/* Whether the analyses of a capture have the standard errors that follow from the sets. */
bool model_sampled_compare_errors(const char *path, const struct model_sampled *sampled,
                                  const struct model_module *modules);

#endif
