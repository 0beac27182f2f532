/* ws_instrument from outside: options, errors, and modules far larger and deeper than real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spirv/unified1/spirv.h>

#include "tests/unit/passes/spirv/flow.h"
#include "warpscope/instrument.h"
#include "warpscope/passes.h"

static const char *const simt_efficiency[] = {"simt_efficiency"};

static const struct ws_instrument_options counting = {.passes = simt_efficiency, .pass_count = 1};

static const struct flow_block if_blocks[] = {
    {FLOW_IF, .to = {1, 2}, .merge = 2},
    {FLOW_GO, .to = {2}},
    {.end = FLOW_RETURN},
};
static const struct flow_function if_function = {if_blocks, 3};

static struct ws_instrumented *instrument(const struct flow_function *functions, uint32_t count,
                                          enum flow_stage stage, const struct ws_instrument_options *options)
{
    struct ws_error error = {0};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(functions, count, stage, 32, &word_count);
    struct ws_instrumented *result = ws_instrument(words, word_count, options, &error);
    if (result == NULL)
        print_error("%s\n", error.message);
    free(words);
    return result;
}

static void test_unknown_pass(void **state)
{
    (void)state;
    const char *const passes[] = {"simt_efficiency", "simd"};
    const struct ws_instrument_options options = {.passes = passes, .pass_count = 2};
    struct ws_error error = {0};
    const uint32_t words[5] = {0};
    assert_null(ws_instrument(words, 5, &options, &error));
    assert_non_null(strstr(error.message, "\"simd\""));
    assert_non_null(strstr(error.message, "simt_efficiency"));
    assert_null(ws_instrument(words, 5, &options, NULL));
}

static void test_not_a_module(void **state)
{
    (void)state;
    struct ws_error error = {0};
    const uint32_t words[5] = {0};
    assert_null(ws_instrument(words, 5, &counting, &error));
    assert_non_null(strstr(error.message, "word 0"));
    assert_null(ws_instrument(NULL, 0, &counting, NULL));
    ws_instrumented_destroy(NULL);
}

static void test_pass_list(void **state)
{
    (void)state;
    size_t count = 0;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    assert_true(count >= 1);
    assert_string_equal(passes[0].name, "simt_efficiency");
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(passes[i].summary) > 10);
        assert_true((passes[i].stages & WS_STAGES_ALL) != 0);
    }
}

static void test_pass_choose(void **state)
{
    (void)state;
    size_t count = 0;
    size_t first = 0;
    size_t chosen = 0;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(ws_pass_choose(passes[i].name, strlen(passes[i].name), &first, &chosen));
        assert_int_equal(first, i);
        assert_int_equal(chosen, 1);
        assert_false(ws_pass_choose(passes[i].name, strlen(passes[i].name) - 1, &first, &chosen));
    }
    assert_true(ws_pass_choose("all,", 3, &first, &chosen));
    assert_int_equal(first, 0);
    assert_int_equal(chosen, count - 6); /* all but those of payloads, of memory and of time */
    assert_string_equal(passes[chosen].name, "memory_access");
    assert_false(ws_pass_choose("all", 2, &first, &chosen));
    assert_false(ws_pass_choose("", 0, &first, &chosen));
}

static void test_no_pass(void **state)
{
    (void)state;
    const struct ws_instrument_options options = {0};
    struct ws_instrumented *result = instrument(&if_function, 1, FLOW_FRAGMENT, &options);
    assert_non_null(result);
    assert_null(result->words);
    assert_int_equal(result->site_count, 0);
    assert_int_equal(result->entries[0].row_count, 0);
    ws_instrumented_destroy(result);
}

