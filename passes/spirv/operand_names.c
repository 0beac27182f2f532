#include "passes/spirv/operand_names.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/spirv/code.h"

#define EXTENDED_MAX 128 /* instructions of GLSL.std.450: fewer */

/* What the bits of image operands bring, from the lowest bit on (SPIR-V specification 3.14). */
static const struct {
    const char *name;
    const char *second; /* where the bit brings two operands */
} image_operands[] = {
    {"bias", NULL},   {"lod", NULL},           {"grad_x", "grad_y"}, {"const_offset", NULL},
    {"offset", NULL}, {"const_offsets", NULL}, {"sample", NULL},     {"min_lod", NULL},
};

#define IMAGE_OPERAND_COUNT (sizeof(image_operands) / sizeof(image_operands[0]))

/* Where an image operand stands behind its mask; false where the mask has it not. */
static bool find_image_operand(uint32_t mask, const char *name, uint32_t *behind)
{
    uint32_t at = 1;
    for (uint32_t i = 0; i < IMAGE_OPERAND_COUNT; i++) {
        const char *second = image_operands[i].second;
        if ((mask >> i & 1) == 0)
            continue;
        *behind = at;
        if (strcmp(image_operands[i].name, name) == 0)
            return true;
        *behind = at + 1;
        if (second != NULL && strcmp(second, name) == 0)
            return true;
        at += second != NULL ? 2 : 1;
    }
    return false;
}

/* Which of the operands that may come any number of times a name means: "operand_1", "operand_2" for the layout's
 * "operand_1"; "indexes", "indexes_0", "indexes_1" for "indexes". */
static bool find_repeated(const char *first, size_t length, const char *name, uint32_t *number)
{
    size_t stem = length;
    while (stem > 0 && first[stem - 1] >= '0' && first[stem - 1] <= '9')
        stem--;
    const bool is_numbered = stem != length && stem > 0 && first[stem - 1] == '_';
    const unsigned long base = is_numbered ? strtoul(first + stem, NULL, 10) : 0;
    const size_t before = is_numbered ? stem : length; /* what the name begins with */
    char *end = NULL;
    *number = 0;
    if (strlen(name) < before || strncmp(name, first, before) != 0)
        return false;
    const char *digits = name + before;
    if (!is_numbered && *digits == '\0')
        return true;
    if (!is_numbered && *digits++ != '_')
        return false;
    if (*digits < '0' || *digits > '9')
        return false;
    const unsigned long value = strtoul(digits, &end, 10);
    if (*end != '\0' || value < base || value - base > UINT16_MAX)
        return false;
    *number = (uint32_t)(value - base);
    return true;
}

/* Finds a name in a layout. `mask` is the mask of image operands, `*index` begins with the first operand behind the result,
 * or behind OpExtInst's number. */
static bool find_in_layout(const char *layout, const char *name, const struct ws_module *module,
                           const struct ws_instruction *instruction, struct ws_named_operand *operand)
{
    while (layout != NULL && *layout != '\0') {
        const size_t length = strcspn(layout, ",");
        const bool is_repeated = layout[0] == '*';
        const char *text = layout + is_repeated;
        const bool is_literal = text[0] == '=';
        uint32_t number = 0;
        if (layout[0] == '@') {
            const uint32_t mask = instruction != NULL ? ws_operand(module, instruction, operand->index)
                                                      : (1u << IMAGE_OPERAND_COUNT) - 1;
            operand->is_literal = false;
            if (!find_image_operand(mask, name, &number))
                return false;
            operand->index += number;
            return true;
        }
        text += is_literal;
        const size_t rest = length - (size_t)(text - layout);
        operand->is_literal = is_literal;
        if (is_repeated && find_repeated(text, rest, name, &number)) {
            operand->index += number;
            return true;
        }
        if (!is_repeated && strlen(name) == rest && strncmp(text, name, rest) == 0)
            return true;
        operand->index++;
        layout += layout[length] == ',' ? length + 1 : length;
    }
    return false;
}

uint32_t ws_extended_number(const struct ws_module *module, const struct ws_instruction *instruction)
{
    static const char glsl[] = "GLSL.std.450";
    const struct ws_instruction *set = instruction->opcode != SpvOpExtInst
                                           ? NULL
                                           : ws_module_definition(module, ws_operand(module, instruction, 2));
    if (set == NULL || set->opcode != SpvOpExtInstImport ||
        ws_module_string(module, set, 1) != strlen(glsl) ||
        strcmp((const char *)(module->words + set->offset + 2), glsl) != 0)
        return WS_NONE;
    return ws_operand(module, instruction, 3);
}

bool ws_operand_find(const struct ws_module *module, const struct ws_instruction *instruction,
                     const char *name, struct ws_named_operand *operand)
{
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    *operand = (struct ws_named_operand){.index = (uint32_t)has_type + has_result};
    bool found = find_in_layout(ws_opcode_layout(instruction->opcode), name, module, instruction, operand);
    const uint32_t number = found ? WS_NONE : ws_extended_number(module, instruction);
    if (number != WS_NONE) {
        operand->index = 4;
        found = find_in_layout(ws_extended_layout(number), name, module, instruction, operand);
    }
    return found && operand->index + 1u < instruction->length;
}

bool ws_operand_is_known(uint32_t opcode, uint32_t extended, const char *name)
{
    struct ws_named_operand operand = {0};
    return find_in_layout(ws_opcode_layout(opcode), name, NULL, NULL, &operand) ||
           (opcode == SpvOpExtInst && extended != WS_NONE &&
            find_in_layout(ws_extended_layout(extended), name, NULL, NULL, &operand));
}

uint32_t ws_opcode_find(const char *name)
{
    for (uint32_t opcode = 0; opcode <= UINT16_MAX; opcode++) {
        const char *known = ws_opcode_name(opcode);
        if (known != NULL && strcmp(known, name) == 0)
            return opcode;
    }
    return WS_NONE;
}

uint32_t ws_extended_find(const char *name)
{
    for (uint32_t number = 0; number < EXTENDED_MAX; number++) {
        const char *known = ws_extended_name(number);
        if (known != NULL && strcmp(known, name) == 0)
            return number;
    }
    return WS_NONE;
}
