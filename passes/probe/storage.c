#include "passes/probe/storage.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/operand_names.h"

#define CHAIN_MAX 64 /* access chains upon access chains, as no compiler makes them */

const char *ws_probe_storage_name(uint32_t storage)
{
    static const char *const names[WS_PROBE_STORAGE_COUNT] = {
        [WS_PROBE_STORAGE_BUFFER] = "buffer",
        [WS_PROBE_STORAGE_UNIFORM] = "uniform",
        [WS_PROBE_STORAGE_REFERENCE] = "reference",
        [WS_PROBE_STORAGE_SHARED] = "shared",
        [WS_PROBE_STORAGE_PAYLOAD] = "payload",
        [WS_PROBE_STORAGE_CALLABLE_DATA] = "callable_data",
        [WS_PROBE_STORAGE_HIT_ATTRIBUTE] = "hit_attribute",
        [WS_PROBE_STORAGE_INPUT] = "input",
        [WS_PROBE_STORAGE_OUTPUT] = "output",
        [WS_PROBE_STORAGE_LOCAL] = "local",
    };
    return storage < WS_PROBE_STORAGE_COUNT ? names[storage] : NULL;
}

/* The type of a value, if that is a pointer; else NULL. */
static const struct ws_instruction *pointer_type(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    const struct ws_instruction *type =
        definition != NULL ? ws_module_definition(module, ws_operand(module, definition, 0)) : NULL;
    return type != NULL && type->opcode == SpvOpTypePointer ? type : NULL;
}

/* The pointer of an instruction, an id; 0 where it has none. */
static uint32_t find_pointer(const struct ws_module *module, const struct ws_instruction *instruction)
{
    struct ws_named_operand operand;
    if (!ws_operand_find(module, instruction, "pointer", &operand) &&
        !ws_operand_find(module, instruction, "base", &operand))
        return 0;
    const uint32_t id = operand.is_literal ? 0 : ws_operand(module, instruction, operand.index);
    return pointer_type(module, id) != NULL ? id : 0;
}

/* What a pointer is made from; NULL where that is not in the module. Receives the first index behind the variable: an id, 0 if
 * there is none. */
static const struct ws_instruction *find_variable(const struct ws_module *module, uint32_t pointer,
                                                  uint32_t *index)
{
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    *index = 0;
    for (int i = 0; i < CHAIN_MAX && definition != NULL; i++) {
        switch ((SpvOp)definition->opcode) {
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
            if (definition->length > 4) /* else it has no index, and is what its base is */
                *index = ws_operand(module, definition, 3);
            break;
        case SpvOpCopyObject: break;
        default: return definition;
        }
        definition = ws_module_definition(module, ws_operand(module, definition, 2));
    }
    return definition;
}

/* The literal of a decoration of an id; false if it has none. */
static bool find_decoration(const struct ws_module *module, uint32_t id, SpvDecoration decoration,
                            uint32_t *value)
{
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpDecorate && ws_operand(module, instruction, 0) == id &&
            ws_operand(module, instruction, 1) == (uint32_t)decoration) {
            *value = instruction->length > 3 ? ws_operand(module, instruction, 2) : 0;
            return true;
        }
    }
    return false;
}

/* Whether a variable of storage class Uniform is a storage buffer, as SPIR-V 1.0 has them. */
static bool is_buffer_block(const struct ws_module *module, const struct ws_instruction *variable)
{
    const struct ws_instruction *type =
        variable != NULL ? ws_module_definition(module, ws_operand(module, variable, 0)) : NULL;
    uint32_t id = type != NULL && type->opcode == SpvOpTypePointer ? ws_operand(module, type, 2) : 0;
    uint32_t unused;
    type = ws_module_definition(module, id);
    while (type != NULL && (type->opcode == SpvOpTypeArray || type->opcode == SpvOpTypeRuntimeArray)) {
        id = ws_operand(module, type, 1);
        type = ws_module_definition(module, id);
    }
    return id != 0 && find_decoration(module, id, SpvDecorationBufferBlock, &unused);
}

uint32_t ws_probe_storage_of(const struct ws_module *module, const struct ws_instruction *instruction)
{
    const uint32_t pointer = find_pointer(module, instruction);
    const struct ws_instruction *type = pointer_type(module, pointer);
    uint32_t index;
    if (type == NULL)
        return 0;
    switch ((SpvStorageClass)ws_operand(module, type, 1)) {
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassShaderRecordBufferKHR: return 1u << WS_PROBE_STORAGE_BUFFER;
    case SpvStorageClassUniform:
        return is_buffer_block(module, find_variable(module, pointer, &index))
                   ? 1u << WS_PROBE_STORAGE_BUFFER
                   : 1u << WS_PROBE_STORAGE_UNIFORM;
    case SpvStorageClassUniformConstant:
    case SpvStorageClassPushConstant: return 1u << WS_PROBE_STORAGE_UNIFORM;
    case SpvStorageClassPhysicalStorageBuffer: return 1u << WS_PROBE_STORAGE_REFERENCE;
    case SpvStorageClassWorkgroup: return 1u << WS_PROBE_STORAGE_SHARED;
    case SpvStorageClassRayPayloadKHR:
    case SpvStorageClassIncomingRayPayloadKHR:
    case SpvStorageClassTaskPayloadWorkgroupEXT: return 1u << WS_PROBE_STORAGE_PAYLOAD;
    case SpvStorageClassCallableDataKHR:
    case SpvStorageClassIncomingCallableDataKHR: return 1u << WS_PROBE_STORAGE_CALLABLE_DATA;
    case SpvStorageClassHitAttributeKHR: return 1u << WS_PROBE_STORAGE_HIT_ATTRIBUTE;
    case SpvStorageClassInput: return 1u << WS_PROBE_STORAGE_INPUT;
    case SpvStorageClassOutput: return 1u << WS_PROBE_STORAGE_OUTPUT;
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate: return 1u << WS_PROBE_STORAGE_LOCAL;
    default: return 0;
    }
}

bool ws_probe_variable_value(const struct ws_module *module, const struct ws_instruction *instruction,
                             const char *name, uint32_t *value)
{
    const uint32_t pointer = find_pointer(module, instruction);
    uint32_t index;
    if (pointer == 0 || !ws_probe_is_of_variable(name))
        return false;
    const struct ws_instruction *variable = find_variable(module, pointer, &index);
    *value = UINT32_MAX;
    if (strcmp(name, WS_PROBE_LOCATION) == 0) {
        if (variable != NULL && variable->opcode == SpvOpVariable)
            find_decoration(module, ws_operand(module, variable, 1), SpvDecorationLocation, value);
        return true;
    }
    const struct ws_instruction *constant = ws_module_definition(module, index);
    if (constant != NULL && constant->opcode == SpvOpConstant)
        *value = ws_operand(module, constant, 2);
    return true;
}
