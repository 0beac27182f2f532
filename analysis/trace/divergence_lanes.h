/* Which lanes of a context are inactive for which reason (divergence.h), kept per context and worked out
 * again only after something about it or its callers changed. */
#ifndef WS_ANALYSIS_TRACE_DIVERGENCE_LANES_H
#define WS_ANALYSIS_TRACE_DIVERGENCE_LANES_H

#include "analysis/model/replay.h"

/* The lanes of one execution of a call instruction that have not been seen back. */
struct ws_divergence_call {
    uint32_t serial;
    struct ws_lanes lanes;
};

/* What stands behind context->user. */
struct ws_divergence_context {
    uint64_t version; /* counts what befell, from 1 */
    uint64_t stamp;   /* sum of the versions, of it and its callers, for which the lanes below hold */
    struct ws_lanes
        control_flow; /* these four have each lane of the warp once; active ones are to be taken out */
    struct ws_lanes indirect_call;
    struct ws_lanes early_return;
    struct ws_lanes partial_warp;
    bool apart;

    struct ws_lanes took;   /* lanes of the caller that were in the call as this context was entered */
    uint32_t caller_serial; /* the caller's last call then */

    uint32_t serial; /* of the last call from here */
    struct ws_lanes calling;
    struct ws_divergence_call *calls; /* those with lanes */
    uint32_t call_count;
    uint32_t call_capacity;
};

/* The context's state at its entry. NULL when there is no memory. */
struct ws_divergence_context *ws_divergence_context_create(const struct ws_context *context, uint32_t user);
void ws_divergence_context_destroy(struct ws_divergence_context *state);

/* Lanes call, lanes are seen in the context again, a lane moves to another, lanes end it. The first is false
 * when there is no memory.
 */
bool ws_divergence_context_call(struct ws_divergence_context *state, struct ws_lanes lanes);
void ws_divergence_context_return(struct ws_divergence_context *state, struct ws_lanes lanes);
void ws_divergence_context_move(struct ws_divergence_context *state, uint32_t lane);
void ws_divergence_context_leave(struct ws_divergence_context *state, struct ws_lanes lanes);

/* The state of the context with its lanes classified as of now. */
const struct ws_divergence_context *ws_divergence_context_classify(const struct ws_context *context,
                                                                   uint32_t user);

#endif