/* A shader without rays has no place for the passes that record rays: not even a launch row is put into it. */
static void test_no_place(void **state)
{
    (void)state;
    static const char *const names[] = {WS_PASS_RAY_EVENTS, WS_PASS_THREAD_COMPACTION};
    static const enum flow_stage stages[] = {FLOW_FRAGMENT, FLOW_RAYGEN};
    const struct ws_instrument_options options = {.passes = names, .pass_count = 2};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        struct ws_instrumented *result = instrument(&if_function, 1, stages[i], &options);
        assert_non_null(result);
        assert_null(result->words);
        assert_int_equal(result->row_count, 0);
        assert_int_equal(result->site_count, 0);
        assert_int_equal(result->skip_count, 0);
        assert_true(result->entries[0].no_place);
        assert_int_equal(result->entries[0].row_count, 0);
        ws_instrumented_destroy(result);
    }
}

/* How many functions of the module have just these opcodes between OpFunction and OpFunctionEnd. */
static uint32_t count_same_functions(const struct ws_instrumented *result, const uint16_t *opcodes,
                                     size_t count)
{
    uint32_t same = 0;
    size_t matched = 0;
    bool inside = false;
    for (size_t at = 5; at < result->word_count; at += result->words[at] >> SpvWordCountShift) {
        const uint32_t opcode = result->words[at] & SpvOpCodeMask;
        if (opcode == SpvOpFunction) {
            inside = true;
            matched = 0;
        } else if (opcode == SpvOpFunctionEnd) {
            same += inside && matched == count;
            inside = false;
        } else if (inside) {
            inside = matched < count && opcode == opcodes[matched];
            matched++;
        }
    }
    return same;
}

/* Sampled: beside the counted body there is one as it was, in every stage that can be sampled. */
static void test_sampled(void **state)
{
    (void)state;
    static const uint16_t plain[] = {SpvOpLabel, SpvOpStore, SpvOpSelectionMerge, SpvOpBranchConditional,
                                     SpvOpLabel, SpvOpStore, SpvOpBranch,         SpvOpLabel,
                                     SpvOpStore, SpvOpReturn};
    const size_t count = sizeof(plain) / sizeof(plain[0]);
    const char *const passes[] = {"simt_efficiency", "execution_trace"};
    const enum flow_stage stages[] = {FLOW_FRAGMENT, FLOW_RAYGEN};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        struct ws_instrument_options options = {.passes = passes, .pass_count = 1, .sample = 16};
        struct ws_instrumented *result = instrument(&if_function, 1, stages[i], &options);
        assert_non_null(result);
        flow_validate(result->words, result->word_count);
        assert_true(result->entries[0].sampled);
        assert_int_equal(result->entries[0].launch_row, 0);
        assert_int_equal(result->row_count, 3); /* as without */
        assert_int_equal(result->site_count, 4);
        assert_int_equal(count_same_functions(result, plain, count), 1);
        ws_instrumented_destroy(result);

        options.sample = 1;
        result = instrument(&if_function, 1, stages[i], &options);
        assert_non_null(result);
        assert_false(result->entries[0].sampled);
        assert_int_equal(count_same_functions(result, plain, count), 0);
        ws_instrumented_destroy(result);

        /* No records, with the reason; the counters are there. */
        options.sample = 16;
        options.pass_count = 2;
        result = instrument(&if_function, 1, stages[i], &options);
        assert_non_null(result);
        assert_true(result->entries[0].sampled);
        assert_int_equal(result->site_count, 4);
        assert_int_equal(result->skip_count, 1);
        assert_string_equal(result->skips[0].reason, WS_NO_SAMPLED_RECORDS);
        assert_true(result->skips[0].no_records);
        assert_int_equal(result->skips[0].pass, 1);
        ws_instrumented_destroy(result);
    }
}

