#include "passes/spirv/operands.h"

#include <spirv/unified1/spirv.h>

/* What follows the ids that an instruction begins with (SPIR-V specification 3, of each operand kind). */
enum tail {
    TAIL_LITERALS, /* literals up to the end */
    TAIL_MASK,     /* one literal, then ids up to the end: image operands, a group operation, ... */
    TAIL_MEMORY,   /* memory operands, once or twice */
    TAIL_SWITCH,   /* pairs of a literal, as wide as the selector, and a label */
};

struct layout {
    uint16_t first; /* opcodes from this one ... */
    uint16_t last;  /* ... up to this one */
    uint16_t ids;   /* how many ids there are before the tail */
    enum tail tail;
};

/* All instructions that may stand in a function and have operands other than ids. Numbers without a name are
 * newer than the headers that Warpscope must build with. Checked against the grammar of August 2026. */
static const struct layout layouts[] = {
    {SpvOpLine, SpvOpLine, 1, TAIL_LITERALS},
    {SpvOpExtInst, SpvOpExtInst, 3, TAIL_MASK},
    {SpvOpFunction, SpvOpFunction, 2, TAIL_MASK},
    {SpvOpVariable, SpvOpVariable, 2, TAIL_MASK},
    {SpvOpLoad, SpvOpLoad, 3, TAIL_MEMORY},
    {SpvOpStore, SpvOpStore, 2, TAIL_MEMORY},
    {SpvOpCopyMemory, SpvOpCopyMemory, 2, TAIL_MEMORY},
    {SpvOpCopyMemorySized, SpvOpCopyMemorySized, 3, TAIL_MEMORY},
    {SpvOpArrayLength, SpvOpArrayLength, 3, TAIL_LITERALS},
    {SpvOpVectorShuffle, SpvOpVectorShuffle, 4, TAIL_LITERALS},
    {SpvOpCompositeExtract, SpvOpCompositeExtract, 3, TAIL_LITERALS},
    {SpvOpCompositeInsert, SpvOpCompositeInsert, 4, TAIL_LITERALS},
    {SpvOpImageSampleImplicitLod, SpvOpImageSampleExplicitLod, 4, TAIL_MASK},
    {SpvOpImageSampleDrefImplicitLod, SpvOpImageSampleDrefExplicitLod, 5, TAIL_MASK},
    {SpvOpImageSampleProjImplicitLod, SpvOpImageSampleProjExplicitLod, 4, TAIL_MASK},
    {SpvOpImageSampleProjDrefImplicitLod, SpvOpImageSampleProjDrefExplicitLod, 5, TAIL_MASK},
    {SpvOpImageFetch, SpvOpImageFetch, 4, TAIL_MASK},
    {SpvOpImageGather, SpvOpImageDrefGather, 5, TAIL_MASK},
    {SpvOpImageRead, SpvOpImageRead, 4, TAIL_MASK},
    {SpvOpImageWrite, SpvOpImageWrite, 3, TAIL_MASK},
    {SpvOpLoopMerge, SpvOpLoopMerge, 2, TAIL_LITERALS},
    {SpvOpSelectionMerge, SpvOpSelectionMerge, 1, TAIL_LITERALS},
    {SpvOpBranchConditional, SpvOpBranchConditional, 3, TAIL_LITERALS},
    {SpvOpSwitch, SpvOpSwitch, 2, TAIL_SWITCH},
    {SpvOpLifetimeStart, SpvOpLifetimeStop, 1, TAIL_LITERALS},
    {SpvOpGroupIAdd, SpvOpGroupSMax, 3, TAIL_MASK},
    {SpvOpImageSparseSampleImplicitLod, SpvOpImageSparseSampleExplicitLod, 4, TAIL_MASK},
    {SpvOpImageSparseSampleDrefImplicitLod, SpvOpImageSparseSampleDrefExplicitLod, 5, TAIL_MASK},
    {SpvOpImageSparseSampleProjImplicitLod, SpvOpImageSparseSampleProjExplicitLod, 4, TAIL_MASK},
    {SpvOpImageSparseSampleProjDrefImplicitLod, SpvOpImageSparseSampleProjDrefExplicitLod, 5, TAIL_MASK},
    {SpvOpImageSparseFetch, SpvOpImageSparseFetch, 4, TAIL_MASK},
    {SpvOpImageSparseGather, SpvOpImageSparseDrefGather, 5, TAIL_MASK},
    {SpvOpImageSparseRead, SpvOpImageSparseRead, 4, TAIL_MASK},
    {SpvOpGroupNonUniformBallotBitCount, SpvOpGroupNonUniformBallotBitCount, 3, TAIL_MASK},
    {SpvOpGroupNonUniformIAdd, SpvOpGroupNonUniformLogicalXor, 3, TAIL_MASK},
    {4450, 4452, 4, TAIL_LITERALS}, /* OpSDot, OpUDot, OpSUDot */
    {4453, 4455, 5, TAIL_LITERALS}, /* OpSDotAccSat, OpUDotAccSat, OpSUDotAccSat */
    {4457, 4457, 5, TAIL_MEMORY},   /* OpCooperativeMatrixLoadKHR; its stride precedes memory operands */
    {4459, 4459, 5, TAIL_LITERALS}, /* OpCooperativeMatrixMulAddKHR */
    {5000, 5007, 3, TAIL_MASK},     /* OpGroupIAddNonUniformAMD to OpGroupSMaxNonUniformAMD */
    {5359, 5359, 5, TAIL_MEMORY},   /* OpCooperativeMatrixLoadNV */
};

