/* The variable of the hit attributes, which is no built-in: an entry point has at most one, of a type of its
 * own (Vulkan specification, standalone SPIR-V validation, HitAttributeKHR). */
#include <spirv/unified1/spirv.h>

#include "link_copy.h"
#include "types.h"

static bool is_attributes(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *variable = ws_module_definition(module, id);
    return variable != NULL && variable->opcode == SpvOpVariable &&
           ws_operand(module, variable, 2) == SpvStorageClassHitAttributeKHR;
}

/* The entry point's own; 0 if it has none, WS_NONE if that cannot be told. */
static uint32_t find_own(const struct ws_module *module, uint32_t entry_point)
{
    const struct ws_instruction *instruction =
        &module->instructions[module->entry_points[entry_point].instruction];
    uint32_t found = 0;
    if (module->version >= 0x00010400) {
        for (uint32_t i = ws_link_interface_first(module, instruction);
             i + 1 < instruction->length && found == 0; i++) {
            const uint32_t id = ws_operand(module, instruction, i);
            found = is_attributes(module, id) ? id : 0;
        }
        return found;
    }
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_GLOBAL]; i++) {
        const uint32_t id = ws_operand(module, &module->instructions[i], 1);
        if (module->instructions[i].opcode == SpvOpVariable && is_attributes(module, id)) {
            found = found == 0 ? id : WS_NONE;
        }
    }
    return found;
}

static uint32_t add_attributes(struct ws_editor *editor, uint32_t type)
{
    const uint32_t storage = SpvStorageClassHitAttributeKHR;
    const uint32_t pointer =
        ws_global_find(editor, SpvOpTypePointer, 0, (const uint32_t[]){storage, type}, 2);
    return ws_global_add(editor, SpvOpVariable, pointer, &storage, 1);
}

uint32_t ws_link_hit_attributes(struct ws_editor *editor, const uint32_t *entry_points,
                                uint32_t entry_point_count, bool *is_own, uint32_t *type)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL) {
        return 0;
    }
    const uint32_t own = find_own(editor->module, entry_points[0]);
    for (uint32_t i = 1; i < entry_point_count; i++) {
        if (find_own(editor->module, entry_points[i]) != own) {
            return 0;
        }
    }
    *is_own = own != 0;
    if (own != 0) {
        *type = own == WS_NONE ? 0 : ws_link_pointee(editor->module, own);
        return *type == 0 ? 0 : own;
    }
    const uint32_t component = ws_global_find(editor, SpvOpTypeFloat, 0, (const uint32_t[]){32}, 1);
    *type = ws_global_find(editor, SpvOpTypeVector, 0, (const uint32_t[]){component, 2}, 2);
    if (linker->hit_attributes == 0) {
        linker->hit_attributes = add_attributes(editor, *type);
    }
    for (uint32_t i = 0; i < entry_point_count; i++) {
        linker->interfaces[entry_points[i]].has_attributes = true;
    }
    return linker->hit_attributes;
}
