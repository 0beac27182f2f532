/* The analyses' numbers of a capture of one launch against those of the model. */
#ifndef WS_TESTS_MODEL_COMPARE_H
#define WS_TESTS_MODEL_COMPARE_H

#include "tests/model/figures/naive.h"
#include "tests/model/figures/reorder.h"
#include "tests/model/figures/visits.h"

/* Analyses the capture at `path` and compares what it has passes for. Shaders are in the capture's catalog in
 * the program's order, from warps->first_shader on. `reorder`: NULL = not compared. False, with what differs on stdout. */
bool model_compare(const char *path, const struct model_warps *warps, const struct model_module *modules,
                   const struct model_visits *visits, struct model_reorder *reorder,
                   const char *const *passes, uint32_t pass_count);

#endif
