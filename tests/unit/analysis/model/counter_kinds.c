/* The kinds of report that come from counters, against numbers worked out by hand: hotspots, opcodes, warps.
 *
 * The shader is a fragment shader of three blocks; beside them what a device executes of each:
 *   head  OpLoad, OpFOrdLessThan, OpBranchConditional    line 3, 4, 4
 *   dead  OpKill                                          line 5
 *   tail  OpStore, OpReturn                               line 7, 7
 * (OpLabel, OpSelectionMerge and OpLine are not executed.)
 *
 * It runs three times. Run 0, by warps of 8: two enter whole and one of 4 lanes; one of 3 lanes dies, the
 * last warp goes on with 1. Runs 1 and 2, by warps of 16: 4294967295 = M enter whole and none dies. So, with
 * warps and lanes head  run 0: 3 warps, 20 lanes   runs 1, 2: M warps, 16 M lanes dead         1 warp,   3
 * lanes tail         3 warps, 17 lanes              M warps, 16 M lanes and executions, M16 = 2 x 16 M =
 * 137438953440 being those of runs 1 and 2: head  M16 + 20 = 137438953460    tail  M16 + 17 = 137438953457
 * dead  3 all   3 head + 1 dead + 2 tail = 687194767297 */
#include <math.h>

#include <cjson/cJSON.h>

#include "analysis/report/report.h"
#include "analysis/simt/hotspots.h"
#include "analysis/simt/opcodes.h"
#include "analysis/simt/warp_entry_exit.h"
#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/passes/spirv/assembly.h"

static const char shader[] = "OpCapability Shader\n"
                             "OpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint Fragment %1 \"main\" %2 %3\n"
                             "OpExecutionMode %1 OriginUpperLeft\n"
                             "%20 = OpString \"folder/kill.frag\"\n"
                             "OpDecorate %2 Location 0\n"
                             "OpDecorate %3 Location 0\n"
                             "%4 = OpTypeVoid\n"
                             "%5 = OpTypeFunction %4\n"
                             "%6 = OpTypeFloat 32\n"
                             "%7 = OpTypePointer Input %6\n"
                             "%8 = OpTypePointer Output %6\n"
                             "%9 = OpTypeBool\n"
                             "%10 = OpConstant %6 0.5\n"
                             "%2 = OpVariable %7 Input\n"
                             "%3 = OpVariable %8 Output\n"
                             "%1 = OpFunction %4 None %5\n"
                             "%11 = OpLabel\n"
                             "OpLine %20 3 0\n"
                             "%12 = OpLoad %6 %2\n"
                             "OpLine %20 4 0\n"
                             "%13 = OpFOrdLessThan %9 %12 %10\n"
                             "OpSelectionMerge %15 None\n"
                             "OpBranchConditional %13 %14 %15\n"
                             "%14 = OpLabel\n"
                             "OpLine %20 5 0\n"
                             "OpKill\n"
                             "%15 = OpLabel\n"
                             "OpLine %20 7 0\n"
                             "OpStore %3 %12\n"
                             "OpReturn\n"
                             "OpFunctionEnd\n";

enum { HEAD = 11, DEAD = 14, TAIL = 15, BINS = 16 };

/* What the capture counted: warps in three runs, threads in one, or sampled warps in one (sampled). */
enum counted { WARPS, THREADS, SAMPLED };

#define M UINT32_MAX

static const uint64_t head_executions = UINT64_C(137438953460);
static const uint64_t tail_executions = UINT64_C(137438953457);
static const uint64_t all_executions = UINT64_C(687194767297);

static void good(bool success, const struct ws_error *error)
{
    if (!success)
        fail_msg("%s", error->message);
}

static struct ws_instrumented *instrument(const uint32_t *words, size_t word_count, bool per_thread)
{
    static const char *const passes[] = {"simt_efficiency", "warp_entry_exit"};
    const struct ws_instrument_options options = {
        .passes = passes, .pass_count = 2, .subgroup_stages = per_thread ? WS_STAGE_COMPUTE : 0};
    struct ws_error error = {{0}};
    struct ws_instrumented *instrumented = ws_instrument(words, word_count, &options, &error);
    good(instrumented != NULL, &error);
    return instrumented;
}