/* Instructions beyond the core ones that have a result and ids only. */
static const uint16_t with_result[][2] = {
    {4160, 4162}, {4420, 4424}, {4428, 4432}, {4447, 4447}, {4460, 4460}, {4463, 4463}, {4477, 4477},
    {4479, 4483}, {4500, 4503}, {5011, 5012}, {5056, 5056}, {5110, 5111}, {5249, 5278}, {5296, 5296},
    {5300, 5301}, {5307, 5308}, {5320, 5320}, {5322, 5334}, {5340, 5340}, {5347, 5352}, {5361, 5362},
    {5381, 5381}, {5391, 5396}, {5614, 5615}, {5631, 5631}, {6016, 6032}, {6035, 6035},
};

/* Those that have no result and ids only. */
static const uint16_t without_result[] = {
    4416, /* OpTerminateInvocation */
    4445, /* OpTraceRayKHR */
    4446, /* OpExecuteCallableKHR */
    4448, /* OpIgnoreIntersectionKHR */
    4449, /* OpTerminateRayKHR */
    4473, /* OpRayQueryInitializeKHR */
    4474, /* OpRayQueryTerminateKHR */
    4475, /* OpRayQueryGenerateIntersectionKHR */
    4476, /* OpRayQueryConfirmIntersectionKHR */
    5249, /* OpHitObjectRecordHitMotionNV */
    5250, /* OpHitObjectRecordHitWithIndexMotionNV */
    5251, /* OpHitObjectRecordMissMotionNV */
    5256, /* OpHitObjectTraceRayMotionNV */
    5259, /* OpHitObjectRecordEmptyNV */
    5260, /* OpHitObjectTraceRayNV */
    5261, /* OpHitObjectRecordHitNV */
    5262, /* OpHitObjectRecordHitWithIndexNV */
    5263, /* OpHitObjectRecordMissNV */
    5264, /* OpHitObjectExecuteShaderNV */
    5266, /* OpHitObjectGetAttributesNV */
    5279, /* OpReorderThreadWithHitObjectNV */
    5280, /* OpReorderThreadWithHintNV */
    5294, /* OpEmitMeshTasksEXT */
    5295, /* OpSetMeshOutputsEXT */
    5299, /* OpWritePackedPrimitiveIndices4x8NV */
    5304, /* OpHitObjectRecordFromQueryEXT */
    5305, /* OpHitObjectRecordMissEXT */
    5306, /* OpHitObjectRecordMissMotionEXT */
    5309, /* OpHitObjectSetShaderBindingTableRecordIndexEXT */
    5310, /* OpHitObjectReorderExecuteShaderEXT */
    5311, /* OpHitObjectTraceReorderExecuteEXT */
    5312, /* OpHitObjectTraceMotionReorderExecuteEXT */
    5314, /* OpReorderThreadWithHintEXT */
    5315, /* OpReorderThreadWithHitObjectEXT */
    5316, /* OpHitObjectTraceRayEXT */
    5317, /* OpHitObjectTraceRayMotionEXT */
    5318, /* OpHitObjectRecordEmptyEXT */
    5319, /* OpHitObjectExecuteShaderEXT */
    5321, /* OpHitObjectGetAttributesEXT */
    5335, /* OpIgnoreIntersectionNV */
    5336, /* OpTerminateRayNV */
    5337, /* OpTraceNV */
    5344, /* OpExecuteCallableNV */
    5364, /* OpBeginInvocationInterlockEXT */
    5365, /* OpEndInvocationInterlockEXT */
    5380, /* OpDemoteToHelperInvocation */
    5630, /* OpAssumeTrueKHR */
};

