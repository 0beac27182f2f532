/* Reading modules: what is kept, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/link/library.h"
#include "passes/link/link.h"
#include "passes/spirv/edit.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/module.h"

/* Files of SPIR-V that the build made, by argument. */
static char **files;
static int file_count;

static const char shader[] = "OpCapability Shader\n"                /* word 5 */
                             "OpMemoryModel Logical GLSL450\n"      /* word 7 */
                             "OpEntryPoint GLCompute %1 \"main\"\n" /* word 10 */
                             "OpExecutionMode %1 LocalSize 1 1 1\n" /* word 15 */
                             "OpName %1 \"main\"\n"                 /* word 21 */
                             "OpDecorate %5 SpecId 3\n"             /* word 25 */
                             "%2 = OpTypeVoid\n"                    /* word 29 */
                             "%3 = OpTypeFunction %2\n"             /* word 31 */
                             "%4 = OpTypeBool\n"                    /* word 34 */
                             "%5 = OpSpecConstantTrue %4\n"         /* word 36 */
                             "%1 = OpFunction %2 None %3\n"         /* word 39 */
                             "%6 = OpLabel\n"                       /* word 44 */
                             "OpSelectionMerge %8 None\n"           /* word 46 */
                             "OpBranchConditional %5 %7 %8\n"       /* word 49 */
                             "%7 = OpLabel\n"                       /* word 53 */
                             "OpBranch %8\n"                        /* word 55 */
                             "%8 = OpLabel\n"                       /* word 57 */
                             "OpReturn\n"                           /* word 59 */
                             "OpFunctionEnd\n";                     /* word 60 */

/* Writes the module back unchanged. */
static void check_round_trip(const uint32_t *words, size_t word_count)
{
    struct ws_arena *arena = ws_arena_create();
    struct ws_module module;
    struct ws_error error = {0};
    if (!ws_module_parse(&module, arena, words, word_count, &error))
        fail_msg("%s", error.message);
    uint32_t *result = NULL;
    size_t result_count = 0;
    struct ws_editor *editor = ws_editor_create(&module);
    assert_non_null(editor);
    assert_true(ws_editor_finish(editor, &result, &result_count, &error));
    assert_int_equal(result_count, word_count);
    assert_memory_equal(result, words, word_count * sizeof(*words));
    ws_arena_destroy(arena);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ws_library_unit_count; i++)
        check_round_trip(ws_library_units[i].words, ws_library_units[i].word_count);
    for (int i = 0; i < file_count; i++) {
        size_t count = 0;
        uint32_t *words = assembly_load(files[i], &count);
        check_round_trip(words, count);
        free(words);
    }
}

static void test_structure(void **state)
{
    (void)state;
    size_t count = 0;
    uint32_t *words = assembly_read(shader, 0x00010000, &count);
    struct ws_arena *arena = ws_arena_create();
    struct ws_module module;
    assert_true(ws_module_parse(&module, arena, words, count, NULL));
    assert_int_equal(module.version, 0x00010000);
    assert_int_equal(module.instruction_count, 19);
    assert_int_equal(module.entry_point_count, 1);
    assert_string_equal(module.entry_points[0].name, "main");
    assert_int_equal(module.entry_points[0].model, SpvExecutionModelGLCompute);
    assert_int_equal(module.entry_points[0].function, 0);
    assert_int_equal(module.function_count, 1);
    assert_int_equal(module.functions[0].block_count, 3);
    assert_int_equal(module.functions[0].end, module.instruction_count);
    assert_int_equal(module.block_count, 3);
    assert_int_equal(module.blocks[0].label, 6);
    assert_int_equal(module.instructions[module.blocks[0].end - 1].opcode, SpvOpBranchConditional);
    assert_int_equal(module.instructions[module.definitions[8]].offset, 57);
    assert_null(ws_module_definition(&module, 9));
    assert_null(ws_module_definition(&module, UINT32_MAX));
    assert_int_equal(ws_operand(&module, &module.instructions[0], 0), SpvCapabilityShader);
    assert_int_equal(ws_operand(&module, &module.instructions[0], 1), 0);
    ws_arena_destroy(arena);
    free(words);
}

/* One word of the shader changed, or words cut off. */
struct malformation {
    uint32_t word;
    uint32_t value;
    uint32_t cut; /* words left; 0 = all */
    const char *message;
};

