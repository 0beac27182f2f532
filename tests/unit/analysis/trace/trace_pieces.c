/* Patterns of work ids in warps, repetitions in traces, and sparse counts: the parts of the analysis
 * `execution_trace` that stand by themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace/execution_trace.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/model/catalog.h"

/* Adds a warp whose lane l has work id `work[l]`. */
static void add_warp(struct ws_trace_work_map *map, uint32_t size, uint32_t count, uint32_t (*work)[3])
{
    struct ws_thread threads[128];
    uint32_t indices[128];
    for (uint32_t i = 0; i < size; ++i) {
        indices[i] = i < count ? i : WS_NONE;
        threads[i] = (struct ws_thread){.work = {work[i][0], work[i][1], work[i][2]}, .lane = i};
    }
    struct ws_context context = {.stage = WS_STAGE_COMPUTE, .lane_count = size, .threads = indices};
    ws_trace_work_map_add(map, &context, threads);
}

static void check(const struct ws_trace_work_map *map, const char *pattern, uint64_t fitting)
{
    char text[96];
    uint64_t found = 0;
    ws_trace_work_map_text(map, text, sizeof(text), &found);
    assert_string_equal(text, pattern);
    assert_int_equal(found, fitting);
}

/* A warp of `size` at (x, y, z); lane l is at x + fx(l), ... by the function given. */
typedef void order_function(uint32_t lane, uint32_t at[3]);

static void add_ordered(struct ws_trace_work_map *map, uint32_t size, uint32_t x, uint32_t y, uint32_t z,
                        order_function *order)
{
    uint32_t work[128][3];
    for (uint32_t lane = 0; lane < size; ++lane) {
        order(lane, work[lane]);
        work[lane][0] += x;
        work[lane][1] += y;
        work[lane][2] += z;
    }
    add_warp(map, size, size, work);
}

static void set(uint32_t at[3], uint32_t x, uint32_t y, uint32_t z)
{
    at[0] = x;
    at[1] = y;
    at[2] = z;
}

static void rows_8(uint32_t lane, uint32_t at[3])
{
    set(at, lane % 8, lane / 8, 0);
}

static void columns_4(uint32_t lane, uint32_t at[3])
{
    set(at, lane / 4, lane % 4, 0);
}

/* Bits of the lane: x0 y0 x1 y1 x2, lowest first. */
static void morton_8x4(uint32_t lane, uint32_t at[3])
{
    set(at, (lane & 1) | (lane >> 2 & 1) << 1 | (lane >> 4 & 1) << 2, (lane >> 1 & 1) | (lane >> 3 & 1) << 1,
        0);
}

static void morton_4x8(uint32_t lane, uint32_t at[3])
{
    set(at, (lane & 1) | (lane >> 2 & 1) << 1, (lane >> 1 & 1) | (lane >> 3 & 1) << 1 | (lane >> 4 & 1) << 2,
        0);
}

static void morton_y_8x8(uint32_t lane, uint32_t at[3])
{
    set(at, (lane >> 1 & 1) | (lane >> 3 & 1) << 1 | (lane >> 5 & 1) << 2,
        (lane & 1) | (lane >> 2 & 1) << 1 | (lane >> 4 & 1) << 2, 0);
}

static void quads_8x4(uint32_t lane, uint32_t at[3])
{
    uint32_t quad = lane / 4;
    set(at, quad % 4 * 2 + lane % 2, quad / 4 * 2 + lane / 2 % 2, 0);
}

static void box_4x4x2(uint32_t lane, uint32_t at[3])
{
    set(at, lane % 4, lane / 4 % 4, lane / 16);
}

static void reversed(uint32_t lane, uint32_t at[3])
{
    set(at, 7 - lane % 8, lane / 8, 0);
}

static void knights(uint32_t lane, uint32_t at[3])
{
    set(at, lane * 3 % 32, lane * 5 % 7, 0);
}

