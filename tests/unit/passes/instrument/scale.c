/* Modules made to be slow or to run over a limit, of a size that only linear work gets through within a
 * test's time. They need not be valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner.h"
#include "passes/primitives.h"
#include "warpscope/root.h"

#define WORDS_MAX (1u << 21)
#define MANY      40000u
#define INSTANCES 20000u /* each takes some hundred ids, of 4,194,303 that a module may have */

enum { ID_VOID = 1, ID_TYPE, ID_BOOL, ID_POINTER, ID_MAIN, ID_FREE };

static uint32_t words[WORDS_MAX];
static size_t word_count;
static uint32_t next_id;

static void add(SpvOp opcode, const uint32_t *operands, uint32_t count)
{
    assert_true(word_count + count < WORDS_MAX);
    words[word_count++] = (count + 1) << SpvWordCountShift | opcode;
    for (uint32_t i = 0; i < count; i++)
        words[word_count++] = operands[i];
}

#define ADD(opcode, ...)                                                                                     \
    add(opcode, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static uint32_t ids(uint32_t count)
{
    next_id += count;
    return next_id - count;
}

static void begin(uint32_t capabilities)
{
    word_count = 5;
    next_id = ID_FREE;
    for (uint32_t i = 0; i < capabilities; i++)
        ADD(SpvOpCapability, SpvCapabilityShader);
    ADD(SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
}

/* With an empty name, and `count` variables with the ids from `interface` on. */
static void add_entry_point(SpvExecutionModel model, uint32_t function, uint32_t interface, uint32_t count)
{
    ADD(SpvOpEntryPoint, model, function, 0);
    words[word_count - 4] += count << SpvWordCountShift;
    for (uint32_t i = 0; i < count; i++)
        words[word_count++] = interface + i;
}

static void add_types(void)
{
    ADD(SpvOpTypeVoid, ID_VOID);
    ADD(SpvOpTypeFunction, ID_TYPE, ID_VOID);
    ADD(SpvOpTypeBool, ID_BOOL);
    ADD(SpvOpTypePointer, ID_POINTER, SpvStorageClassInput, ID_BOOL);
}

/* One block with `count` calls, of the functions callee, callee + step, ... */
static void add_function(uint32_t id, uint32_t callee, uint32_t step, uint32_t count)
{
    ADD(SpvOpFunction, ID_VOID, id, SpvFunctionControlMaskNone, ID_TYPE);
    ADD(SpvOpLabel, ids(1));
    for (uint32_t i = 0; i < count; i++)
        ADD(SpvOpFunctionCall, ID_VOID, ids(1), callee + i * step);
    add(SpvOpReturn, NULL, 0);
    add(SpvOpFunctionEnd, NULL, 0);
}

static struct ws_instrumented *run(const struct ws_pass *pass, struct ws_error *error)
{
    const struct ws_instrument_options options = {0};
    const char *const names[] = {"simt_efficiency"};
    const struct ws_instrument_options counting = {.passes = names, .pass_count = 1};
    const uint32_t header[5] = {SpvMagicNumber, 0x00010300, 0, next_id, 0};
    memcpy(words, header, sizeof(header));
    return pass == NULL ? ws_instrument(words, word_count, &counting, error)
                        : ws_run_passes(words, word_count, &pass, 1, &options, error);
}

static void check_sites(uint32_t site_count)
{
    struct ws_error error = {0};
    struct ws_instrumented *result = run(NULL, &error);
    assert_string_equal(error.message, "");
    assert_non_null(result);
    assert_int_equal(result->site_count, site_count);
    ws_instrumented_destroy(result);
}

/* A built-in is looked for in the interface once, not once per function. */
static void test_long_interface(void **state)
{
    (void)state;
    begin(1);
    const uint32_t functions = ids(MANY);
    const uint32_t variables = ids(MANY);
    add_entry_point(SpvExecutionModelFragment, ID_MAIN, variables, MANY);
    add_types();
    for (uint32_t i = 0; i < MANY; i++)
        ADD(SpvOpVariable, ID_POINTER, variables + i, SpvStorageClassInput);
    add_function(ID_MAIN, functions, 1, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        add_function(functions + i, 0, 0, 0);
    check_sites(2 + MANY);
}

/* Every entry point has a variable of its own, and so functions of its own from the library. */
static void test_many_instances(void **state)
{
    (void)state;
    begin(INSTANCES);
    const uint32_t functions = ids(INSTANCES);
    const uint32_t variables = ids(INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++)
        add_entry_point(SpvExecutionModelFragment, functions + i, variables + i, 1);
    for (uint32_t i = 0; i < INSTANCES; i++)
        ADD(SpvOpDecorate, variables + i, SpvDecorationBuiltIn, SpvBuiltInHelperInvocation);
    add_types();
    for (uint32_t i = 0; i < INSTANCES; i++)
        ADD(SpvOpVariable, ID_POINTER, variables + i, SpvStorageClassInput);
    for (uint32_t i = 0; i < INSTANCES; i++)
        add_function(functions + i, 0, 0, 0);
    check_sites(2 * INSTANCES);
}

/* What is reached by many entry points is listed for each: too much of it is refused. */
static void test_too_many_calls(void **state)
{
    (void)state;
    struct ws_error error = {0};
    begin(1);
    const uint32_t callee = ids(1);
    for (uint32_t i = 0; i < MANY; i++)
        add_entry_point(SpvExecutionModelGLCompute, ID_MAIN, 0, 0);
    add_types();
    add_function(ID_MAIN, callee, 0, MANY);
    add_function(callee, 0, 0, 0);
    assert_null(run(NULL, &error));
    assert_non_null(strstr(error.message, "reach more functions and calls"));
}

/* New ids stay within the limit on the bound. */
static void test_no_id_left(void **state)
{
    (void)state;
    struct ws_error error = {0};
    begin(1);
    add_entry_point(SpvExecutionModelGLCompute, ID_MAIN, 0, 0);
    add_types();
    add_function(ID_MAIN, 0, 0, 0);
    next_id = 0x3fffff;
    assert_null(run(NULL, &error));
    assert_non_null(strstr(error.message, "no id is left"));
}

/* Data records, since a place record would serve them all. */
static void visit_nop(struct ws_visit *visit)
{
    const uint32_t word = ws_visit_constant(visit, 1);
    ws_visit_record_data(visit, 0, &word, 1);
}

static const uint16_t nop[] = {SpvOpNop};

static const struct ws_pass record_nops = {
    .name = "record_nops",
    .summary = "a record before every OpNop",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_BEFORE,
    .opcodes = nop,
    .opcode_count = 1,
    .visit = visit_nop,
};

/* A record has 16 bits for its site: what would need more is skipped. */
static void test_too_many_records(void **state)
{
    (void)state;
    struct ws_error error = {0};
    begin(1);
    add_entry_point(SpvExecutionModelGLCompute, ID_MAIN, 0, 0);
    add_types();
    add_function(ID_MAIN, 0, 0, 0);
    word_count -= 2;
    for (uint32_t i = 0; i < WS_RECORD_SITE_MAX + 3; i++)
        add(SpvOpNop, NULL, 0);
    add(SpvOpReturn, NULL, 0);
    add(SpvOpFunctionEnd, NULL, 0);
    struct ws_instrumented *result = run(&record_nops, &error);
    assert_non_null(result);
    assert_int_equal(result->site_count, WS_RECORD_SITE_MAX + 1);
    assert_int_equal(result->skip_count, 1);
    assert_int_equal(result->skips[0].count, 4); /* the first sites are the launch row and the entry record */
    ws_instrumented_destroy(result);
}

/* A function of two ways leaves a bit to each of its calls, which needs a path with a number of 16 bits. Where they are too
 * many, it has a path of its own. */
static void test_too_many_paths(void **state)
{
    (void)state;
    static const char *const names[] = {"execution_trace"};
    const struct ws_instrument_options options = {.passes = names, .pass_count = 1};
    for (uint32_t calls = 4; calls <= MANY; calls += MANY - 4) {
        struct ws_error error = {0};
        uint32_t paths = 0;
        begin(1);
        const uint32_t callee = ids(1);
        const uint32_t yes = ids(1);
        const uint32_t labels = ids(3);
        add_entry_point(SpvExecutionModelGLCompute, ID_MAIN, 0, 0);
        add_types();
        ADD(SpvOpConstantTrue, ID_BOOL, yes);
        add_function(ID_MAIN, callee, 0, calls);
        ADD(SpvOpFunction, ID_VOID, callee, SpvFunctionControlMaskNone, ID_TYPE);
        ADD(SpvOpLabel, labels);
        ADD(SpvOpSelectionMerge, labels + 2, SpvSelectionControlMaskNone);
        ADD(SpvOpBranchConditional, yes, labels + 1, labels + 2);
        ADD(SpvOpLabel, labels + 1);
        ADD(SpvOpBranch, labels + 2);
        ADD(SpvOpLabel, labels + 2);
        add(SpvOpReturn, NULL, 0);
        add(SpvOpFunctionEnd, NULL, 0);
        const uint32_t header[5] = {SpvMagicNumber, 0x00010300, 0, next_id, 0};
        memcpy(words, header, sizeof(header));
        struct ws_instrumented *result = ws_instrument(words, word_count, &options, &error);
        assert_string_equal(error.message, "");
        assert_non_null(result);
        for (uint32_t i = 0; i < result->site_count; i++)
            if (result->sites[i].kind == WS_SITE_PATH) {
                paths++;
                assert_true(i <= WS_RECORD_SITE_MAX);
            }
        assert_int_equal(paths, calls == 4 ? 4 : 1);
        ws_instrumented_destroy(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_interface),   cmocka_unit_test(test_many_instances),
        cmocka_unit_test(test_too_many_calls),   cmocka_unit_test(test_no_id_left),
        cmocka_unit_test(test_too_many_records), cmocka_unit_test(test_too_many_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
