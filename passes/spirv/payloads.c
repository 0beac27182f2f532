#include "warpscope/spirv/payloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/opcodes.h"

#define PARTS_MAX 4096 /* that are looked at: a module may nest arrays of nothing */
#define NAME_SIZE 64   /* of a variable or member */

uint32_t ws_payload_operand(const struct ws_instruction *instruction)
{
    switch (instruction->opcode) {
    case SpvOpTraceRayKHR:
    case SpvOpTraceNV: return 10;
    case SpvOpTraceRayMotionNV:
    case SpvOpTraceMotionNV:
    case SpvOpHitObjectTraceRayNV:
    case WS_OP_HIT_OBJECT_TRACE_RAY_EXT:
    case WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT: return 11;
    case SpvOpHitObjectTraceRayMotionNV:
    case WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT:
    case WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT: return 12;
    case SpvOpExecuteCallableKHR:
    case SpvOpExecuteCallableNV:
    case SpvOpHitObjectExecuteShaderNV:
    case WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT:
    case WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT: return 1;
    default: return WS_NONE;
    }
}

/* Whether an instruction names the location of the variable, and not the variable. */
static bool names_location(uint16_t opcode)
{
    return opcode == SpvOpTraceNV || opcode == SpvOpTraceMotionNV || opcode == SpvOpExecuteCallableNV;
}

static bool is_handed_over(uint32_t storage)
{
    return storage == SpvStorageClassRayPayloadKHR || storage == SpvStorageClassIncomingRayPayloadKHR ||
           storage == SpvStorageClassCallableDataKHR || storage == SpvStorageClassIncomingCallableDataKHR;
}

static bool is_called(uint32_t storage)
{
    return storage == SpvStorageClassCallableDataKHR || storage == SpvStorageClassIncomingCallableDataKHR;
}

/* The variable with the location that the constant `id` has; 0 = none has it. */
static uint32_t find_location(const struct ws_module *module, uint32_t id, bool called)
{
    const struct ws_instruction *constant = ws_module_definition(module, id);
    if (constant == NULL || constant->opcode != SpvOpConstant)
        return 0;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *decoration = &module->instructions[i];
        if (decoration->opcode != SpvOpDecorate ||
            ws_operand(module, decoration, 1) != SpvDecorationLocation ||
            ws_operand(module, decoration, 2) != ws_operand(module, constant, 2))
            continue;
        const uint32_t target = ws_operand(module, decoration, 0);
        const struct ws_instruction *variable = ws_module_definition(module, target);
        const uint32_t storage = variable != NULL && variable->opcode == SpvOpVariable
                                     ? ws_operand(module, variable, 2)
                                     : SpvStorageClassMax;
        if (is_handed_over(storage) && is_called(storage) == called)
            return target;
    }
    return 0;
}

static bool is_number(const struct ws_module *module, const struct ws_instruction *type)
{
    const uint32_t width = ws_operand(module, type, 1);
    switch ((SpvOp)type->opcode) {
    case SpvOpTypeBool: return true;
    case SpvOpTypeInt: return width == 8 || width == 16 || width == 32 || width == 64;
    case SpvOpTypeFloat: /* longer: not in the encoding of IEEE */
        return type->length == 3 && (width == 16 || width == 32 || width == 64);
    default: return false;
    }
}

/* How many parts a composite has; 0 where it has none, or their number is not known. */
static uint32_t count_parts(const struct ws_module *module, const struct ws_instruction *type)
{
    const struct ws_instruction *length = NULL;
    switch ((SpvOp)type->opcode) {
    case SpvOpTypeVector:
    case SpvOpTypeMatrix: return ws_operand(module, type, 2);
    case SpvOpTypeStruct: return type->length - 2u;
    case SpvOpTypeArray:
        length = ws_module_definition(module, ws_operand(module, type, 2));
        return length != NULL && length->opcode == SpvOpConstant ? ws_operand(module, length, 2) : 0;
    default: return 0;
    }
}

static uint32_t part_type(const struct ws_module *module, const struct ws_instruction *type, uint32_t index)
{
    return ws_operand(module, type, type->opcode == SpvOpTypeStruct ? 1 + index : 1);
}

/* The way to a part, while it is looked for. */
struct walk {
    const struct ws_module *module;
    struct ws_payload *payload;
    uint32_t indices[WS_PAYLOAD_DEPTH_MAX];
    uint32_t parts; /* that were looked at */
};

