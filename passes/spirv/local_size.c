#include "warpscope/spirv/local_size.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/id_map.h"
#include "warpscope/spirv/arithmetic.h"

struct search {
    const struct ws_module *module;
    struct ws_id_map spec_ids; /* result id -> SpecId */
    struct ws_id_map entries;  /* function -> index of the first entry point that names it */
    uint32_t workgroup_size;   /* id of what is decorated so; 0 = none */
};

/* The number of a new step, from 1; 0: there is no room. */
static uint8_t add_step(struct ws_local_size *local, struct ws_size_step step)
{
    if (local->step_count == WS_SIZE_STEPS)
        return 0;
    local->steps[local->step_count] = step;
    return ++local->step_count;
}

/* The step of the constant `id`, added with those that it comes of; 0 = not known. `depth`: how many steps
 * may still be needed for it, so that ids that go round end. */
static uint8_t step_of(const struct search *search, struct ws_local_size *local, uint32_t id, uint32_t depth)
{
    const struct ws_module *module = search->module;
    const struct ws_instruction *constant = ws_module_definition(module, id);
    if (constant == NULL || depth == 0 || local->step_count == WS_SIZE_STEPS)
        return 0;
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, constant, 0));
    if (type == NULL || type->opcode != SpvOpTypeInt || ws_operand(module, type, 1) != 32)
        return 0;
    struct ws_size_step step = {.spec_id = WS_NONE};
    if (constant->opcode == SpvOpConstant || constant->opcode == SpvOpSpecConstant) {
        step.value = ws_operand(module, constant, 2);
        if (constant->opcode == SpvOpSpecConstant)
            ws_id_map_get(&search->spec_ids, id, &step.spec_id);
        return add_step(local, step);
    }
    if (constant->opcode != SpvOpSpecConstantOp || !ws_is_arithmetic(ws_operand(module, constant, 2)))
        return 0;
    step.opcode = (uint16_t)ws_operand(module, constant, 2);
    step.left = step_of(search, local, ws_operand(module, constant, 3), depth - 1);
    step.right = step.left > 0 ? step_of(search, local, ws_operand(module, constant, 4), depth - 1) : 0;
    return step.right > 0 ? add_step(local, step) : 0;
}

/* Component `axis` from the constant `id`. */
static void set_constant(const struct search *search, struct ws_local_size *local, int axis, uint32_t id)
{
    local->axes[axis] = step_of(search, local, id, WS_SIZE_STEPS);
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
                sizes[entry].axes[axis] =
                    add_step(&sizes[entry], (struct ws_size_step){.value = operand, .spec_id = WS_NONE});
        }
    }
}

static bool find(struct search *search, struct ws_local_size *sizes, const uint32_t *functions,
                 uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i) {
        memset(&sizes[i], 0, sizeof(sizes[i]));
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
        if (decorated)
            memset(&sizes[i], 0, sizeof(sizes[i]));
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

/* What the operation gives; 0, which no size is, where that is undefined. */
static uint32_t operate(uint32_t opcode, uint32_t left, uint32_t right)
{
    uint64_t result;
    ws_arithmetic(opcode, left, right, 32, &result);
    return (uint32_t)result;
}

static uint32_t specialize(const struct ws_size_step *step, const struct ws_specialization *constants,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count && step->spec_id != WS_NONE; ++i)
        if (constants[i].constant_id == step->spec_id)
            return (uint32_t)constants[i].value;
    return step->value;
}

void ws_local_size_specialize(const struct ws_local_size *local, const struct ws_specialization *constants,
                              uint32_t count, uint32_t size[3])
{
    uint32_t values[WS_SIZE_STEPS + 1] = {0};
    for (uint32_t i = 0; i < local->step_count; ++i) {
        const struct ws_size_step *step = &local->steps[i];
        values[i + 1] = step->opcode != 0 ? operate(step->opcode, values[step->left], values[step->right])
                                          : specialize(step, constants, count);
    }
    for (int axis = 0; axis < 3; ++axis)
        size[axis] = values[local->axes[axis]];
    if (size[0] == 0 || size[1] == 0 || size[2] == 0)
        memset(size, 0, 3 * sizeof(*size));
}
