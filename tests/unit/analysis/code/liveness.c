/* What is live over a call (liveness.h), against answers worked out by hand. */
#include "warpscope/code/liveness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <spirv/unified1/spirv.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/cuts.h"

#define HEAD                                                                                                 \
    "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"       \
    "OpEntryPoint RayGenerationKHR %1 \"main\" %30 %31 %32\nOpDecorate %32 BuiltIn LaunchIdKHR\n"            \
    "%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%5 = OpTypeFloat 32\n%6 = OpTypeInt 32 0\n"                    \
    "%7 = OpTypeVector %5 3\n%8 = OpTypeBool\n%9 = OpConstant %6 0\n%10 = OpConstant %5 1\n"                 \
    "%11 = OpTypePointer Function %7\n%12 = OpTypePointer Function %5\n"                                     \
    "%13 = OpTypePointer CallableDataKHR %5\n%14 = OpTypeVector %6 3\n%15 = OpTypePointer Input %14\n"       \
    "%16 = OpTypePointer Private %7\n%17 = OpConstantComposite %7 %10 %10 %10\n"                             \
    "%30 = OpVariable %13 CallableDataKHR\n%31 = OpVariable %16 Private\n%32 = OpVariable %15 Input\n"

/* vec3 a, b; float c;                       variables 40, 41, 42
 * a = v; c = 1; x = f(id); y = g(x);        computed: 46, 47
 * executeCallable;                          over it: a (12 bytes), x (4); not b, c, y: stored anew, or not read
 * b = v; c = x; data = a.x + c */
static const char straight[] =
    HEAD "%1 = OpFunction %3 None %4\n%20 = OpLabel\n%40 = OpVariable %11 Function\n%41 = OpVariable %11 "
         "Function\n"
         "%42 = OpVariable %12 Function\nOpStore %40 %17\nOpStore %42 %10\n%44 = OpLoad %14 %32\n"
         "%45 = OpCompositeExtract %6 %44 0\n%46 = OpConvertUToF %5 %45\n%47 = OpFAdd %5 %46 %10\n"
         "OpExecuteCallableKHR %9 %30\n"
         "OpStore %41 %17\nOpStore %42 %46\n%48 = OpLoad %7 %40\n%49 = OpCompositeExtract %5 %48 0\n"
         "%50 = OpLoad %5 %42\n%51 = OpFAdd %5 %49 %50\nOpStore %30 %51\nOpReturn\nOpFunctionEnd\n";

/* In a loop: a is read at its beginning, so it is live over the call at its end; y, made anew in each turn, is not. The
 * Private variable is named by the function that calls. */
static const char loop[] = HEAD
    "%1 = OpFunction %3 None %4\n%20 = OpLabel\n%40 = OpVariable %11 Function\nOpStore %40 %17\n"
    "OpStore %31 %17\n%44 = OpLoad %14 %32\n%45 = OpCompositeExtract %6 %44 0\n%46 = OpFunctionCall %3 %2\n"
    "OpReturn\nOpFunctionEnd\n"
    "%2 = OpFunction %3 None %4\n%21 = OpLabel\n%41 = OpVariable %11 Function\nOpStore %41 %17\nOpBranch "
    "%22\n"
    "%22 = OpLabel\n%48 = OpLoad %7 %41\n%49 = OpCompositeExtract %5 %48 0\n%50 = OpFOrdLessThan %8 %49 %10\n"
    "OpLoopMerge %24 %23 None\nOpBranchConditional %50 %23 %24\n"
    "%23 = OpLabel\nOpExecuteCallableKHR %9 %30\nOpBranch %22\n%24 = OpLabel\nOpReturn\nOpFunctionEnd\n";

static void check(const char *text, uint32_t values, uint32_t bytes, uint32_t kept, uint32_t globals)
{
    struct ws_error error = {{0}};
    struct ws_live live;
    struct ws_module module;
    size_t count = 0;
    uint32_t at = WS_NONE;
    uint32_t *words = assembly_read(text, 0x00010400, &count);
    struct ws_arena *arena = ws_arena_create();
    assert_true(assembly_is_valid(words, count));
    assert_true(ws_module_parse(&module, arena, words, count, &error));
    struct ws_cfg *cfgs = ws_cuts_make(&module, &error);
    assert_non_null(cfgs);
    for (uint32_t i = 0; i < module.instruction_count; ++i)
        if (module.instructions[i].opcode == SpvOpExecuteCallableKHR)
            at = i;
    assert_true(ws_live_over(&live, arena, &module, cfgs, at));
    assert_int_equal(live.values, values);
    assert_int_equal(live.bytes, bytes);
    assert_int_equal(live.kept, kept);
    assert_int_equal(live.globals, globals);
    ws_arena_destroy(arena);
    free(words);
}

static void straight_line(void **state)
{
    (void)state;
    check(straight, 1, 4, 12, 4);
}

static void in_a_loop(void **state)
{
    (void)state;
    check(loop, 0, 0, 12, 4 + 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(straight_line), cmocka_unit_test(in_a_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
