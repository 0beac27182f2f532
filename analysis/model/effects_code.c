/* What the functions of a module do.
 *
 * Every instruction of every function is judged once. Then a function's effects are added to those of its
 * callers, until nothing changes. Each function's mask grows at most once for each kind of effect, so the
 * work is linear in the module, even with recursion, which SPIR-V forbids. */
#include "warpscope/model/effects_code.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/builder.h"
#include "warpscope/opcodes.h"
#include "warpscope/spirv/sites.h"

/* In masks of functions: stores to HitAttribute variables. Whether that is an effect depends on the stage. */
#define STORES_ATTRIBUTE (1u << 16)

/* The oldest SPIR-V headers that we build with do not have it. */
#define OP_TYPE_UNTYPED_POINTER 4417

/* The two instructions of GLSL.std.450 that store something: through operand 5. */
#define GLSL_MODF  35
#define GLSL_FREXP 51

struct function_effects {
    uint32_t mask;
    uint32_t offset;
    bool constant;
    uint32_t caller_first; /* in callers */
    uint32_t caller_count;
    bool waiting; /* is in the list below */
};

struct call {
    uint32_t caller; /* indices of functions */
    uint32_t callee;
};

struct reading {
    const struct ws_module *module;
    const struct ws_fold *fold; /* NULL = every block can run */
    struct function_effects *functions;
    struct call *calls;
    uint32_t call_count;
    uint32_t *callers; /* by callee */
    uint32_t *list;    /* functions whose effects changed and were not added to their callers yet */
    uint32_t list_count;
};

/* The storage class of what `pointer` points to; UINT32_MAX = not known. */
static uint32_t storage_class(const struct ws_module *module, uint32_t pointer)
{
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    bool has_type = false;
    bool has_result = false;
    if (definition == NULL)
        return UINT32_MAX;
    ws_opcode_results(definition->opcode, &has_type, &has_result);
    const struct ws_instruction *type =
        has_type ? ws_module_definition(module, ws_operand(module, definition, 0)) : NULL;
    if (type == NULL || (type->opcode != SpvOpTypePointer && type->opcode != OP_TYPE_UNTYPED_POINTER))
        return UINT32_MAX;
    return ws_operand(module, type, 1);
}

/* The effect of a store through `pointer`. */
static uint32_t store_effect(const struct ws_module *module, uint32_t pointer)
{
    switch (storage_class(module, pointer)) {
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
    case SpvStorageClassRayPayloadKHR:
    case SpvStorageClassCallableDataKHR: return 0;
    case SpvStorageClassHitAttributeKHR: return STORES_ATTRIBUTE;
    case SpvStorageClassIncomingRayPayloadKHR:
    case SpvStorageClassIncomingCallableDataKHR: return WS_EFFECT_PAYLOAD;
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniform:
    case SpvStorageClassPhysicalStorageBuffer:
    case SpvStorageClassWorkgroup: return WS_EFFECT_BUFFER;
    case SpvStorageClassImage: return WS_EFFECT_IMAGE;
    default: return WS_EFFECT_OTHER;
    }
}

/* Whether the literal string at `operand` is `text`, or, without `whole`, begins with it. */
static bool string_is(const struct ws_module *module, const struct ws_instruction *instruction,
                      uint32_t operand, const char *text, bool whole)
{
    const uint32_t length = ws_module_string(module, instruction, operand);
    const size_t wanted = strlen(text);
    if (length == WS_NONE || length < wanted || (whole && length != wanted))
        return false;
    for (uint32_t i = 0; i < wanted; ++i)
        if ((char)(ws_operand(module, instruction, operand + i / 4) >> (8 * (i % 4))) != text[i])
            return false;
    return true;
}

/* Whether it is a print or a break: these have effects although their sets are called NonSemantic. */
static uint32_t extended_effect(const struct ws_module *module, const struct ws_instruction *instruction)
{
    const struct ws_instruction *set = ws_module_definition(module, ws_operand(module, instruction, 2));
    const uint32_t number = ws_operand(module, instruction, 3);
    if (set == NULL || set->opcode != SpvOpExtInstImport)
        return WS_EFFECT_OTHER;
    if (string_is(module, set, 1, "GLSL.std.450", true))
        return number == GLSL_MODF || number == GLSL_FREXP
                   ? store_effect(module, ws_operand(module, instruction, 5))
                   : 0;
    if (string_is(module, set, 1, "NonSemantic.DebugPrintf", true) ||
        string_is(module, set, 1, "NonSemantic.DebugBreak", true))
        return WS_EFFECT_OTHER;
    return ws_instruction_is_debug(module, instruction) ? 0 : WS_EFFECT_OTHER;
}

/* Ranges of opcodes without any effect: they read, compute or branch. The specification (SPIR-V 3.52) numbers
 * opcodes of one kind in a row. */
