#include "warpscope/model/effects_code.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/builder.h"

/* Calls of traceRay that only ask (effects.h).
 *
 * For each payload variable it is found which ids are pointers into it and which are numbers that were loaded
 * through those. These uses are harmless: to trace with the variable, to store to it, to point into it, to
 * load single numbers from it and to compare those with constants, and to load booleans, which are answers already.
 * Any other use spoils the variable: its calls do not only ask. Every word of an instruction that equals such an id
 * counts as a use, also a literal: so no use is overlooked. */

enum role { NOTHING, VARIABLE, POINTER, NUMBER, ANSWER };

struct payload_id {
    uint32_t variable; /* id of the payload variable */
    uint8_t role;      /* enum role */
    bool compared;     /* variables: a number of it is compared with a constant, or a boolean is loaded */
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

/* What is loaded with that type: a number, an answer, or NOTHING that is followed. */
static enum role role_of(const struct ws_module *module, uint32_t type)
{
    const struct ws_instruction *definition = ws_module_definition(module, type);
    if (definition != NULL && definition->opcode == SpvOpTypeBool)
        return ANSWER;
    return definition != NULL && (definition->opcode == SpvOpTypeInt || definition->opcode == SpvOpTypeFloat)
               ? NUMBER
               : NOTHING;
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
             (ids[base].role == VARIABLE || ids[base].role == POINTER) && role_of(module, type) != NOTHING) {
        ids[result] =
            (struct payload_id){.variable = ids[base].variable, .role = (uint8_t)role_of(module, type)};
        ids[ids[base].variable].compared |= ids[result].role == ANSWER;
    }
}

/* Whether the use of an id with that role as this operand is harmless. */
static bool is_harmless(const struct ws_module *module, const struct ws_instruction *instruction,
                        uint32_t operand, const struct payload_id *ids)
{
    const struct payload_id *id = &ids[ws_operand(module, instruction, operand)];
    const uint32_t result = ws_operand(module, instruction, 1);
    if (id->role == ANSWER)
        return true;
    switch (instruction->opcode) {
    case SpvOpVariable: return operand == 1;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain: return operand == 1 || (operand == 2 && id->role != NUMBER);
    case SpvOpLoad:
        return operand == 1 || (operand == 2 && result < module->bound &&
                                (ids[result].role == NUMBER || ids[result].role == ANSWER));
    case SpvOpStore: return operand == 0 && id->role != NUMBER;
    default: break;
    }
    if (is_comparison(instruction->opcode))
        return id->role == NUMBER && operand >= 2 &&
               ws_effects_is_constant(module, ws_operand(module, instruction, operand == 2 ? 3 : 2));
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

bool ws_effects_read_asking(const struct ws_module *module, uint32_t **offsets, uint32_t *count)
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
