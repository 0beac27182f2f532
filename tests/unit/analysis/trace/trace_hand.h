/* Feeds the analysis `execution_trace` by hand: threads and contexts as the replay would give them, without a
 * capture.
 *
 * Shader i of hand_stages has stage hand_stages[i], the name "shader:main", and four blocks in two functions:
 * %10, %11, %12 in %1, and %20 in %2, which is called. All functions fail the test on failure. */
#ifndef WS_TESTS_UNIT_ANALYSIS_TRACE_TRACE_HAND_H
#define WS_TESTS_UNIT_ANALYSIS_TRACE_TRACE_HAND_H

#include "analysis/trace/execution_trace.h"

enum hand_shader { RAYGEN, CLOSEST_HIT, MISS, COMPUTE, VERTEX, FRAGMENT, HAND_SHADERS };

#define HAND_THREADS  4096
#define HAND_CONTEXTS 512

struct hand {
    struct ws_catalog catalog;
    struct ws_trace_results *results;
    struct ws_launch_record launch;
    struct ws_thread threads[HAND_THREADS];
    uint32_t thread_count;
    uint32_t warp_count;
    uint32_t warp_index[HAND_CONTEXTS]; /* set by hand_end: by number, unless hand_rank gave another */
    uint32_t warp_lanes[HAND_CONTEXTS];
    void *parts[2];
    uint32_t part_count;
    uint32_t part; /* the one that is fed */
    struct ws_context *contexts[HAND_CONTEXTS];
    uint32_t context_part[HAND_CONTEXTS];
    uint32_t context_count;
};

/* `options` may be NULL. */
void hand_create(struct hand *hand, const struct ws_analysis_options *options);
void hand_destroy(struct hand *hand);

/* Begins a launch that `parts` workers share. */
void hand_begin(struct hand *hand, uint64_t index, uint32_t kind, uint32_t x, uint32_t y, uint32_t z,
                uint32_t parts);

/* A warp of `lane_count` lanes enters a launched shader; work[i] is the work id of the i-th of `lanes`. */
struct ws_context *hand_launch(struct hand *hand, uint32_t shader, uint32_t lane_count, struct ws_lanes lanes,
                               const uint32_t (*work)[3]);

/* The same with work ids that follow x, row by row of `width`, from the flat id `first`. */
struct ws_context *hand_launch_rows(struct hand *hand, uint32_t shader, uint32_t lane_count,
                                    struct ws_lanes lanes, uint32_t first, uint32_t width);

/* Lanes of `caller` enter another shader in the same lanes. */
struct ws_context *hand_call(struct hand *hand, uint32_t shader, struct ws_context *caller,
                             struct ws_lanes lanes);

/* The same in other lanes: lane i gets thread threads[i], WS_NONE = none. */
struct ws_context *hand_regroup(struct hand *hand, uint32_t shader, struct ws_context *caller,
                                const uint32_t *threads, uint32_t lane_count);

void hand_block(struct hand *hand, struct ws_context *context, uint32_t block, struct ws_lanes lanes);

/* Lanes end; the context is closed once all have. */
void hand_leave(struct hand *hand, struct ws_context *context, struct ws_lanes lanes);

/* Ends the launch: contexts that live are closed, parts merged. */
void hand_end(struct hand *hand, bool truncated);

/* Ends the capture. */
void hand_finish(struct hand *hand);

/* A warp of 8 with a loop that lane l leaves after l + 1 rounds, then a block for all: threads run
 * 1 + (l + 1) + 1 blocks, 3 .. 10, 52 in all; the warp 1 + 8 + 1. `times` such warps. */
void hand_run_loops(struct hand *hand, uint32_t times, uint32_t width);

/* Warps of `size` lanes, the last with 3; every lane runs block 0, the odd ones block 1. */
void hand_run_odd(struct hand *hand, uint32_t size, uint32_t warps);

/* Two raygen warps of 4; lanes 0 and 1 of the first and lane 3 of the second hit and are run together by the
 * device in other lanes (its lane 0 is a thread of warp 1); lanes 2, 3 of warp 0 miss in their own lanes.
 *   threads  2 blocks each in raygen; the three that hit + 1, the two that miss + 1
 *   warps    warp 0: 2 + 1 (miss); warp 1: 2 + 1 (the regrouped hit, by its lowest lane) */
void hand_run_regrouped(struct hand *hand);

/* Each of three executions of a called function is a step; the fourth round, without lane 0, is no part of
 * the repetition, nor of what thread 0 ran. */
void hand_run_calls(struct hand *hand);

/* The whole report; freed by the caller. */
char *hand_text(const struct hand *hand);
char *hand_csv(const struct hand *hand);

#endif
