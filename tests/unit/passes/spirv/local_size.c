/* Workgroup sizes of modules written by hand, in every way that SPIR-V has to say them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/local_size.h"

/* A module whose entry point is %1: `modes` about it, `decorations`, and `constants` of type %3, 32-bit
 * integers. */
static void expect(const char *modes, const char *decorations, const char *constants,
                   const struct ws_specialization *given, uint32_t count, uint32_t x, uint32_t y, uint32_t z)
{
    char text[4096];
    struct ws_module module;
    struct ws_local_size local;
    struct ws_error error = {{0}};
    const uint32_t function = 1;
    uint32_t size[3] = {7, 7, 7};
    size_t word_count = 0;
    snprintf(text, sizeof(text),
             "OpCapability Shader\nOpCapability Int64\nOpMemoryModel Logical GLSL450\n"
             "OpEntryPoint GLCompute %%1 \"main\"\n%s%s"
             "%%2 = OpTypeVoid\n%%3 = OpTypeInt 32 0\n%%4 = OpTypeVector %%3 3\n%%5 = OpTypeFunction %%2\n"
             "%%6 = OpTypeInt 64 0\n%s"
             "%%1 = OpFunction %%2 None %%5\n%%7 = OpLabel\nOpReturn\nOpFunctionEnd\n",
             modes, decorations, constants);
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    struct ws_arena *arena = ws_arena_create();
    assert_non_null(arena);
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    assert_true(ws_local_size_find(&local, &module, &function, 1));
    ws_local_size_specialize(&local, given, count, size);
    if (size[0] != x || size[1] != y || size[2] != z)
        fail_msg("%s%s: %u, %u, %u", modes, constants, size[0], size[1], size[2]);
    ws_arena_destroy(arena);
    free(words);
}

#define LOCAL_SIZE     "OpExecutionMode %1 LocalSize 4 3 2\n"
#define LOCAL_SIZE_ID  "OpExecutionModeId %1 LocalSizeId %10 %11 %12\n"
#define SPEC_IDS       "OpDecorate %10 SpecId 20\nOpDecorate %11 SpecId 21\n"
#define SPEC_CONSTANTS "%10 = OpSpecConstant %3 8\n%11 = OpSpecConstant %3 5\n%12 = OpConstant %3 1\n"

static void modes(void **state)
{
    (void)state;
    const struct ws_specialization given[] = {{21, 4, 6}, {9, 4, 100}};
    expect(LOCAL_SIZE, "", "", given, 2, 4, 3, 2);
    expect("", "", "", given, 2, 0, 0, 0);
    expect(LOCAL_SIZE_ID, SPEC_IDS, SPEC_CONSTANTS, NULL, 0, 8, 5, 1);
    expect(LOCAL_SIZE_ID, SPEC_IDS, SPEC_CONSTANTS, given, 2, 8, 6, 1);
    /* No workgroup is empty: nothing is known rather than that. */
    const struct ws_specialization zero = {21, 4, 0};
    expect(LOCAL_SIZE_ID, SPEC_IDS, SPEC_CONSTANTS, &zero, 1, 0, 0, 0);
}

/* The built-in comes before the mode, whatever of it is known. */
static void built_in(void **state)
{
    (void)state;
    const struct ws_specialization given = {20, 4, 20};
    const char *decorations = SPEC_IDS "OpDecorate %13 BuiltIn WorkgroupSize\n";
    expect(LOCAL_SIZE, decorations, SPEC_CONSTANTS "%13 = OpSpecConstantComposite %4 %10 %11 %12\n", &given,
           1, 20, 5, 1);
    expect(LOCAL_SIZE, decorations, SPEC_CONSTANTS "%13 = OpConstantComposite %4 %12 %12 %12\n", &given, 1, 1,
           1, 1);
    expect(LOCAL_SIZE, decorations,
           SPEC_CONSTANTS "%14 = OpSpecConstantOp %3 SNegate %12\n"
                          "%13 = OpSpecConstantComposite %4 %10 %11 %14\n",
           &given, 1, 0, 0, 0);
}

