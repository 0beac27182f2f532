#include "passes/spirv/equal_values.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/spirv/arithmetic.h"
#include "warpscope/spirv/calls.h"

#define DEPTH_MAX 16 /* of pointers made of pointers */

bool ws_equal_values_init(struct ws_equal_values *values, const struct ws_module *module)
{
    values->module = module;
    values->same = ws_arena_allocate(module->arena, module->bound, sizeof(uint32_t));
    values->versions = ws_arena_allocate(module->arena, module->bound, sizeof(uint32_t));
    return values->same != NULL && values->versions != NULL;
}

uint32_t ws_equal_value(const struct ws_equal_values *values, uint32_t id)
{
    return id < values->module->bound && values->same[id] != 0 ? values->same[id] : id;
}

/* Whether equal operands make equal results, always. */
static bool is_pure(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpCompositeExtract:
    case SpvOpCompositeConstruct:
    case SpvOpVectorShuffle:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpConvertUToPtr:
    case SpvOpBitcast: return true;
    default: return ws_is_arithmetic(opcode);
    }
}

/* Operands that are numbers and no ids, such as the places of CompositeExtract: from which operand on. */
static uint32_t literals_from(uint16_t opcode)
{
    return opcode == SpvOpCompositeExtract ? 3 : opcode == SpvOpVectorShuffle ? 4 : UINT32_MAX;
}

/* The variable, or the parameter, that a pointer comes from; NULL = not known. */
static const struct ws_instruction *root_of(const struct ws_module *module, uint32_t pointer)
{
    for (uint32_t i = 0; i < DEPTH_MAX; i++) {
        const struct ws_instruction *definition = ws_module_definition(module, pointer);
        if (definition == NULL || definition->opcode == SpvOpVariable ||
            definition->opcode == SpvOpFunctionParameter)
            return definition;
        if (definition->opcode != SpvOpAccessChain && definition->opcode != SpvOpInBoundsAccessChain)
            return NULL;
        pointer = ws_operand(module, definition, 2);
    }
    return NULL;
}

/* Whether what lies there changes only by stores and calls of its own invocation, if at all: by the storage class of the
 * pointer. */
static bool is_steady(const struct ws_module *module, const struct ws_instruction *root)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, root, 0));
    if (type == NULL || type->opcode != SpvOpTypePointer)
        return false;
    switch ((SpvStorageClass)ws_operand(module, type, 1)) {
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
    case SpvStorageClassInput:
    case SpvStorageClassPushConstant: return true;
    default: return false;
    }
}

/* The place in the table for a key, which is all of it but the id. */
static struct ws_made_value *find_made(struct ws_equal_values *values, const struct ws_made_value *key)
{
    uint64_t hash = ((uint64_t)key->opcode << 32 | key->version) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < key->count; i++)
        hash = (hash ^ key->operands[i]) * 0x9e3779b97f4a7c15u;
    return &values->made[hash >> 32 & (WS_MADE_VALUES - 1)];
}

static bool is_equal(const struct ws_made_value *left, const struct ws_made_value *right)
{
    return left->block == right->block && left->version == right->version && left->opcode == right->opcode &&
           left->count == right->count &&
           memcmp(left->operands, right->operands, left->count * sizeof(left->operands[0])) == 0;
}

/* Notes that `id` is what the key makes; or that it is equal to what the key has made already. */
static void make(struct ws_equal_values *values, struct ws_made_value *key)
{
    struct ws_made_value *made = find_made(values, key);
    if (is_equal(made, key))
        values->same[key->id] = made->id;
    else
        *made = *key;
}

/* The key of a load by this pointer. False where what is loaded may have changed. */
static bool load_key(const struct ws_equal_values *values, uint32_t pointer, uint32_t type,
                     struct ws_made_value *key)
{
    const struct ws_module *module = values->module;
    const struct ws_instruction *root = root_of(module, pointer);
    if (root == NULL || !is_steady(module, root))
        return false;
    const bool is_variable = root->opcode == SpvOpVariable;
    const uint32_t stores = is_variable ? values->versions[ws_operand(module, root, 1)] : values->stores;
    *key = (struct ws_made_value){.block = values->block,
                                  .version = 1 + values->version + stores,
                                  .opcode = SpvOpLoad,
                                  .count = 2,
                                  .operands = {type, ws_equal_value(values, pointer)}};
    return true;
}

static void see_load(struct ws_equal_values *values, const struct ws_instruction *load)
{
    const struct ws_module *module = values->module;
    struct ws_made_value key;
    if ((ws_operand(module, load, 3) & SpvMemoryAccessVolatileMask) != 0 ||
        !load_key(values, ws_operand(module, load, 2), ws_operand(module, load, 0), &key))
        return;
    key.id = ws_operand(module, load, 1);
    make(values, &key);
}

static void see_store(struct ws_equal_values *values, const struct ws_instruction *store)
{
    const struct ws_module *module = values->module;
    const uint32_t pointer = ws_operand(module, store, 0);
    const struct ws_instruction *root = root_of(module, pointer);
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    struct ws_made_value key;
    if (root == NULL || root->opcode != SpvOpVariable) { /* it may point to any variable */
        values->version++;
        return;
    }
    values->stores++;
    values->versions[ws_operand(module, root, 1)]++;
    const struct ws_instruction *type =
        definition->length > 1 ? ws_module_definition(module, ws_operand(module, definition, 0)) : NULL;
    if (type == NULL || type->opcode != SpvOpTypePointer ||
        (ws_operand(module, store, 2) & SpvMemoryAccessVolatileMask) != 0 ||
        !load_key(values, pointer, ws_operand(module, type, 2), &key))
        return;
    key.id = ws_equal_value(values, ws_operand(module, store, 1));
    *find_made(values, &key) = key;
}

static void see_pure(struct ws_equal_values *values, const struct ws_instruction *instruction)
{
    const struct ws_module *module = values->module;
    const uint32_t literals = literals_from(instruction->opcode);
    struct ws_made_value key = {
        .block = values->block, .opcode = instruction->opcode, .id = ws_operand(module, instruction, 1)};
    if (instruction->length < 3u || instruction->length - 2u > WS_MADE_OPERANDS_MAX)
        return;
    key.operands[key.count++] = ws_operand(module, instruction, 0);
    for (uint32_t i = 2; i + 1u < instruction->length; i++) {
        const uint32_t operand = ws_operand(module, instruction, i);
        key.operands[key.count++] = i >= literals ? operand : ws_equal_value(values, operand);
    }
    make(values, &key);
}

/* Whether the instruction may change variables other than by a store that names one. */
static bool changes(const struct ws_module *module, const struct ws_instruction *instruction)
{
    const uint32_t extended = ws_operand(module, instruction, 3);
    switch ((SpvOp)instruction->opcode) {
    case SpvOpLabel: /* other blocks may have run */
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: return true;
    case SpvOpExtInst: return extended == GLSLstd450Modf || extended == GLSLstd450Frexp;
    default: return ws_instruction_calls(instruction);
    }
}

void ws_equal_values_see(struct ws_equal_values *values, const struct ws_instruction *instruction)
{
    if (instruction->opcode == SpvOpLabel)
        values->block++;
    if (changes(values->module, instruction))
        values->version++;
    else if (instruction->opcode == SpvOpLoad)
        see_load(values, instruction);
    else if (instruction->opcode == SpvOpStore)
        see_store(values, instruction);
    else if (is_pure(instruction->opcode))
        see_pure(values, instruction);
}