/* Launches of few workgroups are drawn from more often: at least WS_SAMPLE_LEAST workgroups each. */
static void test_one_in(void **state)
{
    (void)state;
    assert_int_equal(ws_sample_one_in(16, (const uint32_t[3]){1, 1, 1}), 1);
    assert_int_equal(ws_sample_one_in(16, (const uint32_t[3]){31, 1, 1}), 1);
    assert_int_equal(ws_sample_one_in(16, (const uint32_t[3]){32, 1, 1}), 2);
    assert_int_equal(ws_sample_one_in(16, (const uint32_t[3]){8, 8, 3}), 12);
    assert_int_equal(ws_sample_one_in(16, (const uint32_t[3]){16, 16, 1}), 16);
    assert_int_equal(ws_sample_one_in(16, (const uint32_t[3]){UINT32_MAX, UINT32_MAX, UINT32_MAX}), 16);
    assert_int_equal(ws_sample_one_in(WS_SAMPLE_MAX, (const uint32_t[3]){UINT32_MAX, 7, 9}), WS_SAMPLE_MAX);
    assert_int_equal(ws_sample_one_in(16, (const uint32_t[3]){0, 0, 0}), 1);
}

static void test_same_twice(void **state)
{
    (void)state;
    struct ws_instrumented *first = instrument(&if_function, 1, FLOW_RAYGEN, &counting);
    struct ws_instrumented *second = instrument(&if_function, 1, FLOW_RAYGEN, &counting);
    assert_non_null(first);
    assert_non_null(second);
    assert_int_equal(first->word_count, second->word_count);
    assert_memory_equal(first->words, second->words, first->word_count * sizeof(uint32_t));
    ws_instrumented_destroy(first);
    ws_instrumented_destroy(second);
}

static void test_result_is_self_contained(void **state)
{
    (void)state;
    /* `instrument` has freed the original by now */
    struct ws_instrumented *result = instrument(&if_function, 1, FLOW_FRAGMENT, &counting);
    assert_non_null(result);
    flow_validate(result->words, result->word_count);
    assert_string_equal(result->entries[0].name, "main");
    assert_int_equal(result->entries[0].stage, WS_STAGE_FRAGMENT);
    assert_int_equal(result->entries[0].function_count, 1);
    assert_int_equal(result->block_count, 3);
    assert_int_equal(result->row_count, 3); /* launch, header and merge block, arm */
    assert_int_equal(result->site_count, 4);
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++) /* counters need no stream */
        assert_int_equal(result->spec_ids[i] == WS_NONE, i == WS_SPEC_CONTROL);
    ws_instrumented_destroy(result);
}

static void test_two_passes_share_rows(void **state)
{
    (void)state;
    const char *const passes[] = {"simt_efficiency", "simt_efficiency"};
    const struct ws_instrument_options options = {.passes = passes, .pass_count = 2};
    struct ws_instrumented *result = instrument(&if_function, 1, FLOW_FRAGMENT, &options);
    assert_non_null(result);
    assert_int_equal(result->row_count, 3);
    assert_int_equal(result->site_count, 1 + 2 * 3);
    assert_int_equal(result->sites[1].row, result->sites[2].row);
    assert_int_equal(result->sites[1].pass, 0);
    assert_int_equal(result->sites[2].pass, 1);
    ws_instrumented_destroy(result);
}

/* The header, row 1, and the arm, row 2, are counted together in row 3 by warps of which all lanes run the arm. */
static void test_joint_rows(void **state)
{
    (void)state;
    struct ws_instrumented *result = instrument(&if_function, 1, FLOW_RAYGEN, &counting);
    assert_non_null(result);
    assert_int_equal(result->row_count, 3);
    assert_int_equal(result->entries[0].row_count, 3);
    for (uint32_t i = 0; i < result->part_count; i++)
        assert_int_equal(result->parts[i].part, 3);
    /* Of warps with 4 lanes, 5 all ran the arm, 2 with one lane, 3 with none; and one of 2 lanes all ran it. */
    uint32_t words[4][4] = {{4, 1, 1, 1}, {0, 0, 0, 2 + 3}, {2, 0, 0, 0}, {0, 1, 0, 5}};
    const uint32_t expected[4][4] = {{4, 1, 1, 1}, {0, 1, 0, 10}, {2, 1, 0, 5}, {0, 1, 0, 5}};
    ws_add_row_parts(result->parts, result->part_count, 0, 4, 4, words[0]);
    assert_memory_equal(words, expected, sizeof(words));
    ws_instrumented_destroy(result);
}

