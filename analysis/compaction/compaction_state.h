/* Where the lanes of one context are, and what they have done at its slots so far: what stands behind
 * context->user while compaction_threads.h follows it. */
#ifndef WS_ANALYSIS_COMPACTION_COMPACTION_STATE_H
#define WS_ANALYSIS_COMPACTION_COMPACTION_STATE_H

#include "analysis/compaction/compaction_threads.h"

/* Lanes at the same position. iterations[0] is the ordinal of this execution of the shader by its thread,
 * iterations[d] that of the loop at depth d around the scope; those beyond are 0. */
struct ws_scope_group {
    struct ws_lanes lanes;
    uint32_t scope;
    uint32_t iterations[WS_PLAN_DEPTH_MAX + 1];
};

/* A slot in a context. Level 0 is the execution, level d the loop at depth d. */
struct ws_slot_state {
    struct ws_lanes *touched; /* per level: lanes with a symbol since its present iteration began */
    struct ws_lanes
        *passed; /* per level but the innermost: lanes for which it went on since their last symbol */
};

/* What stands behind context->user. */
struct ws_context_state {
    const struct ws_compaction_plan_module *plan;
    const struct ws_compaction_plan_entry *entry;
    bool called;
    struct ws_scope_group *groups;
    uint32_t group_count;
    uint32_t group_capacity;
    struct ws_slot_state *slots;
    struct ws_lanes *levels; /* what slots point into */
    struct ws_path *paths;   /* launched: per lane and slot */
    uint32_t *stores;        /* called: per lane, index in stores */
    uint32_t *warps;         /* per lane, where they differ; else NULL */
};

/* NULL when there is no memory. Of a context whose shader has a plan (ws_compaction_plan). */
struct ws_context_state *ws_context_state_create(const struct ws_compaction_threads *threads,
                                                 const struct ws_context *context);
void ws_context_state_destroy(struct ws_context_state *state);

/* Adds a group, to one at the same position if there is one. False when there is no memory. */
bool ws_context_state_add(struct ws_context_state *state, const struct ws_scope_group *group);

/* Takes lanes out of the first group that has some, from `*next` on, into `group`. False when none has. */
bool ws_context_state_take(struct ws_context_state *state, struct ws_lanes lanes, uint32_t *next,
                           struct ws_scope_group *group);

/* The path of a lane's thread at a slot. */
struct ws_path *ws_context_state_path(struct ws_compaction_threads *threads, struct ws_context_state *state,
                                      uint32_t lane, uint32_t slot);

#endif
