/* How often headers of loops run, in loops written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "passes/flow/trips.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"

#define MAX 30

static bool is_wrong; /* whether the loop that was looked at last is one that a driver may write out wrong */

/* The bound of the one loop of a function whose blocks these are. %3 is an integer, %4 a boolean, %5 a pointer to a variable,
 * %10 up to %19 are 0 to 8 and -3, %40 is a specialization constant, %41 a number that nobody knows, %42 a condition. */
static uint32_t find(const char *blocks)
{
    char text[8192];
    struct ws_module module;
    struct ws_cfg cfg;
    struct ws_loops loops;
    struct ws_trips trips;
    struct ws_error error = {{0}};
    size_t word_count = 0;
    uint32_t inside[16];
    uint32_t count = 0;
    snprintf(
        text, sizeof(text),
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %%1 \"main\"\n"
        "OpExecutionMode %%1 LocalSize 1 1 1\nOpDecorate %%40 SpecId 0\n"
        "%%2 = OpTypeVoid\n%%3 = OpTypeInt 32 1\n%%4 = OpTypeBool\n%%5 = OpTypePointer Function %%3\n"
        "%%6 = OpTypeFunction %%2\n%%7 = OpTypeFunction %%2 %%5\n"
        "%%10 = OpConstant %%3 0\n%%11 = OpConstant %%3 1\n%%12 = OpConstant %%3 2\n%%13 = OpConstant %%3 3\n"
        "%%14 = OpConstant %%3 4\n%%15 = OpConstant %%3 5\n%%16 = OpConstant %%3 29\n%%17 = OpConstant %%3 "
        "30\n"
        "%%18 = OpConstant %%3 8\n%%19 = OpConstant %%3 -3\n%%40 = OpSpecConstant %%3 4\n"
        "%%41 = OpUndef %%3\n%%42 = OpUndef %%4\n"
        "%%1 = OpFunction %%2 None %%6\n%%20 = OpLabel\n%s"
        "%%24 = OpLabel\nOpReturn\nOpFunctionEnd\n"
        "%%8 = OpFunction %%2 None %%7\n%%9 = OpFunctionParameter %%5\n%%43 = "
        "OpLabel\nOpReturn\nOpFunctionEnd\n",
        blocks);
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    struct ws_arena *arena = ws_arena_create();
    assert_non_null(arena);
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    assert_true(ws_cfg_build(&cfg, arena, &module, 0, &error));
    assert_true(ws_loops_find(&loops, arena, &module, 0, &cfg, &error));
    assert_int_equal(loops.count, 1);
    for (uint32_t b = 0; b < cfg.block_count; b++)
        if (loops.innermost[b] == 0)
            inside[count++] = b;
    assert_true(ws_trips_init(&trips, arena, &module, 0, &cfg));
    const uint32_t most = ws_trips_most(&trips, &loops.list[0], inside, count, MAX);
    is_wrong = ws_trips_are_written_wrong(&trips, &loops.list[0], inside, count);
    ws_arena_destroy(arena);
    free(words);
    return most;
}

/* for (i = begin; `test`; i = `next`), where %30 is i, %31 the next, %32 the test. */
static uint32_t find_phi(const char *begin, const char *next, const char *test)
{
    char blocks[2048];
    snprintf(blocks, sizeof(blocks),
             "OpBranch %%21\n%%21 = OpLabel\n%%30 = OpPhi %%3 %s %%20 %%31 %%23\nOpLoopMerge %%24 %%23 None\n"
             "OpBranch %%22\n%%22 = OpLabel\n%%32 = %s\nOpBranchConditional %%32 %%25 %%24\n"
             "%%25 = OpLabel\nOpBranch %%23\n%%23 = OpLabel\n%%31 = %s\nOpBranch %%21\n",
             begin, test, next);
    return find(blocks);
}