/* Where warps are sampled, the sets of rows lie side by side: none are joint. */
static void test_no_joint_rows(void **state)
{
    (void)state;
    struct ws_instrument_options options = counting;
    options.sample = 16;
    struct ws_instrumented *result = instrument(&if_function, 1, FLOW_RAYGEN, &options);
    assert_non_null(result);
    assert_true(result->entries[0].sampled);
    assert_int_equal(result->part_count, 0);
    ws_instrumented_destroy(result);
}

static bool has_kind(const struct ws_instrumented *result, enum ws_site_kind kind)
{
    for (uint32_t i = 0; i < result->site_count; i++)
        if (result->sites[i].kind == kind)
            return true;
    return false;
}

/* Whoever is instrumented has a launch row, also where nothing is counted; and where nothing can be recorded
 * the counters stay. */
static void test_without_records(void **state)
{
    (void)state;
    const char *const passes[] = {"execution_trace", "simt_efficiency"};
    struct ws_instrument_options options = {.passes = passes, .pass_count = 1};
    struct ws_instrumented *result = instrument(&if_function, 1, FLOW_RAYGEN, &options);
    assert_non_null(result);
    assert_true(has_kind(result, WS_SITE_ENTRY) && !has_kind(result, WS_SITE_BLOCK));
    assert_true(result->entries[0].row_count > 0);
    ws_instrumented_destroy(result);

    options.without_records = true;
    result = instrument(&if_function, 1, FLOW_RAYGEN, &options);
    assert_non_null(result);
    assert_false(has_kind(result, WS_SITE_ENTRY));
    assert_int_equal(result->skip_count, 1);
    ws_instrumented_destroy(result);

    options.pass_count = 2;
    result = instrument(&if_function, 1, FLOW_RAYGEN, &options);
    assert_non_null(result);
    assert_true(!has_kind(result, WS_SITE_ENTRY) && has_kind(result, WS_SITE_BLOCK));
    assert_true(result->skip_count > 0);
    assert_int_equal(result->skips[0].pass, 0);
    assert_string_equal(result->skips[0].reason, WS_NO_SHUFFLES);
    assert_true(result->skips[0].no_records);
    ws_instrumented_destroy(result);
}

static const char report_text[] = "OpCapability RayTracingKHR\n"
                                  "OpExtension \"SPV_KHR_ray_tracing\"\n"
                                  "OpMemoryModel Logical GLSL450\n"
                                  "OpEntryPoint IntersectionKHR %main \"main\"\n"
                                  "%void = OpTypeVoid\n"
                                  "%type = OpTypeFunction %void\n"
                                  "%bool = OpTypeBool\n"
                                  "%uint = OpTypeInt 32 0\n"
                                  "%float = OpTypeFloat 32\n"
                                  "%t = OpConstant %float 1\n"
                                  "%kind = OpConstant %uint 2\n"
                                  "%main = OpFunction %void None %type\n"
                                  "%first = OpLabel\n"
                                  "%accepted = OpReportIntersectionKHR %bool %t %kind\n"
                                  "OpReturn\n"
                                  "OpFunctionEnd\n";

/* How many instructions use what the module's one report returns: id is what OpReportIntersectionKHR defines. */
static uint32_t uses_of_report(const struct ws_instrumented *result)
{
    uint32_t id = 0;
    uint32_t count = 0;
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift) {
        const uint32_t opcode = result->words[i] & SpvOpCodeMask;
        if (opcode == SpvOpReportIntersectionKHR)
            id = result->words[i + 2];
        else if (id != 0 && opcode == SpvOpSelect)
            count += result->words[i + 3] == id;
    }
    assert_true(id != 0);
    return count;
}

