#include "passes/instrument/fragment_tests.h"

#include <spirv/unified1/spirv.h>

#include "passes/spirv/sites.h"

/* Capabilities of shaders whose result may depend on when the tests run: they read what tests write (tile images,
 * input attachments), or in the order of fragments, or what the tests let through. */
static bool is_order_dependent(uint32_t capability)
{
    switch (capability) {
    case SpvCapabilityInputAttachment:
    case SpvCapabilityFragmentShaderSampleInterlockEXT:
    case SpvCapabilityFragmentShaderPixelInterlockEXT:
    case SpvCapabilityFragmentShaderShadingRateInterlockEXT:
    case 4166: /* TileImageColorReadAccessEXT */
    case 4167: /* TileImageDepthReadAccessEXT */
    case 4168: /* TileImageStencilReadAccessEXT */ return true;
    default: return false;
    }
}

/* Modes that say when tests run, or that the shader replaces what they test. */
static bool is_own_mode(uint32_t mode)
{
    switch (mode) {
    case SpvExecutionModeDepthReplacing:
    case SpvExecutionModeStencilRefReplacingEXT:
    case SpvExecutionModePostDepthCoverage:
    case 5017: /* EarlyAndLateFragmentTestsAMD */ return true;
    default: return false;
    }
}

/* Variables of these built-ins replace what is tested, or tell which samples were covered. */
static bool is_tested(uint32_t built_in)
{
    return built_in == SpvBuiltInFragDepth || built_in == SpvBuiltInSampleMask ||
           built_in == SpvBuiltInFragStencilRefEXT;
}

/* Whether anything that the whole module declares keeps its fragment shaders from early tests. */
static bool declares_order(const struct ws_module *module)
{
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const bool of_member = instruction->opcode == SpvOpMemberDecorate;
        const uint32_t decoration = of_member ? 2 : 1;
        if (instruction->opcode == SpvOpCapability && is_order_dependent(ws_operand(module, instruction, 0)))
            return true;
        if ((of_member || instruction->opcode == SpvOpDecorate) &&
            ws_operand(module, instruction, decoration) == SpvDecorationBuiltIn &&
            is_tested(ws_operand(module, instruction, decoration + 1)))
            return true;
    }
    return false;
}

/* What the execution modes of an entry point's function say: 0 = nothing of tests, 1 = early, 2 = of their own. */
static int find_mode(const struct ws_module *module, uint32_t function)
{
    int found = 0;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_EXECUTION_MODE]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t mode = ws_operand(module, instruction, 1);
        if (instruction->opcode != SpvOpExecutionMode || ws_operand(module, instruction, 0) != function)
            continue;
        if (is_own_mode(mode))
            found = 2;
        else if (mode == SpvExecutionModeEarlyFragmentTests)
            return 1;
    }
    return found;
}

/* Whether a pointer may lead to memory that outlives the fragment. */
static bool is_shared(const struct ws_module *module, uint32_t pointer)
{
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    const struct ws_instruction *type =
        definition == NULL ? NULL : ws_module_definition(module, ws_operand(module, definition, 0));
    if (type == NULL || type->opcode != SpvOpTypePointer)
        return true;
    const uint32_t storage = ws_operand(module, type, 1);
    return storage != SpvStorageClassFunction && storage != SpvStorageClassPrivate &&
           storage != SpvStorageClassOutput;
}

/* Whether an instruction has an effect that others can see, or may have one: nothing is known of an instruction
 * beyond the core ones that has no result. */
static bool has_effect(const struct ws_module *module, const struct ws_instruction *instruction)
{
    bool has_type = false;
    bool has_result = false;
    const uint16_t opcode = instruction->opcode;
    switch ((SpvOp)opcode) {
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: return is_shared(module, ws_operand(module, instruction, 0));
    case SpvOpImageWrite:
    case SpvOpImageTexelPointer: return true;
    case SpvOpExtInst: return false;
    case SpvOpRayQueryInitializeKHR:
    case SpvOpRayQueryTerminateKHR:
    case SpvOpRayQueryGenerateIntersectionKHR:
    case SpvOpRayQueryConfirmIntersectionKHR:
    case SpvOpAssumeTrueKHR: return false;
    default: break;
    }
    if (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor)
        return true;
    ws_opcode_results(opcode, &has_type, &has_result);
    return opcode > SpvOpPtrDiff && (!has_result || opcode == SpvOpAtomicFAddEXT ||
                                     opcode == SpvOpAtomicFMinEXT || opcode == SpvOpAtomicFMaxEXT);
}

enum ws_fragment_tests ws_fragment_tests_find(const struct ws_instrument_plan *plan, uint32_t entry)
{
    const struct ws_module *module = plan->module;
    const struct ws_instrument_plan_entry *info = &plan->entries[entry];
    bool ends = false;
    if (info->stage != WS_STAGE_FRAGMENT)
        return WS_TESTS_UNCHANGED;
    const int mode = find_mode(module, module->functions[info->functions[0]].id);
    if (mode == 1)
        return WS_TESTS_UNCHANGED;
    for (uint32_t f = 0; f < info->function_count; f++) {
        const struct ws_function *function = &module->functions[info->functions[f]];
        for (uint32_t i = function->first; i < function->end; i++) {
            const struct ws_instruction *instruction = &module->instructions[i];
            if (ws_instruction_ends(instruction, false))
                ends = ends || instruction->opcode != SpvOpUnreachable;
            else if (has_effect(module, instruction))
                return WS_TESTS_UNCHANGED;
        }
    }
    return ends || mode == 2 || declares_order(module) ? WS_TESTS_LATE : WS_TESTS_CAN_BE_EARLY;
}
