/* Linking where it must refuse, choose or share. What it writes: tests/golden/link. */
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
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/root.h"

struct fixture {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
    struct ws_editor *editor;
};

static void set_up(struct fixture *fixture, const char *text, uint32_t version)
{
    size_t count = 0;
    struct ws_error error = {0};
    fixture->words = assembly_read(text, version, &count);
    fixture->arena = ws_arena_create();
    if (!ws_module_parse(&fixture->module, fixture->arena, fixture->words, count, &error))
        fail_msg("%s", error.message);
    fixture->editor = ws_editor_create(&fixture->module);
    assert_non_null(fixture->editor);
}

static void tear_down(struct fixture *fixture)
{
    ws_arena_destroy(fixture->arena);
    free(fixture->words);
}

/* Ends the module, which must be valid. */
static void finish(struct fixture *fixture)
{
    uint32_t *words = NULL;
    size_t count = 0;
    ws_linker_finish(fixture->editor);
    assert_true(ws_editor_finish(fixture->editor, &words, &count, NULL));
    assert_true(assembly_is_valid(words, count));
}

#define MAIN                                                                                                 \
    "%3 = OpTypeVoid\n"                                                                                      \
    "%4 = OpTypeFunction %3\n"                                                                               \
    "%1 = OpFunction %3 None %4\n"                                                                           \
    "%5 = OpLabel\n"                                                                                         \
    "OpReturn\n"                                                                                             \
    "OpFunctionEnd\n"

/* Every primitive can be linked into every stage that has it, together with all the others. */
static void test_every_primitive(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        const char *suffix; /* of the primitives that only this stage can have */
        enum ws_link_lanes lanes;
    } stages[] = {
        {"OpCapability Shader\n"
         "OpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %1 \"main\"\n"
         "OpExecutionMode %1 LocalSize 1 1 1\n",
         "_compute", WS_LANES_ALL},
        {"OpCapability Shader\n"
         "OpMemoryModel Logical GLSL450\n"
         "OpEntryPoint Fragment %1 \"main\"\n"
         "OpExecutionMode %1 OriginUpperLeft\n",
         "_fragment", WS_LANES_FRAGMENT},
        {"OpCapability Shader\n"
         "OpCapability DemoteToHelperInvocation\n"
         "OpExtension \"SPV_EXT_demote_to_helper_invocation\"\n"
         "OpMemoryModel Logical GLSL450\n"
         "OpEntryPoint Fragment %1 \"main\"\n"
         "OpExecutionMode %1 OriginUpperLeft\n",
         "_demote", WS_LANES_DEMOTE},
        {"OpCapability RayTracingKHR\n"
         "OpExtension \"SPV_KHR_ray_tracing\"\n"
         "OpMemoryModel Logical GLSL450\n"
         "OpEntryPoint RayGenerationKHR %1 \"main\"\n",
         "_raygen", WS_LANES_ALL},
    };
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        char text[1024];
        struct fixture fixture;
        const uint32_t entry_point = 0;
        uint32_t linked = 0;
        snprintf(text, sizeof(text), "%s%s", stages[i].head, MAIN);
        set_up(&fixture, text, 0x00010400);
        assert_int_equal(ws_link_lanes(&fixture.module, 0), stages[i].lanes);
        for (int j = 0; j < WS_PRIMITIVE_COUNT; j++) {
            const enum ws_primitive primitive = (enum ws_primitive)j;
            const bool is_general = ws_primitive_variant(primitive, WS_LANES_FRAGMENT) != primitive;
            const bool is_ours = strstr(ws_library_primitives[j].name, stages[i].suffix) != NULL &&
                                 strstr(ws_library_primitives[j].name, "sample") == NULL &&
                                 strstr(ws_library_primitives[j].name, "layer") == NULL;
            if (is_ours || (is_general && stages[i].lanes == WS_LANES_ALL)) {
                assert_int_not_equal(ws_link_primitive(fixture.editor, primitive, &entry_point, 1), 0);
                linked++;
            }
        }
        assert_true(linked >= 14);
        finish(&fixture);
        tear_down(&fixture);
    }
}