static void phis(void **state)
{
    (void)state;
    const char *up = "OpIAdd %3 %30 %11";
    assert_int_equal(find_phi("%10", up, "OpSLessThan %4 %30 %14"), 5);
    assert_int_equal(find_phi("%10", up, "OpULessThanEqual %4 %30 %14"), 6);
    assert_int_equal(find_phi("%10", up, "OpSGreaterThan %4 %14 %30"), 5); /* 4 > i */
    assert_int_equal(find_phi("%11", up, "OpINotEqual %4 %30 %14"), 4);
    assert_int_equal(find_phi("%15", up, "OpSLessThan %4 %30 %14"), 1);
    assert_int_equal(find_phi("%10", "OpIAdd %3 %12 %30", "OpSLessThan %4 %30 %15"), 4);    /* 0 2 4 6 */
    assert_int_equal(find_phi("%18", "OpIAdd %3 %30 %19", "OpSGreaterThan %4 %30 %10"), 4); /* 8 5 2 -1 */
    assert_int_equal(find_phi("%18", "OpISub %3 %30 %13", "OpSGreaterThanEqual %4 %30 %10"), 4);
    assert_int_equal(find_phi("%18", "OpISub %3 %30 %13", "OpUGreaterThan %4 %30 %10"), 0); /* -1 is large */
    assert_int_equal(find_phi("%10", up, "OpSLessThan %4 %30 %16"), 30);
    assert_int_equal(find_phi("%10", up, "OpSLessThan %4 %30 %17"), 0); /* 31 times */
}

static void unknown_phis(void **state)
{
    (void)state;
    const char *up = "OpIAdd %3 %30 %11";
    assert_int_equal(find_phi("%41", up, "OpSLessThan %4 %30 %14"), 0);
    assert_int_equal(find_phi("%40", up, "OpSLessThan %4 %30 %14"), 0);
    assert_int_equal(find_phi("%10", up, "OpSLessThan %4 %30 %40"), 0);
    assert_int_equal(find_phi("%10", up, "OpSLessThan %4 %30 %41"), 0);
    assert_int_equal(find_phi("%10", up, "OpLogicalAnd %4 %42 %42"), 0);
    assert_int_equal(find_phi("%10", "OpIAdd %3 %30 %10", "OpSLessThan %4 %30 %14"), 0);
    assert_int_equal(find_phi("%10", "OpIAdd %3 %30 %41", "OpSLessThan %4 %30 %14"), 0);
    assert_int_equal(find_phi("%10", "OpISub %3 %11 %30", "OpSLessThan %4 %30 %14"), 0); /* 1 - i */
    assert_int_equal(find_phi("%10", "OpIMul %3 %30 %12", "OpSLessThan %4 %30 %14"), 0);
}

/* The same with a variable, %26: `before` the loop, `body` in it; 0 to 3. */
static uint32_t find_variable(const char *before, const char *body)
{
    char blocks[2048];
    snprintf(blocks, sizeof(blocks),
             "%%26 = OpVariable %%5 Function\n%s\nOpBranch %%21\n%%21 = OpLabel\nOpLoopMerge %%24 %%23 None\n"
             "OpBranch %%22\n%%22 = OpLabel\n%%30 = OpLoad %%3 %%26\n%%32 = OpSLessThan %%4 %%30 %%14\n"
             "OpBranchConditional %%32 %%25 %%24\n%%25 = OpLabel\n%s\nOpBranch %%23\n%%23 = OpLabel\n"
             "%%33 = OpLoad %%3 %%26\n%%31 = OpIAdd %%3 %%33 %%11\nOpStore %%26 %%31\nOpBranch %%21\n",
             before, body);
    return find(blocks);
}

/* An unsigned number that goes down to 4, by a loop that may have another exit. */
static uint32_t find_down(const char *test, const char *body)
{
    char blocks[2048];
    snprintf(
        blocks, sizeof(blocks),
        "OpBranch %%21\n%%21 = OpLabel\n%%30 = OpPhi %%3 %%18 %%20 %%31 %%23\nOpLoopMerge %%24 %%23 None\n"
        "OpBranch %%22\n%%22 = OpLabel\n%%32 = %s %%4 %%30 %%14\n"
        "OpBranchConditional %%32 %%25 %%24\n%%25 = OpLabel\n%s\nOpBranch %%23\n%%23 = OpLabel\n"
        "%%31 = OpISub %%3 %%30 %%11\nOpBranch %%21\n",
        test, body);
    return find(blocks);
}

