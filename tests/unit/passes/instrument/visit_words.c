/* Values of any type as words for data records, and primitives by name (pass.h), with passes of the test's
 * own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner.h"
#include "tests/unit/passes/spirv/assembly.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Stores of values of many types, one after the other. */
static const char text[] = "OpCapability Shader\n"
                           "OpCapability Int64\n"
                           "OpCapability Int16\n"
                           "OpCapability Float64\n"
                           "OpCapability Float16\n"
                           "OpMemoryModel Logical GLSL450\n"
                           "OpEntryPoint GLCompute %1 \"main\"\n"
                           "OpExecutionMode %1 LocalSize 1 1 1\n"
                           "%2 = OpTypeVoid\n"
                           "%3 = OpTypeFunction %2\n"
                           "%4 = OpTypeBool\n"
                           "%5 = OpTypeInt 32 0\n"
                           "%6 = OpTypeInt 32 1\n"
                           "%7 = OpTypeFloat 32\n"
                           "%8 = OpTypeInt 64 0\n"
                           "%9 = OpTypeInt 16 1\n"
                           "%10 = OpTypeFloat 64\n"
                           "%11 = OpTypeFloat 16\n"
                           "%12 = OpTypeVector %7 3\n"
                           "%13 = OpTypeMatrix %12 2\n"
                           "%14 = OpConstant %5 2\n"
                           "%15 = OpTypeArray %4 %14\n"
                           "%16 = OpTypeStruct %6 %15 %11\n"
                           "%24 = OpTypePointer Function %4\n"
                           "%25 = OpTypePointer Function %5\n"
                           "%26 = OpTypePointer Function %6\n"
                           "%27 = OpTypePointer Function %7\n"
                           "%28 = OpTypePointer Function %8\n"
                           "%29 = OpTypePointer Function %9\n"
                           "%30 = OpTypePointer Function %10\n"
                           "%32 = OpTypePointer Function %12\n"
                           "%33 = OpTypePointer Function %13\n"
                           "%36 = OpTypePointer Function %16\n"
                           "%44 = OpConstantTrue %4\n"
                           "%45 = OpConstantNull %5\n"
                           "%46 = OpConstantNull %6\n"
                           "%47 = OpConstantNull %7\n"
                           "%48 = OpConstantNull %8\n"
                           "%49 = OpConstantNull %9\n"
                           "%50 = OpConstantNull %10\n"
                           "%52 = OpConstantNull %12\n"
                           "%53 = OpConstantNull %13\n"
                           "%56 = OpConstantNull %16\n"
                           "%1 = OpFunction %2 None %3\n"
                           "%60 = OpLabel\n"
                           "%64 = OpVariable %24 Function\n"
                           "%65 = OpVariable %25 Function\n"
                           "%66 = OpVariable %26 Function\n"
                           "%67 = OpVariable %27 Function\n"
                           "%68 = OpVariable %28 Function\n"
                           "%69 = OpVariable %29 Function\n"
                           "%70 = OpVariable %30 Function\n"
                           "%72 = OpVariable %32 Function\n"
                           "%73 = OpVariable %33 Function\n"
                           "%76 = OpVariable %36 Function\n"
                           "OpStore %64 %44\n"
                           "OpStore %65 %45\n"
                           "OpStore %66 %46\n"
                           "OpStore %67 %47\n"
                           "OpStore %68 %48\n"
                           "OpStore %69 %49\n"
                           "OpStore %70 %50\n"
                           "OpStore %72 %52\n"
                           "OpStore %73 %53\n"
                           "OpStore %76 %56\n"
                           "OpReturn\n"
                           "OpFunctionEnd\n";

static const uint16_t stores[] = {SpvOpStore};

#define PASS(id, callback)                                                                                   \
    static const struct ws_pass id = {                                                                       \
        .name = #id,                                                                                         \
        .summary = "for tests",                                                                              \
        .stages = WS_STAGES_ALL,                                                                             \
        .places = WS_PLACE_BEFORE,                                                                           \
        .opcodes = stores,                                                                                   \
        .opcode_count = 1,                                                                                   \
        .visit = callback,                                                                                   \
    }

static struct ws_instrumented *run(const char *assembly, const struct ws_pass *pass)
{
    const struct ws_instrument_options options = {0};
    struct ws_error error = {0};
    size_t word_count = 0;
    uint32_t *words = assembly_read(assembly, 0x00010300, &word_count);
    struct ws_instrumented *result = ws_run_passes(words, word_count, &pass, 1, &options, &error);
    free(words);
    if (result == NULL)
        fail_msg("%s", error.message);
    assert_true(result->words == NULL || assembly_is_valid(result->words, result->word_count));
    return result;
}

static void record_stored(struct ws_visit *visit)
{
    uint32_t words[5];
    const uint32_t count = ws_visit_words(visit, ws_visit_operand(visit, 1), words, LENGTH(words));
    ws_visit_record_data(visit, 0, words, count);
}
PASS(stored, record_stored);