/* The row of the site of some kind in a block; of COUNT sites the `nth`. */
static uint32_t *row_of(const struct ws_instrumented *instrumented, uint32_t *rows, uint32_t kind,
                        uint32_t label, uint32_t nth)
{
    for (uint32_t i = 0; i < instrumented->site_count; ++i) {
        const struct ws_site_info *site = &instrumented->sites[i];
        if (site->kind == kind && instrumented->blocks[site->block].label == label && nth-- == 0)
            return rows + (size_t)site->row * BINS;
    }
    fail_msg("there is no site of kind %u in block %u", kind, label);
    return NULL;
}

/* The rows of one run; per thread, only words 0 count. */
static void count(const struct ws_instrumented *instrumented, uint32_t *rows, unsigned run, bool per_thread)
{
    static const uint32_t kinds[] = {WS_SITE_BLOCK, WS_SITE_COUNT};
    row_of(instrumented, rows, WS_SITE_LAUNCH, HEAD, 0)[0] = per_thread ? 1 : run == 0 ? 8 : 16;
    /* Behind main: in the first run one of the warps of 8 lanes came apart. */
    uint32_t *returned = row_of(instrumented, rows, WS_SITE_COUNT, HEAD, 1);
    if (per_thread) {
        returned[0] = 17;
    } else if (run == 0) {
        returned[7] = 1;
        returned[3] = 2;
        returned[0] = 1;
    } else {
        returned[15] = M;
    }
    for (int i = 0; i < 2; ++i) {
        uint32_t *head = row_of(instrumented, rows, kinds[i], HEAD, 0);
        uint32_t *dead = row_of(instrumented, rows, kinds[i], DEAD, 0);
        uint32_t *tail = row_of(instrumented, rows, kinds[i], TAIL, 0);
        if (per_thread) {
            head[0] = 20;
            dead[0] = 3;
            tail[0] = 17;
        } else if (run == 0) {
            head[7] = 2;
            head[3] = 1;
            dead[2] = 1;
            tail[7] = 2;
            tail[0] = 1;
        } else {
            head[15] = M;
            tail[15] = M;
        }
    }
}

/* The sets counted 10, 12, 10, 8, 10, 11, 9 and 10 warps of 8. Set 0 has a warp of which 3 lanes die. */
static void count_set(const struct ws_instrumented *instrumented, uint32_t *rows, uint32_t set)
{
    static const uint32_t counted[WS_SAMPLE_GROUPS] = {10, 12, 10, 8, 10, 11, 9, 10};
    static const uint32_t kinds[] = {WS_SITE_BLOCK, WS_SITE_COUNT};
    const uint32_t died = set == 0;
    row_of(instrumented, rows, WS_SITE_LAUNCH, HEAD, 0)[0] = set == 0 ? 8 : 0;
    for (int i = 0; i < 2; ++i) {
        row_of(instrumented, rows, kinds[i], HEAD, 0)[7] = counted[set];
        row_of(instrumented, rows, kinds[i], DEAD, 0)[2] = died;
        row_of(instrumented, rows, kinds[i], TAIL, 0)[7] = counted[set] - died;
        row_of(instrumented, rows, kinds[i], TAIL, 0)[4] = died;
    }
    row_of(instrumented, rows, WS_SITE_COUNT, HEAD, 1)[7] = counted[set] - died;
    row_of(instrumented, rows, WS_SITE_COUNT, HEAD, 1)[4] = died;
}

static void write_run(struct ws_capture_writer *writer, const struct ws_instrumented *instrumented,
                      unsigned run, enum counted counted)
{
    const size_t size = (size_t)instrumented->row_count * BINS;
    const uint32_t sets = counted == SAMPLED ? WS_SAMPLE_GROUPS : 1;
    struct ws_shader_counters counters[WS_SAMPLE_GROUPS];
    struct ws_error error = {{0}};
    uint32_t *rows = calloc(size * sets, sizeof(*rows));
    assert_non_null(rows);
    for (uint32_t set = 0; set < sets; ++set) {
        counters[set] = (struct ws_shader_counters){3, 0, instrumented->row_count, BINS, rows + set * size};
        if (counted == SAMPLED) {
            count_set(instrumented, rows + set * size, set);
            counters[set].weight = 4;
            counters[set].group = set;
        }
    }
    if (counted != SAMPLED)
        count(instrumented, rows, run, counted == THREADS);
    const struct ws_launch launch = {.index = run,
                                     .kind = WS_LAUNCH_RENDER_PASS,
                                     .label = "pass, \"one\"",
                                     .shaders = counters,
                                     .shader_count = sets};
    const struct ws_chunk_submission submission = {.index = run, .launches = &launch, .launch_count = 1};
    good(ws_capture_write_submission(writer, &submission, &error), &error);
    free(rows);
}

