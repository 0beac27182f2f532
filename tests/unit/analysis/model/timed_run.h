/* The catalog of a run with device times, chunk by chunk. All functions fail the test on failure. */
#ifndef WS_TESTS_UNIT_ANALYSIS_MODEL_TIMED_RUN_H
#define WS_TESTS_UNIT_ANALYSIS_MODEL_TIMED_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "warpscope/model/catalog.h"

/* A run of two pipelines: 0 has module hash 100, 1 has 200 (or `other`, for a build with another shader). */
static inline void timed_run_begin(struct ws_catalog *catalog, uint64_t other, bool instrumented)
{
    static const char *const passes[] = {"time", "simt_efficiency"};
    static const uint32_t words[] = {0x07230203};
    struct ws_error error = {{0}};
    ws_catalog_init(catalog);
    struct ws_chunk chunk = {.type = WS_CHUNK_INFO,
                             .info = {.passes = passes, .pass_count = instrumented ? 2 : 1}};
    assert_true(ws_catalog_record(catalog, &chunk, &error));
    chunk =
        (struct ws_chunk){.type = WS_CHUNK_DEVICE,
                          .device = {.name = "", .driver_name = "", .driver_info = "", .subgroup_size = 8}};
    assert_true(ws_catalog_record(catalog, &chunk, &error));
    for (uint32_t i = 0; i < 2; i++) {
        chunk = (struct ws_chunk){
            .type = WS_CHUNK_MODULE,
            .module = {.id = i, .hash = i == 0 ? 100 : other, .name = "", .words = words, .word_count = 1}};
        assert_true(ws_catalog_record(catalog, &chunk, &error));
        chunk = (struct ws_chunk){
            .type = WS_CHUNK_SHADER,
            .shader = {.id = i, .module = i, .entry = WS_NONE, .stage = 32, .name = "main"}};
        assert_true(ws_catalog_record(catalog, &chunk, &error));
        chunk = (struct ws_chunk){
            .type = WS_CHUNK_PIPELINE,
            .pipeline = {.id = i, .kind = WS_PIPELINE_COMPUTE, .shaders = &i, .shader_count = 1}};
        assert_true(ws_catalog_record(catalog, &chunk, &error));
    }
}

/* A dispatch of `groups` by pipeline `pipeline`. */
static inline void timed_run_launch(struct ws_catalog *catalog, uint64_t index, uint64_t frame,
                                    uint32_t pipeline, uint32_t groups, const char *label)
{
    struct ws_error error = {{0}};
    const struct ws_launch launched = {.index = index,
                                       .kind = WS_LAUNCH_DISPATCH,
                                       .size = {groups, 1, 1},
                                       .label = label,
                                       .command_buffer = "",
                                       .pipelines = &pipeline,
                                       .pipeline_count = 1};
    const struct ws_chunk chunk = {
        .type = WS_CHUNK_SUBMISSION,
        .submission = {.index = index, .frame = frame, .launches = &launched, .launch_count = 1}};
    assert_true(ws_catalog_record(catalog, &chunk, &error));
}

static inline void timed_run_times(struct ws_catalog *catalog, uint32_t bits, uint64_t period,
                                   const struct ws_launch_time *list, uint32_t count)
{
    struct ws_error error = {{0}};
    const struct ws_chunk chunk = {
        .type = WS_CHUNK_TIMES,
        .times = {.valid_bits = bits, .period = period, .launches = list, .launch_count = count}};
    assert_true(ws_catalog_record(catalog, &chunk, &error));
}

/* A launch that began at `begin` ns and took `ns`, on a queue with 64 bits and ticks of a nanosecond. */
static inline void timed_run_time(struct ws_catalog *catalog, uint64_t index, uint64_t begin, uint64_t ns)
{
    timed_run_times(catalog, 64, 1000000, &(struct ws_launch_time){index, WS_TIME_TAKEN, begin, begin + ns},
                    1);
}

#endif