static void add_numbers(struct walk *walk, uint32_t id, uint32_t depth)
{
    struct ws_payload *payload = walk->payload;
    const struct ws_instruction *type = ws_module_definition(walk->module, id);
    if (type == NULL)
        return;
    if (is_number(walk->module, type)) {
        if (payload->count == WS_PAYLOAD_WORDS_MAX) {
            payload->more = true;
            return;
        }
        struct ws_payload_word *word = &payload->words[payload->count++];
        word->type = id;
        word->depth = depth;
        memcpy(word->indices, walk->indices, sizeof(word->indices));
        return;
    }
    const uint32_t count = count_parts(walk->module, type);
    if (count > 0 && depth == WS_PAYLOAD_DEPTH_MAX)
        payload->more = true;
    for (uint32_t i = 0; i < count && depth < WS_PAYLOAD_DEPTH_MAX && !payload->more; i++) {
        if (++walk->parts > PARTS_MAX)
            payload->more = true;
        walk->indices[depth] = i;
        add_numbers(walk, part_type(walk->module, type, i), depth + 1);
    }
}

/* The type that a variable holds; 0 where it is no variable that is handed over. */
static uint32_t held_type(const struct ws_module *module, uint32_t id, uint32_t *storage)
{
    const struct ws_instruction *variable = ws_module_definition(module, id);
    if (variable == NULL || variable->opcode != SpvOpVariable)
        return 0;
    const struct ws_instruction *pointer = ws_module_definition(module, ws_operand(module, variable, 0));
    *storage = ws_operand(module, variable, 2);
    return pointer != NULL && pointer->opcode == SpvOpTypePointer && is_handed_over(*storage)
               ? ws_operand(module, pointer, 2)
               : 0;
}

bool ws_payload_find(struct ws_payload *payload, const struct ws_module *module,
                     const struct ws_instruction *instruction)
{
    const uint32_t operand = ws_payload_operand(instruction);
    struct walk walk = {.module = module, .payload = payload};
    memset(payload, 0, sizeof(*payload));
    if (operand == WS_NONE)
        return false;
    uint32_t id = ws_operand(module, instruction, operand);
    if (names_location(instruction->opcode))
        id = find_location(module, id, instruction->opcode == SpvOpExecuteCallableNV);
    const uint32_t type = held_type(module, id, &payload->storage);
    if (type == 0)
        return false;
    payload->variable = id;
    add_numbers(&walk, type, 0);
    return true;
}

/* Finds the name of an id, or with `member` that of a member of the struct: false where it has none. */
static bool find_name(const struct ws_module *module, uint32_t id, uint32_t member, char name[NAME_SIZE])
{
    const uint32_t string = member == WS_NONE ? 1 : 2;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_DEBUG_NAME]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode != (member == WS_NONE ? SpvOpName : SpvOpMemberName) ||
            ws_operand(module, instruction, 0) != id ||
            (member != WS_NONE && ws_operand(module, instruction, 1) != member))
            continue;
        const uint32_t length = ws_module_string(module, instruction, string);
        if (length == WS_NONE || length == 0)
            return false;
        const char *text = (const char *)(module->words + instruction->offset + 1 + string);
        uint32_t used = 0;
        for (; used < length && used < NAME_SIZE - 1; used++)
            name[used] = text[used];
        for (uint32_t j = 0; j < used; j++)
            if (name[j] < ' ' || name[j] > '~')
                name[j] = '?';
        name[used] = '\0';
        return true;
    }
    return false;
}

void ws_payload_name(const struct ws_module *module, const struct ws_payload *payload, uint32_t word,
                     char *text, size_t size)
{
    static const char components[] = "xyzw";
    const struct ws_payload_word *found = &payload->words[word];
    uint32_t storage = 0;
    uint32_t id = held_type(module, payload->variable, &storage);
    char name[NAME_SIZE];
    size_t used = (size_t)snprintf(text, size, "%s",
                                   find_name(module, payload->variable, WS_NONE, name) ? name
                                   : is_called(payload->storage)                       ? "data"
                                                                                       : "payload");
    for (uint32_t i = 0; i < found->depth && used < size; i++) {
        const struct ws_instruction *type = ws_module_definition(module, id);
        const uint32_t index = found->indices[i];
        if (type == NULL)
            return;
        if (type->opcode == SpvOpTypeStruct && find_name(module, id, index, name))
            used += (size_t)snprintf(text + used, size - used, ".%s", name);
        else if (type->opcode == SpvOpTypeVector && index < sizeof(components) - 1)
            used += (size_t)snprintf(text + used, size - used, ".%c", components[index]);
        else
            used += (size_t)snprintf(text + used, size - used, "[%" PRIu32 "]", index);
        id = part_type(module, type, index);
    }
}