/* The report is recorded either way; where the driver cannot compile a use of its result, none is there, which is said. */
static void test_without_report_results(void **state)
{
    (void)state;
    const char *const passes[] = {"ray_events"};
    struct ws_instrument_options options = {.passes = passes, .pass_count = 1};
    size_t word_count = 0;
    uint32_t *words = flow_assemble_text(report_text, strlen(report_text), &word_count);
    struct ws_instrumented *used = ws_instrument(words, word_count, &options, NULL);
    assert_non_null(used);
    options.without_report_results = true;
    struct ws_instrumented *unused = ws_instrument(words, word_count, &options, NULL);
    assert_non_null(unused);
    flow_validate(unused->words, unused->word_count);
    assert_int_equal(uses_of_report(used), 1);
    assert_int_equal(uses_of_report(unused), 0);
    assert_int_equal(unused->site_count, used->site_count);
    assert_int_equal(used->skip_count, 0);
    assert_int_equal(unused->skip_count, 1);
    assert_string_equal(unused->skips[0].reason, WS_NO_REPORT_RESULT);
    ws_instrumented_destroy(unused);
    ws_instrumented_destroy(used);
    free(words);
}

static void test_stage_of_part(void **state)
{
    (void)state;
    struct ws_instrument_options options = counting;
    options.stages = WS_STAGE_RAYGEN;
    struct ws_instrumented *result = instrument(&if_function, 1, FLOW_FRAGMENT, &options);
    assert_non_null(result);
    assert_null(result->words);
    assert_int_equal(result->block_count, 3);
    ws_instrumented_destroy(result);
    result = instrument(&if_function, 1, FLOW_RAYGEN, &options);
    assert_non_null(result);
    assert_non_null(result->words);
    ws_instrumented_destroy(result);
}

static void test_site_limit(void **state)
{
    (void)state;
    struct ws_instrument_options options = counting;
    for (uint32_t limit = 1; limit < 4; limit++) {
        options.max_sites = limit;
        struct ws_instrumented *result = instrument(&if_function, 1, FLOW_FRAGMENT, &options);
        assert_non_null(result);
        assert_int_equal(result->row_count, limit < 2 ? 2 : 3);
        assert_int_equal(result->skip_count, limit < 2 ? 1 : 0);
        ws_instrumented_destroy(result);
    }
}

static void test_unknown_terminator(void **state)
{
    (void)state;
    /* A second function ends in an instruction that no header knows: where its blocks lead, nobody can tell.
     */
    const struct flow_block main_blocks[] = {
        {FLOW_GO, .to = {1}, .body = FLOW_CALL, .callee = 1},
        {.end = FLOW_RETURN},
    };
    const struct flow_block blocks[] = {{.end = FLOW_KILL}};
    const struct flow_function functions[] = {{main_blocks, 2}, {blocks, 1}};
    struct ws_error error = {0};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(functions, 2, FLOW_FRAGMENT, 32, &word_count);
    assert_int_equal(words[word_count - 2], 1 << 16 | 252); /* OpKill, OpFunctionEnd */
    words[word_count - 2] = 1 << 16 | 9999;
    struct ws_instrumented *result = ws_instrument(words, word_count, &counting, &error);
    assert_non_null(result);
    assert_non_null(result->words);
    assert_int_equal(result->block_count, 4); /* one was cut, since the call may have ended lanes */
    assert_int_equal(result->row_count,
                     3); /* launch, what stands before the cut, and what stands behind it */
    assert_int_equal(result->skip_count, 1);
    assert_int_equal(result->skips[0].count, 1);
    assert_non_null(strstr(result->skips[0].reason, "not understood"));
    ws_instrumented_destroy(result);
    free(words);
}

/* An instruction that belongs into functions stands before the first. */
static void test_barrier_outside_of_functions(void **state)
{
    (void)state;
    struct ws_error error = {0};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(&if_function, 1, FLOW_FRAGMENT, 32, &word_count);
    size_t function = 5;
    while ((words[function] & 0xffff) != SpvOpFunction)
        function += words[function] >> 16;
    const uint32_t barrier[] = {4 << 16 | SpvOpControlBarrier, 1, 1, 1};
    uint32_t *longer = malloc((word_count + 4) * sizeof(*longer));
    assert_non_null(longer);
    memcpy(longer, words, function * sizeof(*words));
    memcpy(longer + function, barrier, sizeof(barrier));
    memcpy(longer + function + 4, words + function, (word_count - function) * sizeof(*words));
    struct ws_instrumented *result = ws_instrument(longer, word_count + 4, &counting, &error);
    assert_true((result == NULL) == (error.message[0] != '\0'));
    ws_instrumented_destroy(result);
    free(longer);
    free(words);
}