/* A capture of one shader, which is instrumented; its launches are still to be written. */
struct written {
    struct ws_capture_writer *writer;
    struct ws_instrumented *instrumented;
    uint32_t *words;
};

static void begin_capture(struct written *written, const char *path, const char *text, uint32_t version,
                          enum ws_stage stage, bool per_thread)
{
    const char *const passes[] = {"simt_efficiency", "warp_entry_exit"};
    struct ws_error error = {{0}};
    size_t word_count = 0;
    written->words = assembly_read(text, version, &word_count);
    written->instrumented = instrument(written->words, word_count, per_thread);
    written->writer = ws_capture_writer_create(path, &error);
    good(written->writer != NULL, &error);
    const struct ws_instrumented *instrumented = written->instrumented;
    const struct ws_chunk_info info = {.version = "0.1.0", .passes = passes, .pass_count = 2};
    const struct ws_chunk_device device = {.subgroup_size = 8, .bins = BINS};
    const struct ws_chunk_module module = {
        .id = 5, .words = written->words, .word_count = (uint32_t)word_count};
    const struct ws_chunk_sites sites = {.module = 5,
                                         .row_count = instrumented->row_count,
                                         .passes = passes,
                                         .pass_count = 2,
                                         .entries = instrumented->entries,
                                         .entry_count = instrumented->entry_count,
                                         .blocks = instrumented->blocks,
                                         .block_count = instrumented->block_count,
                                         .sites = instrumented->sites,
                                         .site_count = instrumented->site_count};
    const struct ws_chunk_shader shader_chunk = {.id = 3, .module = 5, .stage = stage, .name = "main"};
    good(ws_capture_write_info(written->writer, &info, &error), &error);
    good(ws_capture_write_device(written->writer, &device, &error), &error);
    good(ws_capture_write_module(written->writer, &module, &error), &error);
    good(ws_capture_write_sites(written->writer, &sites, &error), &error);
    good(ws_capture_write_shader(written->writer, &shader_chunk, &error), &error);
}

static void end_capture(struct written *written)
{
    struct ws_error error = {{0}};
    const struct ws_chunk_done done = {3, 3, 1, 0};
    good(ws_capture_write_done(written->writer, &done, &error), &error);
    ws_capture_writer_destroy(written->writer);
    ws_instrumented_destroy(written->instrumented);
    free(written->words);
}

static void write_capture(const char *path, enum counted counted)
{
    struct written written;
    begin_capture(&written, path, shader, 0x00010300, WS_STAGE_FRAGMENT, counted == THREADS);
    for (unsigned run = 0; run < (counted == WARPS ? 3 : 1); ++run)
        write_run(written.writer, written.instrumented, run, counted);
    end_capture(&written);
}

/* Feeds all chunks of a capture to one of the analyses. */
typedef bool record_function(void *results, const struct ws_chunk *chunk, struct ws_error *error);

static void feed(enum counted counted, struct ws_catalog *catalog, record_function *record, void *results)
{
    char path[64];
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    temporary_path(path);
    write_capture(path, counted);
    struct ws_reader *reader = ws_reader_open(path, &error);
    good(reader != NULL, &error);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK) {
        good(ws_catalog_record(catalog, &chunk, &error), &error);
        good(record(results, &chunk, &error), &error);
    }
    assert_string_equal(error.message, "");
    ws_reader_destroy(reader);
    unlink(path);
}

static bool record_hotspots(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_hotspots_record(results, chunk, error);
}

static bool record_opcodes(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_simt_record(results, chunk, error);
}

static void check_crossings(const struct ws_crossings *crossings, uint64_t executions, uint64_t lanes)
{
    assert_true(crossings->executions == executions);
    assert_true(crossings->lanes == lanes);
}

/* The ends of a kind in the first module's shader. */
static void check_kind(const struct ws_warp_entry_exit *found, enum ws_end_kind kind, uint64_t executions,
                       uint64_t lanes)
{
    struct ws_crossings sums = {0, 0};
    for (uint32_t i = 0; i < found->modules[0].place_count; ++i)
        if (found->modules[0].places[i].at == WS_EXIT_AT_END && found->modules[0].places[i].kind == kind) {
            sums.executions += found->shaders[0].places[i].executions;
            sums.lanes += found->shaders[0].places[i].lanes;
        }
    check_crossings(&sums, executions, lanes);
}

static bool record_warps(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_warp_entry_exit_record(results, chunk, error);
}