static const struct range {
    uint16_t first;
    uint16_t last;
} pure[] = {
    {SpvOpNop, SpvOpUndef},
    {SpvOpLine, SpvOpLine},
    {SpvOpFunction, SpvOpFunctionEnd},
    {SpvOpVariable, SpvOpLoad},
    {SpvOpAccessChain, SpvOpInBoundsPtrAccessChain},
    {SpvOpVectorExtractDynamic, SpvOpTranspose},
    {SpvOpSampledImage, SpvOpImageRead},
    {SpvOpImage, SpvOpImageQuerySamples},
    {SpvOpConvertFToU, SpvOpBitcast},
    {SpvOpSNegate, SpvOpSMulExtended},
    {SpvOpAny, SpvOpFUnordGreaterThanEqual},
    {SpvOpShiftRightLogical, SpvOpBitCount},
    {SpvOpDPdx, SpvOpFwidthCoarse},
    {SpvOpMemoryBarrier, SpvOpMemoryBarrier},
    {SpvOpAtomicLoad, SpvOpAtomicLoad},
    {SpvOpPhi, SpvOpSwitch},
    {SpvOpReturn, SpvOpUnreachable},
    {SpvOpImageSparseSampleImplicitLod, SpvOpNoLine},
    {SpvOpImageSparseRead, SpvOpImageSparseRead},
    {SpvOpGroupNonUniformElect, SpvOpGroupNonUniformQuadSwap},
    {SpvOpCopyLogical, SpvOpPtrDiff},
    {SpvOpSubgroupBallotKHR, SpvOpSubgroupFirstInvocationKHR},
    {SpvOpSubgroupAllKHR, SpvOpSubgroupReadInvocationKHR},
    {SpvOpConvertUToAccelerationStructureKHR, SpvOpConvertUToAccelerationStructureKHR},
    {SpvOpSDotKHR, SpvOpSUDotAccSatKHR},
    {SpvOpRayQueryGetIntersectionTypeKHR, SpvOpRayQueryGetIntersectionTypeKHR},
    {SpvOpReadClockKHR, SpvOpReadClockKHR},
    {SpvOpIsHelperInvocationEXT, SpvOpIsHelperInvocationEXT},
    {SpvOpAssumeTrueKHR, SpvOpExpectKHR},
    {SpvOpRayQueryGetRayTMinKHR, SpvOpRayQueryGetIntersectionObjectToWorldKHR},
    {SpvOpRayQueryGetIntersectionWorldToObjectKHR, SpvOpRayQueryGetIntersectionWorldToObjectKHR},
};

static bool is_pure(uint16_t opcode)
{
    for (size_t i = 0; i < sizeof(pure) / sizeof(pure[0]); ++i)
        if (opcode >= pure[i].first && opcode <= pure[i].last)
            return true;
    return false;
}

/* The effects of the instruction itself; those of an OpFunctionCall are those of its callee. */
uint32_t ws_effect_of(const struct ws_module *module, const struct ws_instruction *instruction)
{
    switch ((uint32_t)instruction->opcode) {
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear: return store_effect(module, ws_operand(module, instruction, 0));
    case SpvOpAtomicExchange:
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub:
    case SpvOpAtomicSMin:
    case SpvOpAtomicUMin:
    case SpvOpAtomicSMax:
    case SpvOpAtomicUMax:
    case SpvOpAtomicAnd:
    case SpvOpAtomicOr:
    case SpvOpAtomicXor:
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
    case SpvOpAtomicFAddEXT: return store_effect(module, ws_operand(module, instruction, 2));
    case SpvOpImageWrite: return WS_EFFECT_IMAGE;
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpIgnoreIntersectionNV: return WS_EFFECT_IGNORE;
    case SpvOpTerminateRayKHR:
    case SpvOpTerminateRayNV: return WS_EFFECT_TERMINATE;
    case SpvOpReportIntersectionKHR: return WS_EFFECT_REPORT;
    case SpvOpTraceRayKHR:
    case SpvOpTraceNV:
    case SpvOpTraceRayMotionNV:
    case SpvOpTraceMotionNV:
    case SpvOpExecuteCallableKHR:
    case SpvOpExecuteCallableNV:
    case SpvOpHitObjectTraceRayNV:
    case SpvOpHitObjectTraceRayMotionNV:
    case SpvOpHitObjectExecuteShaderNV:
    case WS_OP_HIT_OBJECT_TRACE_RAY_EXT:
    case WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT:
    case WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT:
    case WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT:
    case WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT:
    case WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT:
    case SpvOpRayQueryInitializeKHR:
    case SpvOpRayQueryProceedKHR:
    case SpvOpRayQueryTerminateKHR:
    case SpvOpRayQueryGenerateIntersectionKHR:
    case SpvOpRayQueryConfirmIntersectionKHR: return WS_EFFECT_CALL;
    case SpvOpExtInst: return extended_effect(module, instruction);
    default: return is_pure(instruction->opcode) ? 0 : WS_EFFECT_OTHER;
    }
}