static void test_variants(void **state)
{
    (void)state;
    assert_int_equal(ws_primitive_variant(WS_PRIMITIVE_COUNT_WARP, WS_LANES_ALL), WS_PRIMITIVE_COUNT_WARP);
    assert_int_equal(ws_primitive_variant(WS_PRIMITIVE_COUNT_WARP, WS_LANES_FRAGMENT),
                     WS_PRIMITIVE_COUNT_WARP_FRAGMENT);
    assert_int_equal(ws_primitive_variant(WS_PRIMITIVE_DATA_3, WS_LANES_DEMOTE), WS_PRIMITIVE_DATA_3_DEMOTE);
    assert_int_equal(ws_primitive_variant(WS_PRIMITIVE_LAUNCH_WARP_RAYGEN, WS_LANES_FRAGMENT),
                     WS_PRIMITIVE_LAUNCH_WARP_RAYGEN);
}

/* Two entry points that each have the built-in cannot share one function that reads it, but can have one
 * each. */
static void test_conflict(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint32_t both[] = {0, 1};
    set_up(&fixture,
           "OpCapability Shader\n"
           "OpMemoryModel Logical GLSL450\n"
           "OpEntryPoint GLCompute %1 \"a\" %10\n"
           "OpEntryPoint GLCompute %2 \"b\" %11\n"
           "OpExecutionMode %1 LocalSize 1 1 1\n"
           "OpExecutionMode %2 LocalSize 1 1 1\n"
           "OpDecorate %10 BuiltIn NumWorkgroups\n"
           "OpDecorate %11 BuiltIn NumWorkgroups\n"
           "%3 = OpTypeVoid\n"
           "%4 = OpTypeFunction %3\n"
           "%5 = OpTypeInt 32 0\n"
           "%6 = OpTypeVector %5 3\n"
           "%7 = OpTypePointer Input %6\n"
           "%10 = OpVariable %7 Input\n"
           "%11 = OpVariable %7 Input\n"
           "%1 = OpFunction %3 None %4\n"
           "%8 = OpLabel\n"
           "OpReturn\n"
           "OpFunctionEnd\n"
           "%2 = OpFunction %3 None %4\n"
           "%9 = OpLabel\n"
           "OpReturn\n"
           "OpFunctionEnd\n",
           0x00010300);
    assert_int_equal(ws_link_primitive(fixture.editor, WS_PRIMITIVE_LAUNCH_WARP_COMPUTE, both, 2), 0);
    assert_false(fixture.editor->failed);
    const uint32_t a = ws_link_primitive(fixture.editor, WS_PRIMITIVE_LAUNCH_WARP_COMPUTE, &both[0], 1);
    const uint32_t b = ws_link_primitive(fixture.editor, WS_PRIMITIVE_LAUNCH_WARP_COMPUTE, &both[1], 1);
    assert_true(a != 0 && b != 0 && a != b);
    assert_int_equal(ws_link_primitive(fixture.editor, WS_PRIMITIVE_LAUNCH_WARP_COMPUTE, &both[0], 1), a);
    const uint32_t count = ws_link_primitive(fixture.editor, WS_PRIMITIVE_COUNT_WARP, both, 2);
    assert_int_equal(ws_link_primitive(fixture.editor, WS_PRIMITIVE_COUNT_WARP, &both[1], 1), count);
    finish(&fixture);
    tear_down(&fixture);
}

#define OWN_POINTER(signedness)                                                                              \
    "OpCapability Shader\n"                                                                                  \
    "OpMemoryModel Logical GLSL450\n"                                                                        \
    "OpEntryPoint GLCompute %1 \"main\" %10\n"                                                               \
    "OpExecutionMode %1 LocalSize 1 1 1\n"                                                                   \
    "OpDecorate %10 BuiltIn NumWorkgroups\n"                                                                 \
    "%6 = OpTypeInt 32 " signedness "\n"                                                                     \
    "%7 = OpTypeVector %6 3\n"                                                                               \
    "%8 = OpTypePointer Input %7\n"                                                                          \
    "%9 = OpTypePointer Input %7\n"                                                                          \
    "%10 = OpVariable %9 Input\n" MAIN

/* The same pointer type may be declared twice: what counts is what it points to, and of that not the sign. */
static void test_own_pointer(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint32_t entry_point = 0;
    static const char *const texts[] = {OWN_POINTER("0"), OWN_POINTER("1")};
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        set_up(&fixture, texts[is_signed], 0x00010300);
        const uint32_t function =
            ws_link_primitive(fixture.editor, WS_PRIMITIVE_LAUNCH_WARP_COMPUTE, &entry_point, 1);
        assert_int_not_equal(function, 0);
        finish(&fixture);
        tear_down(&fixture);
    }
}

