/* Which words of an instruction are ids, against what SPIRV-Tools say of every instruction in the functions of the
 * modules given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

/* passes/spirv/spirv_tools.c says why. */
#define kDefaultMaxIdBound ws_test_operands_max_id_bound
#include <spirv-tools/libspirv.h>

#include "passes/spirv/operands.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"

static int file_count;
static char **files;

struct check {
    const struct ws_module *module;
    uint32_t index;    /* of the next instruction */
    uint32_t compared; /* instructions of functions */
};

static bool is_id_kind(spv_operand_type_t type)
{
    return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
           type == SPV_OPERAND_TYPE_RESULT_ID || type == SPV_OPERAND_TYPE_SCOPE_ID ||
           type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID;
}

static spv_result_t compare(void *data, const spv_parsed_instruction_t *parsed)
{
    struct check *check = data;
    const struct ws_instruction *instruction = &check->module->instructions[check->index++];
    static bool is_id[UINT16_MAX];
    if (ws_module_function(check->module, check->index - 1) == WS_NONE)
        return SPV_SUCCESS;
    if (!ws_operands_find_ids(check->module, instruction, is_id))
        fail_msg("the layout of opcode %u is not known", instruction->opcode);
    check->compared++;
    for (uint16_t i = 0; i < parsed->num_operands; i++) {
        const spv_parsed_operand_t *operand = &parsed->operands[i];
        for (uint16_t word = 0; word < operand->num_words; word++)
            if (is_id[operand->offset + word - 1] != is_id_kind(operand->type))
                fail_msg("operand %u of opcode %u is %s id", operand->offset + word - 1, instruction->opcode,
                         is_id_kind(operand->type) ? "an" : "no");
    }
    return SPV_SUCCESS;
}

static uint32_t check_words(const uint32_t *words, size_t word_count)
{
    struct ws_module module;
    struct ws_error error;
    struct check check = {.module = &module};
    struct ws_arena *arena = ws_arena_create();
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    assert_non_null(arena);
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    assert_int_equal(spvBinaryParse(context, &check, words, word_count, NULL, compare, NULL), SPV_SUCCESS);
    spvContextDestroy(context);
    ws_arena_destroy(arena);
    return check.compared;
}

static void test_files(void **state)
{
    (void)state;
    uint32_t compared = 0;
    for (int i = 0; i < file_count; i++) {
        size_t word_count = 0;
        uint32_t *words = assembly_load(files[i], &word_count);
        compared += check_words(words, word_count);
        free(words);
    }
    assert_true(file_count == 0 || compared > 0);
}

/* What compilers seldom make: every kind of memory operands, both widths of a switch, image operands. */
static void test_rare(void **state)
{
    (void)state;
    static const char text[] =
        "OpCapability Shader\nOpCapability Int64\nOpCapability VulkanMemoryModel\nOpCapability Groups\n"
        "OpCapability SparseResidency\nOpCapability GroupNonUniformArithmetic\n"
        "OpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %1 \"main\"\nOpExecutionMode %1 LocalSize 1 1 "
        "1\n"
        "%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeInt 32 0\n%5 = OpTypeInt 64 0\n"
        "%6 = OpConstant %4 5\n%7 = OpConstant %5 7\n%8 = OpTypePointer Workgroup %4\n"
        "%9 = OpVariable %8 Workgroup\n%10 = OpVariable %8 Workgroup\n%11 = OpTypeFloat 32\n"
        "%12 = OpTypeVector %11 4\n%13 = OpConstant %11 1\n%14 = OpConstantComposite %12 %13 %13 %13 %13\n"
        "%15 = OpTypePointer Function %4\n%16 = OpTypeImage %11 2D 0 0 0 1 Unknown\n"
        "%17 = OpTypeSampledImage %16\n%18 = OpTypePointer UniformConstant %17\n"
        "%19 = OpVariable %18 UniformConstant\n%60 = OpTypeVector %11 2\n"
        "%61 = OpConstantComposite %60 %13 %13\n"
        "%1 = OpFunction %2 None %3\n%20 = OpLabel\n%21 = OpVariable %15 Function %6\n"
        "%22 = OpLoad %4 %9 Aligned|MakePointerVisible|NonPrivatePointer 4 %6\n"
        "OpStore %9 %22 Volatile|Aligned 16\n"
        "OpCopyMemory %9 %10 MakePointerAvailable|NonPrivatePointer %6 Aligned 8\n"
        "%23 = OpVectorShuffle %12 %14 %14 0 5 6 7\n%24 = OpCompositeInsert %12 %13 %14 3\n"
        "%25 = OpCompositeExtract %11 %24 2\n%26 = OpGroupNonUniformIAdd %4 %6 ClusteredReduce %22 %6\n"
        "%27 = OpLoad %17 %19\n%28 = OpImageSampleExplicitLod %12 %27 %61 Lod|ConstOffset %13 %6\n"
        "OpSelectionMerge %40 None\nOpSwitch %22 %40 1 %30 20 %31\n%30 = OpLabel\nOpBranch %40\n"
        "%31 = OpLabel\nOpBranch %40\n%40 = OpLabel\n%41 = OpIAdd %5 %7 %7\n"
        "OpSelectionMerge %44 DontFlatten\nOpSwitch %41 %44 1 %42 30 %43\n%42 = OpLabel\nOpBranch %44\n"
        "%43 = OpLabel\nOpBranch %44\n%44 = OpLabel\nOpReturn\nOpFunctionEnd\n";
    size_t word_count = 0;
    uint32_t *words = assembly_read(text, 0x00010500, &word_count);
    assert_int_equal(check_words(words, word_count), 29);
    free(words);
}

