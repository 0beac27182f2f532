/* What rules on shaders say of counters that no program at hand leaves: those of devices that let warps come apart, and
 * of stages that give their outputs to others than the next stage. */
#include "analysis/report/report.h"
#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/text.h"

#define BINS 8 /* lanes of a warp */

/* So many warps ran the block with so many lanes. */
struct ran {
    uint32_t label; /* 0 = the end of the list */
    uint32_t lanes;
    uint32_t warps;
};

struct part {
    const char *text;
    uint32_t stage;
    const struct ran *ran; /* NULL = it did not run */
};

static const char *const passes[] = {"simt_efficiency"};

static void good(bool success, const struct ws_error *error)
{
    if (!success)
        fail_msg("%s", error->message);
}

/* Writes the module and the shader of a part, both with that id. */
static struct ws_instrumented *define(struct ws_capture_writer *writer, const struct part *part, uint32_t id)
{
    const struct ws_instrument_options options = {.passes = passes, .pass_count = 1};
    struct ws_error error = {{0}};
    size_t word_count = 0;
    uint32_t *words = assembly_read(part->text, 0x00010300, &word_count);
    struct ws_instrumented *made = ws_instrument(words, word_count, &options, &error);
    good(made != NULL, &error);
    const struct ws_chunk_module module = {
        .id = id, .words = words, .word_count = (uint32_t)word_count, .hash = id};
    const struct ws_chunk_sites sites = {.module = id,
                                         .row_count = made->row_count,
                                         .passes = passes,
                                         .pass_count = 1,
                                         .entries = made->entries,
                                         .entry_count = made->entry_count,
                                         .blocks = made->blocks,
                                         .block_count = made->block_count,
                                         .sites = made->sites,
                                         .site_count = made->site_count};
    const struct ws_chunk_shader shader = {.id = id, .module = id, .stage = part->stage, .name = "main"};
    good(ws_capture_write_module(writer, &module, &error), &error);
    good(ws_capture_write_sites(writer, &sites, &error), &error);
    good(ws_capture_write_shader(writer, &shader, &error), &error);
    free(words);
    return made;
}

static uint32_t *count(const struct ws_instrumented *made, const struct ran *ran)
{
    uint32_t *rows = calloc((size_t)made->row_count * BINS + 1, sizeof(*rows));
    assert_non_null(rows);
    for (uint32_t i = 0; i < made->site_count; ++i) {
        const struct ws_site_info *site = &made->sites[i];
        uint32_t *row = rows + (size_t)site->row * BINS;
        if (site->kind == WS_SITE_LAUNCH)
            row[0] = BINS;
        for (const struct ran *at = ran; at != NULL && at->label != 0; ++at)
            if (site->kind == WS_SITE_BLOCK && made->blocks[site->block].label == at->label)
                row[at->lanes - 1] = at->warps;
    }
    return rows;
}

/* What is advised of a pipeline of these shaders; the caller frees it. */
static char *advise(const struct part *parts, uint32_t part_count)
{
    const uint32_t ids[] = {1, 2};
    const struct ws_chunk_info info = {.version = "0.1.0", .passes = passes, .pass_count = 1};
    const struct ws_chunk_device device = {.subgroup_size = BINS, .bins = BINS};
    const struct ws_chunk_pipeline pipeline = {.id = 1, .shaders = ids, .shader_count = part_count};
    const struct ws_chunk_done done = {1, 1, 1, 0};
    struct ws_shader_counters counters[2];
    struct ws_instrumented *made[2];
    char path[64];
    char *text = NULL;
    size_t size = 0;
    struct ws_error error = {{0}};
    struct ws_report report;
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    good(writer != NULL, &error);
    good(ws_capture_write_info(writer, &info, &error), &error);
    good(ws_capture_write_device(writer, &device, &error), &error);
    for (uint32_t i = 0; i < part_count; ++i) {
        made[i] = define(writer, &parts[i], ids[i]);
        counters[i] =
            (struct ws_shader_counters){ids[i], 0, made[i]->row_count, BINS, count(made[i], parts[i].ran)};
    }
    good(ws_capture_write_pipeline(writer, &pipeline, &error), &error);
    const struct ws_launch launch = {.kind = part_count > 1 ? WS_LAUNCH_RENDER_PASS : WS_LAUNCH_DISPATCH,
                                     .label = "",
                                     .shaders = counters,
                                     .shader_count = part_count};
    const struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    good(ws_capture_write_submission(writer, &submission, &error), &error);
    good(ws_capture_write_done(writer, &done, &error), &error);
    ws_capture_writer_destroy(writer);
    for (uint32_t i = 0; i < part_count; ++i) {
        free((void *)counters[i].words);
        ws_instrumented_destroy(made[i]);
    }
    const struct ws_report_request request = {.analysis = ws_analysis_find("advice"),
                                              .options.rows = UINT32_MAX};
    good(ws_report_read(&report, path, &request, &error), &error);
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(ws_report_text(&report, stream));
    fclose(stream);
    ws_report_finish(&report);
    unlink(path);
    return text;
}

