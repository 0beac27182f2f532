#include "warpscope/spirv/sites.h"

#include <spirv/unified1/spirv.h>

#include "passes/spirv/builder.h"
#include "warpscope/opcodes.h"

bool ws_instruction_is_executed(const struct ws_module *module, const struct ws_instruction *instruction)
{
    switch ((SpvOp)instruction->opcode) {
    case SpvOpNop:
    case SpvOpUndef:
    case SpvOpLabel:
    case SpvOpPhi:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge: return false;
    default:
        return !ws_opcode_is_variable(instruction->opcode) && !ws_instruction_is_debug(module, instruction);
    }
}

uint32_t ws_block_instruction_count(const struct ws_module *module, const struct ws_block *block)
{
    uint32_t count = 0;
    for (uint32_t i = block->first; i < block->end; i++)
        count += ws_instruction_is_executed(module, &module->instructions[i]);
    return count;
}

bool ws_instruction_ends(const struct ws_instruction *instruction, bool entry)
{
    switch (instruction->opcode) {
    case SpvOpReturn: return entry;
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpIgnoreIntersectionNV:
    case SpvOpTerminateRayKHR:
    case SpvOpTerminateRayNV:
    case SpvOpEmitMeshTasksEXT:
    case SpvOpUnreachable:
    case SpvOpDemoteToHelperInvocation:
    case WS_OP_ABORT_KHR: return true;
    default: return false;
    }
}