/* What the shaders of a hit object are called with, and what is asked of it. */
static void test_hit_objects(void **state)
{
    (void)state;
    static const char text[] =
        "OpCapability ShaderInvocationReorderNV\nOpCapability RayTracingMotionBlurNV\n"
        "OpExtension \"SPV_KHR_ray_tracing\"\nOpExtension \"SPV_NV_shader_invocation_reorder\"\n"
        "OpExtension \"SPV_NV_ray_tracing_motion_blur\"\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint RayGenerationKHR %1 \"main\"\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n"
        "%4 = OpTypeInt 32 0\n%5 = OpConstant %4 1\n%6 = OpTypeFloat 32\n%7 = OpTypeVector %6 3\n"
        "%8 = OpConstant %6 1\n%9 = OpConstantComposite %7 %8 %8 %8\n%10 = OpTypeAccelerationStructureKHR\n"
        "%11 = OpTypePointer UniformConstant %10\n%12 = OpVariable %11 UniformConstant\n"
        "%13 = OpTypeHitObjectNV\n%14 = OpTypePointer Private %13\n%15 = OpVariable %14 Private\n"
        "%16 = OpTypePointer RayPayloadKHR %4\n%17 = OpVariable %16 RayPayloadKHR\n"
        "%18 = OpTypePointer HitObjectAttributeNV %4\n%19 = OpVariable %18 HitObjectAttributeNV\n"
        "%20 = OpTypeBool\n%1 = OpFunction %2 None %3\n%30 = OpLabel\n%31 = OpLoad %10 %12\n"
        "OpHitObjectTraceRayNV %15 %31 %5 %5 %5 %5 %5 %9 %8 %9 %8 %17\n"
        "OpHitObjectTraceRayMotionNV %15 %31 %5 %5 %5 %5 %5 %9 %8 %9 %8 %8 %17\n"
        "OpHitObjectRecordHitNV %15 %31 %5 %5 %5 %5 %5 %5 %9 %8 %9 %8 %19\n"
        "OpHitObjectRecordHitMotionNV %15 %31 %5 %5 %5 %5 %5 %5 %9 %8 %9 %8 %8 %19\n"
        "OpHitObjectRecordHitWithIndexNV %15 %31 %5 %5 %5 %5 %5 %9 %8 %9 %8 %19\n"
        "OpHitObjectRecordHitWithIndexMotionNV %15 %31 %5 %5 %5 %5 %5 %9 %8 %9 %8 %8 %19\n"
        "OpHitObjectRecordMissNV %15 %5 %9 %8 %9 %8\nOpHitObjectRecordMissMotionNV %15 %5 %9 %8 %9 %8 %8\n"
        "OpHitObjectRecordEmptyNV %15\n%32 = OpHitObjectIsHitNV %20 %15\n%33 = OpHitObjectGetHitKindNV %4 "
        "%15\n"
        "OpHitObjectGetAttributesNV %15 %19\nOpReorderThreadWithHitObjectNV %15 %5 %5\n"
        "OpReorderThreadWithHintNV %5 %5\nOpHitObjectExecuteShaderNV %15 %17\nOpReturn\nOpFunctionEnd\n";
    size_t word_count = 0;
    uint32_t *words = assembly_read(text, 0x00010500, &word_count);
    assert_int_equal(check_words(words, word_count), 20);
    free(words);
    /* Those of SPV_EXT_shader_invocation_reorder but its type, and what is between them: SPIRV-Tools may not know them. */
    static const uint16_t ext[][2] = {{5304, 5312}, {5314, 5326}, {5333, 5333}, {5347, 5352}};
    for (size_t i = 0; i < sizeof(ext) / sizeof(ext[0]); i++) {
        for (uint16_t opcode = ext[i][0]; opcode <= ext[i][1]; opcode++) {
            bool is_id[2] = {false, false};
            const struct ws_instruction instruction = {.opcode = opcode, .length = 3};
            if (!ws_operands_find_ids(NULL, &instruction, is_id) || !is_id[0] || !is_id[1])
                fail_msg("the layout of opcode %u is not known", opcode);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_rare),
                                       cmocka_unit_test(test_hit_objects)};
    file_count = argc - 1;
    files = argv + 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
