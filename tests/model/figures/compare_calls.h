/* Divergence, thread paths and compaction against the model's. */
#ifndef WS_TESTS_MODEL_COMPARE_CALLS_H
#define WS_TESTS_MODEL_COMPARE_CALLS_H

#include "analysis/compaction/thread_compaction.h"
#include "analysis/trace/divergence.h"
#include "tests/model/figures/naive.h"
#include "tests/model/figures/visits.h"

/* Each true when all is the same; else what differs is on stdout. Shaders are in the catalog in the program's
 * order. */
bool model_compare_divergence(const struct ws_divergence_results *results, const struct model_warps *warps,
                              const struct model_module *modules, const struct model_naive *naive);
bool model_compare_compaction(const struct ws_compaction_results *results, const struct model_warps *warps,
                              const struct model_module *modules, const struct model_visits *visits);

#endif
