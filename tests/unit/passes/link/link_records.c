/* What the records' primitives make of a module: one private variable for all functions and entry points, in
 * the interfaces from SPIR-V 1.4 on only; the module's own built-ins used whatever their sign; the entry
 * primitive of each stage; workgroup sizes. Every result is validated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/link/library.h"
#include "passes/link/link.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/types.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/root.h"

struct fixture {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
    struct ws_editor *editor;
    struct ws_module result;
};

static void set_up(struct fixture *fixture, const char *text, uint32_t minor)
{
    size_t count = 0;
    struct ws_error error = {0};
    fixture->words = assembly_read(text, 0x00010000 | minor << 8, &count);
    fixture->arena = ws_arena_create();
    assert_true(assembly_is_valid(fixture->words, count));
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

static void call(struct fixture *fixture, uint32_t entry, enum ws_primitive primitive,
                 const uint32_t *arguments, uint32_t count)
{
    const struct ws_module *module = &fixture->module;
    const uint32_t block = module->functions[module->entry_points[entry].function].block_first;
    const uint32_t id = ws_link_primitive(fixture->editor, primitive, &entry, 1);
    assert_int_not_equal(id, 0);
    assert_int_not_equal(
        ws_link_call(fixture->editor, ws_cursor_block_end(module, block), id, arguments, count), 0);
}

/* Puts entry, place and data into every entry point, and reads the valid result. */
static void link_all(struct fixture *fixture, enum ws_primitive expected)
{
    struct ws_editor *editor = fixture->editor;
    for (uint32_t e = 0; e < fixture->module.entry_point_count; e++) {
        struct ws_enter enter;
        assert_true(ws_link_enter(editor, &e, 1, 1, &enter));
        assert_int_equal(enter.primitive, expected);
        call(fixture, e, enter.primitive, enter.arguments, enter.argument_count);
        const enum ws_link_lanes lanes = ws_link_lanes(&fixture->module, e);
        uint32_t arguments[9];
        for (uint32_t i = 0; i < 9; i++)
            arguments[i] = ws_constant_u32(editor, i);
        call(fixture, e, ws_primitive_variant(WS_PRIMITIVE_PLACE, lanes), arguments, 1);
        call(fixture, e, ws_primitive_variant(WS_PRIMITIVE_DATA_8, lanes), arguments, 9);
    }
    uint32_t *words = NULL;
    size_t count = 0;
    struct ws_error error = {0};
    ws_linker_finish(editor);
    if (!ws_editor_finish(editor, &words, &count, &error))
        fail_msg("%s", error.message);
    assert_true(assembly_is_valid(words, count));
    assert_true(ws_module_parse(&fixture->result, fixture->arena, words, count, &error));
}

/* Variables of a storage class in the result, or in one entry point's interface. */
static uint32_t count_variables(const struct ws_module *module, SpvStorageClass storage, uint32_t entry)
{
    uint32_t count = 0;
    const struct ws_instruction *point =
        entry == WS_NONE ? NULL : &module->instructions[module->entry_points[entry].instruction];
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct ws_instruction *variable = &module->instructions[i];
        if (variable->opcode != SpvOpVariable || ws_operand(module, variable, 2) != storage)
            continue;
        bool is_listed = point == NULL;
        for (uint32_t j = 3; point != NULL && j + 1u < point->length; j++) /* behind the name, of one word */
            is_listed |= ws_operand(module, point, j) == ws_operand(module, variable, 1);
        count += is_listed;
    }
    return count;
}

#define BODY(id, label) "%" id " = OpFunction %3 None %4\n%" label " = OpLabel\nOpReturn\nOpFunctionEnd\n"

/* Two entry points, and a private variable of the module's own with a name of ours. */
#define TWO                                                                                                  \
    "OpCapability Shader\n"                                                                                  \
    "OpMemoryModel Logical GLSL450\n"                                                                        \
    "OpEntryPoint GLCompute %1 \"a\"\n"                                                                      \
    "OpEntryPoint GLCompute %2 \"b\"\n"                                                                      \
    "OpExecutionMode %1 LocalSize 4 3 2\n"                                                                   \
    "OpExecutionMode %2 LocalSize 8 1 1\n"                                                                   \
    "OpName %10 \"ws_context\"\n"                                                                            \
    "%3 = OpTypeVoid\n"                                                                                      \
    "%4 = OpTypeFunction %3\n"                                                                               \
    "%5 = OpTypeInt 32 0\n"                                                                                  \
    "%6 = OpTypePointer Private %5\n"                                                                        \
    "%10 = OpVariable %6 Private\n" BODY("1", "7") BODY("2", "8")

static void test_private(void **state)
{
    (void)state;
    for (uint32_t minor = 0; minor <= 6; minor++) {
        struct fixture fixture;
        set_up(&fixture, TWO, minor);
        link_all(&fixture, WS_PRIMITIVE_ENTER_COMPUTE);
        /* The module's own, and the context, the stream's place and size and the entry mask; its own it does not use. */
        assert_int_equal(count_variables(&fixture.result, SpvStorageClassPrivate, WS_NONE), 5);
        for (uint32_t e = 0; e < 2; e++)
            assert_int_equal(count_variables(&fixture.result, SpvStorageClassPrivate, e), minor >= 4 ? 4 : 0);
        assert_int_equal(fixture.result.version, 0x00010000 | (minor < 3 ? 3 : minor) << 8);
        tear_down(&fixture);
    }
}