static void patterns(void **state)
{
    static const struct {
        uint32_t size;
        order_function *order;
        const char *text;
    } cases[] = {
        {8, rows_8, "8 x 1, row-major"},
        {32, rows_8, "8 x 4 tiles, row-major"},
        {64, rows_8, "8 x 8 tiles, row-major"},
        {128, rows_8, "8 x 16 tiles, row-major"},
        {32, columns_4, "8 x 4 tiles, column-major"},
        {32, morton_8x4, "8 x 4 tiles, Morton"},
        {32, morton_4x8, "4 x 8 tiles, Morton"},
        {64, morton_y_8x8, "8 x 8 tiles, Morton, y first"},
        {32, quads_8x4, "8 x 4 tiles, 2 x 2 quads, row-major"},
        {32, box_4x4x2, "4 x 4 x 2 boxes, row-major"},
        {32, reversed, "8 x 4 tiles, in another order"},
        {32, knights, "irregular"},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct ws_trace_work_map map = {0};
        bool irregular = strcmp(cases[i].text, "irregular") == 0;
        for (uint32_t warp = 0; warp < 6; ++warp)
            add_ordered(&map, cases[i].size, 40 * (warp % 3), 100 * (warp / 3), 5, cases[i].order);
        check(&map, cases[i].text, irregular ? 0 : 6);
        assert_int_equal(map.full, 6);
        assert_int_equal(map.partial, 0);
    }
}

/* 40 x 4 in warps of 32, row by row: 160 = 5 x 32. Warps 0 lies in one row, 1 to 3 go on in the next, 4 is in
 * one row again. */
static void runs_through_rows(void **state)
{
    struct ws_trace_work_map map = {0};
    (void)state;
    for (uint32_t warp = 0; warp < 5; ++warp) {
        uint32_t work[32][3];
        for (uint32_t lane = 0; lane < 32; ++lane)
            set(work[lane], (32 * warp + lane) % 40, (32 * warp + lane) / 40, 0);
        add_warp(&map, 32, 32, work);
    }
    check(&map, "32 consecutive, row-major, through rows of 40", 5);
    assert_int_equal(map.last[0], 39);
    assert_int_equal(map.last[1], 3);
}

/* 5 x 3 x 3 in warps of 8: the second goes on in the next slice. */
static void runs_through_slices(void **state)
{
    struct ws_trace_work_map map = {0};
    (void)state;
    for (uint32_t warp = 0; warp < 6; ++warp) {
        uint32_t work[8][3];
        uint32_t count = warp < 5 ? 8 : 5;
        for (uint32_t lane = 0; lane < 8; ++lane) {
            uint32_t id = 8 * warp + lane;
            set(work[lane], id % 5, id / 5 % 3, id / 15);
        }
        add_warp(&map, 8, count, work);
    }
    check(&map, "8 consecutive, row-major, through rows of 5", 5);
    assert_int_equal(map.partial, 1);
}

/* Full warps that do not fit are counted; partial ones are no pattern; merged parts add up. */
static void exceptions(void **state)
{
    struct ws_trace_work_map map = {0};
    struct ws_trace_work_map more = {0};
    uint32_t work[32][3];
    (void)state;
    for (uint32_t i = 0; i < 5; ++i)
        add_ordered(&map, 32, 8 * i, 0, 0, rows_8);
    add_ordered(&more, 32, 0, 4, 0, rows_8);
    add_ordered(&more, 32, 64, 4, 0, knights);
    for (uint32_t lane = 0; lane < 32; ++lane)
        rows_8(lane, work[lane]);
    add_warp(&more, 32, 17, work);
    ws_trace_work_map_merge(&map, &more);
    check(&map, "8 x 4 tiles, row-major", 6);
    assert_int_equal(map.full, 7);
    assert_int_equal(map.partial, 1);
    struct ws_trace_work_map partial = {0};
    add_warp(&partial, 32, 17, work);
    check(&partial, "no full warp", 0);
}

/* Appends a block to a path of up to 100 steps. */
static void add_step(struct ws_trace_path *path, uint32_t block, uint64_t lanes)
{
    struct ws_trace_step step = {.kind = WS_TRACE_BLOCK, .block = block, .lanes = {lanes, 0}};
    assert_true(ws_trace_path_add(path, &step));
}