static const struct malformation malformations[] = {
    {0, 0x07230203, 4, "word 0: 4 words are too few for a header of 5"},
    {0, 0x03022307, 0, "word 0: the words are in the other byte order (magic number 0x03022307)"},
    {0, 0x12345678, 0, "word 0: magic number 0x12345678 is not 0x07230203"},
    {1, 0x00020000, 0, "word 1: 0x00020000 is no version 1.x"},
    {1, 0x01010000, 0, "word 1: 0x01010000 is no version 1.x"},
    {36, 3 << 16 | SpvOpFunctionEnd, 0, "word 36: part of a function outside of any function"},
    {3, 0, 0, "word 3: id bound 0 is not in 1..4194303"},
    {3, 0xffffffff, 0, "word 3: id bound 4294967295 is not in 1..4194303"},
    {3, 8, 0, "word 57: result id 8 is not below the bound 8"},
    {5, 0x00000011, 0, "word 5: an instruction of 0 words"},
    {60, 0x00020038, 0, "word 60: an instruction of 2 words where 1 are left"},
    {0, 0x07230203, 58, "word 57: an instruction of 2 words where 1 are left"},
    {0, 0x07230203, 60, "word 60: the module ends within a function"},
    {0, 0x07230203, 7, "word 7: the module has no OpMemoryModel"},
    {14, 0x2e2e2e2e, 0, "word 10: a literal string does not end"},
    {13, 0x2e2e2e2e, 0, NULL},
    {12, 2, 0, "word 10: entry point \"main\" names id 2, which is no function"},
    {23, 0x2e2e2e2e, 0, NULL},
    {24, 0x2e2e2e2e, 0, "word 21: a literal string does not end"},
    {21, 0x0004000e, 0, "word 21: opcode 14 stands after a later section of the module"},
    {15, 0x00060010, 0, NULL},
    {30, 0, 0, "word 29: result id 0 is not below the bound 9"},
    {30, 5, 0, "word 36: id 5 is defined a second time (first at word 29)"},
    {36, 0x00030011, 0, "word 36: opcode 17 stands after a later section of the module"},
    {34, 0x000200f9, 0, "word 34: a terminator outside of any block"},
    {44, 0x00020013, 0, "word 44: opcode 19 in a function, but in none of its blocks"},
    {55, 0x000200f8, 0, "word 55: block 7 has no terminator before this"},
    {55, 0x00020001, 0, "word 55: an instruction too short for its result id"},
    {55, 0x00020000, 0, "word 57: block 7 has no terminator before this"},
    {55, 0x00020011, 0, "word 55: opcode 17 cannot stand in a block"},
    {60, 0x00010000, 0, "word 60: opcode 0 in a function, but in none of its blocks"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(malformations) / sizeof(malformations[0]); i++) {
        const struct malformation *malformation = &malformations[i];
        size_t count = 0;
        uint32_t *words = assembly_read(shader, 0x00010000, &count);
        words[malformation->word] = malformation->value;
        struct ws_arena *arena = ws_arena_create();
        struct ws_module module;
        struct ws_error error = {0};
        const bool good = ws_module_parse(&module, arena, words,
                                          malformation->cut == 0 ? count : malformation->cut, &error);
        if (good != (malformation->message == NULL) ||
            (!good && strstr(error.message, malformation->message) == NULL))
            fail_msg("malformation %zu: \"%s\" instead of \"%s\"", i, error.message, malformation->message);
        ws_arena_destroy(arena);
        free(words);
    }
}

/* Instructions newer than the headers, in every kind of place. */
static void test_unknown_instructions(void **state)
{
    (void)state;
    static const uint32_t unknown[] = {3u << 16 | 0xfffe, 4, 99999};
    size_t count = 0;
    uint32_t *plain = assembly_read(shader, 0x00010600, &count);
    static const uint32_t places[] = {5, 7, 10, 15, 21, 25, 29, 36, 39, 46, 55, 57, 59, 61};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        uint32_t words[128];
        memcpy(words, plain, places[i] * 4);
        memcpy(words + places[i], unknown, sizeof(unknown));
        memcpy(words + places[i] + 3, plain + places[i], (count - places[i]) * 4);
        check_round_trip(words, count + 3);
    }
    /* In place of a terminator it is taken for one. */
    plain[55] = 2u << 16 | 0xfffe;
    struct ws_arena *arena = ws_arena_create();
    struct ws_module module;
    assert_true(ws_module_parse(&module, arena, plain, count, NULL));
    assert_int_equal(module.blocks[1].end, module.blocks[2].first);
    ws_arena_destroy(arena);
    free(plain);
}

int main(int argc, char **argv)
{
    files = argv + 1;
    file_count = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_unknown_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
