/* What came nearest to a place of a probe (census.h): made-up modules, each answer worked out by hand. */
#include "warpscope/code/census.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "warpscope/stage.h"

#define WORD(length, opcode) ((uint32_t)(length) << 16 | (uint32_t)(opcode))

/* Three OpFMul, one OpFAdd, two Sqrt and a Pow of GLSL.std.450 (id 1), a function 31 of another set (id 2). */
static const uint32_t words[] = {
    0x07230203,
    0x00010300,
    0,
    9,
    0,
    WORD(6, SpvOpExtInstImport),
    1,
    0x4c534c47,
    0x6474732e,
    0x3035342e,
    0,
    WORD(4, SpvOpExtInstImport),
    2,
    0x00796e61,
    0,
    WORD(5, SpvOpFMul),
    3,
    4,
    5,
    5,
    WORD(5, SpvOpFMul),
    3,
    4,
    5,
    5,
    WORD(5, SpvOpFMul),
    3,
    4,
    5,
    5,
    WORD(5, SpvOpFAdd),
    3,
    4,
    5,
    5,
    WORD(6, SpvOpExtInst),
    3,
    4,
    1,
    GLSLstd450Sqrt,
    5,
    WORD(6, SpvOpExtInst),
    3,
    4,
    1,
    GLSLstd450Sqrt,
    5,
    WORD(7, SpvOpExtInst),
    3,
    4,
    1,
    GLSLstd450Pow,
    5,
    5,
    WORD(6, SpvOpExtInst),
    3,
    4,
    2,
    GLSLstd450Sqrt,
    5,
};

static struct ws_census census;

static void expect(const struct ws_probe_rule *rule, const char *expected)
{
    char text[256];
    assert_string_equal(ws_census_explain(&census, rule, "this shader has", text, sizeof(text)), expected);
}

static void instructions_are_counted(void **state)
{
    (void)state;
    memset(&census, 0, sizeof(census));
    ws_census_add(&census, words, sizeof(words) / 4);
    assert_int_equal(ws_census_of(&census, WS_PROBE_OPCODE(SpvOpFMul)), 3);
    assert_int_equal(ws_census_of(&census, WS_PROBE_OPCODE(SpvOpExtInst)), 4);
    assert_int_equal(ws_census_of(&census, WS_PROBE_EXTENDED(GLSLstd450Sqrt)), 2);
    assert_int_equal(ws_census_of(&census, WS_PROBE_OPCODE(SpvOpFDiv)), 0);
}

static void the_nearest_is_said(void **state)
{
    (void)state;
    static const uint32_t divide[] = {SpvOpFDiv}, multiply[] = {SpvOpFMul},
                          root[] = {WS_PROBE_EXTENDED(GLSLstd450InverseSqrt)}, trace[] = {SpvOpTraceRayKHR};
    struct ws_probe_rule rule = {.place = WS_PROBE_AFTER,
                                 .opcodes = divide,
                                 .opcode_count = 1,
                                 .shader = "",
                                 .function = "",
                                 .file = ""};
    expect(&rule, "this shader has 3 OpFMul, 1 OpFAdd, no OpFDiv");
    rule.opcodes = root;
    expect(&rule, "this shader has 2 Sqrt, 1 Pow, no InverseSqrt");
    rule.opcodes = trace;
    expect(&rule, "this shader has 4 OpExtInst, 3 OpFMul, 1 OpFAdd, no OpTraceRayKHR");
    rule.opcodes = multiply;
    expect(&rule,
           "this shader has 3 such instructions, but no function fits, or no entry point reaches them");
    rule.stages = WS_STAGE_FRAGMENT;
    expect(&rule, "this shader has 3 such instructions, but the filters let none pass, or no function fits");
    rule.opcode_count = 0;
    rule.place = WS_PROBE_LOOP_BEGIN;
    expect(&rule, "this shader has no loop");
}

/* Nothing behind the end is read, whatever the lengths say. */
static void wrong_words_end_the_count(void **state)
{
    (void)state;
    for (size_t count = 0; count < sizeof(words) / 4; count++) {
        memset(&census, 0, sizeof(census));
        ws_census_add(&census, words, count);
        assert_true(ws_census_of(&census, SpvOpFMul) <= 3);
    }
    static const uint32_t endless[] = {0x07230203,         0x00010300,        0, 9, 0,
                                       WORD(0, SpvOpFMul), WORD(5, SpvOpFMul)};
    memset(&census, 0, sizeof(census));
    ws_census_add(&census, endless, sizeof(endless) / 4);
    assert_int_equal(ws_census_of(&census, SpvOpFMul), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_counted),
        cmocka_unit_test(the_nearest_is_said),
        cmocka_unit_test(wrong_words_end_the_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