/* Whether the rule gives advice, and with `wanted` in its text. */
static void expect(const struct part *parts, uint32_t part_count, const char *rule, const char *wanted)
{
    char *text = advise(parts, part_count);
    char title[64];
    snprintf(title, sizeof(title), "(%s)\n", rule);
    if ((strstr(text, title) != NULL) != (wanted != NULL) || (wanted != NULL && strstr(text, wanted) == NULL))
        fail_msg("%s\nwanted of %s: %s", text, rule, wanted != NULL ? wanted : "nothing");
    free(text);
}

/* A branch for odd threads to block 11, and what stands in it and behind it. */
#define KERNEL(size, inside, behind)                                                                         \
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\" %2\n"            \
    "OpExecutionMode %1 LocalSize " size " 1 1\nOpDecorate %2 BuiltIn LocalInvocationIndex\n"                \
    "%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%5 = OpTypeInt 32 0\n%6 = OpTypePointer Input %5\n%7 = "       \
    "OpTypeBool\n"                                                                                           \
    "%8 = OpConstant %5 0\n%9 = OpConstant %5 1\n%13 = OpConstant %5 2\n%14 = OpConstant %5 264\n"           \
    "%2 = OpVariable %6 Input\n%1 = OpFunction %3 None %4\n"                                                 \
    "%10 = OpLabel\n%20 = OpLoad %5 %2\n%21 = OpBitwiseAnd %5 %20 %9\n%22 = OpINotEqual %7 %21 %8\n"         \
    "OpSelectionMerge %12 None\nOpBranchConditional %22 %11 %12\n"                                           \
    "%11 = OpLabel\n%23 = OpIAdd %5 %20 %9\n" inside "OpBranch %12\n"                                        \
    "%12 = OpLabel\n" behind "OpReturn\nOpFunctionEnd\n"
#define BARRIER "OpControlBarrier %13 %13 %14\n"

/* One workgroup of two warps. Behind the branch the device does not bring their halves together again, and the barrier
 * stands in a branch that all threads take: they come in warps of four lanes. */
static void barrier_of_warps_apart(void **state)
{
    (void)state;
    const struct ran ran[] = {{10, 8, 2}, {11, 4, 2}, {15, 4, 4}, {0, 0, 0}};
    const struct part part = {KERNEL("16", "",
                                     "%24 = OpULessThan %7 %20 %14\nOpSelectionMerge %16 None\n"
                                     "OpBranchConditional %24 %15 %16\n%15 = OpLabel\n" BARRIER
                                     "OpBranch %16\n%16 = OpLabel\n"),
                              WS_STAGE_COMPUTE, ran};
    expect(&part, 1, "barrier", NULL);
}

/* The barrier stands in the branch. Of a workgroup of 16 threads 8 come; that is certain. Of two workgroups of 8 threads
 * as many come as one has: that no whole warp came is evidence, unless warps came apart. */
static void barrier_in_branch(void **state)
{
    (void)state;
    const struct ran ran[] = {{10, 8, 2}, {11, 4, 2}, {12, 8, 2}, {0, 0, 0}};
    const struct part one = {KERNEL("16", BARRIER, ""), WS_STAGE_COMPUTE, ran};
    const struct part two = {KERNEL("8", BARRIER, ""), WS_STAGE_COMPUTE, ran};
    expect(&one, 1, "barrier", "certainty   certain\n");
    expect(&two, 1, "barrier", "certainty   likely\n");
}

/* Writes a product to location 0 and another to the position. */
#define VERTEX(capability, modes, decorations)                                                               \
    "OpCapability Shader\n" capability "OpMemoryModel Logical GLSL450\n"                                     \
    "OpEntryPoint Vertex %1 \"main\" %2 %3 %4\n" modes                                                       \
    "OpDecorate %2 Location 0\nOpDecorate %3 Location 0\n"                                                   \
    "OpDecorate %4 BuiltIn Position\n" decorations                                                           \
    "%5 = OpTypeVoid\n%6 = OpTypeFunction %5\n%7 = OpTypeFloat 32\n"                                         \
    "%8 = OpTypeVector %7 4\n%9 = OpTypePointer Input %8\n%11 = OpTypePointer Output %8\n"                   \
    "%2 = OpVariable %9 Input\n%3 = OpVariable %11 Output\n%4 = OpVariable %11 Output\n"                     \
    "%1 = OpFunction %5 None %6\n%10 = OpLabel\n%20 = OpLoad %8 %2\n%21 = OpFMul %8 %20 %20\n"               \
    "%22 = OpFAdd %8 %20 %20\nOpStore %3 %21\nOpStore %4 %22\nOpReturn\nOpFunctionEnd\n"

