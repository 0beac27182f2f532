/* What passes ask of the runner for records and rows of places (pass.h), with passes of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner.h"
#include "tests/unit/passes/spirv/flow.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Of the test's passes. */
enum { TAG_RECORD = 7, TAG_COUNT = 8, TAG_COUNT_PLACE = UINT16_MAX, TAG_DATA = 9 };

static void record(struct ws_visit *visit)
{
    ws_visit_record(visit, TAG_RECORD);
}

static void count_place(struct ws_visit *visit)
{
    ws_visit_count_place(visit, TAG_COUNT_PLACE);
}

static void count_both(struct ws_visit *visit)
{
    ws_visit_count(visit, TAG_COUNT);
    ws_visit_count_place(visit, TAG_COUNT_PLACE);
}

/* Records of no words, 1, the most, and one more per lane. */
static void record_data(struct ws_visit *visit)
{
    uint32_t words[WS_DATA_WORDS_MAX + 1];
    for (uint32_t i = 0; i <= WS_DATA_WORDS_MAX; i++)
        words[i] = ws_visit_constant(visit, i);
    ws_visit_record_data(visit, TAG_DATA, words, 0);
    ws_visit_record_data(visit, TAG_DATA, words, 1);
    ws_visit_record_data(visit, TAG_DATA, words, WS_DATA_WORDS_MAX);
    ws_visit_record_data(visit, TAG_DATA, words, WS_DATA_WORDS_MAX + 1);
}

static const uint16_t callable[] = {SpvOpExecuteCallableKHR};

#define PASS(id, where, callback)                                                                            \
    static const struct ws_pass id = {                                                                       \
        .name = #id,                                                                                         \
        .summary = "for tests",                                                                              \
        .stages = WS_STAGES_ALL,                                                                             \
        .places = where,                                                                                     \
        .opcodes = callable,                                                                                 \
        .opcode_count = 1,                                                                                   \
        .visit = callback,                                                                                   \
    }

PASS(at_entry, WS_PLACE_ENTRY, record);
PASS(at_block, WS_PLACE_BLOCK, record);
PASS(at_before, WS_PLACE_BEFORE, record);
PASS(at_after, WS_PLACE_AFTER, record);
PASS(at_end, WS_PLACE_END, record);
PASS(data_at_block, WS_PLACE_BLOCK, record_data);
PASS(count_ends, WS_PLACE_ENTRY | WS_PLACE_END, count_place);
PASS(count_all, WS_PLACE_ENTRY | WS_PLACE_BLOCK | WS_PLACE_END, count_both);

static struct ws_instrumented *run(const uint32_t *words, size_t word_count,
                                   const struct ws_pass *const *passes, size_t pass_count)
{
    const struct ws_instrument_options options = {0};
    struct ws_error error = {0};
    struct ws_instrumented *result = ws_run_passes(words, word_count, passes, pass_count, &options, &error);
    if (result == NULL)
        fail_msg("%s", error.message);
    return result;
}

static struct ws_instrumented *run_flow(const struct flow_block *blocks, uint32_t count,
                                        const struct ws_pass *const *passes, size_t pass_count)
{
    const struct flow_function function = {blocks, count};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(&function, 1, FLOW_RAYGEN, 32, &word_count);
    struct ws_instrumented *result = run(words, word_count, passes, pass_count);
    free(words);
    if (result->words != NULL)
        flow_validate(result->words, result->word_count);
    return result;
}

static void expect_site(const struct ws_instrumented *result, uint32_t index, uint32_t pass, uint32_t kind,
                        uint32_t row)
{
    assert_true(index < result->site_count);
    assert_int_equal(result->sites[index].pass, pass);
    assert_int_equal(result->sites[index].kind, kind);
    assert_int_equal(result->sites[index].row, row);
    const uint32_t tag = kind == WS_SITE_COUNT   ? TAG_COUNT_PLACE
                         : kind == WS_SITE_DATA  ? TAG_DATA
                         : kind == WS_SITE_BLOCK ? TAG_COUNT
                                                 : TAG_RECORD;
    assert_int_equal(result->sites[index].tag, pass == WS_NONE ? 0 : tag);
}

