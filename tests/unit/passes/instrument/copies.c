/* Copies of functions that callers of several kinds share (copies.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/instrument/registry.h"
#include "passes/instrument/runner.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/passes.h"

/* Both stages call %40, which calls %50; only the compute shader calls %60, which calls %50 too. */
static const char shared[] =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"compute\"\n"
    "OpEntryPoint Fragment %2 \"fragment\"\nOpExecutionMode %1 LocalSize 8 1 1\n"
    "OpExecutionMode %2 OriginUpperLeft\nOpDecorate %44 NoContraction\n"
    "%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%5 = OpTypeFloat 32\n%6 = OpConstant %5 2\n"
    "%7 = OpTypeFunction %5 %5\n%8 = OpTypeBool\n"
    "%1 = OpFunction %3 None %4\n%10 = OpLabel\n%11 = OpFunctionCall %5 %40 %6\n"
    "%12 = OpFunctionCall %5 %60 %6\nOpReturn\nOpFunctionEnd\n"
    "%2 = OpFunction %3 None %4\n%20 = OpLabel\n%21 = OpFunctionCall %5 %40 %6\nOpReturn\nOpFunctionEnd\n"
    "%40 = OpFunction %5 None %7\n%41 = OpFunctionParameter %5\n%42 = OpLabel\n"
    "%43 = OpFunctionCall %5 %50 %41\n%44 = OpFAdd %5 %43 %41\nOpReturnValue %44\nOpFunctionEnd\n"
    "%50 = OpFunction %5 None %7\n%51 = OpFunctionParameter %5\n%52 = OpLabel\n"
    "%53 = OpFOrdLessThan %8 %51 %6\nOpSelectionMerge %55 None\nOpBranchConditional %53 %54 %55\n"
    "%54 = OpLabel\nOpBranch %55\n%55 = OpLabel\n%56 = OpPhi %5 %51 %52 %6 %54\nOpReturnValue %56\n"
    "OpFunctionEnd\n"
    "%60 = OpFunction %5 None %7\n%61 = OpFunctionParameter %5\n%62 = OpLabel\n"
    "%63 = OpFunctionCall %5 %50 %61\nOpReturnValue %63\nOpFunctionEnd\n";

static struct ws_instrumented *run(const char *name, const uint32_t *words, size_t word_count, bool per_block)
{
    const struct ws_pass *pass = ws_pass_find(name);
    const struct ws_instrument_options options = {.per_block = per_block};
    struct ws_error error = {0};
    struct ws_instrumented *result = ws_run_passes(words, word_count, &pass, 1, &options, &error);
    if (result == NULL)
        fail_msg("%s", error.message);
    return result;
}

static struct ws_instrumented *run_text(const char *name, const char *text)
{
    size_t word_count = 0;
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    struct ws_instrumented *result = run(name, words, word_count, false);
    free(words);
    return result;
}

/* The function that the n-th call in a function leads to, without calls of primitives: those return nothing. */
static uint32_t callee(const struct ws_instrumented *result, uint32_t function, uint32_t n)
{
    uint32_t inside = 0;
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift) {
        const uint32_t *words = result->words + i;
        const uint32_t opcode = words[0] & SpvOpCodeMask;
        inside = opcode == SpvOpFunction ? words[2] : inside;
        if (opcode == SpvOpFunctionCall && inside == function && words[1] == 5 && n-- == 0)
            return words[3];
    }
    return 0;
}

/* The function that the first call in a function leads to, whatever it returns. */
static uint32_t first_call(const struct ws_instrumented *result, uint32_t function)
{
    uint32_t inside = 0;
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift) {
        const uint32_t *words = result->words + i;
        const uint32_t opcode = words[0] & SpvOpCodeMask;
        inside = opcode == SpvOpFunction ? words[2] : inside;
        if (opcode == SpvOpFunctionCall && inside == function)
            return words[3];
    }
    return 0;
}

/* Calls in a function, of primitives too. */
static uint32_t count_calls(const struct ws_instrumented *result, uint32_t function)
{
    uint32_t count = 0;
    uint32_t inside = 0;
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift) {
        const uint32_t opcode = result->words[i] & SpvOpCodeMask;
        inside = opcode == SpvOpFunction ? result->words[i + 2] : inside;
        count += opcode == SpvOpFunctionCall && inside == function;
    }
    return count;
}

static uint32_t count_decorations(const struct ws_instrumented *result, uint32_t decoration)
{
    uint32_t count = 0;
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift)
        count += (result->words[i] & SpvOpCodeMask) == SpvOpDecorate && result->words[i + 2] == decoration;
    return count;
}

/* Each stage has its own copy of %40 and %50, with the same blocks and the same rows; %60 calls that of its stage
 * and is not copied. */
