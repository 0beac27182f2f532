/* See effects.h. The file has three parts: what the functions of a module do; which calls of traceRay only
 * ask; both for the shaders of a capture.
 *
 * Every instruction of every function is judged once. Then a function's effects are added to those of its
 * callers, until nothing changes. Each function's mask grows at most once for each kind of effect, so the
 * work is linear in the module, even with recursion, which SPIR-V forbids. */
#include "analysis/model/effects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/model/catalog.h"
#include "passes/base/arena.h"
#include "passes/base/array.h"
#include "passes/instrument/plan.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/sites.h"

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
static uint32_t effect_of(const struct ws_module *module, const struct ws_instruction *instruction)
{
    switch ((SpvOp)instruction->opcode) {
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
    case SpvOpRayQueryInitializeKHR:
    case SpvOpRayQueryProceedKHR:
    case SpvOpRayQueryTerminateKHR:
    case SpvOpRayQueryGenerateIntersectionKHR:
    case SpvOpRayQueryConfirmIntersectionKHR: return WS_EFFECT_CALL;
    case SpvOpExtInst: return extended_effect(module, instruction);
    default: return is_pure(instruction->opcode) ? 0 : WS_EFFECT_OTHER;
    }
}

static bool is_constant(const struct ws_module *module, uint32_t id)
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
        if (!is_constant(module, ws_operand(module, definition, i)))
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

static void judge_function(struct reading *reading, uint32_t index)
{
    const struct ws_module *module = reading->module;
    const struct ws_function *function = &module->functions[index];
    struct function_effects *effects = &reading->functions[index];
    *effects = (struct function_effects){.offset = WS_NONE, .constant = function->block_count == 1};
    for (uint32_t i = function->first; i < function->end; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpFunctionCall) {
            const uint32_t callee = callee_of(module, instruction);
            effects->constant = false;
            if (callee != WS_NONE)
                reading->calls[reading->call_count++] = (struct call){index, callee};
            else
                add_effect(effects, WS_EFFECT_OTHER, instruction->offset);
            continue;
        }
        const uint32_t mask = effect_of(module, instruction);
        if (mask != 0 &&
            (instruction->opcode != SpvOpStore || !is_constant(module, ws_operand(module, instruction, 1)) ||
             !is_constant_place(module, ws_operand(module, instruction, 0))))
            effects->constant = false;
        add_effect(effects, mask, instruction->offset);
    }
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
static uint32_t count_instructions(const struct ws_module *module, const struct ws_function *function)
{
    uint32_t count = 0;
    for (uint32_t b = function->block_first; b < function->block_first + function->block_count; ++b)
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; ++i)
            count += module->instructions[i].opcode != SpvOpReturn &&
                     ws_instruction_is_executed(module, &module->instructions[i]);
    return count;
}

/* Whether every end of the function is OpIgnoreIntersectionKHR. Ends of functions that it calls are not
 * looked at: where one of these ignores, this function still has an end of its own behind the call. */
static bool ignores_always(const struct ws_module *module, const struct ws_function *function)
{
    uint32_t ignores = 0;
    for (uint32_t b = function->block_first; b < function->block_first + function->block_count; ++b) {
        const uint16_t last = module->instructions[module->blocks[b].end - 1].opcode;
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
        .instructions = count_instructions(reading->module, &reading->module->functions[entry->function]),
        .ignores_always = ignores_always(reading->module, &reading->module->functions[entry->function]),
        .constant = function->constant,
    };
}

/* Judges each entry point of the module, into `effects` of module->entry_point_count. Takes time linear in
 * the module. False when there is no memory. */
static bool read_effects(const struct ws_module *module, struct ws_shader_effects *effects)
{
    struct reading reading = {.module = module};
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
        for (uint32_t i = 0; i < module->entry_point_count; ++i)
            effects[i] = entry_effects(&reading, &module->entry_points[i]);
    }
    free(reading.callers);
    free(reading.calls);
    free(reading.list);
    free(reading.functions);
    return read;
}