static void check_run(const struct ws_hotspots *hotspots, uint32_t run, uint32_t index, uint32_t instructions,
                      uint32_t line, uint64_t executions)
{
    const struct ws_hotspot_run *found = &hotspots->runs[run];
    const struct ws_hotspot_instruction *first = &hotspots->modules[0].instructions[found->first];
    assert_int_equal(found->index, index);
    assert_int_equal(found->count, instructions);
    assert_int_equal(first->line, line);
    assert_string_equal(first->file, "folder/kill.frag");
    assert_true(found->thread_executions == executions);
}

/* Efficiencies: head and tail of 24 + 2 x 16 M = 137438953464 slots, dead 3 of 8. */
static void hotspots(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_hotspots found;
    struct ws_error error = {{0}};
    ws_catalog_init(&catalog);
    ws_hotspots_begin(&found, &catalog);
    feed(WARPS, &catalog, record_hotspots, &found);
    good(ws_hotspots_end(&found, &error), &error);
    assert_int_equal(found.run_count, 4);
    check_run(&found, 0, 0, 1, 3, head_executions);
    check_run(&found, 1, 1, 2, 4, head_executions);
    check_run(&found, 2, 3, 1, 5, 3);
    check_run(&found, 3, 4, 2, 7, tail_executions);
    for (uint32_t i = 0; i < 4; ++i)
        assert_int_equal(found.runs[i].doubt, WS_SIMT_SURE);
    assert_true(found.runs[0].efficiency == (double)head_executions / 137438953464.0);
    assert_true(found.runs[2].efficiency == 3.0 / 8);
    assert_true(found.runs[3].efficiency == (double)tail_executions / 137438953464.0);
    assert_int_equal(found.shaders[0].instructions, 6);
    assert_int_equal(found.shaders[0].executed, 6);
    assert_true(found.shaders[0].thread_executions == all_executions);
    assert_true(found.shaders[0].most == head_executions);
    assert_true(found.thread_executions == all_executions);
    ws_hotspots_finish(&found);
    ws_catalog_finish(&catalog);
}

/* Counted per thread, executions are threads and there is no efficiency. */
static void hotspots_per_thread(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_hotspots found;
    struct ws_error error = {{0}};
    ws_catalog_init(&catalog);
    ws_hotspots_begin(&found, &catalog);
    feed(THREADS, &catalog, record_hotspots, &found);
    good(ws_hotspots_end(&found, &error), &error);
    check_run(&found, 0, 0, 1, 3, 20);
    check_run(&found, 2, 3, 1, 5, 3);
    check_run(&found, 3, 4, 2, 7, 17);
    assert_int_equal(found.runs[0].doubt, WS_SIMT_PER_THREAD);
    assert_true(found.thread_executions == 3 * 20 + 3 + 2 * 17);
    ws_hotspots_finish(&found);
    ws_catalog_finish(&catalog);
}

static void check_mix(const struct ws_simt_results *found, enum ws_opcodes_level all,
                      enum ws_opcodes_level mix, uint32_t key)
{
    /* OpLoad 61, OpFOrdLessThan 184 and OpBranchConditional 250, OpStore 62 and OpReturn 253, OpKill 252:
     * most executed first, equal ones by number. */
    static const uint32_t opcodes[] = {61, 184, 250, 62, 253, 252};
    const uint64_t counts[] = {head_executions, head_executions, head_executions,
                               tail_executions, tail_executions, 3};
    uint32_t count = 0;
    uint32_t *rows = ws_groups_sorted(found->groups, mix, &count);
    assert_int_equal(count, 6);
    for (uint32_t i = 0; i < 6; ++i) {
        struct ws_row row;
        ws_groups_row(found->groups, mix, rows[i], &row);
        assert_int_equal(row.keys[WS_SIMT_OPCODE], opcodes[i]);
        assert_true(ws_opcodes_executed(found, mix, key, opcodes[i]) == counts[i]);
    }
    free(rows);
    assert_true(ws_opcodes_executed(found, all, key, 0) == all_executions);
    assert_true(ws_opcodes_executed(found, mix, key, 249) == 0);
}

static void opcodes(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_simt_results found;
    struct ws_error error = {{0}};
    ws_catalog_init(&catalog);
    good(ws_opcodes_begin(&found, &catalog, NULL, &error), &error);
    feed(WARPS, &catalog, record_opcodes, &found);
    good(ws_simt_end(&found, &error), &error);
    check_mix(&found, WS_OPCODES_BY_ALL, WS_OPCODES_BY_OPCODE, 0);
    check_mix(&found, WS_OPCODES_BY_STAGE, WS_OPCODES_BY_STAGE_OPCODE, WS_STAGE_FRAGMENT);
    check_mix(&found, WS_OPCODES_BY_SHADER, WS_OPCODES_BY_SHADER_OPCODE, 0);
    assert_int_equal(ws_groups_count(found.groups, WS_OPCODES_BY_STAGE), 1);
    ws_opcodes_finish(&found);
    ws_catalog_finish(&catalog);
}

