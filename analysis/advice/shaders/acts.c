#include "analysis/advice/shaders/acts.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/model/effects_code.h"

void ws_acts_finish(struct ws_acts *acts)
{
    free(acts->functions);
    acts->functions = NULL;
}

static bool takes_derivatives(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpImageSampleImplicitLod:
    case SpvOpImageSampleDrefImplicitLod:
    case SpvOpImageSampleProjImplicitLod:
    case SpvOpImageSampleProjDrefImplicitLod:
    case SpvOpImageSparseSampleImplicitLod:
    case SpvOpImageSparseSampleDrefImplicitLod:
    case SpvOpImageQueryLod: return true;
    default: return opcode >= SpvOpDPdx && opcode <= SpvOpFwidthCoarse;
    }
}

bool ws_instruction_acts(const struct ws_acts *acts, uint32_t instruction)
{
    const struct ws_module *module = &acts->code->code->module;
    const struct ws_instruction *at = &module->instructions[instruction];
    if (at->opcode == SpvOpFunctionCall) {
        const uint32_t callee = ws_calls_callee(module, at);
        return callee == WS_NONE || acts->functions[callee];
    }
    if (at->opcode == SpvOpStore) {
        const uint32_t pointer = ws_operand(module, at, 0);
        const uint32_t base = pointer < module->bound ? acts->code->values.base[pointer] : 0;
        if (base != 0 && ws_variable_class(module, base) == SpvStorageClassOutput)
            return false;
    }
    return takes_derivatives(at->opcode) || ws_effect_of(module, at) != 0;
}

bool ws_acts_init(struct ws_acts *acts, const struct ws_shader_run *run)
{
    const struct ws_module *module = &run->code->code->module;
    *acts = (struct ws_acts){run->code, calloc((size_t)module->function_count + 1, sizeof(bool))};
    if (acts->functions == NULL)
        return false;
    /* What is not ordered, for it calls itself, is taken to act. */
    for (uint32_t f = 0; f < module->function_count; ++f)
        acts->functions[f] = true;
    for (uint32_t i = run->function_count; i-- > 0;) {
        const struct ws_function *function = &module->functions[run->functions[i]];
        bool found = run->code->values.writes_globals[run->functions[i]] || function->block_count == 0;
        for (uint32_t b = function->block_first; b < function->block_first + function->block_count; ++b)
            for (uint32_t j = module->blocks[b].first; j < module->blocks[b].end && !found; ++j)
                found = ws_instruction_acts(acts, j);
        acts->functions[run->functions[i]] = found;
    }
    return true;
}