bool ws_effects_is_constant(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    return definition != NULL &&
           ((definition->opcode >= SpvOpConstantTrue && definition->opcode <= SpvOpConstantNull) ||
            (definition->opcode >= SpvOpSpecConstantTrue && definition->opcode <= SpvOpSpecConstantOp));
}

/* Whether `pointer` is a variable, or a member of one with constant indices. */
static bool is_constant_place(const struct ws_module *module, uint32_t pointer)
{
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    if (definition == NULL)
        return false;
    if (definition->opcode == SpvOpVariable)
        return true;
    const struct ws_instruction *base = ws_module_definition(module, ws_operand(module, definition, 2));
    if ((definition->opcode != SpvOpAccessChain && definition->opcode != SpvOpInBoundsAccessChain) ||
        base == NULL || base->opcode != SpvOpVariable)
        return false;
    for (uint32_t i = 3; i + 1 < definition->length; ++i)
        if (!ws_effects_is_constant(module, ws_operand(module, definition, i)))
            return false;
    return true;
}

static void add_effect(struct function_effects *function, uint32_t mask, uint32_t offset)
{
    if (function->offset == WS_NONE && (mask & ~(uint32_t)WS_EFFECT_IGNORE) != 0)
        function->offset = offset;
    function->mask |= mask;
}

/* The index of the called function; WS_NONE = it has no body, or there is none. */
static uint32_t callee_of(const struct ws_module *module, const struct ws_instruction *instruction)
{
    const struct ws_instruction *definition =
        ws_module_definition(module, ws_operand(module, instruction, 2));
    if (definition == NULL || definition->opcode != SpvOpFunction)
        return WS_NONE;
    uint32_t index = ws_module_function(module, (uint32_t)(definition - module->instructions));
    return index != WS_NONE && module->functions[index].block_count > 0 ? index : WS_NONE;
}

static bool is_live(const struct reading *reading, uint32_t block)
{
    return reading->fold == NULL || reading->fold->live[block];
}

/* Whether all that runs of the function runs once, one block after the other. */
static bool is_straight(const struct reading *reading, const struct ws_function *function)
{
    for (uint32_t b = function->block_first; b < function->block_first + function->block_count; ++b) {
        const uint16_t last = reading->module->instructions[reading->module->blocks[b].end - 1].opcode;
        const bool splits = last != SpvOpBranch && last != SpvOpReturn && last != SpvOpReturnValue;
        if (is_live(reading, b) && splits && (reading->fold == NULL || reading->fold->target[b] == 0))
            return false;
    }
    return true;
}

/* Stores of constants do the same always. */
static bool stores_constant(const struct ws_module *module, const struct ws_instruction *instruction)
{
    return instruction->opcode == SpvOpStore &&
           ws_effects_is_constant(module, ws_operand(module, instruction, 1)) &&
           is_constant_place(module, ws_operand(module, instruction, 0));
}

static void judge_instruction(struct reading *reading, uint32_t index,
                              const struct ws_instruction *instruction)
{
    const struct ws_module *module = reading->module;
    struct function_effects *effects = &reading->functions[index];
    if (instruction->opcode == SpvOpFunctionCall) {
        const uint32_t callee = callee_of(module, instruction);
        effects->constant = false;
        if (callee != WS_NONE)
            reading->calls[reading->call_count++] = (struct call){index, callee};
        else
            add_effect(effects, WS_EFFECT_OTHER, instruction->offset);
        return;
    }
    const uint32_t mask = ws_effect_of(module, instruction);
    effects->constant = effects->constant && (mask == 0 || stores_constant(module, instruction));
    add_effect(effects, mask, instruction->offset);
}

static void judge_function(struct reading *reading, uint32_t index)
{
    const struct ws_module *module = reading->module;
    const struct ws_function *function = &module->functions[index];
    struct function_effects *effects = &reading->functions[index];
    *effects = (struct function_effects){.offset = WS_NONE, .constant = is_straight(reading, function)};
    for (uint32_t b = function->block_first; b < function->block_first + function->block_count; ++b)
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end && is_live(reading, b); ++i)
            judge_instruction(reading, index, &module->instructions[i]);
    effects->constant = effects->constant && effects->mask == WS_EFFECT_PAYLOAD;
}