/* As many words as a value has numbers, 5 at most here: a matrix of 6; an int, two bools and a half. */
static void values(void **state)
{
    (void)state;
    static const uint32_t expected[] = {1, 1, 1, 1, 1, 1, 1, 3, 5, 4};
    static const uint32_t types[] = {4, 5, 6, 7, 8, 9, 10, 12, 13, 16};
    char loaded[2 * sizeof(text)];
    int length = (int)(strstr(text, "OpStore") - text);
    memcpy(loaded, text, (size_t)length);
    for (uint32_t i = 0; i < LENGTH(types); i++)
        length += snprintf(loaded + length, sizeof(loaded) - (size_t)length,
                           "%%%u = OpLoad %%%u %%%u\nOpStore %%%u %%%u\n", 100 + i, types[i], 60 + types[i],
                           60 + types[i], 100 + i);
    snprintf(loaded + length, sizeof(loaded) - (size_t)length, "OpReturn\nOpFunctionEnd\n");
    struct ws_instrumented *result = run(loaded, &stored);
    assert_int_equal(result->skip_count, 0);
    assert_int_equal(result->fixed_count, 0);
    assert_int_equal(result->site_count, 2 + LENGTH(expected)); /* launch and entry */
    for (uint32_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(result->sites[2 + i].kind, WS_SITE_DATA);
        assert_int_equal(result->sites[2 + i].row, expected[i]);
    }
    ws_instrumented_destroy(result);
}

/* What is stored is constant, so that no record has it: but for a specialization constant, and what is converted. */
static void constants(void **state)
{
    (void)state;
    static const char *const more = "%80 = OpConstant %6 -2\n"
                                    "%81 = OpConstant %7 1.5\n"
                                    "%82 = OpConstantComposite %12 %81 %47 %81\n"
                                    "%83 = OpSpecConstant %5 9\n"
                                    "%84 = OpConstantFalse %4\n"
                                    "%85 = OpConstant %9 -3\n"
                                    "%86 = OpConstantComposite %15 %44 %84\n"
                                    "%87 = OpConstant %11 2\n"
                                    "%88 = OpConstantComposite %16 %80 %86 %87\n"
                                    "%89 = OpConstant %5 77\n";
    static const char *const stored_ones = "OpStore %66 %80\n"
                                           "OpStore %67 %81\n"
                                           "OpStore %72 %82\n"
                                           "OpStore %65 %83\n"
                                           "OpStore %64 %84\n"
                                           "OpStore %69 %85\n"
                                           "OpStore %76 %88\n"
                                           "OpStore %65 %89\n"
                                           "OpStore %76 %56\n";
    static const struct ws_fixed_word expected[] = {
        {2, 0, 0xfffffffe}, {3, 0, 0x3fc00000}, {4, 0, 0x3fc00000}, {4, 1, 0}, {4, 2, 0x3fc00000},
        {6, 0, 0},          {8, 0, 0xfffffffe}, {8, 1, 1},          {8, 2, 0}, {9, 0, 77},
        {10, 0, 0},         {10, 1, 0},         {10, 2, 0},         {10, 3, 0}};
    char changed[2 * sizeof(text)];
    const int head = (int)(strstr(text, "%1 = OpFunction") - text);
    const int body = (int)(strstr(text, "OpStore") - text) - head;
    snprintf(changed, sizeof(changed), "%.*s%s%.*s%sOpReturn\nOpFunctionEnd\n", head, text, more, body,
             text + head, stored_ones);
    struct ws_instrumented *result = run(changed, &stored);
    assert_int_equal(result->skip_count, 0);
    assert_int_equal(result->site_count, 2 + 9);
    assert_int_equal(result->sites[8].row, 4);
    assert_int_equal(result->fixed_count, LENGTH(expected));
    for (uint32_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(result->fixed[i].site, expected[i].site);
        assert_int_equal(result->fixed[i].word, expected[i].word);
        assert_int_equal(result->fixed[i].value, expected[i].value);
    }
    ws_instrumented_destroy(result);
}

/* A store of a struct of 60 structs of 60 structs and so on: 60^6 numbers, of a module of some hundred words. It has no words,
 * but it costs no more time than others. */
static void structs_of_structs(void **state)
{
    (void)state;
    char nested[4096] =
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
        "OpExecutionMode %1 LocalSize 1 1 1\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n"
        "%10 = OpTypeInt 32 0\n";
    size_t length = strlen(nested);
    for (int i = 11; i <= 16; i++) {
        length += (size_t)sprintf(nested + length, "%%%d = OpTypeStruct", i);
        for (int member = 0; member < 60; member++)
            length += (size_t)sprintf(nested + length, " %%%d", i - 1);
        length += (size_t)sprintf(nested + length, "\n");
    }
    sprintf(nested + length,
            "%%20 = OpTypePointer Function %%16\n%%21 = OpConstantNull %%16\n"
            "%%1 = OpFunction %%2 None %%3\n%%22 = OpLabel\n%%23 = OpVariable %%20 Function\n"
            "OpStore %%23 %%21\nOpReturn\nOpFunctionEnd\n");
    const struct ws_instrument_options options = {0};
    struct ws_error error = {0};
    size_t word_count = 0;
    uint32_t *words = assembly_read(nested, 0x00010300, &word_count);
    const struct ws_pass *const passes[] = {&stored};
    struct ws_instrumented *result = ws_run_passes(words, word_count, passes, 1, &options, &error);
    free(words);
    assert_non_null(result);
    ws_instrumented_destroy(result);
}

