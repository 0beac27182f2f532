#include "warpscope/spirv/pointers.h"

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/spirv/access.h"

#define SWEEPS_MAX 32 /* over all instructions that pass pointers on: a loop in a loop takes one more */
#define DEPTH_MAX  32 /* of types in each other, and of pointers made of pointers */

static const char *const not_made = "its pointer is made in a way that is not followed";
static const char *const by_pointer = "its pointer is stored by a pointer that is not followed";
static const char *const too_deep = "its pointer goes through too many instructions";

enum holds { UNASKED, HOLDS_NONE, HOLDS_POINTERS };

struct ws_pointers {
    const struct ws_module *module;
    struct ws_layouts *layouts;
    uint8_t *types; /* per id: enum holds */
    /* Per id: of values; of variables of one invocation, what they hold; of functions, what they return. */
    struct ws_pointer_origin *origins;
    uint32_t *steps; /* indices of instructions that pass pointers on */
    uint32_t step_count;
    uint32_t *numbers; /* per id of a variable */
    uint32_t variables[WS_PLACE_VARIABLES_MAX];
    uint32_t variable_count;
    bool is_crowded; /* there are more variables */
    bool changed;
};

/* ---- types ---- */

static const struct ws_instruction *type_of(const struct ws_module *module, uint32_t id)
{
    return ws_module_definition(module, ws_module_type_of(module, id));
}

static bool is_shared_storage(uint32_t storage)
{
    return storage == SpvStorageClassStorageBuffer || storage == SpvStorageClassUniform ||
           storage == SpvStorageClassWorkgroup || storage == SpvStorageClassShaderRecordBufferKHR;
}

static bool is_pointer(const struct ws_instruction *type)
{
    return type->opcode == SpvOpTypePointer || type->opcode == WS_OP_TYPE_UNTYPED_POINTER_KHR;
}

static bool holds_pointers(struct ws_pointers *pointers, uint32_t type, uint32_t depth)
{
    const struct ws_module *module = pointers->module;
    const struct ws_instruction *definition = ws_module_definition(module, type);
    bool holds = false;
    if (definition == NULL || depth == DEPTH_MAX)
        return false;
    if (pointers->types[type] != UNASKED)
        return pointers->types[type] == HOLDS_POINTERS;
    if (is_pointer(definition))
        holds = is_shared_storage(ws_operand(module, definition, 1));
    else if (definition->opcode == SpvOpTypeArray)
        holds = holds_pointers(pointers, ws_operand(module, definition, 1), depth + 1);
    else if (definition->opcode == SpvOpTypeStruct)
        for (uint32_t i = 1; i < definition->length && !holds; i++)
            holds = i + 1u < definition->length &&
                    holds_pointers(pointers, ws_operand(module, definition, i), depth + 1);
    pointers->types[type] = holds ? HOLDS_POINTERS : HOLDS_NONE;
    return holds;
}

bool ws_pointers_in_type(struct ws_pointers *pointers, uint32_t type)
{
    return holds_pointers(pointers, type, 0);
}

static bool value_holds(struct ws_pointers *pointers, uint32_t id)
{
    const struct ws_instruction *type = type_of(pointers->module, id);
    return type != NULL && type->length > 1 &&
           holds_pointers(pointers, ws_operand(pointers->module, type, 0), 0);
}

/* Whether a pointer points to memory of one invocation that holds pointers. */
static bool points_to_holder(struct ws_pointers *pointers, uint32_t id)
{
    const struct ws_instruction *type = type_of(pointers->module, id);
    return type != NULL && type->opcode == SpvOpTypePointer &&
           !is_shared_storage(ws_operand(pointers->module, type, 1)) &&
           holds_pointers(pointers, ws_operand(pointers->module, type, 2), 0);
}

/* ---- values ---- */