static void unsigned_down(void **state)
{
    (void)state;
    static const char out[] = "OpSelectionMerge %35 None\nOpBranchConditional %42 %24 %35\n%35 = OpLabel";
    static const char returned[] =
        "OpSelectionMerge %35 None\nOpBranchConditional %42 %34 %35\n%34 = OpLabel\nOpReturn\n%35 = OpLabel";
    assert_int_equal(find_down("OpUGreaterThan", ""), 5); /* 8 7 6 5 4 */
    assert_false(is_wrong);
    assert_int_equal(find_down("OpUGreaterThan", out), 5);
    assert_true(is_wrong);
    assert_int_equal(find_down("OpUGreaterThan", returned), 5);
    assert_true(is_wrong);
    assert_int_equal(find_down("OpSGreaterThan", out), 5);
    assert_false(is_wrong);
}

static void variables(void **state)
{
    (void)state;
    assert_int_equal(find_variable("OpStore %26 %10", ""), 5);
    assert_int_equal(find_variable("OpStore %26 %10\nOpStore %26 %13", ""), 2);
    assert_int_equal(find_variable("OpStore %26 %10\nOpStore %26 %41", ""), 0);
    assert_int_equal(find_variable("", ""), 0);
    assert_int_equal(find_variable("OpStore %26 %10", "OpStore %26 %10"), 0);
    assert_int_equal(find_variable("OpStore %26 %10", "%34 = OpFunctionCall %2 %8 %26"), 0);
    assert_int_equal(find_variable("OpStore %26 %10", "OpStore %26 %10 Volatile"), 0);
    /* A way out more, and an arm that counts too. */
    assert_int_equal(find_variable("OpStore %26 %10",
                                   "OpSelectionMerge %35 None\nOpBranchConditional %42 %24 %35\n"
                                   "%35 = OpLabel"),
                     5);
    assert_int_equal(find_variable("OpStore %26 %10",
                                   "OpSelectionMerge %35 None\nOpBranchConditional %42 %34 %35\n"
                                   "%34 = OpLabel\nOpStore %26 %10\nOpBranch %35\n%35 = OpLabel"),
                     0);
}

/* do { `body` } while (`tested` < 4), where %26 is the variable and %30 the phi of a header of %20 or the loop's end. */
static uint32_t find_do(const char *header, const char *body, const char *tested)
{
    char blocks[2048];
    snprintf(blocks, sizeof(blocks),
             "%%26 = OpVariable %%5 Function\nOpStore %%26 %%10\nOpBranch %%21\n%%21 = OpLabel\n%s\n"
             "OpLoopMerge %%24 %%23 None\nOpBranch %%25\n%%25 = OpLabel\n%s\nOpBranch %%23\n%%23 = OpLabel\n"
             "%%33 = OpLoad %%3 %%26\n%%32 = OpSLessThan %%4 %s %%14\nOpBranchConditional %%32 %%21 %%24\n",
             header, body, tested);
    return find(blocks);
}

static void at_the_end(void **state)
{
    (void)state;
    const char *phi = "%30 = OpPhi %3 %10 %20 %31 %23";
    const char *count = "%34 = OpLoad %3 %26\n%31 = OpIAdd %3 %34 %11\nOpStore %26 %31";
    assert_int_equal(find_do(phi, "%31 = OpIAdd %3 %30 %11", "%31"), 4); /* 1 2 3 4 */
    assert_int_equal(find_do(phi, "%31 = OpIAdd %3 %30 %11", "%30"), 5); /* 0 1 2 3 4 */
    assert_int_equal(find_do("", count, "%33"), 4);
    assert_int_equal(find_do("", count, "%34"), 0); /* loaded elsewhere: not followed */
    /* Not in each turn. */
    assert_int_equal(find_do("",
                             "OpSelectionMerge %36 None\nOpBranchConditional %42 %35 %36\n%35 = OpLabel\n"
                             "%34 = OpLoad %3 %26\n%31 = OpIAdd %3 %34 %11\nOpStore %26 %31\nOpBranch %36\n"
                             "%36 = OpLabel",
                             "%33"),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phis),      cmocka_unit_test(unknown_phis), cmocka_unit_test(unsigned_down),
        cmocka_unit_test(variables), cmocka_unit_test(at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
