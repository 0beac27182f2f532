/* Editing modules: types shared by the rule, code put where code may stand, failures that stick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/link/link.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/types.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"

static const char shader[] = "OpCapability Shader\n"
                             "%1 = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n"
                             "OpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint GLCompute %2 \"main\"\n"
                             "OpExecutionMode %2 LocalSize 1 1 1\n"
                             "%3 = OpString \"file\"\n"
                             "OpDecorate %10 ArrayStride 16\n"
                             "OpDecorate %21 RelaxedPrecision\n"
                             "OpMemberDecorate %14 0 Offset 0\n"
                             "%4 = OpTypeVoid\n"
                             "%5 = OpTypeFunction %4\n"
                             "%6 = OpTypeInt 32 0\n"
                             "%7 = OpTypeVector %6 4\n"
                             "%8 = OpTypeBool\n"
                             "%9 = OpConstant %6 4\n"
                             "%10 = OpTypeArray %6 %9\n"
                             "%11 = OpTypeArray %6 %9\n"
                             "%12 = OpTypePointer Function %6\n"
                             "%13 = OpTypeStruct %6\n"
                             "%14 = OpTypeStruct %7\n"
                             "%20 = OpConstant %6 5\n"
                             "%21 = OpConstant %6 6\n"
                             "%22 = OpSpecConstant %6 7\n"
                             "%23 = OpConstantTrue %8\n"
                             "OpLine %3 1 0\n"
                             "%2 = OpFunction %4 None %5\n" /* instruction 25 */
                             "%30 = OpLabel\n"
                             "%31 = OpVariable %12 Function\n"
                             "OpLine %3 2 0\n"
                             "%32 = OpExtInst %4 %1 DebugNoScope\n"
                             "OpStore %31 %9\n" /* instruction 30 */
                             "OpBranch %33\n"
                             "%33 = OpLabel\n"
                             "%34 = OpPhi %6 %9 %30 %20 %35\n"
                             "OpLine %3 3 0\n"
                             "OpLoopMerge %36 %35 None\n" /* instruction 35 */
                             "OpBranchConditional %23 %35 %36\n"
                             "%35 = OpLabel\n"
                             "OpBranch %33\n"
                             "%36 = OpLabel\n"
                             "OpReturn\n" /* instruction 40 */
                             "OpFunctionEnd\n";

struct fixture {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
    struct ws_editor *editor;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    size_t count = 0;
    fixture.words = assembly_read(shader, 0x00010600, &count);
    fixture.arena = ws_arena_create();
    *state = &fixture;
    struct ws_error error = {0};
    if (!ws_module_parse(&fixture.module, fixture.arena, fixture.words, count, &error))
        fail_msg("%s", error.message);
    fixture.editor = ws_editor_create(&fixture.module);
    return fixture.editor == NULL;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    ws_arena_destroy(fixture->arena);
    free(fixture->words);
    return 0;
}

static uint32_t find(struct ws_editor *editor, uint16_t opcode, uint32_t type, uint32_t a, uint32_t b)
{
    const uint32_t operands[] = {a, b};
    return ws_global_find(editor, opcode, type, operands, opcode == SpvOpConstant ? 1 : 2);
}

/* SPIR-V 2.8: scalars and vectors must be shared, aggregates and constants only while nothing decorates them.
 */
static void test_sharing(void **state)
{
    struct ws_editor *editor = ((struct fixture *)*state)->editor;
    const uint32_t bound = editor->bound;
    assert_int_equal(ws_global_find(editor, SpvOpTypeVoid, 0, NULL, 0), 4);
    assert_int_equal(ws_type_u32(editor), 6);
    assert_int_equal(find(editor, SpvOpTypeVector, 0, 6, 4), 7);
    assert_int_equal(find(editor, SpvOpTypeArray, 0, 6, 9), 11); /* 10 has a stride */
    assert_int_equal(find(editor, SpvOpTypePointer, 0, SpvStorageClassFunction, 6), 12);
    assert_int_equal(ws_constant_u32(editor, 5), 20);
    assert_int_equal(editor->bound, bound);
    /* 6 is decorated, 7 may be specialized: neither is the constant meant. */
    const uint32_t six = ws_constant_u32(editor, 6);
    const uint32_t seven = ws_constant_u32(editor, 7);
    assert_true(six >= bound && seven >= bound && six != seven);
    assert_int_equal(ws_constant_u32(editor, 6), six);
    assert_true(find(editor, SpvOpTypeVector, 0, 6, 2) >= bound);
    const uint32_t member = 6;
    assert_int_not_equal(ws_global_add(editor, SpvOpTypeStruct, 0, &member, 1), 13);
    /* The table grows; what was shared stays shared. */
    for (uint32_t i = 1000; i < 3000; i++)
        assert_int_not_equal(ws_constant_u32(editor, i), 0);
    assert_int_equal(ws_constant_u32(editor, 5), 20);
    assert_int_equal(ws_constant_u32(editor, 6), six);
    uint32_t *words = NULL;
    size_t count = 0;
    assert_true(ws_editor_finish(editor, &words, &count, NULL));
    assert_true(assembly_is_valid(words, count));
}

static void check_cursor(struct ws_cursor cursor, uint32_t instruction, bool after)
{
    assert_int_equal(cursor.instruction, instruction);
    assert_int_equal(cursor.after, after);
}