/* Calls of traceRay that only ask (effects.h).
 *
 * For each payload variable it is found which ids are pointers into it and which are numbers that were loaded
 * through those. These uses are harmless: to trace with the variable, to store to it, to point into it, to
 * load single numbers from it, and to compare those with constants. Any other use spoils the variable: its
 * calls do not only ask. Every word of an instruction that equals such an id counts as a use, also a literal:
 * so no use is overlooked. */

enum role { NOTHING, VARIABLE, POINTER, NUMBER };

struct payload_id {
    uint32_t variable; /* id of the payload variable */
    uint8_t role;      /* enum role */
    bool compared;     /* variables: a number of it is compared with a constant */
    bool spoiled;      /* variables: has a use that is not harmless */
};

static bool is_comparison(uint16_t opcode)
{
    return opcode >= SpvOpIEqual && opcode <= SpvOpFUnordGreaterThanEqual;
}

/* The operand with the payload variable of an instruction that traces; WS_NONE = the instruction does not
 * trace. */
static uint32_t payload_operand(const struct ws_instruction *instruction)
{
    if (instruction->opcode == SpvOpTraceRayKHR)
        return 10;
    return instruction->opcode == SpvOpTraceRayMotionNV ? 11 : WS_NONE;
}

static bool is_scalar(const struct ws_module *module, uint32_t type)
{
    const struct ws_instruction *definition = ws_module_definition(module, type);
    return definition != NULL && (definition->opcode == SpvOpTypeInt || definition->opcode == SpvOpTypeFloat);
}

/* Gives a role to what the instruction defines. Definitions stand before their uses, except those of phis,
 * which spoil. */
static void define(const struct ws_module *module, const struct ws_instruction *instruction,
                   struct payload_id *ids)
{
    const uint32_t type = ws_operand(module, instruction, 0);
    const uint32_t result = ws_operand(module, instruction, 1);
    const uint32_t base = ws_operand(module, instruction, 2);
    if (result >= module->bound)
        return;
    if (instruction->opcode == SpvOpVariable && base == SpvStorageClassRayPayloadKHR)
        ids[result] = (struct payload_id){.variable = result, .role = VARIABLE};
    else if ((instruction->opcode == SpvOpAccessChain || instruction->opcode == SpvOpInBoundsAccessChain) &&
             base < module->bound && (ids[base].role == VARIABLE || ids[base].role == POINTER))
        ids[result] = (struct payload_id){.variable = ids[base].variable, .role = POINTER};
    else if (instruction->opcode == SpvOpLoad && base < module->bound &&
             (ids[base].role == VARIABLE || ids[base].role == POINTER) && is_scalar(module, type))
        ids[result] = (struct payload_id){.variable = ids[base].variable, .role = NUMBER};
}

/* Whether the use of an id with that role as this operand is harmless. */
static bool is_harmless(const struct ws_module *module, const struct ws_instruction *instruction,
                        uint32_t operand, const struct payload_id *ids)
{
    const struct payload_id *id = &ids[ws_operand(module, instruction, operand)];
    const uint32_t result = ws_operand(module, instruction, 1);
    switch (instruction->opcode) {
    case SpvOpVariable: return operand == 1;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain: return operand == 1 || (operand == 2 && id->role != NUMBER);
    case SpvOpLoad:
        return operand == 1 || (operand == 2 && result < module->bound && ids[result].role == NUMBER);
    case SpvOpStore: return operand == 0 && id->role != NUMBER;
    default: break;
    }
    if (is_comparison(instruction->opcode))
        return id->role == NUMBER && operand >= 2 &&
               is_constant(module, ws_operand(module, instruction, operand == 2 ? 3 : 2));
    return operand == payload_operand(instruction) && id->role == VARIABLE;
}

static void judge_uses(const struct ws_module *module, const struct ws_instruction *instruction,
                       struct payload_id *ids)
{
    if (ws_instruction_is_debug(module, instruction))
        return;
    for (uint32_t operand = 0; operand + 1 < instruction->length; ++operand) {
        const uint32_t id = ws_operand(module, instruction, operand);
        if (id >= module->bound || ids[id].role == NOTHING)
            continue;
        struct payload_id *variable = &ids[ids[id].variable];
        if (!is_harmless(module, instruction, operand, ids))
            variable->spoiled = true;
        else if (is_comparison(instruction->opcode))
            variable->compared = true;
    }
}