/* Workgroup sizes come from the execution mode, by entry point; from constants; from what is decorated. */
static void test_workgroup_size(void **state)
{
    (void)state;
    struct fixture fixture;
    struct ws_enter enter;
    set_up(&fixture, TWO, 3);
    for (uint32_t e = 0; e < 2; e++) {
        assert_true(ws_link_enter(fixture.editor, &e, 1, 1, &enter));
        assert_int_equal(enter.argument_count, 3);
        assert_int_equal(enter.arguments[1], ws_constant_u32(fixture.editor, e == 0 ? 4 : 8));
        assert_int_equal(enter.arguments[2], ws_constant_u32(fixture.editor, e == 0 ? 3 : 1));
    }
    tear_down(&fixture);
    set_up(&fixture,
           "OpCapability Shader\n"
           "OpMemoryModel Logical GLSL450\n"
           "OpEntryPoint GLCompute %1 \"a\"\n"
           "OpExecutionMode %1 LocalSize 4 3 2\n"
           "OpDecorate %10 SpecId 0\n"
           "OpDecorate %13 BuiltIn WorkgroupSize\n"
           "%3 = OpTypeVoid\n"
           "%4 = OpTypeFunction %3\n"
           "%5 = OpTypeInt 32 0\n"
           "%6 = OpTypeVector %5 3\n"
           "%10 = OpSpecConstant %5 16\n"
           "%11 = OpConstant %5 2\n"
           "%13 = OpSpecConstantComposite %6 %10 %11 %11\n" BODY("1", "7"),
           0);
    const uint32_t entry = 0;
    assert_true(ws_link_enter(fixture.editor, &entry, 1, 1, &enter));
    assert_int_equal(enter.arguments[1], 10);
    assert_int_equal(enter.arguments[2], 11);
    link_all(&fixture, WS_PRIMITIVE_ENTER_COMPUTE);
    tear_down(&fixture);
    set_up(&fixture,
           "OpCapability Shader\n"
           "OpMemoryModel Logical GLSL450\n"
           "OpEntryPoint GLCompute %1 \"a\"\n"
           "OpExecutionModeId %1 LocalSizeId %10 %11 %11\n"
           "OpDecorate %11 SpecId 0\n"
           "%3 = OpTypeVoid\n"
           "%4 = OpTypeFunction %3\n"
           "%5 = OpTypeInt 32 0\n"
           "%6 = OpTypeInt 32 1\n"
           "%10 = OpConstant %5 16\n"
           "%11 = OpSpecConstant %6 2\n" BODY("1", "7"),
           6);
    assert_true(ws_link_enter(fixture.editor, &entry, 1, 1, &enter));
    assert_int_equal(enter.arguments[1], 10);
    link_all(&fixture, WS_PRIMITIVE_ENTER_COMPUTE); /* a signed one is made unsigned */
    tear_down(&fixture);
}

/* A stage with built-ins of its own, all integers signed or all unsigned. */
struct stage {
    const char *head; /* capabilities, model, extensions, entry point with %20 %21 */
    const char *built_ins[2];
    const char *type; /* of both: "%30" integer, "%31" vector of three */
    const char *flat;
    enum ws_primitive expected;
    uint32_t minor; /* lowest version */
};

