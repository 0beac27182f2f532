/* A small capture with one chunk of every kind, written with the capture writer. */
#ifndef WS_TESTS_UNIT_ANALYSIS_CAPTURE_CAPTURE_SAMPLE_H
#define WS_TESTS_UNIT_ANALYSIS_CAPTURE_CAPTURE_SAMPLE_H

#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/bound_sample.h"
#include "tests/unit/analysis/capture/geometry_sample.h"
#include "warpscope/records.h"

/* Writes the sample to `path`. Every write must succeed. */
static inline bool write_sample(const char *path, struct ws_error *error)
{
    struct ws_capture_writer *writer = ws_capture_writer_create(path, error);
    if (writer == NULL)
        return false;
    const char *arguments[] = {"./app", "--size", "64"};
    const char *passes[] = {"simt_efficiency", "execution_trace"};
    const struct ws_text_pair settings[] = {{"output", "a.wscope"}, {"frames", ""}};
    const struct ws_chunk_info info = {.version = "0.1.0",
                                       .application = "sample",
                                       .engine = NULL,
                                       .arguments = arguments,
                                       .argument_count = 3,
                                       .process_id = 1,
                                       .start = 1700000000000000000u,
                                       .passes = passes,
                                       .pass_count = 2,
                                       .settings = settings,
                                       .setting_count = 2};
    const struct ws_chunk_device device = {
        .id = 0, .name = "GPU", .subgroup_size = 8, .bins = 8, .subgroup_stages = WS_STAGES_ALL};
    const uint32_t words[] = {0x07230203, 0x00010000, 0, 8, 0, 0x00010000, 0x00010000, 0x00010000};
    const struct ws_chunk_module module = {
        .id = 0, .hash = 77, .name = "shader", .words = words, .word_count = 8};
    const uint32_t functions[] = {4, 6};
    const struct ws_entry_info entry = {.name = "main",
                                        .stage = WS_STAGE_RAYGEN,
                                        .function = 4,
                                        .row_count = 3,
                                        .functions = functions,
                                        .function_count = 2};
    const struct ws_block_info blocks[] = {{5, 5, 2, 4, 10}, {7, 7, 1, 6, 3}};
    /* Names that make whole words together: tests change words by their index. */
    const char *owners[] = {"simt_efficiency", "execution_trace", "ray_events"};
    const struct ws_site_info sites[] = {
        {WS_NONE, 0, WS_SITE_LAUNCH, 0, 5, 0}, {0, 0, WS_SITE_BLOCK, 0, 5, 1},
        {0, 0, WS_SITE_BLOCK, 1, 7, 2},        {WS_NONE, 0, WS_SITE_ENTRY, 0, 5, 3},
        {1, 0, WS_SITE_PLACE_BLOCK, 0, 5, 4},  {1, 0, WS_SITE_PLACE_BLOCK, 1, 7, 5},
        {1, 0, WS_SITE_PLACE_BEFORE, 1, 7, 5}, {1, 0, WS_SITE_PLACE_END, 0, 6, 7},
        {1, 0, WS_SITE_DATA, 1, 7, 2}};
    const struct ws_chunk_sites site = {.module = 0,
                                        .row_count = 3,
                                        .passes = owners,
                                        .pass_count = 3,
                                        .entries = &entry,
                                        .entry_count = 1,
                                        .blocks = blocks,
                                        .block_count = 2,
                                        .sites = sites,
                                        .site_count = 9,
                                        .yields = (const uint32_t[]){4, 60},
                                        .yield_count = 2,
                                        .shared_yields = (const uint32_t[]){WS_NONE, WS_NONE, 62},
                                        .shared_yield_count = 3};
    const struct ws_specialization constant = {3, 4, 5};
    const struct ws_chunk_shader shader = {.id = 0,
                                           .module = 0,
                                           .entry = 0,
                                           .stage = WS_STAGE_RAYGEN,
                                           .name = "main",
                                           .specialization = &constant,
                                           .specialization_count = 1};
    const uint32_t shader_id = 0;
    const struct ws_chunk_pipeline pipeline = {
        .id = 0, .kind = WS_PIPELINE_RAY_TRACING, .shaders = &shader_id, .shader_count = 1};
    const struct ws_chunk_name name = {WS_NAME_PIPELINE, 0, "primary rays"};
    const uint32_t rows[24] = {8, 16, 16, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 30, 1, 0, 0, 0, 0, 0, 0, 0};
    const struct ws_shader_counters counters = {0, 0, 3, 8, rows};
    const uint32_t pipeline_id = 0;
    const struct ws_launch launch = {.index = 0,
                                     .kind = WS_LAUNCH_TRACE_RAYS,
                                     .size = {16, 16, 1},
                                     .label = "frame / rays",
                                     .pipelines = &pipeline_id,
                                     .pipeline_count = 1,
                                     .shaders = &counters,
                                     .shader_count = 1};
    const struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    /* Two warps of 8 and 2 lanes; block 1 with lanes 1 and 2 only; a data record of one lane. */
    const uint32_t stream[] = {WS_CONTEXT_NONE,
                               3,
                               8 | 1u << 16,
                               0xff,
                               0,
                               1,
                               2,
                               3,
                               4,
                               5,
                               6,
                               7,
                               0,
                               4u << 16 | 0xff,
                               WS_CONTEXT_NONE,
                               3,
                               8 | 1u << 16,
                               0x6,
                               8,
                               9,
                               14,
                               4u << 16 | 0x6,
                               0,
                               5u << 16 | 0x6,
                               0,
                               8u << 16 | 0x2,
                               70,
                               71,
                               14,
                               7u << 16 | 0x6,
                               0,
                               7u << 16 | 0xff};
    const struct ws_slot_shader slot = {0, 0};
    const struct ws_chunk_records records = {.bins = 8,
                                             .flags = WS_RECORDS_LAST,
                                             .slots = &slot,
                                             .slot_count = 1,
                                             .words = stream,
                                             .word_count = sizeof(stream) / sizeof(stream[0])};
    const uint32_t blob[] = {1, 2, 3};
    const struct ws_chunk_probe probe = {"counts", blob, 3};
    /* Two stretches: words 4 and 6, and word 63. */
    const uint32_t yielded[60] = {7, 0, 8, [59] = 9};
    const struct ws_shader_yields shader_yields = {0, 4, yielded, 60};
    const struct ws_chunk_yields yields = {.shaders = &shader_yields, .shader_count = 1};
    const struct ws_chunk_skip skip = {WS_SKIP_SITE, 0, 0, 7, 1, "site limit reached"};
    const struct ws_chunk_message message = {WS_INFORMATION, "hello"};
    const struct ws_chunk_done done = {1, 1, 1, 0};
    struct bound_sample bound;
    bound_sample_init(&bound, 1);
    bool written =
        ws_capture_write_info(writer, &info, error) && ws_capture_write_device(writer, &device, error) &&
        ws_capture_write_module(writer, &module, error) && ws_capture_write_sites(writer, &site, error) &&
        ws_capture_write_shader(writer, &shader, error) &&
        ws_capture_write_pipeline(writer, &pipeline, error) && ws_capture_write_name(writer, &name, error) &&
        ws_capture_write_skip(writer, &skip, error) && ws_capture_write_message(writer, &message, error) &&
        ws_capture_write_submission(writer, &submission, error) &&
        ws_capture_write_records(writer, &records, error) && write_geometry_sample(writer, error) &&
        bound_sample_write(writer, &bound, error) && ws_capture_write_probe(writer, &probe, error) &&
        ws_capture_write_yields(writer, &yields, error) && ws_capture_write_done(writer, &done, error);
    ws_capture_writer_destroy(writer);
    return written;
}

#endif
