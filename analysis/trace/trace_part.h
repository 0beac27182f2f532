/* What one worker of the replay keeps for the kind `trace` of one launch. */
#ifndef WS_ANALYSIS_TRACE_TRACE_PART_H
#define WS_ANALYSIS_TRACE_TRACE_PART_H

#include "analysis/trace/trace.h"
#include "passes/base/pages.h"

/* A thread of a launched shader. */
struct ws_trace_thread {
    uint64_t blocks;
    uint32_t executions[WS_TRACE_CALLED]; /* contexts entered, per called stage */
    uint32_t launched;                    /* index in the part's launches + 1; 0 = not one of the part's */
};

struct ws_trace_warp {
    uint64_t blocks;
    uint32_t executions[WS_TRACE_CALLED];
    uint32_t launched; /* as above */
    uint32_t thread;   /* index of that with the lowest work id */
};

struct ws_trace_part_shader {
    uint32_t shader;
    uint32_t stage;
    uint64_t called;
    uint64_t regrouped;
    struct ws_trace_work_map work;
};

/* What is kept of a context while it lives. */
struct ws_trace_live;

struct ws_trace_part {
    const struct ws_trace_results *results;
    uint64_t launch;
    bool skipped; /* another launch was chosen */
    bool keeps;   /* chosen threads are kept, not only counted */
    struct ws_pages threads;
    struct ws_pages warps;
    struct ws_trace_part_shader *shaders;
    uint32_t shader_count;
    uint32_t shader_capacity;
    struct ws_trace_live *live;
    struct ws_trace_path *paths[WS_TRACE_PATHS];
    uint32_t path_count;
    uint64_t paths_left_out;
};

/* trace_part_path.c. Finds which paths a context that begins belongs to. False when there is no memory. */
struct ws_trace_watch *ws_trace_watch_begin(struct ws_trace_part *part, const struct ws_context *context,
                                            const struct ws_thread *threads, bool *no_memory);
bool ws_trace_watch_step(struct ws_trace_part *part, struct ws_trace_watch *watches,
                         const struct ws_context *context, enum ws_trace_step_kind kind, uint32_t block,
                         struct ws_lanes lanes);

/* A thread goes on in `lane` of another context, in the functions that it is in. */
void ws_trace_watch_move(const struct ws_trace_watch *from, struct ws_trace_watch *watches, uint32_t lane);
void ws_trace_watch_end(struct ws_trace_watch *watches);

/* trace_merge.c */
bool ws_trace_merge(void *results, void *part, const struct ws_replay_threads *threads);

/* Closes the launch that is being merged. */
bool ws_trace_merge_end(struct ws_trace_results *results);

#endif
