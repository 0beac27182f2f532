/* The specialization constants of modules (catalog.h). */
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"
#include "warpscope/spirv/module.h"

static int compare(const void *left, const void *right)
{
    const struct ws_constant_record *a = left;
    const struct ws_constant_record *b = right;
    return a->spec_id < b->spec_id ? -1 : a->spec_id > b->spec_id;
}

/* Sets type and value from the instruction that defines the constant. False: it is no scalar. */
static bool describe(const struct ws_module *code, uint32_t id, struct ws_constant_record *constant)
{
    const struct ws_instruction *definition = ws_module_definition(code, id);
    if (definition == NULL)
        return false;
    if (definition->opcode == SpvOpSpecConstantTrue || definition->opcode == SpvOpSpecConstantFalse) {
        constant->kind = WS_CONSTANT_BOOL;
        constant->width = 32;
        constant->value = definition->opcode == SpvOpSpecConstantTrue;
        return true;
    }
    const struct ws_instruction *type = ws_module_definition(code, ws_operand(code, definition, 0));
    if (definition->opcode != SpvOpSpecConstant || type == NULL ||
        (type->opcode != SpvOpTypeInt && type->opcode != SpvOpTypeFloat))
        return false;
    constant->width = ws_operand(code, type, 1);
    constant->kind = type->opcode == SpvOpTypeFloat   ? WS_CONSTANT_FLOAT
                     : ws_operand(code, type, 2) != 0 ? WS_CONSTANT_INT
                                                      : WS_CONSTANT_UINT;
    constant->value = ws_operand(code, definition, 2);
    if (constant->width > 32)
        constant->value |= (uint64_t)ws_operand(code, definition, 3) << 32;
    return true;
}

static bool add(struct ws_catalog *catalog, struct ws_module_record *module, uint32_t *capacity,
                const struct ws_module *code, const struct ws_instruction *decoration,
                struct ws_id_map *of_id)
{
    const uint32_t id = ws_operand(code, decoration, 0);
    struct ws_constant_record constant = {.spec_id = ws_operand(code, decoration, 2)};
    if (!describe(code, id, &constant))
        return true;
    struct ws_constant_record *constants =
        ws_array_grow(module->constants, capacity, module->constant_count + 1, sizeof(*constants));
    if (constants == NULL)
        return false;
    module->constants = constants;
    constant.name = ws_text_pool_add(&catalog->texts, "");
    if (constant.name == NULL || !ws_id_map_put(of_id, id, module->constant_count))
        return false;
    constants[module->constant_count++] = constant;
    return true;
}

static bool name(struct ws_catalog *catalog, struct ws_module_record *module, const struct ws_module *code,
                 const struct ws_instruction *instruction, const struct ws_id_map *of_id)
{
    char text[128];
    uint32_t index = 0;
    const uint32_t length = ws_module_string(code, instruction, 1);
    if (length == WS_NONE || !ws_id_map_get(of_id, ws_operand(code, instruction, 0), &index))
        return true;
    const size_t kept = length < sizeof(text) ? length : sizeof(text) - 1;
    memcpy(text, code->words + instruction->offset + 2, kept);
    text[kept] = '\0';
    ws_text_repair(text, kept);
    module->constants[index].name = ws_text_pool_add(&catalog->texts, text);
    return module->constants[index].name != NULL;
}

/* Names stand before decorations, so the code is walked twice. */
bool ws_catalog_constants_add(struct ws_catalog *catalog, struct ws_module_record *module,
                              const struct ws_module *code)
{
    struct ws_id_map of_id = {.slots = NULL};
    uint32_t capacity = 0;
    bool added = true;
    for (uint32_t i = 0; i < code->instruction_count && added; ++i) {
        const struct ws_instruction *instruction = &code->instructions[i];
        if (instruction->opcode == SpvOpDecorate && ws_operand(code, instruction, 1) == SpvDecorationSpecId)
            added = add(catalog, module, &capacity, code, instruction, &of_id);
    }
    for (uint32_t i = 0; i < code->instruction_count && added && module->constant_count > 0; ++i)
        if (code->instructions[i].opcode == SpvOpName)
            added = name(catalog, module, code, &code->instructions[i], &of_id);
    if (module->constant_count > 1)
        qsort(module->constants, module->constant_count, sizeof(*module->constants), compare);
    ws_id_map_finish(&of_id);
    return added;
}