static void ask_for_nothing(struct ws_visit *visit)
{
    uint32_t word = 0;
    const uint32_t one = ws_visit_constant(visit, 1);
    assert_int_equal(ws_visit_words(visit, ws_visit_operand(visit, 0), &word, 1), 0); /* a pointer */
    assert_int_equal(ws_visit_words(visit, 2, &word, 1), 0);                          /* a type */
    assert_int_equal(ws_visit_words(visit, 0, &word, 1), 0);
    assert_int_equal(ws_visit_words(visit, UINT32_MAX, &word, 1), 0);
    assert_int_equal(ws_visit_words(visit, ws_visit_operand(visit, 1), &word, 0), 0);
    assert_int_equal(ws_visit_call(visit, "no_such_primitive", NULL, 0), 0);
    assert_int_equal(ws_visit_call(visit, "place", &one, 1), 0); /* has no result */
    assert_int_equal(ws_visit_call(visit, "ray_report", &one, 1), 0);
    assert_int_equal(ws_visit_call(visit, "ray_report", (const uint32_t[]){one, 0}, 2), 0);
    assert_int_equal(ws_visit_hit_attributes(visit, &word, 1), 0); /* in a compute shader */
    assert_false(ws_visit_query_words(visit, (uint32_t[WS_QUERY_WORDS]){0}));
    assert_int_equal(ws_visit_reached(visit), WS_STAGE_COMPUTE);
    assert_true(ws_visit_has_capability(visit, SpvCapabilityInt64));
    assert_false(ws_visit_has_capability(visit, SpvCapabilityRayQueryKHR));
    ws_visit_record_data(visit, 0, (const uint32_t[]){one, 0}, 2);
    ws_visit_skip(visit, "nothing to say");
}
PASS(nothing, ask_for_nothing);

static void refusals(void **state)
{
    (void)state;
    struct ws_instrumented *result = run(text, &nothing);
    assert_int_equal(result->site_count, 0); /* nor a launch row: it would serve nothing */
    assert_null(result->words);
    assert_int_equal(result->entries[0].row_count, 0);
    assert_int_equal(result->skip_count, 2);
    assert_int_equal(result->skips[0].count, 10);
    assert_non_null(strstr(result->skips[0].reason, "cannot be computed"));
    assert_int_equal(result->skips[1].count, 10);
    assert_string_equal(result->skips[1].reason, "nothing to say");
    ws_instrumented_destroy(result);
}

/* Of each store what defines its value, and the type of that: 45 is OpConstantNull of type 5. */
static void follow_stored(struct ws_visit *visit)
{
    const uint32_t value = ws_visit_operand(visit, 1);
    const uint32_t type = ws_visit_definition_operand(visit, value, 0);
    const uint16_t opcode = ws_visit_definition(visit, value);
    assert_int_equal(opcode, value == 44 ? SpvOpConstantTrue : SpvOpConstantNull);
    if (value == 45) {
        assert_int_equal(type, 5);
        assert_int_equal(ws_visit_definition(visit, type), SpvOpTypeInt);
        assert_int_equal(ws_visit_definition_operand(visit, type, 1), 32); /* its width */
    }
    assert_int_equal(ws_visit_definition(visit, ws_visit_operand(visit, 0)), SpvOpVariable);
    assert_int_equal(ws_visit_definition_operand(visit, 14, 2), 2); /* the bits of OpConstant %5 2 */
    assert_int_equal(ws_visit_definition_operand(visit, 14, 3), 0); /* it has no more */
    /* No instruction defines these: 0, an id that the module leaves out, and what is beyond its bound. */
    const uint32_t nothing_there[] = {0, 31, UINT32_MAX};
    for (uint32_t i = 0; i < LENGTH(nothing_there); i++) {
        assert_int_equal(ws_visit_definition(visit, nothing_there[i]), 0);
        assert_int_equal(ws_visit_definition_operand(visit, nothing_there[i], 0), 0);
    }
    ws_visit_count_place(visit, 0);
}
PASS(followed, follow_stored);

static void definitions(void **state)
{
    (void)state;
    struct ws_instrumented *result = run(text, &followed);
    uint32_t counted = 0;
    for (uint32_t i = 0; i < result->site_count; i++)
        counted += result->sites[i].kind == WS_SITE_COUNT ? 1 : 0;
    assert_int_equal(counted, 10); /* each store was visited */
    ws_instrumented_destroy(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(constants),
                                       cmocka_unit_test(structs_of_structs), cmocka_unit_test(refusals),
                                       cmocka_unit_test(definitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