bool ws_pointers_is_followed(const struct ws_instruction *definition)
{
    switch (definition->opcode) {
    case WS_OP_UNTYPED_VARIABLE_KHR:
    case WS_OP_UNTYPED_ACCESS_CHAIN_KHR:
    case WS_OP_UNTYPED_IN_BOUNDS_ACCESS_CHAIN_KHR:
    case WS_OP_UNTYPED_PTR_ACCESS_CHAIN_KHR:
    case WS_OP_UNTYPED_IN_BOUNDS_PTR_ACCESS_CHAIN_KHR:
    case WS_OP_RAW_ACCESS_CHAIN_NV:
    case SpvOpVariable:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpCopyObject: return true;
    default: return false;
    }
}

uint32_t ws_pointers_holder(const struct ws_module *module, uint32_t pointer)
{
    for (uint32_t depth = 0; depth < DEPTH_MAX; depth++) {
        const struct ws_instruction *definition = ws_module_definition(module, pointer);
        if (definition == NULL || !ws_pointers_is_followed(definition))
            return 0;
        if (definition->opcode == SpvOpVariable) {
            const uint32_t storage = ws_operand(module, definition, 2);
            return storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate ? pointer : 0;
        }
        if (definition->opcode != SpvOpAccessChain && definition->opcode != SpvOpInBoundsAccessChain &&
            definition->opcode != SpvOpCopyObject)
            return 0;
        pointer = ws_operand(module, definition, 2);
    }
    return 0;
}

static struct ws_pointer_origin unknown(const char *reason)
{
    return (struct ws_pointer_origin){.reason = reason};
}

struct ws_pointer_origin ws_pointers_origin(struct ws_pointers *pointers, uint32_t id)
{
    const struct ws_module *module = pointers->module;
    const struct ws_instruction *definition = ws_module_definition(module, id);
    const struct ws_instruction *type = type_of(module, id);
    struct ws_access access;
    const char *reason = NULL;
    if (definition == NULL || type == NULL)
        return unknown(not_made);
    if (definition->opcode == SpvOpConstantNull || definition->opcode == SpvOpUndef ||
        definition->opcode == SpvOpConstantComposite)
        return (struct ws_pointer_origin){0};
    if (!is_pointer(type) || !ws_pointers_is_followed(definition))
        return pointers->origins[id];
    if (!ws_access_follow(pointers->layouts, id, &access, &reason))
        return unknown(reason);
    if (access.base == 0)
        return (struct ws_pointer_origin){.variable = access.variable,
                                          .descriptor =
                                              access.descriptor_id == 0 ? access.descriptor : WS_NONE};
    const struct ws_instruction *base = ws_module_definition(module, access.base);
    if (base->opcode == SpvOpConstantNull || base->opcode == SpvOpUndef)
        return (struct ws_pointer_origin){0};
    return pointers->origins[access.base];
}

/* Adds to what an id may be. */
static void meet(struct ws_pointers *pointers, uint32_t id, struct ws_pointer_origin from)
{
    if (id >= pointers->module->bound)
        return;
    struct ws_pointer_origin *into = &pointers->origins[id];
    struct ws_pointer_origin met = *into;
    if (into->reason != NULL || (from.variable == 0 && from.reason == NULL))
        return;
    if (from.reason != NULL || into->variable == 0)
        met = from;
    else {
        met.variable = into->variable == from.variable ? from.variable : WS_NONE;
        met.descriptor = into->descriptor == from.descriptor ? from.descriptor : WS_NONE;
    }
    pointers->changed |=
        met.reason != into->reason || met.variable != into->variable || met.descriptor != into->descriptor;
    *into = met;
}

static void pass_on(struct ws_pointers *pointers, uint32_t to, uint32_t from)
{
    if (value_holds(pointers, from))
        meet(pointers, to, ws_pointers_origin(pointers, from));
}

