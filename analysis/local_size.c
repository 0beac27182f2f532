#include "local_size.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "id_map.h"

static const struct ws_local_size unknown = {{0, 0, 0}, {WS_NONE, WS_NONE, WS_NONE}};

struct search {
    const struct ws_module *module;
    struct ws_id_map spec_ids; /* result id -> SpecId */
    struct ws_id_map entries;  /* function -> index of the first entry point that names it */
    uint32_t workgroup_size;   /* id of what is decorated so; 0 = none */
};

/* Component `axis` from the constant `id`. */
static void set_constant(const struct search *search, struct ws_local_size *local, int axis, uint32_t id)
{
    const struct ws_instruction *constant = ws_module_definition(search->module, id);
    local->values[axis] = 0;
    local->spec_ids[axis] = WS_NONE;
    if (constant == NULL || (constant->opcode != SpvOpConstant && constant->opcode != SpvOpSpecConstant))
        return;
    local->values[axis] = ws_operand(search->module, constant, 2);
    if (constant->opcode == SpvOpSpecConstant)
        ws_id_map_get(&search->spec_ids, id, &local->spec_ids[axis]);
}

/* Decorations stand before types and constants (SPIR-V specification, 2.4), so that one walk would do; but
 * what is not in this order is to be read too. */
static bool note_decorations(struct search *search)
{
    const struct ws_module *module = search->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode != SpvOpDecorate)
            continue;
        const uint32_t id = ws_operand(module, instruction, 0);
        const uint32_t decoration = ws_operand(module, instruction, 1);
        const uint32_t value = ws_operand(module, instruction, 2);
        if (decoration == SpvDecorationBuiltIn && value == SpvBuiltInWorkgroupSize)
            search->workgroup_size = id;
        if (decoration == SpvDecorationSpecId && !ws_id_map_put(&search->spec_ids, id, value))
            return false;
    }
    return true;
}

static void read_modes(const struct search *search, struct ws_local_size *sizes)
{
    const struct ws_module *module = search->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t mode = ws_operand(module, instruction, 1);
        const bool literal = instruction->opcode == SpvOpExecutionMode && mode == SpvExecutionModeLocalSize;
        const bool ids = instruction->opcode == SpvOpExecutionModeId && mode == SpvExecutionModeLocalSizeId;
        uint32_t entry = 0;
        if ((!literal && !ids) ||
            !ws_id_map_get(&search->entries, ws_operand(module, instruction, 0), &entry))
            continue;
        for (int axis = 0; axis < 3; ++axis) {
            const uint32_t operand = ws_operand(module, instruction, 2 + (uint32_t)axis);
            if (ids)
                set_constant(search, &sizes[entry], axis, operand);
            else
                sizes[entry].values[axis] = operand;
        }
    }
}

static bool find(struct search *search, struct ws_local_size *sizes, const uint32_t *functions,
                 uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sizes[i] = unknown;
        if (!ws_id_map_get(&search->entries, functions[i], &first) &&
            !ws_id_map_put(&search->entries, functions[i], i))
            return false;
    }
    if (!note_decorations(search))
        return false;
    read_modes(search, sizes);
    const struct ws_instruction *composite = ws_module_definition(search->module, search->workgroup_size);
    const bool decorated = composite != NULL && (composite->opcode == SpvOpConstantComposite ||
                                                 composite->opcode == SpvOpSpecConstantComposite);
    for (uint32_t i = 0; i < count; ++i) {
        if (ws_id_map_get(&search->entries, functions[i], &first))
            sizes[i] = sizes[first];
        for (int axis = 0; axis < 3 && decorated; ++axis)
            set_constant(search, &sizes[i], axis, ws_operand(search->module, composite, 2 + (uint32_t)axis));
    }
    return true;
}

bool ws_local_size_find(struct ws_local_size *sizes, const struct ws_module *module,
                        const uint32_t *functions, uint32_t count)
{
    struct search search = {.module = module};
    const bool found = find(&search, sizes, functions, count);
    ws_id_map_finish(&search.spec_ids);
    ws_id_map_finish(&search.entries);
    return found;
}

void ws_local_size_specialize(const struct ws_local_size *local, const struct ws_specialization *constants,
                              uint32_t count, uint32_t size[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        size[axis] = local->values[axis];
        for (uint32_t i = 0; i < count && local->spec_ids[axis] != WS_NONE; ++i)
            if (constants[i].constant_id == local->spec_ids[axis])
                size[axis] = (uint32_t)constants[i].value;
    }
    if (size[0] == 0 || size[1] == 0 || size[2] == 0)
        memset(size, 0, 3 * sizeof(*size));
}