/* Whether it is an instruction that traces and only asks. */
static bool asks(const struct ws_module *module, const struct ws_instruction *instruction,
                 const struct payload_id *ids)
{
    const uint32_t operand = payload_operand(instruction);
    const uint32_t id = operand != WS_NONE ? ws_operand(module, instruction, operand) : 0;
    return operand != WS_NONE && id < module->bound && ids[id].role == VARIABLE && ids[id].compared &&
           !ids[id].spoiled;
}

/* The word offsets of instructions that trace and only ask, ascending, into `*offsets` (freed by the caller)
 * and `*count`. Takes time linear in the module. False when there is no memory. */
static bool read_asking(const struct ws_module *module, uint32_t **offsets, uint32_t *count)
{
    uint32_t calls = 0;
    *offsets = NULL;
    *count = 0;
    for (uint32_t i = 0; i < module->instruction_count; ++i)
        calls += payload_operand(&module->instructions[i]) != WS_NONE;
    if (calls == 0)
        return true;
    struct payload_id *ids = calloc((size_t)module->bound + 1, sizeof(*ids));
    *offsets = malloc(calls * sizeof(**offsets));
    if (ids == NULL || *offsets == NULL) {
        free(ids);
        return false;
    }
    for (uint32_t i = 0; i < module->instruction_count; ++i)
        define(module, &module->instructions[i], ids);
    for (uint32_t f = 0; f < module->function_count; ++f)
        for (uint32_t i = module->functions[f].first; i < module->functions[f].end; ++i)
            judge_uses(module, &module->instructions[i], ids);
    for (uint32_t i = 0; i < module->instruction_count; ++i)
        if (asks(module, &module->instructions[i], ids))
            (*offsets)[(*count)++] = module->instructions[i].offset;
    free(ids);
    return true;
}

/* One entry point of one module. */
struct entry {
    const char *name; /* in texts */
    uint32_t stage;
    struct ws_shader_effects effects;
};

struct module {
    uint32_t entry_first;
    uint32_t entry_count;
    uint32_t *asking; /* offsets of calls, ascending */
    uint32_t asking_count;
};

struct ws_effects {
    struct ws_text_pool texts;
    struct entry *entries;
    uint32_t entry_count;
    uint32_t entry_capacity;
    struct module *modules;
    uint32_t module_count;
    uint32_t module_capacity;
    struct ws_id_map module_of; /* id -> index */
    struct ws_id_map entry_of;  /* shader id -> index in entries */
};

struct ws_effects *ws_effects_create(void)
{
    return calloc(1, sizeof(struct ws_effects));
}

void ws_effects_destroy(struct ws_effects *effects)
{
    if (effects == NULL)
        return;
    ws_text_pool_finish(&effects->texts);
    ws_id_map_finish(&effects->module_of);
    ws_id_map_finish(&effects->entry_of);
    for (uint32_t i = 0; i < effects->module_count; ++i)
        free(effects->modules[i].asking);
    free(effects->entries);
    free(effects->modules);
    free(effects);
}

static bool add_entry(struct ws_effects *effects, const struct ws_entry_point *point,
                      const struct ws_shader_effects *found)
{
    struct entry *entries =
        ws_array_grow(effects->entries, &effects->entry_capacity, effects->entry_count + 1, sizeof(*entries));
    if (entries == NULL)
        return false;
    effects->entries = entries;
    entries[effects->entry_count] = (struct entry){.name = ws_text_pool_add(&effects->texts, point->name),
                                                   .stage = ws_stage_of_model(point->model),
                                                   .effects = *found};
    return entries[effects->entry_count++].name != NULL;
}

