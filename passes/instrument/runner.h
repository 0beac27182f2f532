/* The runner: the only walk over functions, blocks and instructions, with the cursors, the calls, the rows
 * and the limits. It visits the passes (pass.h) and lists in a struct ws_instrumented what was done and what
 * was not. */
#ifndef WS_PASSES_INSTRUMENT_RUNNER_H
#define WS_PASSES_INSTRUMENT_RUNNER_H

#include "passes/instrument/plan.h"
#include "warpscope/pass.h"

/* ws_instrument with passes that need not be built-in: `passes` stands for options->passes, in its order. */
struct ws_instrumented *ws_run_passes(const uint32_t *words, size_t word_count,
                                      const struct ws_pass *const *passes, size_t pass_count,
                                      const struct ws_instrument_options *options, struct ws_error *error);

struct ws_site_budget; /* site_budget.h */

/* Carries out `plan`, within `budget` (NULL = none): puts the code into `editor` and fills everything in `result` but words,
 * word_count, spec_ids and arena. False and `error` on failure of the editor or no memory. */
bool ws_runner_walk(struct ws_instrumented *result, struct ws_editor *editor,
                    const struct ws_instrument_plan *plan, struct ws_site_budget *budget,
                    const struct ws_pass *const *passes, size_t pass_count,
                    const struct ws_instrument_options *options, struct ws_error *error);

#endif