/* Run 0: 3 entries, 1 + 3 exits, and 4 parts that returned; runs 1 and 2: M of each. Together 2 M + 3, and 2 M + 4 of
 * the others. */
static void warps(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_warp_entry_exit found;
    double value = 0;
    ws_catalog_init(&catalog);
    assert_true(ws_warp_entry_exit_begin(&found, &catalog, NULL, NULL));
    feed(WARPS, &catalog, record_warps, &found);
    const struct ws_exit_shader *sums = &found.shaders[0];
    check_crossings(&sums->entries, UINT64_C(8589934593), head_executions);
    check_crossings(&sums->exits, UINT64_C(8589934594), head_executions);
    check_kind(&found, WS_END_RETURN, UINT64_C(8589934593), tail_executions);
    check_kind(&found, WS_END_KILL, 1, 3);
    check_kind(&found, WS_END_DEMOTE, 0, 0);
    const struct ws_exit_sums *all = ws_warp_entry_exit_row(&found, WS_EXIT_BY_ALL, 0);
    check_crossings(&all->entries, UINT64_C(8589934593), head_executions);
    check_crossings(&all->exits, UINT64_C(8589934594), head_executions);
    check_crossings(&all->returns, UINT64_C(8589934594), tail_executions);
    assert_int_equal(ws_groups_count(found.groups, WS_EXIT_BY_LAUNCH), 3);
    const struct ws_exit_sums *first = ws_warp_entry_exit_row(&found, WS_EXIT_BY_LAUNCH, 0);
    check_crossings(&first->entries, 3, 20);
    check_crossings(&first->exits, 4, 20);
    check_crossings(&first->returns, 4, 17);
    assert_int_equal(first->uncounted, 0);
    check_crossings(&ws_warp_entry_exit_row(&found, WS_EXIT_BY_LAUNCH, 2)->exits, M, UINT64_C(68719476720));
    assert_true(ws_per_entry(&first->entries, &first->exits, &value));
    assert_true(value == 4.0 / 3);
    const struct ws_exit_module *module = &found.modules[0];
    assert_int_equal(module->place_count, 4);
    for (uint32_t i = 0; i < module->place_count; ++i) {
        const struct ws_exit_place *place = &module->places[i];
        if (place->at != WS_EXIT_AT_END)
            continue;
        assert_int_equal(place->line, place->kind == WS_END_KILL ? 5 : 7);
        assert_string_equal(place->file, "folder/kill.frag");
    }
    const struct ws_crossings none = {0, 0};
    assert_false(ws_per_entry(&none, &none, &value));
    ws_warp_entry_exit_finish(&found);
    ws_catalog_finish(&catalog);
}

/* Counted per thread, nothing is known of warps: no part in any sum of warps. */
static void warps_per_thread(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_warp_entry_exit found;
    ws_catalog_init(&catalog);
    assert_true(ws_warp_entry_exit_begin(&found, &catalog, NULL, NULL));
    feed(THREADS, &catalog, record_warps, &found);
    check_crossings(&found.shaders[0].entries, 20, 20);
    check_crossings(&found.shaders[0].exits, 20, 20);
    check_crossings(&ws_warp_entry_exit_row(&found, WS_EXIT_BY_ALL, 0)->entries, 0, 0);
    check_crossings(&ws_warp_entry_exit_row(&found, WS_EXIT_BY_LAUNCH, 0)->exits, 0, 0);
    assert_true(ws_warp_entry_exit_row(&found, WS_EXIT_BY_SHADER, 0)->per_thread == 1);
    ws_warp_entry_exit_finish(&found);
    ws_catalog_finish(&catalog);
}

/* A ray generation shader that reorders its threads: three warps of 8 enter, and three return. Whether one of these is of the
 * lanes that entered together no counter tells, so nothing is said of parts. */