/* An entry point without the built-in gets the variable of another, so that both can share functions. */
static void test_variable_of_another(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint32_t both[] = {0, 1};
    set_up(&fixture,
           "OpCapability Shader\n"
           "OpMemoryModel Logical GLSL450\n"
           "OpEntryPoint Fragment %1 \"a\"\n"
           "OpEntryPoint Fragment %1 \"b\" %10\n"
           "OpExecutionMode %1 OriginUpperLeft\n"
           "OpDecorate %10 BuiltIn HelperInvocation\n"
           "%6 = OpTypeBool\n"
           "%7 = OpTypePointer Input %6\n"
           "%10 = OpVariable %7 Input\n" MAIN,
           0x00010300);
    const uint32_t a = ws_link_primitive(fixture.editor, WS_PRIMITIVE_COUNT_WARP_FRAGMENT, &both[0], 1);
    assert_int_not_equal(a, 0);
    assert_int_equal(ws_link_primitive(fixture.editor, WS_PRIMITIVE_COUNT_WARP_FRAGMENT, &both[1], 1), a);
    assert_int_equal(ws_link_primitive(fixture.editor, WS_PRIMITIVE_COUNT_WARP_FRAGMENT, both, 2), a);
    finish(&fixture);
    tear_down(&fixture);
}

/* SpecIds behind the module's highest; one so high that nothing fits behind it does not count. */
static void test_spec_ids(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint32_t entry_point = 0;
    set_up(&fixture,
           "OpCapability Shader\n"
           "OpMemoryModel Logical GLSL450\n"
           "OpEntryPoint GLCompute %1 \"main\"\n"
           "OpExecutionMode %1 LocalSize 1 1 1\n"
           "OpDecorate %10 SpecId 4294967295\n"
           "OpDecorate %11 SpecId 41\n"
           "%2 = OpTypeBool\n"
           "%10 = OpSpecConstantTrue %2\n"
           "%11 = OpSpecConstantTrue %2\n" MAIN,
           0x00010300);
    assert_int_equal(ws_link_spec_id(fixture.editor, WS_SPEC_SLOT), WS_NONE);
    assert_int_not_equal(ws_link_primitive(fixture.editor, WS_PRIMITIVE_BEGIN, &entry_point, 1), 0);
    assert_int_not_equal(ws_link_primitive(fixture.editor, WS_PRIMITIVE_COUNT_WARP, &entry_point, 1), 0);
    for (uint32_t i = 0; i < WS_SPEC_CONTROL; i++)
        assert_int_equal(ws_link_spec_id(fixture.editor, i), 42 + i);
    assert_int_equal(ws_link_spec_id(fixture.editor, WS_SPEC_CONTROL), WS_NONE);
    tear_down(&fixture);
}

static void test_kernel_is_refused(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint32_t entry_point = 0;
    struct ws_error error = {0};
    uint32_t *words = NULL;
    size_t word_count = 0;
    set_up(&fixture,
           "OpCapability Kernel\n"
           "OpCapability Addresses\n"
           "OpMemoryModel Physical64 OpenCL\n"
           "OpEntryPoint Kernel %1 \"main\"\n" MAIN,
           0x00010300);
    ws_link_primitive(fixture.editor, WS_PRIMITIVE_COUNT_WARP, &entry_point, 1);
    ws_linker_finish(fixture.editor);
    assert_false(ws_editor_finish(fixture.editor, &words, &word_count, &error));
    assert_string_equal(error.message,
                        "addressing model 2 at word 9 is no Vulkan shader's: device addresses cannot be "
                        "used in it");
    tear_down(&fixture);
}

#define LETTERS_32 "abcdefghijklmnopqrstuvwxyz012345"

/* A unit with a function %10, whose name is too long, and a function %11 that it calls. */
static const char unit_text[] = "OpCapability Shader\n"
                                "OpMemoryModel Logical GLSL450\n"
                                "OpName %10 \"" LETTERS_32 LETTERS_32 LETTERS_32 LETTERS_32 LETTERS_32 "\"\n"
                                "OpName %11 \"called(u1;\"\n"
                                "%1 = OpTypeVoid\n"
                                "%2 = OpTypeFunction %1\n"
                                "%3 = OpTypeInt 32 0\n"
                                "%4 = OpConstant %3 1\n"  /* Device */
                                "%5 = OpConstant %3 72\n" /* AcquireRelease, UniformMemory */
                                "%10 = OpFunction %1 None %2\n"
                                "%12 = OpLabel\n"
                                "OpMemoryBarrier %4 %5\n"
                                "%13 = OpFunctionCall %1 %11\n"
                                "OpReturn\n"
                                "OpFunctionEnd\n"
                                "%11 = OpFunction %1 None %2\n"
                                "%14 = OpLabel\n"
                                "OpReturn\n"
                                "OpFunctionEnd\n";