/* Lists the callers of each function. */
static void list_callers(struct reading *reading)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < reading->call_count; ++i)
        reading->functions[reading->calls[i].callee].caller_count++;
    for (uint32_t i = 0; i < reading->module->function_count; ++i) {
        reading->functions[i].caller_first = first;
        first += reading->functions[i].caller_count;
        reading->functions[i].caller_count = 0;
    }
    for (uint32_t i = 0; i < reading->call_count; ++i) {
        struct function_effects *callee = &reading->functions[reading->calls[i].callee];
        reading->callers[callee->caller_first + callee->caller_count++] = reading->calls[i].caller;
    }
}

static void put(struct reading *reading, uint32_t function)
{
    if (!reading->functions[function].waiting)
        reading->list[reading->list_count++] = function;
    reading->functions[function].waiting = true;
}

static void spread(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->module->function_count; ++i)
        if (reading->functions[i].mask != 0)
            put(reading, i);
    while (reading->list_count > 0) {
        struct function_effects *callee = &reading->functions[reading->list[--reading->list_count]];
        callee->waiting = false;
        for (uint32_t i = 0; i < callee->caller_count; ++i) {
            const uint32_t index = reading->callers[callee->caller_first + i];
            struct function_effects *caller = &reading->functions[index];
            const bool news = (callee->mask & ~caller->mask) != 0;
            add_effect(caller, callee->mask, callee->offset);
            if (news)
                put(reading, index);
        }
    }
}

/* How many executed instructions the function has, its returns not counted. */
static uint32_t count_instructions(const struct reading *reading, const struct ws_function *function)
{
    const struct ws_module *module = reading->module;
    uint32_t count = 0;
    for (uint32_t b = function->block_first; b < function->block_first + function->block_count; ++b)
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end && is_live(reading, b); ++i)
            count += module->instructions[i].opcode != SpvOpReturn &&
                     ws_instruction_is_executed(module, &module->instructions[i]);
    return count;
}

/* Whether every end of the function is OpIgnoreIntersectionKHR. Ends of functions that it calls are not
 * looked at: where one of these ignores, this function still has an end of its own behind the call. */
static bool ignores_always(const struct reading *reading, const struct ws_function *function)
{
    const struct ws_module *module = reading->module;
    uint32_t ignores = 0;
    for (uint32_t b = function->block_first; b < function->block_first + function->block_count; ++b) {
        const uint16_t last = module->instructions[module->blocks[b].end - 1].opcode;
        if (!is_live(reading, b))
            continue;
        if (last == SpvOpReturn || last == SpvOpTerminateRayKHR)
            return false;
        ignores += last == SpvOpIgnoreIntersectionKHR;
    }
    return ignores > 0;
}

static struct ws_shader_effects entry_effects(const struct reading *reading,
                                              const struct ws_entry_point *entry)
{
    const struct function_effects *function = &reading->functions[entry->function];
    uint32_t mask = function->mask & ~STORES_ATTRIBUTE;
    if ((function->mask & STORES_ATTRIBUTE) != 0 && entry->model != SpvExecutionModelIntersectionKHR)
        mask |= WS_EFFECT_OTHER;
    return (struct ws_shader_effects){
        .mask = mask,
        /* Of an intersection shader that only stores to attributes nothing is left in the mask. */
        .offset = (mask & ~(uint32_t)WS_EFFECT_IGNORE) != 0 ? function->offset : WS_NONE,
        .instructions = count_instructions(reading, &reading->module->functions[entry->function]),
        .ignores_always = ignores_always(reading, &reading->module->functions[entry->function]),
        .constant = function->constant,
    };
}

bool ws_effects_read(const struct ws_module *module, const struct ws_fold *fold, uint32_t first,
                     uint32_t count, struct ws_shader_effects *effects)
{
    struct reading reading = {.module = module, .fold = fold};
    uint32_t calls = 0;
    for (uint32_t i = 0; i < module->instruction_count; ++i)
        calls += module->instructions[i].opcode == SpvOpFunctionCall;
    reading.functions = malloc(((size_t)module->function_count + 1) * sizeof(*reading.functions));
    reading.list = malloc(((size_t)module->function_count + 1) * sizeof(*reading.list));
    reading.calls = malloc(((size_t)calls + 1) * sizeof(*reading.calls));
    reading.callers = malloc(((size_t)calls + 1) * sizeof(*reading.callers));
    const bool read =
        reading.functions != NULL && reading.list != NULL && reading.calls != NULL && reading.callers != NULL;
    if (read) {
        for (uint32_t i = 0; i < module->function_count; ++i)
            judge_function(&reading, i);
        list_callers(&reading);
        spread(&reading);
        for (uint32_t i = 0; i < count; ++i)
            effects[i] = entry_effects(&reading, &module->entry_points[first + i]);
    }
    free(reading.callers);
    free(reading.calls);
    free(reading.list);
    free(reading.functions);
    return read;
}