static void test_cursors(void **state)
{
    const struct ws_module *module = &((struct fixture *)*state)->module;
    for (uint32_t i = 26; i < 30; i++) { /* label, variable, line and debug information: behind all of them */
        check_cursor(ws_cursor_before(module, i), 30, false);
        check_cursor(ws_cursor_after(module, i), 30, false);
    }
    check_cursor(ws_cursor_before(module, 30), 30, false);
    check_cursor(ws_cursor_after(module, 30), 30, true);
    check_cursor(ws_cursor_block_start(module, 0), 30, false);
    check_cursor(ws_cursor_block_end(module, 0), 31, false);
    /* A loop header: behind the phi, before the merge, never between merge and branch. */
    check_cursor(ws_cursor_block_start(module, 1), 35, false);
    check_cursor(ws_cursor_block_end(module, 1), 35, false);
    check_cursor(ws_cursor_after(module, 33), 35, false);
    check_cursor(ws_cursor_before(module, 35), 35, false);
    check_cursor(ws_cursor_after(module, 35), 35, false);
    check_cursor(ws_cursor_before(module, 36), 35, false);
    check_cursor(ws_cursor_after(module, 36), WS_NONE, false);
    check_cursor(ws_cursor_before(module, 9999), WS_NONE, false);
}

/* SPV_KHR_untyped_pointers, newer than the headers, has variables of its own: no code before them either. */
static void test_untyped_variable(void **state)
{
    struct fixture *fixture = *state;
    struct ws_module module;
    const struct ws_instruction *variable = &fixture->module.instructions[27];
    assert_int_equal(variable->opcode, SpvOpVariable);
    fixture->words[variable->offset] = (uint32_t)variable->length << SpvWordCountShift | 4418;
    assert_true(ws_module_parse(&module, fixture->arena, fixture->words, fixture->module.word_count, NULL));
    check_cursor(ws_cursor_block_start(&module, 0), 30, false);
    check_cursor(ws_cursor_before(&module, 27), 30, false);
}

/* What is put after an instruction comes before what is put before the next, each in the order of the calls, but for what
 * comes first. */
static void test_order(void **state)
{
    struct fixture *fixture = *state;
    struct ws_editor *editor = fixture->editor;
    const struct ws_module *module = &fixture->module;
    const uint32_t values[] = {100, 101, 102, 103, 104};
    const struct ws_cursor cursors[] = {ws_cursor_before(module, 31), ws_cursor_after(module, 30),
                                        ws_cursor_before(module, 31), ws_cursor_before(module, 30),
                                        ws_cursor_after(module, 30)};
    for (int i = 0; i < 5; i++) {
        const uint32_t operands[] = {31, ws_constant_u32(editor, values[i])};
        ws_emit(editor, cursors[i], SpvOpStore, 0, operands, 2);
    }
    const uint32_t first_of_all[] = {31, ws_constant_u32(editor, 105)};
    ws_editor_insert_first(editor, 30, SpvOpStore, first_of_all, 2);
    const uint32_t replaced[] = {31, ws_constant_u32(editor, 200)};
    ws_editor_replace(editor, 30, SpvOpStore, replaced, 2);
    uint32_t *words = NULL;
    size_t count = 0;
    assert_true(ws_editor_finish(editor, &words, &count, NULL));
    assert_true(assembly_is_valid(words, count));
    struct ws_module result;
    assert_true(ws_module_parse(&result, fixture->arena, words, count, NULL));
    static const uint32_t expected[] = {103, 200, 105, 101, 104, 100, 102};
    const uint32_t first = result.blocks[0].end - 8;
    for (uint32_t i = 0; i < 7; i++) {
        const struct ws_instruction *store = &result.instructions[first + i];
        assert_int_equal(store->opcode, SpvOpStore);
        assert_int_equal(ws_operand(&result, ws_module_definition(&result, ws_operand(&result, store, 1)), 2),
                         expected[i]);
    }
}

static void test_failures_stick(void **state)
{
    struct fixture *fixture = *state;
    struct ws_editor *editor = fixture->editor;
    const uint32_t operand = 5;
    const struct ws_cursor cursor = ws_cursor_after(&fixture->module, 40);
    assert_int_equal(ws_emit(editor, cursor, SpvOpUndef, 6, NULL, 0), 0);
    assert_true(editor->failed);
    assert_int_equal(ws_editor_id(editor), 0);
    assert_int_equal(ws_constant_u32(editor, 77), 0);
    assert_int_equal(ws_global_add(editor, SpvOpTypeStruct, 0, &operand, 1), 0);
    assert_int_equal(ws_link_primitive(editor, WS_PRIMITIVE_COUNT_WARP, NULL, 0), 0);
    ws_editor_fail(editor, "an echo");
    uint32_t *words = NULL;
    size_t count = 0;
    struct ws_error error = {0};
    assert_false(ws_editor_finish(editor, &words, &count, &error));
    assert_string_equal(error.message, "no code can stand at the place of an instruction to emit");
}

static void test_wrong_calls(void **state)
{
    struct fixture *fixture = *state;
    const uint32_t entry_point = 0;
    const uint32_t function = ws_link_primitive(fixture->editor, WS_PRIMITIVE_COUNT_WARP, &entry_point, 1);
    assert_int_not_equal(function, 0);
    assert_int_equal(
        ws_link_call(fixture->editor, ws_cursor_block_start(&fixture->module, 0), function, NULL, 0), 0);
    assert_non_null(strstr(fixture->editor->error.message, "it takes another number"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sharing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cursors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_untyped_variable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failures_stick, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_calls, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
