#include "tests/unit/analysis/model/synthetic.h"
#include "warpscope/passes.h"

static uint32_t *kept[64]; /* counter rows, until the end */
static uint32_t kept_count;

static void written(bool success, const struct ws_error *error)
{
    if (!success)
        fail_msg("%s", error->message);
}

void synthetic_begin(struct synthetic *synthetic, uint32_t bins)
{
    struct ws_error error = {{0}};
    const char *arguments[] = {"./program", "--flag", "two words"};
    const char *passes[] = {"simt_efficiency"};
    memset(synthetic, 0, sizeof(*synthetic));
    synthetic->bins = bins;
    temporary_path(synthetic->path);
    synthetic->writer = ws_capture_writer_create(synthetic->path, &error);
    assert_non_null(synthetic->writer);
    const struct ws_chunk_info info = {.version = "0.1.0",
                                       .application = "synthetic",
                                       .arguments = arguments,
                                       .argument_count = 3,
                                       .process_id = 7,
                                       .start = UINT64_C(1700000000000000000),
                                       .passes = passes,
                                       .pass_count = 1};
    const struct ws_chunk_device device = {.name = "device",
                                           .driver_name = "driver",
                                           .driver_info = "1.0",
                                           .api_version = 1u << 22 | 3u << 12 | 7,
                                           .subgroup_size = 8,
                                           .subgroup_size_min = 8,
                                           .subgroup_size_max = 8,
                                           .bins = bins,
                                           .subgroup_stages = WS_STAGES_ALL};
    written(ws_capture_write_info(synthetic->writer, &info, &error), &error);
    written(ws_capture_write_device(synthetic->writer, &device, &error), &error);
}

void synthetic_shader(struct synthetic *synthetic, uint32_t id, uint32_t stage, bool per_thread)
{
    struct ws_error error = {{0}};
    const uint32_t words[16] = {0};
    const uint32_t function = 1;
    const struct ws_block_info blocks[] = {{10, 5, 3, 1, 4}, {11, 8, 3, 1, 6}, {12, 11, 3, 1, 2}};
    const struct ws_site_info sites[] = {{WS_NONE, 0, WS_SITE_LAUNCH, 0, 5, 0},
                                         {0, 0, WS_SITE_BLOCK, 0, 6, 1},
                                         {0, 0, WS_SITE_BLOCK, 1, 9, 2},
                                         {0, 0, WS_SITE_BLOCK, 2, 12, 1}};
    const struct ws_entry_info entry = {.name = "main",
                                        .stage = stage,
                                        .function = function,
                                        .row_count = SYNTHETIC_ROWS,
                                        .per_thread = per_thread,
                                        .functions = &function,
                                        .function_count = 1};
    const struct ws_chunk_module module = {.id = id, .hash = 0x1000 + id, .words = words, .word_count = 16};
    const struct ws_chunk_sites chunk = {.module = id,
                                         .row_count = SYNTHETIC_ROWS,
                                         .passes = (const char *const[]){WS_PASS_SIMT_EFFICIENCY},
                                         .pass_count = 1,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = blocks,
                                         .block_count = 3,
                                         .sites = sites,
                                         .site_count = 4};
    const struct ws_chunk_shader shader = {.id = id, .module = id, .stage = stage, .name = "main"};
    written(ws_capture_write_module(synthetic->writer, &module, &error), &error);
    written(ws_capture_write_sites(synthetic->writer, &chunk, &error), &error);
    written(ws_capture_write_shader(synthetic->writer, &shader, &error), &error);
}

void synthetic_pipeline(struct synthetic *synthetic, uint32_t id, uint32_t kind, const uint32_t *shaders,
                        uint32_t shader_count)
{
    struct ws_error error = {{0}};
    const struct ws_chunk_pipeline pipeline = {
        .id = id, .kind = kind, .shaders = shaders, .shader_count = shader_count};
    written(ws_capture_write_pipeline(synthetic->writer, &pipeline, &error), &error);
}

static void fill(uint32_t *row, const struct executions *executions)
{
    for (; executions != NULL && executions->lanes > 0; ++executions)
        row[executions->lanes - 1] = executions->count;
}

struct ws_shader_counters synthetic_counters(struct synthetic *synthetic, uint32_t shader, uint32_t sizes,
                                             const struct executions *outer, const struct executions *inner)
{
    uint32_t *words = calloc((size_t)SYNTHETIC_ROWS * synthetic->bins, sizeof(*words));
    assert_non_null(words);
    assert_true(kept_count < sizeof(kept) / sizeof(kept[0]));
    kept[kept_count++] = words;
    words[0] = sizes;
    words[1] = 20;
    words[2] = 2;
    words[3] = 1;
    fill(words + synthetic->bins, outer);
    fill(words + 2 * (size_t)synthetic->bins, inner);
    return (struct ws_shader_counters){shader, 0, SYNTHETIC_ROWS, synthetic->bins, words};
}

void synthetic_launch(struct synthetic *synthetic, uint32_t kind, const uint32_t *pipelines,
                      uint32_t pipeline_count, const struct ws_shader_counters *shaders,
                      uint32_t shader_count)
{
    struct ws_error error = {{0}};
    const struct ws_launch launch = {.index = synthetic->next_launch,
                                     .kind = kind,
                                     .label = "frame / work",
                                     .draws = kind == WS_LAUNCH_RENDER_PASS ? 5 : 0,
                                     .pipelines = pipelines,
                                     .pipeline_count = pipeline_count,
                                     .shaders = shaders,
                                     .shader_count = shader_count};
    const struct ws_chunk_submission submission = {.index = synthetic->next_launch,
                                                   .frame = synthetic->next_launch / 2,
                                                   .launches = &launch,
                                                   .launch_count = 1};
    written(ws_capture_write_submission(synthetic->writer, &submission, &error), &error);
    synthetic->next_launch++;
}

void synthetic_time(struct synthetic *synthetic, uint64_t nanoseconds)
{
    struct ws_error error = {{0}};
    const struct ws_launch_time time = {synthetic->next_launch - 1, WS_TIME_TAKEN, 1000, 1000 + nanoseconds};
    const struct ws_chunk_times times = {
        .valid_bits = 64, .period = 1000000, .launches = &time, .launch_count = 1};
    written(ws_capture_write_times(synthetic->writer, &times, &error), &error);
}

void synthetic_trace(struct synthetic *synthetic, uint32_t shader, uint32_t sizes,
                     const struct executions *outer, const struct executions *inner)
{
    const uint32_t pipeline = 0;
    struct ws_shader_counters counters = synthetic_counters(synthetic, shader, sizes, outer, inner);
    synthetic_launch(synthetic, WS_LAUNCH_TRACE_RAYS, &pipeline, 1, &counters, 1);
}

void synthetic_end(struct synthetic *synthetic, struct ws_report *report)
{
    struct ws_error error = {{0}};
    const struct ws_chunk_done done = {synthetic->next_launch, synthetic->next_launch, 1, 0};
    written(ws_capture_write_done(synthetic->writer, &done, &error), &error);
    ws_capture_writer_destroy(synthetic->writer);
    if (!ws_report_read(report, synthetic->path, NULL, &error))
        fail_msg("%s", error.message);
    report->path = "synthetic.wscope";
    unlink(synthetic->path);
    for (; kept_count > 0; --kept_count)
        free(kept[kept_count - 1]);
}