/* How many of the operands of an instruction of the unit are ids: the first ones. */
static uint32_t count_ids(const struct ws_instruction *instruction)
{
    switch ((SpvOp)instruction->opcode) {
    case SpvOpCapability:
    case SpvOpMemoryModel: return 0;
    case SpvOpName:
    case SpvOpTypeInt: return 1;
    case SpvOpConstant:
    case SpvOpFunction: return 2; /* and the type of a function, behind its control */
    default: return instruction->length - 1u;
    }
}

/* Lists which words of the unit are ids. */
static void list_ids(const uint32_t *words, size_t count, uint32_t *ids, struct ws_library_unit *unit)
{
    struct ws_arena *arena = ws_arena_create();
    struct ws_module module;
    assert_true(ws_module_parse(&module, arena, words, count, NULL));
    for (uint32_t i = 0; i < module.instruction_count; i++) {
        const struct ws_instruction *instruction = &module.instructions[i];
        for (uint32_t j = 0; j < count_ids(instruction); j++)
            ids[unit->id_count++] = instruction->offset + 1 + j;
        if (instruction->opcode == SpvOpFunction)
            ids[unit->id_count++] = instruction->offset + 4;
    }
    unit->ids = ids;
    ws_arena_destroy(arena);
}

/* The instruction `number` of an opcode in a module; NULL = it has fewer. */
static const struct ws_instruction *find(const struct ws_module *module, SpvOp opcode, uint32_t number)
{
    for (uint32_t i = 0; i < module->instruction_count; i++)
        if (module->instructions[i].opcode == opcode && number-- == 0)
            return &module->instructions[i];
    return NULL;
}

/* Names are cut where a signature begins, and after 127 letters; a barrier has the scope that the module's memory model has
 * without a capability of its own. */
static void test_names_and_barriers(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint32_t entry_point = 0;
    uint32_t ids[200];
    size_t unit_count = 0, count = 0;
    uint32_t linked = 0;
    uint32_t *words = NULL;
    uint32_t *unit_words = assembly_read(unit_text, 0x00010300, &unit_count);
    struct ws_library_unit unit = {
        .name = "long", .words = unit_words, .word_count = (uint32_t)unit_count, .owner = 1};
    struct ws_module result;
    list_ids(unit_words, unit_count, ids, &unit);
    set_up(&fixture,
           "OpCapability Shader\n"
           "OpCapability VulkanMemoryModel\n"
           "OpCapability PhysicalStorageBufferAddresses\n"
           "OpMemoryModel Logical Vulkan\n"
           "OpEntryPoint GLCompute %1 \"main\"\n"
           "OpExecutionMode %1 LocalSize 1 1 1\n" MAIN,
           0x00010500);
    const uint32_t index = ws_link_add_unit(fixture.editor, &unit);
    assert_null(ws_link_function(fixture.editor, index, 10, 0, &entry_point, 1, &linked));
    ws_linker_finish(fixture.editor);
    assert_true(ws_editor_finish(fixture.editor, &words, &count, NULL));
    assert_true(assembly_is_valid(words, count));
    assert_true(ws_module_parse(&result, fixture.arena, words, count, NULL));

    /* What is called comes first. */
    const struct ws_instruction *names[] = {find(&result, SpvOpName, 0), find(&result, SpvOpName, 1)};
    assert_true(names[0] != NULL && names[1] != NULL);
    assert_string_equal((const char *)(words + names[0]->offset + 2), "called");
    assert_int_equal(ws_operand(&result, names[1], 0), linked);
    assert_int_equal(names[1]->length, 2 + 32);
    const char *name = (const char *)(words + names[1]->offset + 2);
    assert_int_equal(strlen(name), 127);
    assert_memory_equal(name, LETTERS_32 LETTERS_32 LETTERS_32 LETTERS_32, 127);

    const struct ws_instruction *barrier = find(&result, SpvOpMemoryBarrier, 0);
    assert_non_null(barrier);
    const struct ws_instruction *scope = ws_module_definition(&result, ws_operand(&result, barrier, 0));
    assert_int_equal(ws_operand(&result, scope, 2), SpvScopeQueueFamily);
    tear_down(&fixture);
    free(unit_words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_primitive), cmocka_unit_test(test_names_and_barriers),
        cmocka_unit_test(test_variants),        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_own_pointer),     cmocka_unit_test(test_variable_of_another),
        cmocka_unit_test(test_spec_ids),        cmocka_unit_test(test_kernel_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
