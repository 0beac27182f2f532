/* What values depend on (values.h): a module of a few lines, each answer worked out by hand. */
#include "warpscope/code/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/cuts.h"

/* float scale = p.a * p.a;                  30-34, stored to 35
 * float y = float(id) + scale;              36-39, stored to 40
 * float unused = scale * scale;             41-43, stored to 44
 * if (p.a > 1) data = y;                    45-49 */
static const char lines[] =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %1 \"main\" %2\nOpExecutionMode %1 LocalSize 8 1 1\n"
    "OpDecorate %2 BuiltIn LocalInvocationIndex\n"
    "OpDecorate %10 Block\nOpMemberDecorate %10 0 Offset 0\n"
    "OpDecorate %13 BufferBlock\nOpMemberDecorate %13 0 Offset 0\n"
    "OpDecorate %15 DescriptorSet 0\nOpDecorate %15 Binding 0\n"
    "%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%5 = OpTypeFloat 32\n%6 = OpTypeInt 32 0\n%7 = OpTypeInt 32 1\n"
    "%8 = OpConstant %7 0\n%9 = OpConstant %5 1\n%50 = OpTypeBool\n"
    "%10 = OpTypeStruct %5\n%11 = OpTypePointer PushConstant %10\n%12 = OpVariable %11 PushConstant\n"
    "%13 = OpTypeStruct %5\n%14 = OpTypePointer Uniform %13\n%15 = OpVariable %14 Uniform\n"
    "%16 = OpTypePointer PushConstant %5\n%17 = OpTypePointer Uniform %5\n%18 = OpTypePointer Function %5\n"
    "%19 = OpTypePointer Input %6\n%2 = OpVariable %19 Input\n"
    "%1 = OpFunction %3 None %4\n%20 = OpLabel\n"
    "%35 = OpVariable %18 Function\n%40 = OpVariable %18 Function\n%44 = OpVariable %18 Function\n"
    "%30 = OpAccessChain %16 %12 %8\n%31 = OpLoad %5 %30\n"
    "%32 = OpAccessChain %16 %12 %8\n%33 = OpLoad %5 %32\n%34 = OpFMul %5 %31 %33\nOpStore %35 %34\n"
    "%36 = OpLoad %6 %2\n%37 = OpConvertUToF %5 %36\n%38 = OpLoad %5 %35\n%39 = OpFAdd %5 %37 %38\nOpStore "
    "%40 %39\n"
    "%41 = OpLoad %5 %35\n%42 = OpLoad %5 %35\n%43 = OpFMul %5 %41 %42\nOpStore %44 %43\n"
    "%45 = OpAccessChain %16 %12 %8\n%46 = OpLoad %5 %45\n%47 = OpFOrdGreaterThan %50 %46 %9\n"
    "OpSelectionMerge %22 None\nOpBranchConditional %47 %21 %22\n"
    "%21 = OpLabel\n%48 = OpLoad %5 %40\n%49 = OpAccessChain %17 %15 %8\nOpStore %49 %48\nOpBranch %22\n"
    "%22 = OpLabel\nOpReturn\nOpFunctionEnd\n";

/* const uint k;                             a specialization constant, 6
 * uint mode = k;                            stored to 20, loaded as 21
 * mode == 1, mode * p.a, p.a == 1           22, 25, 26
 * bool one = id.x == 0;                     30-31, stored to 27
 * !one, id < 2, p.a != mode, elect          33, 34, 35, 36 */
static const char choices[] =
    "OpCapability Shader\nOpCapability GroupNonUniform\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %1 \"main\" %2\nOpExecutionMode %1 LocalSize 8 1 1\n"
    "OpDecorate %2 BuiltIn LocalInvocationId\nOpDecorate %6 SpecId 0\n"
    "OpDecorate %10 Block\nOpMemberDecorate %10 0 Offset 0\n"
    "%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%5 = OpTypeInt 32 0\n%6 = OpSpecConstant %5 3\n"
    "%7 = OpTypeBool\n%8 = OpConstant %5 0\n%9 = OpConstant %5 1\n%37 = OpConstant %5 3\n"
    "%10 = OpTypeStruct %5\n%11 = OpTypePointer PushConstant %10\n%12 = OpVariable %11 PushConstant\n"
    "%13 = OpTypePointer PushConstant %5\n%14 = OpTypePointer Function %5\n%15 = OpTypePointer Function %7\n"
    "%16 = OpTypeVector %5 3\n%17 = OpTypePointer Input %16\n%2 = OpVariable %17 Input\n"
    "%1 = OpFunction %3 None %4\n%19 = OpLabel\n%20 = OpVariable %14 Function\n%27 = OpVariable %15 "
    "Function\n"
    "OpStore %20 %6\n%21 = OpLoad %5 %20\n%22 = OpIEqual %7 %21 %9\n"
    "%23 = OpAccessChain %13 %12 %8\n%24 = OpLoad %5 %23\n%25 = OpIMul %5 %21 %24\n%26 = OpIEqual %7 %24 %9\n"
    "%28 = OpLoad %16 %2\n%30 = OpCompositeExtract %5 %28 0\n%31 = OpIEqual %7 %30 %8\nOpStore %27 %31\n"
    "%32 = OpLoad %7 %27\n%33 = OpLogicalNot %7 %32\n%34 = OpULessThan %7 %30 %9\n%35 = OpINotEqual %7 %24 "
    "%21\n"
    "%36 = OpGroupNonUniformElect %7 %37\nOpReturn\nOpFunctionEnd\n";