static const struct layout *find_layout(uint16_t opcode)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
        if (layouts[i].first <= opcode && opcode <= layouts[i].last)
            return &layouts[i];
    return NULL;
}

/* Whether the instruction has no operands but ids, and the module's index has its result if it has one. */
static bool has_only_ids(uint16_t opcode)
{
    bool has_type = false;
    bool has_result = false;
    if (opcode <= SpvOpPtrDiff)
        return true; /* the core instructions, which all headers know */
    ws_opcode_results(opcode, &has_type, &has_result);
    for (size_t i = 0; i < sizeof(with_result) / sizeof(with_result[0]); i++)
        if (with_result[i][0] <= opcode && opcode <= with_result[i][1] && has_result)
            return true;
    for (size_t i = 0; i < sizeof(without_result) / sizeof(without_result[0]); i++)
        if (without_result[i] == opcode)
            return true;
    return false;
}

/* Memory operands from operand `at` on: a mask and what its bits bring, an alignment or scopes. */
static void find_memory(const struct ws_module *module, const struct ws_instruction *instruction, uint32_t at,
                        bool *is_id)
{
    const uint32_t count = instruction->length - 1u;
    while (at < count) {
        const uint32_t mask = ws_operand(module, instruction, at);
        is_id[at++] = false;
        for (uint32_t bit = 1; bit != 0; bit <<= 1) {
            const bool is_literal = (mask & bit & SpvMemoryAccessAlignedMask) != 0;
            const bool is_plain = (mask & bit &
                                   (SpvMemoryAccessVolatileMask | SpvMemoryAccessNontemporalMask |
                                    SpvMemoryAccessNonPrivatePointerMask)) != 0;
            if ((mask & bit) != 0 && !is_plain && at < count)
                is_id[at++] = !is_literal;
        }
    }
}

/* Words of a literal of OpSwitch; 0 where the selector's type is not known. */
static uint32_t selector_words(const struct ws_module *module, const struct ws_instruction *instruction)
{
    const struct ws_instruction *selector = ws_module_definition(module, ws_operand(module, instruction, 0));
    const struct ws_instruction *type =
        selector == NULL ? NULL : ws_module_definition(module, ws_operand(module, selector, 0));
    if (type == NULL || type->opcode != SpvOpTypeInt)
        return 0;
    return ws_operand(module, type, 1) > 32 ? 2 : 1;
}

static bool find_switch(const struct ws_module *module, const struct ws_instruction *instruction, bool *is_id)
{
    const uint32_t words = selector_words(module, instruction);
    for (uint32_t at = 2; at + 1u < instruction->length; at++)
        is_id[at] = words != 0 && (at - 2) % (words + 1) == words;
    return words != 0;
}

bool ws_operands_find_ids(const struct ws_module *module, const struct ws_instruction *instruction,
                          bool *is_id)
{
    bool has_type = false;
    bool has_result = false;
    const uint32_t count = instruction->length - 1u;
    const struct layout *layout = find_layout(instruction->opcode);
    for (uint32_t i = 0; i < count; i++)
        is_id[i] = true;
    if (layout == NULL)
        return has_only_ids(instruction->opcode);
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    if (instruction->opcode > SpvOpPtrDiff && !has_result)
        return false;
    switch (layout->tail) {
    case TAIL_MASK:
        if (layout->ids < count)
            is_id[layout->ids] = false;
        return true;
    case TAIL_MEMORY: find_memory(module, instruction, layout->ids, is_id); return true;
    case TAIL_SWITCH: return find_switch(module, instruction, is_id);
    case TAIL_LITERALS: break;
    }
    for (uint32_t i = layout->ids; i < count; i++)
        is_id[i] = false;
    return true;
}