static const char fragment[] = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                               "OpEntryPoint Fragment %1 \"main\"\nOpExecutionMode %1 OriginUpperLeft\n"
                               "%5 = OpTypeVoid\n%6 = OpTypeFunction %5\n"
                               "%1 = OpFunction %5 None %6\n%10 = OpLabel\nOpReturn\nOpFunctionEnd\n";

/* The fragment shader reads nothing; but what transform feedback captures is not thrown away. */
static void captured_outputs(void **state)
{
    (void)state;
    const struct ran ran[] = {{10, 8, 4}, {0, 0, 0}};
    const struct part unread[] = {{VERTEX("", "", ""), WS_STAGE_VERTEX, ran},
                                  {fragment, WS_STAGE_FRAGMENT, ran}};
    const struct part captured[] = {
        {VERTEX("OpCapability TransformFeedback\n", "OpExecutionMode %1 Xfb\n",
                "OpDecorate %3 Offset 0\nOpDecorate %3 XfbBuffer 0\nOpDecorate %3 XfbStride 16\n"),
         WS_STAGE_VERTEX, ran},
        {fragment, WS_STAGE_FRAGMENT, ran}};
    expect(unread, 2, "vertex_outputs", "location 0");
    expect(captured, 2, "vertex_outputs", NULL);
}

/* A vertex shader whose helper, which stands before main, stores to a buffer where `store` says so. */
#define STORING(store)                                                                                       \
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"                                                   \
    "OpEntryPoint Vertex %1 \"main\" %2 %4\nOpDecorate %2 Location 0\nOpDecorate %4 BuiltIn Position\n"      \
    "OpDecorate %12 Block\nOpMemberDecorate %12 0 Offset 0\nOpDecorate %14 DescriptorSet 0\n"                \
    "OpDecorate %14 Binding 0\n"                                                                             \
    "%5 = OpTypeVoid\n%6 = OpTypeFunction %5\n%7 = OpTypeFloat 32\n%8 = OpTypeVector %7 4\n"                 \
    "%9 = OpTypePointer Input %8\n%11 = OpTypePointer Output %8\n%12 = OpTypeStruct %7\n"                    \
    "%13 = OpTypePointer StorageBuffer %12\n%14 = OpVariable %13 StorageBuffer\n%15 = OpTypeInt 32 1\n"      \
    "%16 = OpConstant %15 0\n%17 = OpConstant %7 1\n%18 = OpTypePointer StorageBuffer %7\n"                  \
    "%2 = OpVariable %9 Input\n%4 = OpVariable %11 Output\n"                                                 \
    "%40 = OpFunction %5 None %6\n%41 = OpLabel\n%42 = OpAccessChain %18 %14 %16\n" store                    \
    "OpReturn\nOpFunctionEnd\n"                                                                              \
    "%1 = OpFunction %5 None %6\n%10 = OpLabel\n%20 = OpLoad %8 %2\nOpStore %4 %20\n%21 = OpFunctionCall "   \
    "%5 %40\n"                                                                                               \
    "OpReturn\nOpFunctionEnd\n"

/* Nothing is seen of what was drawn: that is wasted, unless it was drawn for what the shader stores. */
static void unseen_vertices(void **state)
{
    (void)state;
    const struct ran ran[] = {{10, 8, 4}, {41, 8, 4}, {0, 0, 0}};
    const struct part wasted[] = {{STORING(""), WS_STAGE_VERTEX, ran}, {fragment, WS_STAGE_FRAGMENT, NULL}};
    const struct part storing[] = {{STORING("OpStore %42 %17\n"), WS_STAGE_VERTEX, ran},
                                   {fragment, WS_STAGE_FRAGMENT, NULL}};
    expect(wasted, 2, "vertex_outputs", "It ran for 32 vertices");
    expect(storing, 2, "vertex_outputs", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_of_warps_apart),
        cmocka_unit_test(barrier_in_branch),
        cmocka_unit_test(captured_outputs),
        cmocka_unit_test(unseen_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