static const struct flow_block call_blocks[] = {{.end = FLOW_RETURN, .body = FLOW_CALLABLE}};

/* Ray generation reaches the call site by two functions, of which one has no record itself; the closest-hit
 * shader by one; the miss shader not. */
static const char three_entry_points[] = "OpCapability RayTracingKHR\n"
                                         "OpExtension \"SPV_KHR_ray_tracing\"\n"
                                         "OpMemoryModel Logical GLSL450\n"
                                         "OpEntryPoint MissKHR %miss \"miss\"\n"
                                         "OpEntryPoint RayGenerationKHR %generate \"generate\" %data\n"
                                         "OpEntryPoint ClosestHitKHR %hit \"hit\" %data\n"
                                         "%void = OpTypeVoid\n"
                                         "%type = OpTypeFunction %void\n"
                                         "%uint = OpTypeInt 32 0\n"
                                         "%zero = OpConstant %uint 0\n"
                                         "%pointer = OpTypePointer CallableDataKHR %uint\n"
                                         "%data = OpVariable %pointer CallableDataKHR\n"
                                         "%miss = OpFunction %void None %type\n"
                                         "%10 = OpLabel\n"
                                         "OpReturn\n"
                                         "OpFunctionEnd\n"
                                         "%generate = OpFunction %void None %type\n"
                                         "%20 = OpLabel\n"
                                         "%21 = OpFunctionCall %void %between\n"
                                         "OpReturn\n"
                                         "OpFunctionEnd\n"
                                         "%hit = OpFunction %void None %type\n"
                                         "%30 = OpLabel\n"
                                         "%31 = OpFunctionCall %void %inner\n"
                                         "OpReturn\n"
                                         "OpFunctionEnd\n"
                                         "%between = OpFunction %void Pure %type\n"
                                         "%40 = OpLabel\n"
                                         "%41 = OpFunctionCall %void %inner\n"
                                         "OpReturn\n"
                                         "OpFunctionEnd\n"
                                         "%inner = OpFunction %void Pure %type\n"
                                         "%50 = OpLabel\n"
                                         "OpExecuteCallableKHR %zero %data\n"
                                         "OpReturn\n"
                                         "OpFunctionEnd\n";

/* Whether any function of the module promises to be Pure. */
static bool has_promise(const struct ws_instrumented *result)
{
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift)
        if ((result->words[i] & SpvOpCodeMask) == SpvOpFunction &&
            (result->words[i + 3] & SpvFunctionControlPureMask) != 0)
            return true;
    return false;
}

static void test_entries_where_records_are_reached(void **state)
{
    (void)state;
    const struct ws_pass *const passes[] = {&at_before};
    size_t word_count = 0;
    uint32_t *words = flow_assemble_text(three_entry_points, strlen(three_entry_points), &word_count);
    struct ws_instrumented *result = run(words, word_count, passes, 1);
    flow_validate(result->words, result->word_count);
    /* The miss shader's launch row; that of ray generation; the entry records that the call site needs, and
     * it, and behind it the continuation; the launch row of the closest-hit shader, whose entry record stands
     * behind it all the same. */
    assert_int_equal(result->site_count, 7);
    expect_site(result, 0, WS_NONE, WS_SITE_LAUNCH, 0);
    expect_site(result, 1, WS_NONE, WS_SITE_LAUNCH, 1);
    expect_site(result, 2, WS_NONE, WS_SITE_ENTRY, 2);
    expect_site(result, 3, WS_NONE, WS_SITE_ENTRY, 3);
    expect_site(result, 4, 0, WS_SITE_PLACE_BEFORE, 4);
    expect_site(result, 5, WS_NONE, WS_SITE_CONTINUE, 5);
    expect_site(result, 6, WS_NONE, WS_SITE_LAUNCH, 2);
    assert_int_equal(result->sites[5].offset, result->sites[4].offset);
    assert_int_equal(result->blocks[result->sites[2].block].function, result->entries[1].function);
    assert_int_equal(result->blocks[result->sites[3].block].function, result->entries[2].function);
    assert_int_equal(result->skip_count, 0);
    assert_false(has_promise(result));
    ws_instrumented_destroy(result);
    free(words);
}