/* Arguments come to parameters. A variable that holds pointers is no longer followed where a call may change it. */
static void pass_call(struct ws_pointers *pointers, const struct ws_instruction *call)
{
    const struct ws_module *module = pointers->module;
    const uint32_t callee = ws_operand(module, call, 2);
    uint32_t at = callee < module->bound ? module->definitions[callee] : WS_NONE;
    for (uint32_t i = 3; i + 1u < call->length && at != WS_NONE; i++) {
        const uint32_t argument = ws_operand(module, call, i);
        do
            at++;
        while (at < module->instruction_count && ws_opcode_is_line(module->instructions[at].opcode));
        if (at >= module->instruction_count || module->instructions[at].opcode != SpvOpFunctionParameter)
            return;
        pass_on(pointers, ws_operand(module, &module->instructions[at], 1), argument);
        if (points_to_holder(pointers, argument) && ws_pointers_holder(module, argument) != 0)
            meet(pointers, ws_pointers_holder(module, argument), unknown(by_pointer));
    }
    if (callee < module->bound && value_holds(pointers, ws_operand(module, call, 1)))
        meet(pointers, ws_operand(module, call, 1), pointers->origins[callee]);
}

static void pass_store(struct ws_pointers *pointers, const struct ws_instruction *store)
{
    const struct ws_module *module = pointers->module;
    const uint32_t holder = ws_pointers_holder(module, ws_operand(module, store, 0));
    if (holder != 0)
        pass_on(pointers, holder, ws_operand(module, store, 1));
}

static void pass_load(struct ws_pointers *pointers, const struct ws_instruction *load)
{
    const struct ws_module *module = pointers->module;
    const uint32_t holder = ws_pointers_holder(module, ws_operand(module, load, 2));
    meet(pointers, ws_operand(module, load, 1),
         holder != 0 ? pointers->origins[holder] : unknown(by_pointer));
}

static void pass_return(struct ws_pointers *pointers, uint32_t index)
{
    const struct ws_module *module = pointers->module;
    const uint32_t function = ws_module_function(module, index);
    if (function != WS_NONE)
        pass_on(pointers, module->functions[function].id,
                ws_operand(module, &module->instructions[index], 0));
}

/* Takes in one instruction that passes pointers on. */
static void take(struct ws_pointers *pointers, uint32_t index)
{
    const struct ws_module *module = pointers->module;
    const struct ws_instruction *step = &module->instructions[index];
    const uint32_t result = ws_operand(module, step, 1);
    uint32_t first = 2;
    switch ((SpvOp)step->opcode) {
    case SpvOpFunctionCall: pass_call(pointers, step); return;
    case SpvOpStore: pass_store(pointers, step); return;
    case SpvOpLoad: pass_load(pointers, step); return;
    case SpvOpReturnValue: pass_return(pointers, index); return;
    case SpvOpCopyMemory:
        if (ws_pointers_holder(module, ws_operand(module, step, 0)) != 0)
            meet(pointers, ws_pointers_holder(module, ws_operand(module, step, 0)), unknown(by_pointer));
        return;
    case SpvOpVariable: /* what it begins with is not followed */
        if (step->length > 4 && ws_operand(module, step, 3) != 0 &&
            ws_pointers_origin(pointers, ws_operand(module, step, 3)).variable != 0)
            meet(pointers, result, unknown(not_made));
        return;
    case SpvOpPhi:
        for (uint32_t i = 2; i + 1u < step->length; i += 2)
            pass_on(pointers, result, ws_operand(module, step, i));
        return;
    case SpvOpCompositeExtract: pass_on(pointers, result, ws_operand(module, step, 2)); return;
    case SpvOpCompositeInsert:
        pass_on(pointers, result, ws_operand(module, step, 2));
        pass_on(pointers, result, ws_operand(module, step, 3));
        return;
    case SpvOpSelect: first = 3; break;
    case SpvOpCompositeConstruct:
    case SpvOpCopyObject:
    case SpvOpCopyLogical: break;
    default: meet(pointers, result, unknown(not_made)); return;
    }
    for (uint32_t i = first; i + 1u < step->length; i++)
        pass_on(pointers, result, ws_operand(module, step, i));
}

static bool has_result(const struct ws_instruction *instruction)
{
    bool has_type = false;
    bool has_id = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_id);
    return has_type && has_id;
}