/* ---- large modules: they need not be valid (nesting is limited to 1023), but must be read ---- */

#define LARGE 20000

static void check_large(const struct flow_function *functions, uint32_t count, uint32_t rows)
{
    struct ws_instrumented *result = instrument(functions, count, FLOW_FRAGMENT, &counting);
    assert_non_null(result);
    assert_non_null(result->words);
    assert_int_equal(result->row_count, rows);
    ws_instrumented_destroy(result);

    size_t pass_count = 0;
    const char *names[32];
    const struct ws_pass_description *passes = ws_pass_list(&pass_count);
    for (size_t i = 0; i < pass_count; i++)
        names[i] = passes[i].name;
    const struct ws_instrument_options all = {.passes = names, .pass_count = pass_count};
    result = instrument(functions, count, FLOW_FRAGMENT, &all);
    assert_non_null(result);
    assert_non_null(result->words);
    ws_instrumented_destroy(result);
}

static void test_long_function(void **state)
{
    (void)state;
    struct flow_block *blocks = calloc(2 * LARGE + 1, sizeof(*blocks));
    for (uint32_t i = 0; i < LARGE; i++) {
        blocks[2 * i] = (struct flow_block){FLOW_IF, .to = {2 * i + 1, 2 * i + 2}, .merge = 2 * i + 2};
        blocks[2 * i + 1] = (struct flow_block){FLOW_GO, .to = {2 * i + 2}};
    }
    const struct flow_function function = {blocks, 2 * LARGE + 1};
    check_large(&function, 1, 1 + 1 + LARGE);
    free(blocks);
}

static void test_deep_selections(void **state)
{
    (void)state;
    /* if (c) { if (c) { ... } }: headers 0 .. n-1, the innermost arm n, then merge blocks from the inside */
    struct flow_block *blocks = calloc(2 * LARGE + 1, sizeof(*blocks));
    for (uint32_t i = 0; i < LARGE; i++) {
        const uint32_t merge = 2 * LARGE - i;
        blocks[i] = (struct flow_block){FLOW_IF, .to = {i + 1, merge}, .merge = merge};
        blocks[merge] = (struct flow_block){FLOW_GO, .to = {merge + 1}};
    }
    blocks[LARGE] = (struct flow_block){FLOW_GO, .to = {LARGE + 1}};
    blocks[2 * LARGE] = (struct flow_block){.end = FLOW_RETURN};
    const struct flow_function function = {blocks, 2 * LARGE + 1};
    check_large(&function, 1, 1 + LARGE + 1);
    free(blocks);
}

static void test_deep_loops(void **state)
{
    (void)state;
    /* headers 1 .. n, the innermost body n + 1, then of each loop its continue target and merge block */
    struct flow_block *blocks = calloc(3 * LARGE + 2, sizeof(*blocks));
    blocks[0] = (struct flow_block){FLOW_GO, .to = {1}};
    for (uint32_t i = 1; i <= LARGE; i++) {
        const uint32_t next = 3 * LARGE - 2 * i + 2;
        blocks[i] = (struct flow_block){FLOW_IF, .to = {i + 1, next + 1}, .merge = next + 1, .next = next};
        blocks[next] = (struct flow_block){FLOW_GO, .to = {i}};
        blocks[next + 1] = (struct flow_block){FLOW_GO, .to = {next + 2}};
    }
    blocks[LARGE + 1] = (struct flow_block){FLOW_GO, .to = {LARGE + 2}};
    blocks[3 * LARGE + 1] = (struct flow_block){.end = FLOW_RETURN};
    const struct flow_function function = {blocks, 3 * LARGE + 2};
    /* Of each loop the header, and its body with all that surrounds the next loop; the outermost
     * surroundings. */
    check_large(&function, 1, 1 + 1 + 2 * LARGE);
    free(blocks);
}