/* A pass that asks only after the call: the continuation stands before what it asks for. One that asks only
 * in a function that the walk comes to last: what it has passed before gets its continuation all the same. */
static void test_continuation_comes_first(void **state)
{
    (void)state;
    const struct ws_pass *const after[] = {&at_after};
    struct ws_instrumented *result = run_flow(call_blocks, 1, after, 1);
    assert_int_equal(result->site_count, 4);
    expect_site(result, 1, WS_NONE, WS_SITE_ENTRY, 1);
    expect_site(result, 2, WS_NONE, WS_SITE_CONTINUE, 2);
    expect_site(result, 3, 0, WS_SITE_PLACE_AFTER, 3);
    ws_instrumented_destroy(result);
    const struct ws_pass *const counts[] = {&count_all};
    result = run_flow(call_blocks, 1, counts, 1);
    for (uint32_t i = 0; i < result->site_count; i++)
        assert_int_not_equal(result->sites[i].kind, WS_SITE_CONTINUE);
    ws_instrumented_destroy(result);
    const struct ws_pass *const ends[] = {&at_end};
    result = run_flow(call_blocks, 1, ends, 1);
    assert_int_equal(result->site_count, 4);
    expect_site(result, 1, WS_NONE, WS_SITE_ENTRY, 1);
    expect_site(result, 2, WS_NONE, WS_SITE_CONTINUE, 2);
    expect_site(result, 3, 0, WS_SITE_PLACE_END, 3);
    ws_instrumented_destroy(result);
}

static void test_record_at_entry(void **state)
{
    (void)state;
    const struct ws_pass *const passes[] = {&at_entry, &at_entry};
    struct ws_instrumented *result = run_flow(call_blocks, 1, passes, 2);
    assert_int_equal(result->site_count, 5);
    expect_site(result, 1, WS_NONE, WS_SITE_ENTRY, 1);
    expect_site(result, 2, 0, WS_SITE_PLACE_ENTRY, 1);
    expect_site(result, 3, 1, WS_SITE_PLACE_ENTRY, 1);
    expect_site(result, 4, WS_NONE, WS_SITE_CONTINUE, 4);
    ws_instrumented_destroy(result);
}

/* Passes that ask at places of one stretch share what the first of them in the code has put there. */
static void test_passes_share(void **state)
{
    (void)state;
    const struct ws_pass *const passes[] = {&at_before, &at_block, &at_end, &at_before};
    struct ws_instrumented *result = run_flow(call_blocks, 1, passes, LENGTH(passes));
    assert_int_equal(result->site_count, 7);
    expect_site(result, 1, WS_NONE, WS_SITE_ENTRY, 1);
    expect_site(result, 2, 1, WS_SITE_PLACE_BLOCK, 2);
    expect_site(result, 3, 0, WS_SITE_PLACE_BEFORE, 2);
    expect_site(result, 4, 3, WS_SITE_PLACE_BEFORE, 2);
    expect_site(result, 5, WS_NONE, WS_SITE_CONTINUE, 5);
    expect_site(result, 6, 2, WS_SITE_PLACE_END, 6);
    assert_true(result->sites[3].offset == result->blocks[0].offset + 2);
    assert_true(result->sites[5].offset == result->sites[4].offset);
    assert_true(result->sites[6].offset > result->sites[4].offset);
    ws_instrumented_destroy(result);
}

/* The record that a place would share is not put where a limit was reached: nothing then has its number. */
static void test_limit_and_sharing(void **state)
{
    (void)state;
    const struct ws_pass *const passes[] = {&at_block, &at_before, &at_end};
    const struct ws_instrument_options options = {.max_sites = 1};
    const struct flow_function function = {call_blocks, 1};
    struct ws_error error = {0};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(&function, 1, FLOW_RAYGEN, 32, &word_count);
    struct ws_instrumented *result =
        ws_run_passes(words, word_count, passes, LENGTH(passes), &options, &error);
    assert_non_null(result);
    /* Launch, entry, block, and before the call with its number; the continuation is not limited. */
    assert_int_equal(result->site_count, 5);
    expect_site(result, 3, 1, WS_SITE_PLACE_BEFORE, 2);
    expect_site(result, 4, WS_NONE, WS_SITE_CONTINUE, 4);
    assert_int_equal(result->skip_count, 1);
    assert_int_equal(result->skips[0].pass, 2);
    ws_instrumented_destroy(result);
    free(words);
}

