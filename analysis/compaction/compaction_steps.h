/* What a record does to the lanes that it shows: they move between scopes and iterations, visit slots, and
 * their paths grow (compaction_threads.h). Each false when there is no memory. */
#ifndef WS_ANALYSIS_COMPACTION_COMPACTION_STEPS_H
#define WS_ANALYSIS_COMPACTION_COMPACTION_STEPS_H

#include "analysis/compaction/compaction_state.h"

/* Before a call site, or an OpFunctionCall on the way to one. `place`: of the plan's. */
bool ws_compaction_call(struct ws_compaction_threads *threads, struct ws_context_state *state,
                        const struct ws_context *context, struct ws_scope_group *group, uint32_t place);

/* A sync point: a block, by its index, that is a merge block or a continue target. */
bool ws_compaction_synchronise(struct ws_compaction_threads *threads, struct ws_context_state *state,
                               struct ws_scope_group *group, uint32_t block);

#endif
