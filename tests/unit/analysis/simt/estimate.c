/* What passes would record of warps of 32 lanes, against numbers worked out by hand.
 *
 * The shader loads word 3 of a buffer. Address and element of that are constants of the module, so the record of the pass
 * memory_trace has no words. 10 warps of 32 lanes run it, and 3 of 5. */
#include "analysis/simt/estimate.h"
#include "analysis/report/report.h"
#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/passes.h"

static const char shader[] = "OpCapability Shader\n"
                             "OpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint GLCompute %1 \"main\"\n"
                             "OpExecutionMode %1 LocalSize 32 1 1\n"
                             "OpDecorate %2 DescriptorSet 0\n"
                             "OpDecorate %2 Binding 0\n"
                             "OpDecorate %3 Block\n"
                             "OpMemberDecorate %3 0 Offset 0\n"
                             "OpDecorate %4 ArrayStride 4\n"
                             "%5 = OpTypeVoid\n"
                             "%6 = OpTypeFunction %5\n"
                             "%7 = OpTypeInt 32 0\n"
                             "%4 = OpTypeRuntimeArray %7\n"
                             "%3 = OpTypeStruct %4\n"
                             "%8 = OpTypePointer StorageBuffer %3\n"
                             "%9 = OpTypePointer StorageBuffer %7\n"
                             "%10 = OpConstant %7 0\n"
                             "%11 = OpConstant %7 3\n"
                             "%2 = OpVariable %8 StorageBuffer\n"
                             "%1 = OpFunction %5 None %6\n"
                             "%12 = OpLabel\n"
                             "%13 = OpAccessChain %9 %2 %10 %11\n"
                             "%14 = OpLoad %7 %13\n"
                             "OpReturn\n"
                             "OpFunctionEnd\n";

enum { BINS = 32 };

static void good(bool success, const struct ws_error *error)
{
    if (!success)
        fail_msg("%s", error->message);
}

static void write_module(struct ws_capture_writer *writer, const uint32_t *words, size_t word_count,
                         const struct ws_instrumented *instrumented)
{
    static const char *const passes[] = {WS_PASS_SIMT_EFFICIENCY};
    static const uint32_t shaders[] = {3};
    struct ws_error error = {{0}};
    const struct ws_chunk_info info = {.version = "0.1.0", .passes = passes, .pass_count = 1};
    const struct ws_chunk_device device = {
        .name = "GPU", .subgroup_size = BINS, .bins = BINS, .subgroup_stages = WS_STAGES_ALL};
    const struct ws_chunk_module module = {.name = "", .words = words, .word_count = (uint32_t)word_count};
    const struct ws_chunk_sites sites = {.passes = passes,
                                         .pass_count = 1,
                                         .row_count = instrumented->row_count,
                                         .entries = instrumented->entries,
                                         .entry_count = instrumented->entry_count,
                                         .blocks = instrumented->blocks,
                                         .block_count = instrumented->block_count,
                                         .sites = instrumented->sites,
                                         .site_count = instrumented->site_count};
    const struct ws_chunk_shader main = {.id = 3, .stage = WS_STAGE_COMPUTE, .name = "main"};
    const struct ws_chunk_pipeline pipeline = {
        .kind = WS_PIPELINE_COMPUTE, .shaders = shaders, .shader_count = 1};
    good(ws_capture_write_info(writer, &info, &error) && ws_capture_write_device(writer, &device, &error) &&
             ws_capture_write_module(writer, &module, &error) &&
             ws_capture_write_sites(writer, &sites, &error) &&
             ws_capture_write_shader(writer, &main, &error) &&
             ws_capture_write_pipeline(writer, &pipeline, &error),
         &error);
}

static void write_launch(struct ws_capture_writer *writer, const struct ws_instrumented *instrumented)
{
    struct ws_error error = {{0}};
    uint32_t *rows = calloc((size_t)instrumented->row_count * BINS, sizeof(*rows));
    assert_non_null(rows);
    for (uint32_t i = 0; i < instrumented->site_count; ++i)
        if (instrumented->sites[i].kind == WS_SITE_BLOCK) {
            rows[instrumented->sites[i].row * BINS + 31] = 10;
            rows[instrumented->sites[i].row * BINS + 4] = 3;
        }
    const struct ws_shader_counters counters = {3, 0, instrumented->row_count, BINS, rows};
    const struct ws_launch launch = {
        .kind = WS_LAUNCH_DISPATCH, .label = "", .shaders = &counters, .shader_count = 1};
    const struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    const struct ws_chunk_done done = {1, 1, 1, 0};
    good(ws_capture_write_submission(writer, &submission, &error) &&
             ws_capture_writer_end(writer, &done, &error),
         &error);
    free(rows);
}

static void write_capture(const char *path)
{
    static const char *const passes[] = {WS_PASS_SIMT_EFFICIENCY};
    const struct ws_instrument_options options = {.passes = passes, .pass_count = 1};
    struct ws_error error = {{0}};
    size_t word_count = 0;
    uint32_t *words = assembly_read(shader, 0x10500, &word_count);
    struct ws_instrumented *instrumented = ws_instrument(words, word_count, &options, &error);
    good(instrumented != NULL, &error);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    good(writer != NULL, &error);
    write_module(writer, words, word_count, instrumented);
    write_launch(writer, instrumented);
    ws_capture_writer_destroy(writer);
    ws_instrumented_destroy(instrumented);
    free(words);
}

static uint32_t pass_of(const char *name)
{
    uint32_t i = 0;
    while (i < ws_estimate_pass_count() && strcmp(ws_estimate_pass(i), name) != 0)
        i++;
    return i;
}

/* Each warp has an entry record of 3 words, a mask, 3 words of the warp and 1 of each lane; and one of the load, of 2 words,
 * and a mask where lanes are idle. */
static void records_without_words(void **state)
{
    (void)state;
    char path[64];
    struct ws_error error = {{0}};
    struct ws_report report;
    temporary_path(path);
    write_capture(path);
    good(
        ws_report_read(&report, path, &(struct ws_report_request){.analysis = &ws_analysis_estimate}, &error),
        &error);
    unlink(path);
    const struct ws_groups *groups = ws_analysis_estimate.groups(report.parts[0].results);
    const struct ws_estimate_sums *sums = ws_estimate_find(groups, pass_of(WS_PASS_MEMORY_TRACE));
    assert_non_null(sums);
    assert_int_equal(sums->records, 13 + 13);
    assert_int_equal(sums->bytes, 4 * (13 * (3 + 1 + 3) + 10 * 32 + 3 * 5 + 10 * 2 + 3 * (2 + 1)));
    ws_report_finish(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_without_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