static void test_data(void **state)
{
    (void)state;
    const struct ws_pass *const passes[] = {&data_at_block, &at_block};
    struct ws_instrumented *result = run_flow(call_blocks, 1, passes, LENGTH(passes));
    assert_int_equal(result->site_count, 6);
    expect_site(result, 2, 0, WS_SITE_DATA, 1);
    expect_site(result, 3, 0, WS_SITE_DATA, WS_DATA_WORDS_MAX);
    expect_site(result, 4, 1, WS_SITE_PLACE_BLOCK, 3); /* the record of the data shows its lanes */
    expect_site(result, 5, WS_NONE, WS_SITE_CONTINUE, 5);
    assert_int_equal(result->skip_count, 1);
    assert_int_equal(result->skips[0].count, 2);
    ws_instrumented_destroy(result);
}

/* Rows of places: shared by passes, but neither with the block's nor with another place's. */
static void test_rows_of_places(void **state)
{
    (void)state;
    const struct ws_pass *const passes[] = {&count_ends, &count_all};
    struct ws_instrumented *result = run_flow(call_blocks, 1, passes, LENGTH(passes));
    assert_int_equal(result->row_count, 5); /* launch, entry, block, place of the block, end */
    expect_site(result, 1, 0, WS_SITE_COUNT, 1);
    expect_site(result, 2, 1, WS_SITE_BLOCK, 2);
    expect_site(result, 3, 1, WS_SITE_COUNT, 1);
    expect_site(result, 4, 1, WS_SITE_BLOCK, 2);
    expect_site(result, 5, 1, WS_SITE_COUNT, 3);
    expect_site(result, 6, 0, WS_SITE_COUNT, 4);
    expect_site(result, 7, 1, WS_SITE_BLOCK, 2);
    expect_site(result, 8, 1, WS_SITE_COUNT, 4);
    assert_int_equal(result->site_count, 9);
    assert_int_equal(result->entries[0].row_count, 5);
    ws_instrumented_destroy(result);
}

#define MANY 30000

/* More places than there are numbers: those that share a record go on, those that need one are skipped. */
static void test_many_places(void **state)
{
    (void)state;
    struct flow_block *blocks = calloc(2 * MANY + 1, sizeof(*blocks));
    for (uint32_t i = 0; i < MANY; i++) {
        blocks[2 * i] = (struct flow_block){FLOW_IF, .to = {2 * i + 1, 2 * i + 2}, .merge = 2 * i + 2};
        blocks[2 * i + 1] = (struct flow_block){FLOW_GO, .to = {2 * i + 2}};
    }
    const struct ws_pass *const passes[] = {&at_block, &at_block};
    const struct flow_function function = {blocks, 2 * MANY + 1};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(&function, 1, FLOW_RAYGEN, 32, &word_count);
    struct ws_instrumented *result = run(words, word_count, passes, LENGTH(passes));
    free(words);
    /* Launch and entry, then each block twice: numbers 2, 4, ... 65534. */
    const uint32_t recorded = (WS_RECORD_SITE_MAX + 1 - 2) / 2;
    assert_int_equal(result->site_count, 2 + 2 * recorded);
    assert_int_equal(result->skip_count, 2);
    assert_int_equal(result->skips[0].count, 2 * MANY + 1 - recorded);
    assert_int_equal(result->skips[1].count, 2 * MANY + 1 - recorded);
    assert_non_null(strstr(result->skips[0].reason, "can number"));
    ws_instrumented_destroy(result);
    free(blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_where_records_are_reached),
        cmocka_unit_test(test_continuation_comes_first),
        cmocka_unit_test(test_record_at_entry),
        cmocka_unit_test(test_passes_share),
        cmocka_unit_test(test_limit_and_sharing),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_rows_of_places),
        cmocka_unit_test(test_many_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