struct fixture {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
    struct ws_values values;
};

static int set_up_text(void **state, const char *text, uint32_t version)
{
    static struct fixture fixture;
    struct ws_error error = {{0}};
    size_t count = 0;
    fixture.words = assembly_read(text, version, &count);
    assert_true(assembly_is_valid(fixture.words, count));
    fixture.arena = ws_arena_create();
    assert_true(ws_module_parse(&fixture.module, fixture.arena, fixture.words, count, &error));
    struct ws_cfg *cfgs = ws_cuts_make(&fixture.module, &error);
    struct ws_constructs *constructs = ws_arena_allocate(fixture.arena, 1, sizeof(*constructs));
    assert_true(cfgs != NULL && constructs != NULL &&
                ws_constructs_find(constructs, fixture.arena, &fixture.module, 0, &cfgs[0]));
    assert_true(ws_values_find(&fixture.values, fixture.arena, &fixture.module, constructs));
    *state = &fixture;
    return 0;
}

static int set_up(void **state)
{
    return set_up_text(state, lines, 0x00010000);
}

static int set_up_choices(void **state)
{
    return set_up_text(state, choices, 0x00010300);
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    ws_arena_destroy(fixture->arena);
    free(fixture->words);
    return 0;
}

static uint32_t definition(const struct fixture *fixture, uint32_t id)
{
    return fixture->module.definitions[id];
}

/* The store to a variable, or to the place that a chain names. */
static uint32_t store_to(const struct fixture *fixture, uint32_t pointer)
{
    for (uint32_t i = 0; i < fixture->module.instruction_count; ++i)
        if (fixture->module.instructions[i].opcode == 62 &&
            ws_operand(&fixture->module, &fixture->module.instructions[i], 0) == pointer)
            return i;
    return WS_NONE;
}

static void invariant(void **state)
{
    const struct fixture *fixture = *state;
    const bool *is = fixture->values.invariant;
    assert_true(is[31] && is[34] && is[38] && is[43] &&
                is[47]);                                /* of push constants, through a variable too */
    assert_false(is[36] || is[37] || is[39] || is[48]); /* of the thread */
}

/* A specialization constant is known when the pipeline is made, through a variable too; a push constant is not. */
static void constant(void **state)
{
    const struct fixture *fixture = *state;
    const bool *is = fixture->values.constant;
    assert_true(is[21] && is[22]);
    assert_false(is[24] || is[25] || is[26] || is[30] || is[35]);
    assert_true(fixture->values.invariant[22] && fixture->values.invariant[25]);
}

static void elects(void **state)
{
    const struct fixture *fixture = *state;
    static const uint32_t one[] = {31, 32, 33, 36};
    static const uint32_t other[] = {22, 26, 34, 35};
    for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); ++i)
        assert_true(ws_value_elects(&fixture->values, one[i]));
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); ++i)
        assert_false(ws_value_elects(&fixture->values, other[i]));
}

/* What the buffer gets needs y, scale and the branch, and not what nobody uses. */
static void slice(void **state)
{
    const struct fixture *fixture = *state;
    static const uint32_t in[] = {30, 31, 32, 33, 34, 36, 37, 38, 39, 45, 46, 47, 48, 49};
    static const uint32_t out[] = {41, 42, 43};
    struct ws_slice slice;
    assert_true(ws_slice_init(&slice, &fixture->values, fixture->arena));
    ws_slice_add(&slice, store_to(fixture, 49));
    for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); ++i)
        assert_true(slice.needed[definition(fixture, in[i])]);
    for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); ++i)
        assert_false(slice.needed[definition(fixture, out[i])]);
    assert_true(slice.needed[store_to(fixture, 35)] && slice.needed[store_to(fixture, 40)]);
    assert_false(slice.needed[store_to(fixture, 44)]);
    /* The store to scale runs whatever the branch does. */
    ws_slice_reset(&slice);
    ws_slice_add(&slice, store_to(fixture, 35));
    assert_false(slice.needed[definition(fixture, 47)]);
}

/* Without the branch's condition, three instructions go; without y's sum and the unused product, scale does too. */
static void removal(void **state)
{
    const struct fixture *fixture = *state;
    struct ws_removal removal;
    assert_true(ws_removal_init(&removal, &fixture->values, fixture->arena));
    ws_removal_drop(&removal, 47);
    assert_int_equal(removal.count, 3);
    assert_true(removal.removed[definition(fixture, 45)]);
    ws_removal_reset(&removal);
    ws_removal_remove(&removal, definition(fixture, 39)); /* and 37, 36, 38 */
    assert_int_equal(removal.count, 4);
    assert_false(removal.removed[store_to(fixture, 35)]);
    ws_removal_remove(&removal, definition(fixture, 43)); /* and 41, 42, the store, 34, 31, 30, 33, 32 */
    assert_int_equal(removal.count, 13);
    assert_true(removal.removed[store_to(fixture, 35)] && removal.removed[definition(fixture, 30)]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(invariant, set_up, tear_down),
        cmocka_unit_test_setup_teardown(constant, set_up_choices, tear_down),
        cmocka_unit_test_setup_teardown(elects, set_up_choices, tear_down),
        cmocka_unit_test_setup_teardown(slice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(removal, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