/* "a(bc)3" and so on: blocks as letters, repetitions with how often. */
static void write_steps(const struct ws_trace_path *path, uint32_t first, uint32_t end, char *text)
{
    for (uint32_t i = first; i < end; ++i) {
        const struct ws_trace_step *step = &path->steps[i];
        if (step->kind != WS_TRACE_REPEAT) {
            sprintf(text + strlen(text), "%c", (int)('a' + step->block));
            continue;
        }
        strcat(text, "(");
        write_steps(path, i + 1, i + 1 + step->length, text);
        sprintf(text + strlen(text), ")%u", (unsigned)step->count);
        i += step->length;
    }
}

static void check_fold(const char *blocks, const char *folded)
{
    char text[512] = "";
    struct ws_trace_path *path = ws_trace_path_create(100);
    assert_non_null(path);
    for (const char *at = blocks; *at != '\0'; ++at)
        add_step(path, (uint32_t)(*at - 'a'), 1);
    write_steps(path, 0, path->step_count, text);
    assert_string_equal(text, folded);
    assert_int_equal(path->blocks, strlen(blocks));
    ws_trace_path_destroy(path);
}

static void repetitions(void **state)
{
    (void)state;
    check_fold("abc", "abc");
    check_fold("abbb", "a(b)3");
    check_fold("abcbcbcd", "a(bc)3d");
    check_fold("abccdbccdbccde", "a(b(c)2d)3e");
    /* Inner loops that run differently often are told apart. */
    check_fold("abccdbcccd", "ab(c)2db(c)3d");
    check_fold("ababcababc", "((ab)2c)2");
    /* Other lanes are another step. */
    struct ws_trace_path *path = ws_trace_path_create(100);
    add_step(path, 0, 3);
    add_step(path, 0, 1);
    add_step(path, 0, 1);
    assert_int_equal(path->step_count, 3);
    assert_int_equal(path->steps[1].kind, WS_TRACE_REPEAT);
    ws_trace_path_destroy(path);
}

/* A path that does not repeat itself stays bounded, and goes on counting. */
static void bounded_path(void **state)
{
    struct ws_trace_path *path = ws_trace_path_create(10);
    (void)state;
    for (uint32_t i = 0; i < 100000; ++i)
        add_step(path, i, 1);
    assert_true(path->full);
    assert_true(path->step_count < 1000);
    assert_int_equal(path->blocks, 100000);
    ws_trace_path_destroy(path);
    /* One that does is never full. */
    path = ws_trace_path_create(10);
    for (uint32_t i = 0; i < 100000; ++i)
        add_step(path, i % 7, 1);
    assert_false(path->full);
    ws_trace_path_destroy(path);
}

static void counts(void **state)
{
    struct ws_trace_counts all = {0};
    (void)state;
    assert_true(ws_trace_counts_add(&all, UINT64_C(1) << 40, 1));
    assert_true(ws_trace_counts_add(&all, 7, 6));
    assert_true(ws_trace_counts_add(&all, 3, 2));
    assert_true(ws_trace_counts_add(&all, 7, 1));
    ws_trace_counts_sort(&all);
    struct ws_trace_summary summary = ws_trace_counts_summary(&all);
    assert_int_equal(summary.total, 10);
    assert_int_equal(summary.sum, (UINT64_C(1) << 40) + 49 + 6);
    assert_int_equal(summary.minimum, 3);
    assert_int_equal(summary.median, 7);
    assert_int_equal(summary.ninety, 7); /* 2 + 7 are nine of ten */
    assert_true(summary.maximum == UINT64_C(1) << 40);
    assert_int_equal(ws_trace_counts_within(&all, 0, 6), 2);
    assert_int_equal(ws_trace_counts_within(&all, 3, 7), 9);
    assert_int_equal(ws_trace_counts_within(&all, 8, UINT64_MAX), 1);
    ws_trace_counts_finish(&all);
    assert_int_equal(ws_trace_bin_width(0, 19, 20), 1);
    assert_int_equal(ws_trace_bin_width(0, 20, 20), 2);
    assert_int_equal(ws_trace_bin_width(100, 200, 20), 10); /* 5: 20 .. 40 are 21 bins */
    assert_int_equal(ws_trace_bin_width(5, 5, 20), 1);
    assert_true(ws_trace_bin_width(0, UINT64_MAX, 20) >= UINT64_MAX / 20);
}

