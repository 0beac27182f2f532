/* Which fragment shaders can be given early tests (fragment_tests.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "passes/instrument/registry.h"
#include "passes/instrument/runner.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/passes.h"

/* A fragment shader with something added to its declarations, modes, decorations, globals and code. */
struct shader {
    const char *declares;
    const char *modes;
    const char *decorates;
    const char *globals;
    const char *code;
    enum ws_fragment_tests tests;
};

static struct ws_instrumented *run(const struct shader *shader)
{
    char text[4096];
    snprintf(text, sizeof(text),
             "OpCapability Shader\n%sOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %%1 \"main\" %%9\n"
             "OpExecutionMode %%1 OriginUpperLeft\n%s%s"
             "%%2 = OpTypeVoid\n%%3 = OpTypeFunction %%2\n%%4 = OpTypeFloat 32\n%%5 = OpConstant %%4 1\n"
             "%%6 = OpTypePointer Output %%4\n%%7 = OpTypeInt 32 0\n%%8 = OpConstant %%7 1\n"
             "%%9 = OpVariable %%6 Output\n%s"
             "%%1 = OpFunction %%2 None %%3\n%%50 = OpLabel\nOpStore %%9 %%5\n%sOpFunctionEnd\n",
             shader->declares, shader->modes, shader->decorates, shader->globals, shader->code);
    const struct ws_pass *pass = ws_pass_find(WS_PASS_SIMT_EFFICIENCY);
    const struct ws_instrument_options options = {0};
    struct ws_error error = {0};
    size_t word_count = 0;
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    struct ws_instrumented *result = ws_run_passes(words, word_count, &pass, 1, &options, &error);
    free(words);
    if (result == NULL)
        fail_msg("%s", error.message);
    return result;
}

#define BUFFER                                                                                               \
    "%10 = OpTypeStruct %7\n%11 = OpTypePointer StorageBuffer %10\n%12 = OpVariable %11 StorageBuffer\n"     \
    "%13 = OpTypePointer StorageBuffer %7\n%14 = OpConstant %7 0\n"
#define BUFFER_DECORATIONS                                                                                   \
    "OpDecorate %9 Location 0\nOpDecorate %10 Block\nOpMemberDecorate %10 0 Offset 0\n"                      \
    "OpDecorate %12 DescriptorSet 0\nOpDecorate %12 Binding 0\n"

static void test_shaders(void **state)
{
    (void)state;
    static const struct shader shaders[] = {
        {"", "", "OpDecorate %9 Location 0\n", "", "OpReturn\n", WS_TESTS_CAN_BE_EARLY},
        {"", "OpExecutionMode %1 EarlyFragmentTests\n", "OpDecorate %9 Location 0\n", "", "OpReturn\n",
         WS_TESTS_UNCHANGED},
        {"", "", "OpDecorate %9 Location 0\n", "", "OpKill\n", WS_TESTS_LATE},
        /* The device has to run it before the depth test, whether it counts or not ... */
        {"", "OpExecutionMode %1 DepthReplacing\n", "OpDecorate %9 BuiltIn FragDepth\n", "", "OpReturn\n",
         WS_TESTS_UNCHANGED},
        /* ... unless the depth only moves away. */
        {"", "OpExecutionMode %1 DepthReplacing\nOpExecutionMode %1 DepthGreater\n",
         "OpDecorate %9 BuiltIn FragDepth\n", "", "OpReturn\n", WS_TESTS_LATE},
        {"", "", BUFFER_DECORATIONS, BUFFER, "%51 = OpAccessChain %13 %12 %14\nOpStore %51 %8\nOpReturn\n",
         WS_TESTS_UNCHANGED},
        {"", "", BUFFER_DECORATIONS, BUFFER,
         "%51 = OpAccessChain %13 %12 %14\n%52 = OpAtomicIAdd %7 %51 %8 %14 %8\nOpReturn\n",
         WS_TESTS_UNCHANGED},
        {"", "", BUFFER_DECORATIONS, BUFFER,
         "%51 = OpAccessChain %13 %12 %14\n%52 = OpLoad %7 %51\nOpReturn\n", WS_TESTS_CAN_BE_EARLY},
        {"OpCapability InputAttachment\n", "", "OpDecorate %9 Location 0\n", "", "OpReturn\n", WS_TESTS_LATE},
    };
    for (size_t i = 0; i < sizeof(shaders) / sizeof(shaders[0]); i++) {
        struct ws_instrumented *result = run(&shaders[i]);
        if (result->entries[0].tests != shaders[i].tests)
            fail_msg("shader %zu: %u", i, result->entries[0].tests);
        const bool can = shaders[i].tests == WS_TESTS_CAN_BE_EARLY;
        assert_int_equal(ws_instrumented_can_be_early(result), can);
        if (can) {
            size_t word_count = 0;
            uint32_t *early = ws_instrumented_early(result, &word_count);
            assert_non_null(early);
            assert_int_equal(word_count, result->word_count + 3);
            assert_true(assembly_is_valid(early, word_count));
            free(early);
        }
        ws_instrumented_destroy(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shaders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
