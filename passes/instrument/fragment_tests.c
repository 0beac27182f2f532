#include "passes/instrument/fragment_tests.h"

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/spirv/sites.h"

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

/* What the execution modes of an entry point's function say of the tests: bits. */
enum {
    MODE_EARLY = 1,       /* they run before the shader */
    MODE_OWN = 2,         /* they run when the shader says, or on what it replaces */
    MODE_DEPTH = 4,       /* the shader replaces the depth */
    MODE_DEPTH_BOUND = 8, /* ... by one that keeps to a side of the fragment's own */
};

static uint8_t mode_bits(uint32_t mode)
{
    switch (mode) {
    case SpvExecutionModeEarlyFragmentTests: return MODE_EARLY;
    case SpvExecutionModeDepthReplacing: return MODE_OWN | MODE_DEPTH;
    case SpvExecutionModeDepthGreater:
    case SpvExecutionModeDepthLess:
    case SpvExecutionModeDepthUnchanged: return MODE_DEPTH_BOUND;
    case SpvExecutionModeStencilRefReplacingEXT:
    case SpvExecutionModePostDepthCoverage:
    case 5017: /* EarlyAndLateFragmentTestsAMD */ return MODE_OWN;
    default: return 0;
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

/* The modes of all functions, by id. False if memory is short. */
static bool list_modes(uint8_t **modes, const struct ws_module *module)
{
    *modes = ws_arena_allocate(module->arena, module->bound, sizeof(**modes));
    if (*modes == NULL)
        return false;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_EXECUTION_MODE]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpExecutionMode && ws_operand(module, instruction, 0) < module->bound)
            (*modes)[ws_operand(module, instruction, 0)] |= mode_bits(ws_operand(module, instruction, 1));
    }
    return true;
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

/* When the tests of one fragment shader run. `ordered`: the module declares something that keeps all from early
 * tests. A device cannot test early the depth that a shader is free to replace, so nothing changes for it. */
static enum ws_fragment_tests tests_of(const struct ws_module *module,
                                       const struct ws_instrument_plan_entry *entry, uint8_t mode,
                                       bool ordered)
{
    bool ends = false;
    if ((mode & MODE_EARLY) != 0 || (mode & (MODE_DEPTH | MODE_DEPTH_BOUND)) == MODE_DEPTH)
        return WS_TESTS_UNCHANGED;
    for (uint32_t f = 0; f < entry->function_count; f++) {
        const struct ws_function *function = &module->functions[entry->functions[f]];
        for (uint32_t i = function->first; i < function->end; i++) {
            const struct ws_instruction *instruction = &module->instructions[i];
            if (ws_instruction_ends(instruction, false))
                ends = ends || instruction->opcode != SpvOpUnreachable;
            else if (has_effect(module, instruction))
                return WS_TESTS_UNCHANGED;
        }
    }
    return ends || (mode & MODE_OWN) != 0 || ordered ? WS_TESTS_LATE : WS_TESTS_CAN_BE_EARLY;
}

bool ws_fragment_tests_find(enum ws_fragment_tests *tests, const struct ws_instrument_plan *plan)
{
    const struct ws_module *module = plan->module;
    const bool ordered = declares_order(module);
    uint8_t *modes = NULL;
    if (!list_modes(&modes, module))
        return false;
    for (uint32_t e = 0; e < module->entry_point_count; e++) {
        const struct ws_instrument_plan_entry *entry = &plan->entries[e];
        tests[e] = WS_TESTS_UNCHANGED;
        if (entry->stage == WS_STAGE_FRAGMENT)
            tests[e] = tests_of(module, entry, modes[module->functions[entry->functions[0]].id], ordered);
    }
    return true;
}