static void test_stages(void **state)
{
    (void)state;
    struct ws_instrumented *result = run_text(WS_PASS_SIMT_EFFICIENCY, shared);
    assert_true(assembly_is_valid(result->words, result->word_count));
    assert_int_equal(result->skip_count, 0);
    assert_int_equal(callee(result, 1, 0), 40);
    assert_int_equal(callee(result, 1, 1), 60);
    assert_int_equal(callee(result, 40, 0), 50);
    assert_int_equal(callee(result, 60, 0), 50);
    const uint32_t copy = callee(result, 2, 0);
    assert_true(copy > 63);
    const uint32_t inner = callee(result, copy, 0);
    assert_true(inner > 63 && inner != copy);
    assert_int_equal(count_decorations(result, SpvDecorationNoContraction), 2);
    /* Blocks: 1 of each but %50, which has 3. Rows: of compute its launch, its block, %40, two of %50 (the
     * first block and the merge share one), %60; then those of fragment, launch and block. */
    assert_int_equal(result->block_count, 7);
    assert_int_equal(result->row_count, 8);
    assert_int_equal(result->site_count, 7 + 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(result->entries[i].row_count > 0);
    assert_int_equal(result->entries[0].function_count, 4);
    assert_int_equal(result->entries[1].function_count, 3);
    assert_int_equal(result->entries[1].functions[1], 40);
    assert_int_equal(result->entries[1].functions[2], 50);
    ws_instrumented_destroy(result);
}

/* Records of copies have numbers of their own, of sites in the same blocks. */
static void test_records(void **state)
{
    (void)state;
    struct ws_instrumented *result = run_text(WS_PASS_EXECUTION_TRACE, shared);
    assert_true(assembly_is_valid(result->words, result->word_count));
    assert_int_equal(result->skip_count, 0);
    assert_int_equal(result->block_count, 7);
    uint32_t in_shared[7] = {0};
    for (uint32_t i = 0; i < result->site_count; i++) {
        const struct ws_site_info *site = &result->sites[i];
        assert_true(site->block < 7);
        in_shared[site->block] += site->kind == WS_SITE_PLACE_BLOCK;
    }
    for (uint32_t i = 0; i < 7; i++) {
        const uint32_t function = result->blocks[i].function;
        assert_int_equal(in_shared[i], function == 40 || function == 50 ? 2 : 1);
    }
    ws_instrumented_destroy(result);
}

/* Two shaders of stages that count alike share their functions as they are, and where nothing is put into a
 * function there is no copy of it. */
static void test_needless(void **state)
{
    (void)state;
    char *text = strdup(shared);
    char *fragment = strstr(text, "OpEntryPoint Fragment %2");
    char *mode = strstr(text, "OpExecutionMode %2 OriginUpperLeft");
    assert_true(text != NULL && fragment != NULL && mode != NULL);
    memcpy(fragment, "OpEntryPoint  Vertex  %2", strlen("OpEntryPoint  Vertex  %2"));
    memset(mode, ' ', strlen("OpExecutionMode %2 OriginUpperLeft"));
    struct ws_instrumented *result = run_text(WS_PASS_SIMT_EFFICIENCY, text);
    assert_int_equal(callee(result, 2, 0), 40);
    ws_instrumented_destroy(result);
    free(text);
    /* Here the entry point has a function around its own (wrap.c). */
    result = run_text(WS_PASS_WARP_ENTRY_EXIT, shared);
    assert_true(assembly_is_valid(result->words, result->word_count));
    assert_int_equal(callee(result, first_call(result, 2), 0), 40);
    ws_instrumented_destroy(result);
}

/* OpCompositeConstruct with a function in place of a constituent; it stands for the instructions of
 * SPV_NV_cooperative_matrix2, which SPIRV-Tools of the headers' age cannot assemble. */
static const char callbacks[] =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
    "OpExecutionMode %1 LocalSize 8 1 1\n"
    "%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%5 = OpTypeFloat 32\n%6 = OpConstant %5 2\n"
    "%7 = OpTypeFunction %5 %5\n"
    "%1 = OpFunction %3 None %4\n%10 = OpLabel\n%11 = OpCompositeConstruct %5 %6 %40 %6\n"
    "%12 = OpFunctionCall %5 %50 %6\nOpReturn\nOpFunctionEnd\n"
    "%40 = OpFunction %5 None %7\n%41 = OpFunctionParameter %5\n%42 = OpLabel\n"
    "%43 = OpFunctionCall %5 %50 %41\nOpReturnValue %43\nOpFunctionEnd\n"
    "%50 = OpFunction %5 None %7\n%51 = OpFunctionParameter %5\n%52 = OpLabel\nOpReturnValue %51\n"
    "OpFunctionEnd\n";

/* The words of `callbacks` with the instruction that calls back. */
static uint32_t *make_callbacks(uint16_t opcode, size_t *word_count)
{
    uint32_t *words = assembly_read(callbacks, 0x00010600, word_count);
    for (size_t i = 5; i < *word_count; i += words[i] >> SpvWordCountShift)
        if ((words[i] & SpvOpCodeMask) == SpvOpCompositeConstruct)
            words[i] = (words[i] & ~(uint32_t)SpvOpCodeMask) | opcode;
    return words;
}

/* What the device calls is never instrumented, and is listed; what the shader calls too has a copy for that. */
static void test_callbacks(void **state)
{
    (void)state;
    /* OpCooperativeMatrixPerElementOpNV, and one that nobody knows. */
    static const uint16_t opcodes[] = {5369, 9999};
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
        size_t word_count = 0;
        uint32_t *words = make_callbacks(opcodes[i], &word_count);
        /* Each block with a counter of its own, whose call shows that it is instrumented. */
        struct ws_instrumented *result = run(WS_PASS_SIMT_EFFICIENCY, words, word_count, true);
        const uint32_t copy = callee(result, 1, 0);
        assert_true(copy > 52);
        assert_int_equal(callee(result, 40, 0), 50);
        assert_int_equal(count_calls(result, 40), 1);
        assert_int_equal(count_calls(result, 50), 0);
        assert_int_equal(count_calls(result, copy), 1);
        assert_int_equal(result->skip_count, 1);
        assert_int_equal(result->skips[0].count, 2); /* the blocks of %40 and %50 */
        assert_int_equal(result->skips[0].entry_count, 1);
        assert_non_null(strstr(result->skips[0].reason, "cooperative matrix"));
        assert_int_equal(result->block_count, 3);
        assert_int_equal(result->entries[0].function_count, 3);
        ws_instrumented_destroy(result);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_needless),
        cmocka_unit_test(test_callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
