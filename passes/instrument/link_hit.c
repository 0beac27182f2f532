/* The variable of the hit attributes, which is no built-in: an entry point has at most one, of a type of its
 * own (Vulkan specification, standalone SPIR-V validation, HitAttributeKHR). */
#include <spirv/unified1/spirv.h>

#include "passes/instrument/link_copy.h"
#include "passes/spirv/types.h"

static bool is_attributes(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *variable = ws_module_definition(module, id);
    return variable != NULL && variable->opcode == SpvOpVariable &&
           ws_operand(module, variable, 2) == SpvStorageClassHitAttributeKHR;
}

/* The first of the operands in [first, end) that is such a variable; 0 if none. */
static uint32_t find_operand(const struct ws_module *module, const struct ws_instruction *instruction,
                             uint32_t first, uint32_t end)
{
    uint32_t found = 0;
    for (uint32_t i = first; i < end && found == 0; i++) {
        const uint32_t id = ws_operand(module, instruction, i);
        found = is_attributes(module, id) ? id : 0;
    }
    return found;
}

/* The variable that an instruction reads or points into; 0 if none. */
static uint32_t find_used(const struct ws_module *module, const struct ws_instruction *instruction)
{
    switch ((SpvOp)instruction->opcode) {
    case SpvOpLoad:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpCopyObject: return find_operand(module, instruction, 2, 3);
    case SpvOpCopyMemory: return find_operand(module, instruction, 1, 2);
    case SpvOpFunctionCall: return find_operand(module, instruction, 3, instruction->length - 1u);
    default: return 0;
    }
}

uint32_t ws_link_own_attributes(const struct ws_module *module, uint32_t entry_point,
                                const uint32_t *functions, uint32_t function_count)
{
    const struct ws_instruction *instruction =
        &module->instructions[module->entry_points[entry_point].instruction];
    if (module->version >= 0x00010400) {
        return find_operand(module, instruction, ws_link_interface_first(module, instruction),
                            instruction->length - 1u);
    }
    uint32_t found = 0;
    for (uint32_t f = 0; f < function_count; f++) {
        const struct ws_function *function = &module->functions[functions[f]];
        for (uint32_t i = function->first; i < function->end && found == 0; i++)
            found = find_used(module, &module->instructions[i]);
    }
    return found;
}

uint32_t ws_link_add_attributes(struct ws_editor *editor, const uint32_t *entry_points,
                                uint32_t entry_point_count, uint32_t *type)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL)
        return 0;
    const uint32_t component = ws_global_find(editor, SpvOpTypeFloat, 0, (const uint32_t[]){32}, 1);
    *type = ws_global_find(editor, SpvOpTypeVector, 0, (const uint32_t[]){component, 2}, 2);
    if (linker->hit_attributes == 0) {
        const uint32_t storage = SpvStorageClassHitAttributeKHR;
        const uint32_t pointer =
            ws_global_find(editor, SpvOpTypePointer, 0, (const uint32_t[]){storage, *type}, 2);
        linker->hit_attributes = ws_global_add(editor, SpvOpVariable, pointer, &storage, 1);
    }
    for (uint32_t i = 0; i < entry_point_count; i++)
        linker->interfaces[entry_points[i]].has_attributes = true;
    return linker->hit_attributes;
}