static void write_reordered(const char *path)
{
    static const char text[] = "OpCapability RayTracingKHR\n"
                               "OpCapability ShaderInvocationReorderNV\n"
                               "OpExtension \"SPV_KHR_ray_tracing\"\n"
                               "OpExtension \"SPV_NV_shader_invocation_reorder\"\n"
                               "OpMemoryModel Logical GLSL450\n"
                               "OpEntryPoint RayGenerationKHR %1 \"main\"\n"
                               "%4 = OpTypeVoid\n"
                               "%5 = OpTypeFunction %4\n"
                               "%6 = OpTypeInt 32 0\n"
                               "%7 = OpConstant %6 1\n"
                               "%1 = OpFunction %4 None %5\n"
                               "%11 = OpLabel\n"
                               "OpReorderThreadWithHintNV %7 %7\n"
                               "OpReturn\n"
                               "OpFunctionEnd\n";
    struct ws_error error = {{0}};
    struct written written;
    begin_capture(&written, path, text, 0x00010400, WS_STAGE_RAYGEN, false);
    const struct ws_instrumented *instrumented = written.instrumented;
    uint32_t *rows = calloc((size_t)instrumented->row_count * BINS, sizeof(*rows));
    assert_non_null(rows);
    row_of(instrumented, rows, WS_SITE_LAUNCH, HEAD, 0)[0] = 8;
    row_of(instrumented, rows, WS_SITE_BLOCK, HEAD, 0)[7] = 3;
    for (uint32_t nth = 0; nth < 3; ++nth)
        row_of(instrumented, rows, WS_SITE_COUNT, HEAD, nth)[7] = 3;
    const struct ws_shader_counters counters = {3, 0, instrumented->row_count, BINS, rows};
    const struct ws_launch launch = {.kind = WS_LAUNCH_TRACE_RAYS, .shaders = &counters, .shader_count = 1};
    const struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    good(ws_capture_write_submission(written.writer, &submission, &error), &error);
    free(rows);
    end_capture(&written);
}

/* One of the outputs of a kind; freed by the caller. */
static char *print_capture(const char *kind, const char *path,
                           bool (*write)(const struct ws_report *, FILE *))
{
    char *text = NULL;
    size_t size = 0;
    struct ws_report report;
    struct ws_error error = {{0}};
    const struct ws_report_request request = {.analysis = ws_analysis_find(kind)};
    good(ws_report_read(&report, path, &request, &error), &error);
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(write(&report, stream));
    fclose(stream);
    ws_report_finish(&report);
    return text;
}

static char *print(const char *kind, enum counted counted, bool (*write)(const struct ws_report *, FILE *))
{
    char path[64];
    temporary_path(path);
    write_capture(path, counted);
    char *text = print_capture(kind, path, write);
    unlink(path);
    return text;
}

static void warps_reordered(void **state)
{
    (void)state;
    static const char *const expected[] = {"  3 warps entered launched shaders\n"
                                           "  3 exits at all ends: 1.000 per entry\n"
                                           "  the capture does not tell whether warps came apart\n",
                                           "threads are reordered\n",
                                           "  1 shader puts threads into other warps (reorderThread): in how "
                                           "many parts their warps return is not "
                                           "known\n"};
    char path[64];
    temporary_path(path);
    write_reordered(path);
    char *text = print_capture("warp_entry_exit", path, ws_report_text);
    unlink(path);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i)
        if (strstr(text, expected[i]) == NULL)
            fail_msg("'%s' is not in: %s", expected[i], text);
    free(text);
}

static void check_print(const char *kind, enum counted counted,
                        bool (*write)(const struct ws_report *, FILE *), const char *const *expected)
{
    char *text = print(kind, counted, write);
    for (; *expected != NULL; ++expected)
        if (strstr(text, *expected) == NULL)
            fail_msg("'%s' is not in: %s", *expected, text);
    free(text);
}