/* Whether lanes mark what they run in `n` loops in each other, with a selection in the innermost. */
static bool marks_in_loops(uint32_t n)
{
    /* headers 1 .. n, the selection n + 1 to n + 3, then of each loop its continue target and merge block */
    struct flow_block *blocks = calloc(3 * n + 4, sizeof(*blocks));
    blocks[0] = (struct flow_block){FLOW_GO, .to = {1}};
    for (uint32_t i = 1; i <= n; i++) {
        const uint32_t next = n + 4 + 2 * (n - i);
        blocks[i] = (struct flow_block){FLOW_IF, .to = {i + 1, next + 1}, .merge = next + 1, .next = next};
        blocks[next] = (struct flow_block){FLOW_GO, .to = {i}};
        blocks[next + 1] = (struct flow_block){FLOW_GO, .to = {next + 2}};
    }
    blocks[n + 1] = (struct flow_block){FLOW_IF, .to = {n + 2, n + 3}, .merge = n + 3};
    blocks[n + 2] = (struct flow_block){FLOW_GO, .to = {n + 3}};
    blocks[n + 3] = (struct flow_block){FLOW_GO, .to = {n + 4}};
    blocks[3 * n + 3] = (struct flow_block){.end = FLOW_RETURN};
    const struct flow_function function = {blocks, 3 * n + 4};
    struct ws_instrumented *result = instrument(&function, 1, FLOW_RAYGEN, &counting);
    assert_non_null(result);
    bool marks = false;
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> 16)
        marks = marks || (result->words[i] == (2u << 16 | SpvOpCapability) &&
                          result->words[i + 1] == SpvCapabilityGroupNonUniformArithmetic);
    ws_instrumented_destroy(result);
    free(blocks);
    return marks;
}

/* Where loops are too deep to be known, marks would not be cleared between their turns. */
static void test_marks_in_deep_loops(void **state)
{
    (void)state;
    assert_true(marks_in_loops(1));
    assert_true(marks_in_loops(256));
    assert_false(marks_in_loops(257));
}

static void test_deep_calls(void **state)
{
    (void)state;
    struct flow_block *blocks = calloc(LARGE, sizeof(*blocks));
    struct flow_function *functions = calloc(LARGE, sizeof(*functions));
    for (uint32_t i = 0; i < LARGE; i++) {
        blocks[i] = (struct flow_block){.end = i + 1 < LARGE ? FLOW_RETURN : FLOW_KILL};
        blocks[i].body = i + 1 < LARGE ? FLOW_CALL : FLOW_PLAIN;
        blocks[i].callee = i + 1;
        functions[i] = (struct flow_function){&blocks[i], 1};
    }
    /* The last one ends lanes, and so may all of them: each but the last is cut behind its call. */
    check_large(functions, LARGE, 2 * LARGE);
    free(functions);
    free(blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_pass),
        cmocka_unit_test(test_not_a_module),
        cmocka_unit_test(test_pass_list),
        cmocka_unit_test(test_pass_choose),
        cmocka_unit_test(test_no_pass),
        cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_same_twice),
        cmocka_unit_test(test_result_is_self_contained),
        cmocka_unit_test(test_two_passes_share_rows),
        cmocka_unit_test(test_joint_rows),
        cmocka_unit_test(test_no_joint_rows),
        cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_one_in),
        cmocka_unit_test(test_without_records),
        cmocka_unit_test(test_without_report_results),
        cmocka_unit_test(test_stage_of_part),
        cmocka_unit_test(test_site_limit),
        cmocka_unit_test(test_unknown_terminator),
        cmocka_unit_test(test_barrier_outside_of_functions),
        cmocka_unit_test(test_long_function),
        cmocka_unit_test(test_deep_selections),
        cmocka_unit_test(test_deep_loops),
        cmocka_unit_test(test_marks_in_deep_loops),
        cmocka_unit_test(test_deep_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