/* %12 = %10 `operation` %11, of 13 and 3. */
static void expect_operation(const char *operation, uint32_t result)
{
    const struct ws_specialization given[] = {{20, 4, 13}, {21, 4, 3}};
    char constants[512];
    snprintf(constants, sizeof(constants),
             "%%10 = OpSpecConstant %%3 8\n%%11 = OpSpecConstant %%3 5\n%%12 = OpSpecConstantOp %%3 %s %%10 "
             "%%11\n",
             operation);
    expect(LOCAL_SIZE_ID, SPEC_IDS, constants, given, 2, result != 0 ? 13 : 0, result != 0 ? 3 : 0, result);
}

static void operations(void **state)
{
    (void)state;
    expect_operation("IAdd", 16);
    expect_operation("ISub", 10);
    expect_operation("IMul", 39);
    expect_operation("UDiv", 4);
    expect_operation("SDiv", 4);
    expect_operation("UMod", 1);
    expect_operation("ShiftLeftLogical", 104);
    expect_operation("ShiftRightLogical", 1);
    expect_operation("ShiftRightArithmetic", 1);
    expect_operation("BitwiseAnd", 1);
    expect_operation("BitwiseOr", 15);
    expect_operation("BitwiseXor", 14);
    expect_operation("SRem", 0); /* not worked out */
    /* (10 + 11) / 11 - 11, of 13 and 3: 2; the same constants again and again. */
    const struct ws_specialization given[] = {{20, 4, 13}, {21, 4, 3}};
    expect(LOCAL_SIZE_ID, SPEC_IDS,
           "%10 = OpSpecConstant %3 8\n%11 = OpSpecConstant %3 5\n"
           "%13 = OpSpecConstantOp %3 IAdd %10 %11\n"
           "%14 = OpSpecConstantOp %3 UDiv %13 %11\n"
           "%12 = OpSpecConstantOp %3 ISub %14 %11\n",
           given, 2, 13, 3, 2);
    /* Division by zero is undefined. */
    const struct ws_specialization zero = {21, 4, 0};
    expect("OpExecutionModeId %1 LocalSizeId %10 %12 %12\n", SPEC_IDS,
           "%10 = OpSpecConstant %3 8\n%11 = OpSpecConstant %3 5\n%12 = OpSpecConstantOp %3 UDiv %10 %11\n",
           &zero, 1, 0, 0, 0);
}

/* What is too much, of other types, or refers to itself is not known. */
static void unknown(void **state)
{
    (void)state;
    char constants[2048] =
        "%10 = OpSpecConstant %3 1\n%11 = OpSpecConstant %3 1\n%20 = OpSpecConstant %3 1\n";
    for (int i = 21; i < 45; ++i) {
        char line[80];
        snprintf(line, sizeof(line), "%%%d = OpSpecConstantOp %%3 IAdd %%%d %%%d\n", i, i - 1, i - 1);
        strcat(constants, line);
    }
    strcat(constants, "%12 = OpSpecConstantOp %3 IAdd %44 %44\n");
    expect(LOCAL_SIZE_ID, "", constants, NULL, 0, 0, 0, 0);
    expect(LOCAL_SIZE_ID, "",
           "%10 = OpConstant %3 1\n%11 = OpConstant %3 1\n%12 = OpSpecConstantOp %3 IAdd %12 %12\n", NULL, 0,
           0, 0, 0);
    expect(LOCAL_SIZE_ID, "", "%10 = OpConstant %3 1\n%11 = OpConstant %3 1\n%12 = OpConstant %6 4\n", NULL,
           0, 0, 0, 0);
    expect(LOCAL_SIZE_ID, "", "%10 = OpConstant %3 1\n%11 = OpConstant %3 1\n", NULL, 0, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(modes), cmocka_unit_test(built_in),
                                       cmocka_unit_test(operations), cmocka_unit_test(unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