static const struct stage stages[] = {
    {"OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %1 \"a\" %20 %21\n",
     {"VertexIndex", "InstanceIndex"},
     "%30",
     "",
     WS_PRIMITIVE_ENTER_VERTEX,
     0},
    {"OpCapability Tessellation\nOpMemoryModel Logical GLSL450\n"
     "OpEntryPoint TessellationControl %1 \"a\" %20 %21\nOpExecutionMode %1 OutputVertices 3\n",
     {"PrimitiveId", "InvocationId"},
     "%30",
     "",
     WS_PRIMITIVE_ENTER_TESS_CONTROL,
     0},
    {"OpCapability Tessellation\nOpMemoryModel Logical GLSL450\n"
     "OpEntryPoint TessellationEvaluation %1 \"a\" %20 %21\nOpExecutionMode %1 Triangles\n",
     {"PrimitiveId", "PatchVertices"},
     "%30",
     "",
     WS_PRIMITIVE_ENTER_TESS_EVALUATION,
     0},
    {"OpCapability Geometry\nOpMemoryModel Logical GLSL450\nOpEntryPoint Geometry %1 \"a\" %20 %21\n"
     "OpExecutionMode %1 InputPoints\nOpExecutionMode %1 OutputPoints\nOpExecutionMode %1 OutputVertices 1\n"
     "OpExecutionMode %1 Invocations 1\n",
     {"PrimitiveId", "InvocationId"},
     "%30",
     "",
     WS_PRIMITIVE_ENTER_GEOMETRY,
     0},
    {"OpCapability Shader\nOpCapability SampleRateShading\nOpCapability Geometry\n"
     "OpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %1 \"a\" %20 %21\n"
     "OpExecutionMode %1 OriginUpperLeft\n",
     {"SampleId", "Layer"},
     "%30",
     "OpDecorate %20 Flat\nOpDecorate %21 Flat\n",
     WS_PRIMITIVE_ENTER_SAMPLE_LAYER_FRAGMENT,
     0},
    {"OpCapability Shader\nOpCapability ShaderLayer\nOpCapability ShaderViewportIndex\nOpCapability "
     "DemoteToHelperInvocation\n"
     "OpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %1 \"a\" %20 %21\n"
     "OpExecutionMode %1 OriginUpperLeft\n",
     {"Layer", "ViewportIndex"},
     "%30",
     "OpDecorate %20 Flat\nOpDecorate %21 Flat\n",
     WS_PRIMITIVE_ENTER_LAYER_DEMOTE,
     6},
    {"OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"a\" %20 %21\n"
     "OpExecutionMode %1 LocalSize 8 8 1\n",
     {"WorkgroupId", "GlobalInvocationId"},
     "%31",
     "",
     WS_PRIMITIVE_ENTER_COMPUTE,
     0},
    {"OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\nOpMemoryModel Logical GLSL450\n"
     "OpEntryPoint MeshEXT %1 \"a\" %20 %21\nOpExecutionMode %1 LocalSize 8 8 1\n"
     "OpExecutionMode %1 OutputPoints\nOpExecutionMode %1 OutputVertices 1\n"
     "OpExecutionMode %1 OutputPrimitivesEXT 1\n",
     {"NumWorkgroups", "GlobalInvocationId"},
     "%31",
     "",
     WS_PRIMITIVE_ENTER_COMPUTE,
     4},
    {"OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"
     "OpEntryPoint RayGenerationKHR %1 \"a\" %20 %21\n",
     {"LaunchIdKHR", "LaunchSizeKHR"},
     "%31",
     "",
     WS_PRIMITIVE_ENTER_RAY_LAUNCHED,
     4},
    {"OpCapability RayTracingKHR\nOpCapability VulkanMemoryModel\nOpExtension \"SPV_KHR_ray_tracing\"\n"
     "OpMemoryModel Logical Vulkan\nOpEntryPoint MissKHR %1 \"a\" %20 %21\n",
     {"LaunchIdKHR", "LaunchSizeKHR"},
     "%31",
     "",
     WS_PRIMITIVE_ENTER_RAY_CALLED,
     5},
};

static void test_stages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        const struct stage *stage = &stages[i];
        for (uint32_t minor = stage->minor; minor <= 6; minor++) {
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                char text[2048];
                struct fixture fixture;
                snprintf(text, sizeof(text),
                         "%sOpDecorate %%20 BuiltIn %s\nOpDecorate %%21 BuiltIn %s\n%s%%3 = OpTypeVoid\n"
                         "%%4 = OpTypeFunction %%3\n%%30 = OpTypeInt 32 %d\n%%31 = OpTypeVector %%30 3\n"
                         "%%32 = OpTypePointer Input %s\n%%20 = OpVariable %%32 Input\n"
                         "%%21 = OpVariable %%32 Input\n%s",
                         stage->head, stage->built_ins[0], stage->built_ins[1], stage->flat, is_signed,
                         stage->type, BODY("1", "7"));
                set_up(&fixture, text, minor);
                link_all(&fixture, stage->expected);
                /* The context, the stream's place and size, and the entry mask; of rays the lane, too. */
                const bool rays = stage->expected == WS_PRIMITIVE_ENTER_RAY_LAUNCHED ||
                                  stage->expected == WS_PRIMITIVE_ENTER_RAY_CALLED;
                assert_int_equal(count_variables(&fixture.result, SpvStorageClassPrivate, 0), minor < 4 ? 0
                                                                                              : rays    ? 5
                                                                                                        : 4);
                tear_down(&fixture);
            }
        }
    }
}

/* One function for entry points of two stages has no entry record. */
static void test_shared_function(void **state)
{
    (void)state;
    struct fixture fixture;
    struct ws_enter enter;
    const uint32_t both[] = {0, 1};
    set_up(&fixture,
           "OpCapability RayTracingKHR\n"
           "OpExtension \"SPV_KHR_ray_tracing\"\n"
           "OpMemoryModel Logical GLSL450\n"
           "OpEntryPoint RayGenerationKHR %1 \"a\"\n"
           "OpEntryPoint MissKHR %1 \"b\"\n"
           "%3 = OpTypeVoid\n"
           "%4 = OpTypeFunction %3\n" BODY("1", "7"),
           4);
    assert_false(ws_link_enter(fixture.editor, both, 2, 1, &enter));
    assert_true(ws_link_enter(fixture.editor, &both[1], 1, 1, &enter));
    assert_int_equal(enter.primitive, WS_PRIMITIVE_ENTER_RAY_CALLED);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private),
        cmocka_unit_test(test_workgroup_size),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_shared_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