static const char three_functions[] = "OpCapability Shader\n"
                                      "OpMemoryModel Logical GLSL450\n"
                                      "OpEntryPoint GLCompute %4 \"main\"\n"
                                      "OpExecutionMode %4 LocalSize 1 1 1\n"
                                      "OpName %4 \"main\"\n"
                                      "OpName %6 \"outer(vf3;\"\n"
                                      "OpName %8 \"inner(u1;\"\n"
                                      "%2 = OpTypeVoid\n"
                                      "%3 = OpTypeFunction %2\n"
                                      "%8 = OpFunction %2 None %3\n"
                                      "%9 = OpLabel\n"
                                      "OpReturn\n"
                                      "OpFunctionEnd\n"
                                      "%6 = OpFunction %2 None %3\n"
                                      "%7 = OpLabel\n"
                                      "%10 = OpFunctionCall %2 %8\n"
                                      "%11 = OpFunctionCall %2 %8\n"
                                      "OpReturn\n"
                                      "OpFunctionEnd\n"
                                      "%4 = OpFunction %2 None %3\n"
                                      "%5 = OpLabel\n"
                                      "%12 = OpFunctionCall %2 %6\n"
                                      "%13 = OpFunctionCall %2 %8\n"
                                      "OpReturn\n"
                                      "OpFunctionEnd\n";

/* main calls outer and inner, outer inner: what is called after what tells how deep it is. */
static void functions_that_call(void **state)
{
    static struct ws_block_record blocks[] = {
        {.info = {.function = 8}}, {.info = {.function = 6}}, {.info = {.function = 4}}};
    struct ws_module_record module = {.blocks = blocks, .block_count = 3};
    struct ws_catalog catalog;
    struct ws_module code;
    struct ws_error error = {{0}};
    size_t word_count = 0;
    uint32_t *words = assembly_read(three_functions, 0x00010300, &word_count);
    struct ws_arena *arena = ws_arena_create();
    (void)state;
    ws_catalog_init(&catalog);
    assert_true(ws_module_parse(&code, arena, words, word_count, &error));
    assert_true(ws_catalog_functions_add(&catalog, &module, &code));
    assert_int_equal(module.function_count, 3);
    assert_string_equal(ws_catalog_function(&module, 6)->name, "outer");
    assert_string_equal(ws_catalog_function(&module, 8)->name, "inner");
    assert_null(ws_catalog_function(&module, 7));
    assert_true(ws_catalog_calls(&module, 4, 6) && ws_catalog_calls(&module, 4, 8));
    assert_true(ws_catalog_calls(&module, 6, 8) && !ws_catalog_calls(&module, 8, 6));
    assert_int_equal(module.call_count, 3);
    struct ws_trace_calls calls = {.count = 0};
    assert_int_equal(ws_trace_calls_block(&calls, &module, 2), 0); /* main */
    assert_int_equal(ws_trace_calls_block(&calls, &module, 0), 1); /* inner, by main */
    assert_int_equal(ws_trace_calls_block(&calls, &module, 1), 1); /* outer: inner does not call it */
    assert_int_equal(ws_trace_calls_block(&calls, &module, 0), 2); /* inner, by outer */
    assert_int_equal(ws_trace_calls_block(&calls, &module, 2), 0);
    free(module.functions);
    free(module.calls);
    ws_catalog_finish(&catalog);
    ws_arena_destroy(arena);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),    cmocka_unit_test(runs_through_rows),
        cmocka_unit_test(exceptions),  cmocka_unit_test(runs_through_slices),
        cmocka_unit_test(repetitions), cmocka_unit_test(bounded_path),
        cmocka_unit_test(counts),      cmocka_unit_test(functions_that_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
