#define SPV_ENABLE_UTILITY_CODE
#include "warpscope/spirv/opcode.h"

#include <stdatomic.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/instrument.h"
#include "warpscope/opcodes.h"

/* The header defines it `inline`: C wants one external definition of what the compiler may not inline. */
extern inline void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type);

static bool declares_type_or_constant(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeImage:
    case SpvOpTypeSampler:
    case SpvOpTypeSampledImage:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeStruct:
    case SpvOpTypeOpaque:
    case SpvOpTypePointer:
    case SpvOpTypeFunction:
    case SpvOpTypeForwardPointer:
    case SpvOpTypeAccelerationStructureKHR:
    case SpvOpTypeRayQueryKHR:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstant:
    case SpvOpConstantComposite:
    case SpvOpConstantSampler:
    case SpvOpConstantNull:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantComposite:
    case SpvOpSpecConstantOp: return true;
    default: return false;
    }
}

enum ws_section ws_opcode_section(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpCapability: return WS_SECTION_CAPABILITY;
    case SpvOpExtension: return WS_SECTION_EXTENSION;
    case SpvOpExtInstImport: return WS_SECTION_IMPORT;
    case SpvOpMemoryModel: return WS_SECTION_MEMORY_MODEL;
    case SpvOpEntryPoint: return WS_SECTION_ENTRY_POINT;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId: return WS_SECTION_EXECUTION_MODE;
    case SpvOpString:
    case SpvOpSourceExtension:
    case SpvOpSource:
    case SpvOpSourceContinued: return WS_SECTION_DEBUG_SOURCE;
    case SpvOpName:
    case SpvOpMemberName: return WS_SECTION_DEBUG_NAME;
    case SpvOpModuleProcessed: return WS_SECTION_DEBUG_PROCESSED;
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString: return WS_SECTION_ANNOTATION;
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionEnd:
    case SpvOpLabel: return WS_SECTION_FUNCTION;
    default: break; /* also OpVariable, OpUndef, OpLine, OpExtInst, the unknown, ... */
    }
    return declares_type_or_constant((SpvOp)opcode) ? WS_SECTION_GLOBAL : WS_SECTION_COUNT;
}

/* Instructions of SPV_EXT_shader_invocation_reorder with a result and its type. */
static bool reads_hit_object(uint16_t opcode)
{
    return (opcode >= WS_OP_HIT_OBJECT_GET_TRIANGLE_POSITIONS_EXT &&
            opcode <= WS_OP_HIT_OBJECT_GET_RAY_FLAGS_EXT) ||
           opcode == WS_OP_HIT_OBJECT_GET_CURRENT_TIME_EXT ||
           (opcode >= WS_OP_HIT_OBJECT_GET_HIT_KIND_EXT && opcode <= WS_OP_HIT_OBJECT_GET_RAY_TMAX_EXT) ||
           (opcode >= WS_OP_HIT_OBJECT_GET_RAY_TMIN_EXT && opcode <= WS_OP_HIT_OBJECT_IS_MISS_EXT);
}

/* Instructions of SPV_KHR_untyped_pointers and SPV_NV_raw_access_chains with a result and its type. */
static bool makes_pointer(uint16_t opcode)
{
    return (opcode >= WS_OP_UNTYPED_VARIABLE_KHR && opcode <= WS_OP_UNTYPED_IN_BOUNDS_ACCESS_CHAIN_KHR) ||
           (opcode >= WS_OP_UNTYPED_PTR_ACCESS_CHAIN_KHR && opcode <= WS_OP_UNTYPED_ARRAY_LENGTH_KHR) ||
           opcode == WS_OP_RAW_ACCESS_CHAIN_NV;
}

static void find_results(uint16_t opcode, bool *has_type, bool *has_result)
{
    if (makes_pointer(opcode) || opcode == WS_OP_TYPE_UNTYPED_POINTER_KHR) {
        *has_type = makes_pointer(opcode);
        *has_result = true;
        return;
    }
    if (reads_hit_object(opcode) || opcode == WS_OP_TYPE_HIT_OBJECT_EXT) {
        *has_type = opcode != WS_OP_TYPE_HIT_OBJECT_EXT;
        *has_result = true;
        return;
    }
    SpvHasResultAndType((SpvOp)opcode, has_result, has_type);
}

/* What was found of opcodes below KEPT: it is asked for of each instruction, several times. Any thread may write here, and all
 * write the same. */
#define KEPT     8192
#define IS_FOUND 1u
#define RESULT   2u
#define TYPE     4u
static _Atomic uint8_t kept[KEPT];

void ws_opcode_results(uint16_t opcode, bool *has_type, bool *has_result)
{
    const uint8_t known = opcode < KEPT ? atomic_load_explicit(&kept[opcode], memory_order_relaxed) : 0;
    if ((known & IS_FOUND) != 0) {
        *has_type = (known & TYPE) != 0;
        *has_result = (known & RESULT) != 0;
        return;
    }
    find_results(opcode, has_type, has_result);
    const uint8_t found = IS_FOUND | (*has_result ? RESULT : 0) | (*has_type ? TYPE : 0);
    if (opcode < KEPT)
        atomic_store_explicit(&kept[opcode], found, memory_order_relaxed);
}

bool ws_opcode_reorders(uint16_t opcode)
{
    switch ((uint32_t)opcode) {
    case SpvOpReorderThreadWithHitObjectNV:
    case SpvOpReorderThreadWithHintNV:
    case WS_OP_REORDER_THREAD_WITH_HIT_OBJECT_EXT:
    case WS_OP_REORDER_THREAD_WITH_HINT_EXT:
    case WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT:
    case WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT:
    case WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT: return true;
    default: return false;
    }
}

bool ws_opcode_is_terminator(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpKill:
    case SpvOpUnreachable:
    case SpvOpTerminateInvocation:
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpTerminateRayKHR:
    case SpvOpEmitMeshTasksEXT:
    case WS_OP_ABORT_KHR: return true;
    default: return false;
    }
}

bool ws_opcode_may_be_terminator(uint16_t opcode)
{
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(opcode, &has_type, &has_result);
    return opcode > SpvOpPtrDiff && !has_result; /* OpPtrDiff is the highest of the core opcodes */
}

bool ws_opcode_is_variable(uint16_t opcode)
{
    return opcode == SpvOpVariable || opcode == WS_OP_UNTYPED_VARIABLE_KHR;
}

bool ws_opcode_is_line(uint16_t opcode)
{
    return opcode == SpvOpLine || opcode == SpvOpNoLine;
}

bool ws_opcode_is_merge(uint16_t opcode)
{
    return opcode == SpvOpSelectionMerge || opcode == SpvOpLoopMerge;
}

uint32_t ws_opcode_string_operand(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpExtension:
    case SpvOpSourceExtension:
    case SpvOpSourceContinued:
    case SpvOpModuleProcessed: return 0;
    case SpvOpExtInstImport:
    case SpvOpString:
    case SpvOpName: return 1;
    case SpvOpEntryPoint:
    case SpvOpMemberName: return 2;
    default: return WS_NONE;
    }
}
