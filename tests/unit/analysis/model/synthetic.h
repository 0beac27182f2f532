/* Captures whose numbers are chosen by the test: modules of a fixed shape, counters given row by row.
 *
 * Every module has one entry point of three blocks. Blocks 0 (the entry, 4 instructions) and 2 (2
 * instructions) always run with the same lanes and share row 1; block 1 (6 instructions) has row 2; row 0 is
 * the launch row. Ids of shaders, modules and pipelines are given by the test. All functions fail the test on
 * failure. */
#ifndef WS_TESTS_UNIT_ANALYSIS_MODEL_SYNTHETIC_H
#define WS_TESTS_UNIT_ANALYSIS_MODEL_SYNTHETIC_H

#include "analysis/report/report.h"
#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"

enum { SYNTHETIC_ROWS = 3 };

struct synthetic {
    struct ws_capture_writer *writer;
    char path[64];
    uint32_t bins;
    uint64_t next_launch;
};

/* Executions of a row with `lanes` active lanes each; lists end with lanes 0. */
struct executions {
    uint32_t lanes;
    uint32_t count;
};

/* Begins a capture with INFO and device 0. */
void synthetic_begin(struct synthetic *synthetic, uint32_t bins);

/* Module `id` with the shape above, and shader `id` of it. */
void synthetic_shader(struct synthetic *synthetic, uint32_t id, uint32_t stage, bool per_thread);

/* Pipeline `id` of kind `kind` with these shaders. */
void synthetic_pipeline(struct synthetic *synthetic, uint32_t id, uint32_t kind, const uint32_t *shaders,
                        uint32_t shader_count);

/* Counters for one shader: `sizes` is the launch row's set, `outer` what row 1 counts, `inner` row 2. They
 * live until synthetic_end. */
struct ws_shader_counters synthetic_counters(struct synthetic *synthetic, uint32_t shader, uint32_t sizes,
                                             const struct executions *outer, const struct executions *inner);

/* One submission with one launch. */
void synthetic_launch(struct synthetic *synthetic, uint32_t kind, const uint32_t *pipelines,
                      uint32_t pipeline_count, const struct ws_shader_counters *shaders,
                      uint32_t shader_count);

/* A TIME chunk: the latest launch took `nanoseconds`. */
void synthetic_time(struct synthetic *synthetic, uint64_t nanoseconds);

/* A trace by pipeline 0 with one shader. */
void synthetic_trace(struct synthetic *synthetic, uint32_t shader, uint32_t sizes,
                     const struct executions *outer, const struct executions *inner);

/* Closes the capture with DONE, analyses it and removes the file. */
void synthetic_end(struct synthetic *synthetic, struct ws_report *report);

#endif
