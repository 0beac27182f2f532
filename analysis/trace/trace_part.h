/* What one worker of the replay keeps for the analysis `execution_trace` of one launch. */
#ifndef WS_ANALYSIS_TRACE_TRACE_PART_H
#define WS_ANALYSIS_TRACE_TRACE_PART_H

#include "analysis/trace/execution_trace.h"
#include "warpscope/base/pages.h"

/* A thread of a launched shader. */
struct ws_trace_thread {
    uint64_t blocks;
    uint32_t executions[WS_TRACE_CALLED]; /* contexts that it entered, per called stage */
    uint32_t launched;                    /* index in the part's shaders + 1; 0 = another part launched it */
    uint32_t launches; /* contexts that it entered of the launched shader: 0 where that was not chosen */
    bool ran;          /* it entered a chosen shader */
};

struct ws_trace_warp {
    uint64_t blocks;
    uint64_t slots;
    uint64_t active;
    uint32_t executions[WS_TRACE_CALLED];
    uint32_t launched; /* as above */
    uint32_t launches;
    bool ran;
    uint32_t thread; /* index of its thread with the lowest work id */
};

/* A launched shader. */
struct ws_trace_part_shader {
    uint32_t shader;
    uint32_t stage;
    uint64_t called;
    uint64_t regrouped;
    bool ran; /* a thread of it entered a chosen shader */
    struct ws_trace_work_map work;
};

/* What is kept of a context while it lives. */
struct ws_trace_live;

struct ws_trace_part {
    const struct ws_trace_results *results;
    uint64_t launch;
    bool keeps; /* the steps of chosen threads and warps are kept; else it is only noted that they ran */
    struct ws_pages threads;
    struct ws_pages warps;
    struct ws_trace_part_shader *shaders;
    uint32_t shader_count;
    uint32_t shader_capacity;
    struct ws_trace_live *live;  /* list */
    struct ws_trace_live *spare; /* of contexts that are over, to be used again */
    struct ws_trace_path *paths[WS_TRACE_PATHS];
    uint32_t path_count;
    uint64_t paths_left_out;
};

/* execution_trace.c: adds the part to the results. False when there is no memory. */
bool ws_trace_merge(void *results, void *part, const struct ws_replay_threads *threads);

#endif
