/* Source files and lines, from both kinds of debug information; and modules that lie about them.
 *
 *   code LINES.spv DEBUG_INFO.spv     half.comp with OpLine and OpSource, with
 * NonSemantic.Shader.DebugInfo.100 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/spirv/code.h"

static const char *lines_path;
static const char *debug_info_path;

/* The place of the first instruction with this opcode that has one. */
static struct ws_source_place place_of(const struct ws_code *code, uint16_t opcode)
{
    for (uint32_t i = 0; i < code->module.instruction_count; ++i)
        if (code->module.instructions[i].opcode == opcode && code->places[i].file != WS_NONE)
            return code->places[i];
    fail_msg("no instruction with opcode %u has a line", opcode);
    return (struct ws_source_place){WS_NONE, 0};
}

static uint32_t line_of(const struct ws_code *code, uint16_t opcode)
{
    return place_of(code, opcode).line;
}

static const struct ws_source_file *file_of(const struct ws_code *code, uint16_t opcode)
{
    return &code->files[place_of(code, opcode).file];
}

static void check_half(const char *path)
{
    struct ws_error error = {{0}};
    size_t word_count = 0;
    uint32_t *words = assembly_load(path, &word_count);
    struct ws_code *code = ws_code_create(words, (uint32_t)word_count, &error);
    assert_non_null(code);
    assert_int_equal(line_of(code, SpvOpIMul), 8);
    assert_int_equal(line_of(code, SpvOpUMod), 14);
    assert_int_equal(line_of(code, SpvOpFunctionCall), 15);
    const struct ws_source_file *file = file_of(code, SpvOpIMul);
    assert_non_null(strstr(file->name, "half.comp"));
    assert_non_null(file->text);
    assert_non_null(strstr(file->text, "values[i] = twice(i);\n"));
    /* A line ends with its block: what has none of its own has none. */
    for (uint32_t i = 0; i < code->module.instruction_count; ++i)
        if (code->module.instructions[i].opcode == SpvOpTypeVoid)
            assert_int_equal(code->places[i].file, WS_NONE);
    ws_code_destroy(code);
    free(words);
}

static void lines(void **state)
{
    (void)state;
    check_half(lines_path);
}

static void debug_info(void **state)
{
    (void)state;
    check_half(debug_info_path);
}

/* Analyses keep the code of all shaders of a capture: of a small one that is little. Sanitizers say 0 of all memory. */
static void small(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct ws_code *codes[64];
    size_t word_count = 0;
    uint32_t *words = assembly_load(lines_path, &word_count);
    const size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 64; ++i) {
        codes[i] = ws_code_create(words, (uint32_t)word_count, &error);
        assert_non_null(codes[i]);
    }
    const size_t after = mallinfo2().uordblks;
    assert_in_range(after - before, 0, (size_t)64 * 32 * word_count);
    for (int i = 0; i < 64; ++i)
        ws_code_destroy(codes[i]);
    free(words);
}

/* The text goes on over several instructions; a file without text; a line whose file is no string. */
static void pieces(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    size_t word_count = 0;
    uint32_t *words = assembly_read("OpCapability Shader\n"
                                    "OpMemoryModel Logical GLSL450\n"
                                    "OpEntryPoint GLCompute %5 \"main\"\n"
                                    "OpExecutionMode %5 LocalSize 1 1 1\n"
                                    "%1 = OpString \"folder/a.comp\"\n"
                                    "%2 = OpString \"b.comp\"\n"
                                    "OpSource GLSL 450 %1 \"one\n\"\n"
                                    "OpSourceContinued \"two \"\n"
                                    "OpSourceContinued \"halves\n\"\n"
                                    "%3 = OpTypeVoid\n"
                                    "%4 = OpTypeFunction %3\n"
                                    "%5 = OpFunction %3 None %4\n"
                                    "%6 = OpLabel\n"
                                    "OpLine %2 7 1\n"
                                    "OpNop\n"
                                    "OpNoLine\n"
                                    "OpNop\n"
                                    "OpLine %3 9 1\n"
                                    "OpReturn\n"
                                    "OpFunctionEnd\n",
                                    0x00010000, &word_count);
    struct ws_code *code = ws_code_create(words, (uint32_t)word_count, &error);
    assert_non_null(code);
    assert_int_equal(code->file_count, 2);
    assert_string_equal(code->files[0].name, "folder/a.comp");
    assert_string_equal(code->files[0].text, "one\ntwo halves\n");
    assert_string_equal(code->files[1].name, "b.comp");
    assert_null(code->files[1].text);
    uint32_t nop = 0;
    for (uint32_t i = 0; i < code->module.instruction_count; ++i) {
        uint16_t opcode = code->module.instructions[i].opcode;
        if (opcode == SpvOpNop && nop++ == 0) {
            assert_int_equal(code->places[i].file, 1);
            assert_int_equal(code->places[i].line, 7);
        } else if (opcode == SpvOpNop || opcode == SpvOpReturn) {
            assert_int_equal(code->places[i].file, WS_NONE);
        }
    }
    uint32_t first = 0;
    uint32_t end = 0;
    ws_code_range(code, 5, 2, &first, &end);
    assert_int_equal(first, 0);
    assert_int_equal(end, 1);
    ws_code_destroy(code);
    free(words);
}

static void no_module(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    const uint32_t words[6] = {1, 2, 3, 4, 5, 6};
    assert_null(ws_code_create(words, 6, &error));
    assert_string_not_equal(error.message, "");
    ws_code_destroy(NULL);
}

static void opcode_names(void **state)
{
    (void)state;
    assert_string_equal(ws_opcode_name(SpvOpLoad), "OpLoad");
    assert_string_equal(ws_opcode_name(SpvOpTraceRayKHR), "OpTraceRayKHR");
    assert_null(ws_opcode_name(60000));
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),  cmocka_unit_test(small),     cmocka_unit_test(debug_info),
        cmocka_unit_test(pieces), cmocka_unit_test(no_module), cmocka_unit_test(opcode_names),
    };
    if (argument_count != 3)
        return 2;
    lines_path = arguments[1];
    debug_info_path = arguments[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
