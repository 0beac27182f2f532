/* Which primitive begins the records of an entry point, and with what arguments. */
#include "passes/instrument/link.h"

#include <spirv/unified1/spirv.h>

#include "passes/spirv/types.h"

/* The entry record's primitive by stage; WS_PRIMITIVE_COUNT where there is none: SPV_NV_mesh_shader has no
 * NumWorkgroups. */
static enum ws_primitive primitive_of(uint32_t model)
{
    switch ((SpvExecutionModel)model) {
    case SpvExecutionModelVertex: return WS_PRIMITIVE_ENTER_VERTEX;
    case SpvExecutionModelTessellationControl: return WS_PRIMITIVE_ENTER_TESS_CONTROL;
    case SpvExecutionModelTessellationEvaluation: return WS_PRIMITIVE_ENTER_TESS_EVALUATION;
    case SpvExecutionModelGeometry: return WS_PRIMITIVE_ENTER_GEOMETRY;
    case SpvExecutionModelFragment: return WS_PRIMITIVE_ENTER_FRAGMENT;
    case SpvExecutionModelGLCompute:
    case SpvExecutionModelTaskEXT:
    case SpvExecutionModelMeshEXT: return WS_PRIMITIVE_ENTER_COMPUTE;
    case SpvExecutionModelRayGenerationKHR: return WS_PRIMITIVE_ENTER_RAY_LAUNCHED;
    case SpvExecutionModelIntersectionKHR:
    case SpvExecutionModelAnyHitKHR:
    case SpvExecutionModelClosestHitKHR:
    case SpvExecutionModelMissKHR:
    case SpvExecutionModelCallableKHR: return WS_PRIMITIVE_ENTER_RAY_CALLED;
    default: return WS_PRIMITIVE_COUNT;
    }
}

/* The variant for fragment stages, by what all the entry points have in their interfaces. */
static enum ws_primitive fragment_variant(struct ws_editor *editor, const uint32_t *entry_points,
                                          uint32_t count)
{
    bool has_sample = true;
    bool has_layer = true;
    for (uint32_t i = 0; i < count; i++) {
        has_sample = has_sample && ws_link_has_built_in(editor, entry_points[i], SpvBuiltInSampleId);
        has_layer = has_layer && ws_link_has_built_in(editor, entry_points[i], SpvBuiltInLayer);
    }
    if (ws_link_lanes(editor->module, entry_points[0]) == WS_LANES_DEMOTE) {
        return has_sample
                   ? has_layer ? WS_PRIMITIVE_ENTER_SAMPLE_LAYER_DEMOTE : WS_PRIMITIVE_ENTER_SAMPLE_DEMOTE
               : has_layer ? WS_PRIMITIVE_ENTER_LAYER_DEMOTE
                           : WS_PRIMITIVE_ENTER_DEMOTE;
    }
    return has_sample
               ? has_layer ? WS_PRIMITIVE_ENTER_SAMPLE_LAYER_FRAGMENT : WS_PRIMITIVE_ENTER_SAMPLE_FRAGMENT
           : has_layer ? WS_PRIMITIVE_ENTER_LAYER_FRAGMENT
                       : WS_PRIMITIVE_ENTER_FRAGMENT;
}

/* The constant as an unsigned integer. 0 if it is no integer of 32 bits. */
static uint32_t as_u32(struct ws_editor *editor, uint32_t constant)
{
    const struct ws_module *module = editor->module;
    const struct ws_instruction *definition = ws_module_definition(module, constant);
    const struct ws_instruction *type =
        definition == NULL ? NULL : ws_module_definition(module, ws_operand(module, definition, 0));
    if (type == NULL || type->opcode != SpvOpTypeInt || ws_operand(module, type, 1) != 32 ||
        ws_opcode_section(definition->opcode) != WS_SECTION_GLOBAL)
        return 0;
    const uint32_t u32 = ws_type_u32(editor);
    if (ws_operand(module, definition, 0) == u32)
        return constant;
    /* Adding 0, of which the sign does not matter: OpBitcast of constants is for kernels only. */
    const uint32_t operands[] = {SpvOpIAdd, constant, ws_constant_u32(editor, 0)};
    return ws_global_add(editor, SpvOpSpecConstantOp, u32, operands, 3);
}

/* The constant that is decorated as the workgroup size, which has precedence over execution modes; NULL if
 * none. */
static const struct ws_instruction *find_workgroup_size(const struct ws_module *module)
{
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpDecorate &&
            ws_operand(module, instruction, 1) == SpvDecorationBuiltIn &&
            ws_operand(module, instruction, 2) == SpvBuiltInWorkgroupSize)
            return ws_module_definition(module, ws_operand(module, instruction, 0));
    }
    return NULL;
}

/* The execution mode of an entry point that tells the size of its workgroups; NULL if none. */
static const struct ws_instruction *find_local_size(const struct ws_module *module, uint32_t function)
{
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_EXECUTION_MODE]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t mode = ws_operand(module, instruction, 1);
        if (ws_operand(module, instruction, 0) == function &&
            ((instruction->opcode == SpvOpExecutionMode && mode == SpvExecutionModeLocalSize) ||
             (instruction->opcode == SpvOpExecutionModeId && mode == SpvExecutionModeLocalSizeId)))
            return instruction;
    }
    return NULL;
}

/* Id of the workgroup's size in x (0) or y (1), 1 where the module does not tell. */
static uint32_t workgroup_size(struct ws_editor *editor, uint32_t function, uint32_t dimension)
{
    const struct ws_module *module = editor->module;
    const struct ws_instruction *size = find_workgroup_size(module);
    const struct ws_instruction *mode = find_local_size(module, function);
    uint32_t id = 0;
    if (size != NULL &&
        (size->opcode == SpvOpConstantComposite || size->opcode == SpvOpSpecConstantComposite))
        id = as_u32(editor, ws_operand(module, size, 2 + dimension));
    else if (mode != NULL && mode->opcode == SpvOpExecutionModeId)
        id = as_u32(editor, ws_operand(module, mode, 2 + dimension));
    else if (mode != NULL)
        id = ws_constant_u32(editor, ws_operand(module, mode, 2 + dimension));
    return id != 0 ? id : ws_constant_u32(editor, 1);
}

bool ws_link_enter(struct ws_editor *editor, const uint32_t *entry_points, uint32_t count, uint32_t site,
                   struct ws_enter *enter)
{
    const struct ws_module *module = editor->module;
    enter->primitive = primitive_of(module->entry_points[entry_points[0]].model);
    for (uint32_t i = 1; i < count; i++)
        if (primitive_of(module->entry_points[entry_points[i]].model) != enter->primitive)
            return false;
    if (enter->primitive == WS_PRIMITIVE_COUNT)
        return false;
    enter->arguments[0] = ws_constant_u32(editor, site);
    enter->argument_count = 1;
    if (enter->primitive == WS_PRIMITIVE_ENTER_FRAGMENT) {
        enter->primitive = fragment_variant(editor, entry_points, count);
    } else if (enter->primitive == WS_PRIMITIVE_ENTER_COMPUTE) {
        const uint32_t function = module->functions[module->entry_points[entry_points[0]].function].id;
        enter->arguments[1] = workgroup_size(editor, function, 0);
        enter->arguments[2] = workgroup_size(editor, function, 1);
        enter->argument_count = 3;
    }
    return !editor->failed;
}