static void printed(void **state)
{
    (void)state;
    static const char *const hot[] = {
        "share  executions  efficiency", "37.5 %",
        "40.0 %  8589934593     100.0 %  kill.frag:main  kill.frag:4             2\n", NULL};
    static const char *const hot_lines[] = {
        "level,stage,shader_id,shader,block,source,file,line,index,offset,block_executions,each,opcode,"
        "instructions,executed,executions,thread_executions,thread_executions_error,share,most,efficiency,"
        "efficiency_error,unlined\n",
        "\ntotal,,,,,,,,,,,,,6,6,,687194767297,,1,137438953460,",
        "\nshaders,fragment,3,kill.frag:main,,,,,,,,,,6,6,,687194767297,,1,137438953460,",
        "\nlines,fragment,3,kill.frag:main,,kill.frag:4,folder/"
        "kill.frag,4,,,,,,2,2,8589934593,274877906920,,0.40000000000174624,137438953460,",
        "\nruns,fragment,3,kill.frag:main,11,kill.frag:4,folder/"
        "kill.frag,4,1,84,8589934593,137438953460,,2,2,,274877906920,,0.40000000000174624,,",
        "\ninstructions,fragment,3,kill.frag:main,14,kill.frag:5,folder/"
        "kill.frag,5,3,102,1,,OpKill,,,,3,,4.365574568910278e-12,,"
        "0.375,,\n",
        "\ninstructions,fragment,3,kill.frag:main,15,kill.frag:7,folder/kill.frag,7,5,",
        ",OpReturn,,,,137438953457,",
        NULL};
    static const char *const hot_threads[] = {
        "\"hotspots\": {\n  \"total\": "
        "{\"instructions\":6,\"executed\":6,\"thread_executions\":97,\"thread_executions_error\":null,"
        "\"share\":1,\"most\":20,\"efficiency\":null,\"efficiency_error\":null,\"unlined\":0},\n  "
        "\"shaders\": [\n    {\"shader_id\":3,",
        "\"source\":\"kill.frag:4\",\"file\":\"folder/"
        "kill.frag\",\"line\":4,\"instructions\":2,\"executed\":2,"
        "\"executions\":20,\"thread_executions\":40,",
        "\"line\":4,\"index\":1,\"offset\":84,\"block_executions\":20,\"each\":20,"
        "\"opcodes\":[\"OpFOrdLessThan\",\"OpBranchConditional\"],",
        NULL};
    static const char *const mix[] = {"OpLoad               137438953460  20.0 %    20.0 %\n", NULL};
    static const char *const mix_lines[] = {
        "\nopcodes,,,,252,OpKill,3,,4.365574568910278e-12,\n",
        "\nshader_opcodes,fragment,3,kill.frag:main,62,OpStore,137438953457,", NULL};
    static const char *const exits[] = {
        "  8589934593 warps entered launched shaders\n"
        "  8589934594 parts returned: 1.000 per entry\n"
        "  8589934594 exits at all ends: 1.000 per entry, so lanes of a warp left at different ends or "
        "times\n"
        "  warps came apart: they returned in more parts than entered\n",
        "1.333\n", "kill    kill.frag:5", NULL};
    static const char *const exit_lines[] = {
        "\nlaunches,0,0,0,render pass,,\"pass, "
        "\"\"one\"\"\",8,,,,,,,,3,20,6.666666666666667,4,17,1.3333333333333333,4,20,5,"
        "1.3333333333333333,",
        "\nends,,,,,,,,fragment,3,kill.frag:main,kill,kill.frag:5,folder/kill.frag,5,,,,,,,1,3,3,,", NULL};
    static const char *const threads[] = {"threads are counted, not warps", NULL};
    static const char *const object[] = {"\"warp_entry_exit\": {", "\"exits_per_entry\":null", NULL};
    check_print("hotspots", WARPS, ws_report_text, hot);
    check_print("hotspots", WARPS, ws_report_csv, hot_lines);
    check_print("hotspots", THREADS, ws_report_json, hot_threads);
    check_print("opcodes", WARPS, ws_report_text, mix);
    check_print("opcodes", WARPS, ws_report_csv, mix_lines);
    check_print("warp_entry_exit", WARPS, ws_report_text, exits);
    check_print("warp_entry_exit", WARPS, ws_report_csv, exit_lines);
    check_print("warp_entry_exit", THREADS, ws_report_text, threads);
    check_print("warp_entry_exit", THREADS, ws_report_json, object);
}

static double number(const cJSON *row, const char *name)
{
    const cJSON *value = cJSON_GetObjectItem(row, name);
    if (!cJSON_IsNumber(value))
        fail_msg("%s is not there", name);
    return value->valuedouble;
}

static cJSON *rows_of(const char *kind, const char *level)
{
    char *text = print(kind, SAMPLED, ws_report_json);
    cJSON *json = cJSON_Parse(text);
    cJSON *rows =
        cJSON_DetachItemFromObject(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "analyses"), kind), level);
    assert_non_null(rows);
    cJSON_Delete(json);
    free(text);
    return rows;
}

static void check_near(const cJSON *row, const char *name, double wanted)
{
    if (fabs(number(row, name) - wanted) > 1e-9 * (1 + fabs(wanted)))
        fail_msg("%s is %.12g, not %.12g", name, number(row, name), wanted);
}

