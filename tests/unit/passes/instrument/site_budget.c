/* Which kernels WS_SITES_BUDGET_AUTO limits, and to how many sites: compute shaders that reach a barrier and have more than
 * 1,024 blocks get one site for twelve blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "warpscope/instrument.h"

#define WORDS_MAX 65536u

enum { ID_VOID = 1, ID_TYPE, ID_BOOL, ID_UINT, ID_TWO, ID_MASK, ID_MAIN, ID_FREE };

static uint32_t words[WORDS_MAX];
static size_t word_count;

static void add(SpvOp opcode, const uint32_t *operands, uint32_t count)
{
    assert_true(word_count + count < WORDS_MAX);
    words[word_count++] = (count + 1) << SpvWordCountShift | opcode;
    for (uint32_t i = 0; i < count; i++)
        words[word_count++] = operands[i];
}

#define ADD(opcode, ...)                                                                                     \
    add(opcode, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* A function of 1 + 2 * branches blocks: `if (c) {}`, again and again, each with a condition of its own. Each branch is a
 * class, and so is what all threads run. */
static void make(SpvExecutionModel model, uint32_t branches, bool barrier)
{
    uint32_t next = ID_FREE;
    memcpy(words, (const uint32_t[]){SpvMagicNumber, 0x00010300, 0, ID_FREE + 3 * branches + 1, 0}, 20);
    word_count = 5;
    ADD(SpvOpCapability, SpvCapabilityShader);
    ADD(SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    ADD(SpvOpEntryPoint, model, ID_MAIN, 0);
    ADD(SpvOpTypeVoid, ID_VOID);
    ADD(SpvOpTypeFunction, ID_TYPE, ID_VOID);
    ADD(SpvOpTypeBool, ID_BOOL);
    ADD(SpvOpTypeInt, ID_UINT, 32, 0);
    ADD(SpvOpConstant, ID_UINT, ID_TWO, SpvScopeWorkgroup);
    ADD(SpvOpConstant, ID_UINT, ID_MASK,
        SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask);
    ADD(SpvOpFunction, ID_VOID, ID_MAIN, SpvFunctionControlMaskNone, ID_TYPE);
    ADD(SpvOpLabel, next++);
    if (barrier)
        ADD(SpvOpControlBarrier, ID_TWO, ID_TWO, ID_MASK);
    for (uint32_t i = 0; i < branches; i++) {
        const uint32_t condition = next++, inside = next++, merge = next++;
        ADD(SpvOpUndef, ID_BOOL, condition);
        ADD(SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
        ADD(SpvOpBranchConditional, condition, inside, merge);
        ADD(SpvOpLabel, inside);
        ADD(SpvOpBranch, merge);
        ADD(SpvOpLabel, merge);
    }
    add(SpvOpReturn, NULL, 0);
    add(SpvOpFunctionEnd, NULL, 0);
}

/* How many blocks the budget leaves out; `*rows` receives the number of counters. */
static uint32_t left_out(uint32_t budget, uint32_t *rows)
{
    static const char *const names[] = {"simt_efficiency"};
    const struct ws_instrument_options options = {.passes = names, .pass_count = 1, .sites_budget = budget};
    struct ws_error error = {0};
    struct ws_instrumented *result = ws_instrument(words, word_count, &options, &error);
    uint32_t count = 0;
    assert_string_equal(error.message, "");
    assert_non_null(result);
    for (uint32_t i = 0; i < result->skip_count; i++) {
        assert_string_equal(result->skips[i].reason, WS_SITES_BUDGET);
        count += result->skips[i].count;
    }
    *rows = result->row_count;
    ws_instrumented_destroy(result);
    return count;
}

static void kernels_of_usual_size_keep_all(void **state)
{
    (void)state;
    uint32_t rows, all;
    make(SpvExecutionModelGLCompute, 511, true); /* 1,023 blocks */
    assert_int_equal(left_out(0, &all), 0);
    assert_int_equal(left_out(WS_SITES_BUDGET_AUTO, &rows), 0);
    assert_int_equal(rows, all);
}

/* 1,201 blocks: 1,201 / 12 = 100 counters and the launch row, where 601 classes are. */
static void large_ones_with_barriers_do_not(void **state)
{
    (void)state;
    uint32_t rows, all;
    make(SpvExecutionModelGLCompute, 600, true);
    assert_int_equal(left_out(0, &all), 0);
    const uint32_t without = left_out(WS_SITES_BUDGET_AUTO, &rows);
    assert_int_equal(without, all - rows);
    assert_int_equal(rows, 1 + 100);
    assert_int_equal(left_out(UINT32_MAX - 1, &rows), 0);
    assert_int_equal(rows, all);
}

static void without_barriers_or_elsewhere_they_do(void **state)
{
    (void)state;
    uint32_t rows;
    make(SpvExecutionModelGLCompute, 600, false);
    assert_int_equal(left_out(WS_SITES_BUDGET_AUTO, &rows), 0);
    make(SpvExecutionModelVertex, 600, false);
    assert_int_equal(left_out(WS_SITES_BUDGET_AUTO, &rows), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_usual_size_keep_all),
        cmocka_unit_test(large_ones_with_barriers_do_not),
        cmocka_unit_test(without_barriers_or_elsewhere_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
