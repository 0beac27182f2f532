/* Causes of divergence in a stream written by hand. Shaders have blocks of 4, 6 and 2 instructions, so that
 * counts of the wrong instructions show. The sum rule is checked for every block, shader, stage and
 * launch of every capture. All functions fail the test on failure. */
#ifndef WS_TESTS_UNIT_ANALYSIS_TRACE_DIVERGENCE_FOUND_H
#define WS_TESTS_UNIT_ANALYSIS_TRACE_DIVERGENCE_FOUND_H

#include "analysis/trace/divergence.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/stream_masks.h"

extern const uint32_t block_instructions[3];

struct found {
    struct ws_catalog catalog;
    struct ws_divergence_results *results;
};

static inline void before(struct stream *stream, uint32_t context, uint32_t number, uint64_t mask)
{
    stream_place(stream, context, WS_SITE_PLACE_BEFORE, number, lanes(mask));
}

static inline void after(struct stream *stream, uint32_t context, uint32_t number, uint64_t mask)
{
    stream_place(stream, context, WS_SITE_PLACE_AFTER, number, lanes(mask));
}

static inline void end(struct stream *stream, uint32_t context, uint64_t mask)
{
    stream_place(stream, context, WS_SITE_PLACE_END, 0, lanes(mask));
}

/* Finishes the stream and analyses it, with one worker and with three: both find the same. */
void found_analyse(struct found *found, struct stream *stream);

/* Destroys both. */
void found_finish(struct found *found, struct stream *stream);

/* A block's lanes by cause: active, early return, indirect call, control flow, partial warp, over all
 * executions. */
void check_block(const struct found *found, uint32_t shader, uint32_t number, uint64_t executions,
                 const uint64_t expected[5]);

#define CAUSES(...) ((const uint64_t[5]){__VA_ARGS__})

#endif