static bool add_entries(struct ws_effects *effects, const struct ws_module *code)
{
    struct ws_shader_effects *found = malloc(((size_t)code->entry_point_count + 1) * sizeof(*found));
    bool added = found != NULL && read_effects(code, found);
    for (uint32_t i = 0; i < code->entry_point_count && added; ++i)
        added = add_entry(effects, &code->entry_points[i], &found[i]);
    free(found);
    return added;
}

/* A module that cannot be parsed has no entries here, so what its shaders do is not known. */
static bool add_module(struct ws_effects *effects, const struct ws_chunk_module *chunk)
{
    struct ws_error unread = {{0}};
    struct ws_module code;
    struct module *modules = ws_array_grow(effects->modules, &effects->module_capacity,
                                           effects->module_count + 1, sizeof(*modules));
    struct ws_arena *arena = ws_arena_create();
    bool added = modules != NULL && arena != NULL;
    if (modules != NULL)
        effects->modules = modules;
    if (added) {
        struct module *module = &modules[effects->module_count];
        *module = (struct module){.entry_first = effects->entry_count};
        if (ws_module_parse(&code, arena, chunk->words, chunk->word_count, &unread))
            added = add_entries(effects, &code) && read_asking(&code, &module->asking, &module->asking_count);
        module->entry_count = effects->entry_count - module->entry_first;
        effects->module_count++;
        added = added && ws_id_map_put(&effects->module_of, chunk->id, effects->module_count - 1);
    }
    ws_arena_destroy(arena);
    return added;
}

static bool add_shader(struct ws_effects *effects, const struct ws_chunk_shader *shader)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&effects->module_of, shader->module, &index))
        return true;
    const struct module *module = &effects->modules[index];
    const char *name = ws_text_pool_add(&effects->texts, shader->name);
    if (name == NULL)
        return false;
    for (uint32_t i = module->entry_first; i < module->entry_first + module->entry_count; ++i)
        if (effects->entries[i].stage == shader->stage && strcmp(effects->entries[i].name, name) == 0)
            return ws_id_map_put(&effects->entry_of, shader->id, i);
    return true;
}

bool ws_effects_record(struct ws_effects *effects, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = true;
    if (chunk->type == WS_CHUNK_MODULE)
        recorded = add_module(effects, &chunk->module);
    else if (chunk->type == WS_CHUNK_SHADER)
        recorded = add_shader(effects, &chunk->shader);
    return recorded || ws_error_set(error, "no memory for what shaders do");
}

const struct ws_shader_effects *ws_effects_of(const struct ws_effects *effects, uint32_t shader)
{
    uint32_t index = 0;
    return ws_id_map_get(&effects->entry_of, shader, &index) ? &effects->entries[index].effects : NULL;
}

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

bool ws_effects_asks(const struct ws_effects *effects, uint32_t module, uint32_t offset)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&effects->module_of, module, &index) || effects->modules[index].asking_count == 0)
        return false;
    return bsearch(&offset, effects->modules[index].asking, effects->modules[index].asking_count,
                   sizeof(offset), compare) != NULL;
}

void ws_effects_describe(const struct ws_shader_effects *effects, char *text, size_t size)
{
    static const struct {
        uint32_t mask;
        const char *text;
    } words[] = {
        {WS_EFFECT_PAYLOAD, "stores to the payload"},
        {WS_EFFECT_BUFFER, "stores to a buffer"},
        {WS_EFFECT_IMAGE, "stores to an image"},
        {WS_EFFECT_TERMINATE, "terminates the ray"},
        {WS_EFFECT_CALL, "traces rays or calls shaders"},
        {WS_EFFECT_REPORT, "reports intersections"},
        {WS_EFFECT_OTHER, "does something that is not understood"},
        {WS_EFFECT_IGNORE, "ignores intersections"},
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && used < size; ++i)
        if ((effects->mask & words[i].mask) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", words[i].text);
    if (used == 0)
        snprintf(text, size, "does nothing that can be seen");
    else if (effects->offset != WS_NONE && used < size)
        snprintf(text + used, size - used, "%s word %u",
                 (effects->mask & (effects->mask - 1)) == 0 ? " at" : "; see", effects->offset);
}