static void check_null(const cJSON *row, const char *name)
{
    if (!cJSON_IsNull(cJSON_GetObjectItem(row, name)))
        fail_msg("%s is known", name);
}

static const double set_warps[WS_SAMPLE_GROUPS] = {10, 12, 10, 8, 10, 11, 9, 10};

/* The root of the sum of squares of e = part - r all, where part = a c + b d and all = g c + h d of each set. c are its
 * warps, d is 1 in set 0, and r is the ratio of the sums. */
static double ratio_error(double a, double b, double g, double h)
{
    const double ratio = (80 * a + b) / (80 * g + h);
    double squares = 0;
    for (int set = 0; set < WS_SAMPLE_GROUPS; ++set) {
        const double d = set == 0;
        const double e = a * set_warps[set] + b * d - ratio * (g * set_warps[set] + h * d);
        squares += e * e; /* the mean of e is 0, as r makes their sum */
    }
    return sqrt(squares);
}

/* One warp in 4 counted, by the sets of count_set: 80 warps of 8, of which one lost 3 lanes. x = 4 sqrt(3/4) c, and a
 * standard error is sqrt(8/7 x the sum of squares of x - mean): k has both factors.
 *   entries   320; c - 10 is 0, 2, 0, -2, 0, 1, -1, 0: error k sqrt(8/7 x 10) = 11.7; lanes in 2560, error 8 times that
 *   exits     c and one more in set 0, mean 10.125: squares of .875, 1.875, -.125, -2.125, -.125, .875, -1.125, -.125: 10.875
 *   exits per entry 81/80: e = d - c / 80 with d = 1 in set 0, mean 0: squares of .875 and c / 80: .8765625
 *   OpLoad    2560 of 2560 x 3 + 3 x 4 + 2 x (2560 - 3 x 4) = 12788 instructions, in a set 8 c of 40 c - 3 d
 *   OpKill    12: 3 in set 0, mean .375, squares 3^2 - 8 x .375^2 = 7.875
 *   efficiency of all instructions: slots 3 x 2560 + 8 x 4 + 2 x 2560 = 12832, in a set 40 c + 8 d */
static void sampled(void **state)
{
    (void)state;
    const double k = 4 * sqrt(3.0 / 4 * 8 / 7);
    cJSON *total = rows_of("warp_entry_exit", "total");
    check_near(total, "entries", 320);
    check_near(total, "exits", 324);
    check_near(total, "entries_error", round(k * sqrt(10)));
    check_near(total, "lanes_in_error", round(8 * k * sqrt(10)));
    check_near(total, "returns_error", round(k * sqrt(10)));
    check_near(total, "exits_error", round(k * sqrt(10.875)));
    check_near(total, "exits_per_entry", 81.0 / 80);
    check_near(total, "exits_per_entry_error", k * sqrt(.8765625) / 320);
    check_null(total, "parts_per_entry_error"); /* 1 of all warps that were drawn */
    check_null(total, "lanes_in_each_error");   /* 8 of them */
    cJSON_Delete(total);
    cJSON *mix = rows_of("opcodes", "opcodes");
    assert_int_equal(cJSON_GetArraySize(mix), 6);
    check_near(cJSON_GetArrayItem(mix, 0), "instructions", 2560);
    check_near(cJSON_GetArrayItem(mix, 0), "instructions_error", round(8 * k * sqrt(10)));
    check_near(cJSON_GetArrayItem(mix, 5), "instructions", 12);
    check_near(cJSON_GetArrayItem(mix, 5), "instructions_error", round(k * sqrt(7.875)));
    check_near(cJSON_GetArrayItem(mix, 0), "share_error", k * ratio_error(8, 0, 40, -3) / 12788);
    cJSON_Delete(mix);
    cJSON *hot = rows_of("hotspots", "total");
    check_near(hot, "thread_executions", 12788);
    check_near(hot, "efficiency", 12788.0 / 12832);
    check_near(hot, "efficiency_error", k * ratio_error(40, -3, 40, 8) / 12832);
    cJSON_Delete(hot);
    hot = rows_of("hotspots", "lines");
    check_near(cJSON_GetArrayItem(hot, 0), "thread_executions_error", round(8 * k * sqrt(10)));
    cJSON_Delete(hot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hotspots),         cmocka_unit_test(hotspots_per_thread),
        cmocka_unit_test(opcodes),          cmocka_unit_test(warps),
        cmocka_unit_test(warps_per_thread), cmocka_unit_test(warps_reordered),
        cmocka_unit_test(printed),          cmocka_unit_test(sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