/* Whether an instruction passes pointers on: those of functions, and variables of the module, which may begin with some. */
static bool is_step(struct ws_pointers *pointers, uint32_t index)
{
    const struct ws_module *module = pointers->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    const bool in_function = module->function_count > 0 && index >= module->functions[0].first;
    if (!in_function && instruction->opcode != SpvOpVariable)
        return false;
    switch ((SpvOp)instruction->opcode) {
    case SpvOpFunctionCall: return true;
    case SpvOpStore: return value_holds(pointers, ws_operand(module, instruction, 1));
    case SpvOpReturnValue: return value_holds(pointers, ws_operand(module, instruction, 0));
    case SpvOpVariable:
    case SpvOpCopyMemory:
        return points_to_holder(pointers,
                                ws_operand(module, instruction, instruction->opcode == SpvOpVariable));
    case SpvOpFunction:
    case SpvOpFunctionParameter: return false;
    default: break;
    }
    if (!has_result(instruction) || !value_holds(pointers, ws_operand(module, instruction, 1)))
        return false;
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, instruction, 0));
    return !is_pointer(type) || !ws_pointers_is_followed(instruction);
}

static bool find_steps(struct ws_pointers *pointers)
{
    const struct ws_module *module = pointers->module;
    uint32_t count = 0;
    for (uint32_t i = 0; i < module->instruction_count; i++)
        count += is_step(pointers, i);
    pointers->steps = ws_arena_allocate(module->arena, (size_t)count + 1, sizeof(*pointers->steps));
    for (uint32_t i = 0; i < module->instruction_count && pointers->steps != NULL; i++)
        if (is_step(pointers, i))
            pointers->steps[pointers->step_count++] = i;
    return pointers->steps != NULL;
}

static void number_variables(struct ws_pointers *pointers)
{
    const struct ws_module *module = pointers->module;
    const uint32_t end = module->function_count > 0 ? module->functions[0].first : module->instruction_count;
    for (uint32_t i = 0; i < end; i++) {
        const struct ws_instruction *variable = &module->instructions[i];
        if (!ws_opcode_is_variable(variable->opcode) || !is_shared_storage(ws_operand(module, variable, 2)))
            continue;
        pointers->is_crowded = pointers->variable_count == WS_PLACE_VARIABLES_MAX;
        if (pointers->is_crowded)
            return;
        pointers->variables[pointers->variable_count++] = ws_operand(module, variable, 1);
        pointers->numbers[ws_operand(module, variable, 1)] = pointers->variable_count;
    }
}

struct ws_pointers *ws_pointers_create(const struct ws_module *module, struct ws_layouts *layouts)
{
    struct ws_pointers *pointers = ws_arena_allocate(module->arena, 1, sizeof(*pointers));
    if (pointers == NULL)
        return NULL;
    pointers->module = module;
    pointers->layouts = layouts;
    pointers->types = ws_arena_allocate(module->arena, module->bound, sizeof(*pointers->types));
    pointers->origins = ws_arena_allocate(module->arena, module->bound, sizeof(*pointers->origins));
    pointers->numbers = ws_arena_allocate(module->arena, module->bound, sizeof(*pointers->numbers));
    if (pointers->types == NULL || pointers->origins == NULL || pointers->numbers == NULL ||
        !find_steps(pointers))
        return NULL;
    number_variables(pointers);
    pointers->changed = true;
    for (uint32_t sweep = 0; pointers->changed && sweep < SWEEPS_MAX; sweep++) {
        pointers->changed = false;
        for (uint32_t i = 0; i < pointers->step_count; i++)
            take(pointers, pointers->steps[i]);
    }
    for (uint32_t id = 0; id < module->bound && pointers->changed; id++)
        pointers->origins[id] = unknown(too_deep);
    return pointers;
}

/* ---- places ---- */

bool ws_pointers_is_crowded(const struct ws_pointers *pointers)
{
    return pointers->is_crowded;
}

uint32_t ws_pointers_place(const struct ws_pointers *pointers, uint32_t variable)
{
    return variable < pointers->module->bound ? pointers->numbers[variable] << 24 : 0;
}

uint32_t ws_pointers_variable(const struct ws_pointers *pointers, uint32_t place)
{
    const uint32_t number = place >> 24;
    return number >= 1 && number <= pointers->variable_count ? pointers->variables[number - 1] : 0;
}
