#include "passes/spirv/types.h"

#include <inttypes.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"

/* A constant of one word that the module did not have. */
struct added {
    uint32_t id;
    uint32_t type;
    uint32_t value;
};

/* The whole instruction, its result id among its words: words in the arena stay where they are even when the section that they
 * stand in grows. */
struct slot {
    const uint32_t *words; /* NULL = it is free */
    uint32_t hash;
};

/* Open addressing, at most half full. */
struct ws_type_table {
    struct slot *slots;
    uint32_t slot_count; /* a power of two */
    uint32_t used;
    struct added *added; /* rising by id */
    uint32_t added_count;
    uint32_t added_capacity;
    uint32_t u32; /* once it was asked for */
};

/* Index of the result id in an instruction's words. */
static uint32_t result_index(uint16_t opcode)
{
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(opcode, &has_type, &has_result);
    return has_type ? 2 : 1;
}

static bool is_constant(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstant:
    case SpvOpConstantComposite:
    case SpvOpConstantNull: return true;
    default: return false; /* specialization constants may come to differ */
    }
}

/* Types that must not be declared twice. */
static bool is_unique_type(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeFunction: return true;
    default: return false;
    }
}

/* Types that may be shared when nothing decorates them. */
static bool is_plain_type(uint16_t opcode)
{
    return opcode == SpvOpTypeArray || opcode == SpvOpTypeRuntimeArray || opcode == SpvOpTypePointer;
}

static uint32_t hash_words(const uint32_t *words, uint32_t count, uint32_t skip)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < count; i++) {
        if (i != skip) {
            hash = (hash ^ words[i]) * 0xff51afd7ed558ccdu;
            hash ^= hash >> 32;
        }
    }
    return (uint32_t)hash;
}

static bool equal_words(const uint32_t *a, const uint32_t *b, uint32_t count, uint32_t skip)
{
    for (uint32_t i = 0; i < count; i++)
        if (i != skip && a[i] != b[i])
            return false;
    return true;
}

/* The slot of an equal instruction, or the free one where it would go. */
static struct slot *find_slot(const struct ws_type_table *table, const uint32_t *words, uint32_t skip,
                              uint32_t hash)
{
    const uint32_t count = words[0] >> SpvWordCountShift;
    for (uint32_t i = hash;; i++) {
        struct slot *slot = &table->slots[i & (table->slot_count - 1)];
        /* The first word holds opcode and length: equal there, the rest is as long. */
        if (slot->words == NULL || (slot->hash == hash && slot->words[0] == words[0] &&
                                    equal_words(slot->words, words, count, skip)))
            return slot;
    }
}

static bool grow(struct ws_editor *editor, struct ws_type_table *table, uint32_t slot_count)
{
    const struct ws_type_table old = *table;
    table->slots = ws_arena_allocate(editor->arena, slot_count, sizeof(*table->slots));
    if (table->slots == NULL) {
        *table = old;
        return ws_editor_fail(editor, "no memory for a table of %" PRIu32 " types", slot_count);
    }
    table->slot_count = slot_count;
    for (uint32_t i = 0; i < old.slot_count; i++) {
        uint32_t at = old.slots[i].hash;
        if (old.slots[i].words == NULL)
            continue;
        while (table->slots[at & (slot_count - 1)].words != NULL)
            at++;
        table->slots[at & (slot_count - 1)] = old.slots[i];
    }
    return true;
}

/* Keeps the instruction for sharing, in the free slot that was found for it. */
static void keep(struct ws_editor *editor, struct slot *slot, const uint32_t *words, uint32_t hash)
{
    struct ws_type_table *table = editor->types;
    *slot = (struct slot){words, hash};
    table->used++;
    if ((table->used + 1) * 2 > table->slot_count)
        grow(editor, table, table->slot_count * 2);
}

/* Keeps an instruction of the module, unless an equal one is there already. */
static void remember(struct ws_editor *editor, const uint32_t *words, uint32_t skip)
{
    const uint32_t hash = hash_words(words, words[0] >> SpvWordCountShift, skip);
    struct slot *slot = find_slot(editor->types, words, skip, hash);
    if (slot->words == NULL)
        keep(editor, slot, words, hash);
}

/* Marks the ids that a decoration, their own or a member's, makes unlike others. */
static uint8_t *find_decorated(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    uint8_t *decorated = ws_arena_allocate(editor->arena, module->bound, 1);
    if (decorated == NULL) {
        ws_editor_fail(editor, "no memory for %" PRIu32 " ids", module->bound);
        return NULL;
    }
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (ws_opcode_section(instruction->opcode) != WS_SECTION_ANNOTATION)
            continue;
        /* Group decorations name their targets behind the group; a member's index there marks some id that
         * need not be marked, which only costs a sharing. */
        const bool is_group =
            instruction->opcode == SpvOpGroupDecorate || instruction->opcode == SpvOpGroupMemberDecorate;
        for (uint32_t j = 0; j == 0 || (is_group && j + 1u < instruction->length); j++) {
            const uint32_t target = ws_operand(module, instruction, j);
            if (target < module->bound)
                decorated[target] = 1;
        }
    }
    return decorated;
}

/* Fills the table with what the module has. */
static bool prepare(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    const uint8_t *decorated = find_decorated(editor);
    struct ws_type_table *table = ws_arena_allocate(editor->arena, 1, sizeof(*table));
    if (decorated == NULL || table == NULL || !grow(editor, table, 64))
        return ws_editor_fail(editor, "no memory for a table of types");
    editor->types = table;
    /* A table that could not grow may get full: then no search in it would end. */
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_GLOBAL] && !editor->failed; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t *words = module->words + instruction->offset;
        const uint32_t result = result_index(instruction->opcode);
        if (is_unique_type(instruction->opcode))
            remember(editor, words, result);
        else if ((is_constant(instruction->opcode) || is_plain_type(instruction->opcode)) &&
                 !decorated[words[result]])
            remember(editor, words, result);
    }
    return !editor->failed;
}

/* Builds the instruction in `words` with a result id of 0; its number of words. */
static uint32_t build(uint32_t *words, uint16_t opcode, uint32_t type, const uint32_t *operands,
                      uint32_t count)
{
    uint32_t length = 1;
    if (type != 0)
        words[length++] = type;
    words[length++] = 0;
    for (uint32_t i = 0; i < count; i++)
        words[length++] = operands[i];
    words[0] = length << SpvWordCountShift | opcode;
    return length;
}

#define OPERANDS_MAX 64 /* of one type or constant that is looked for; a longer one is simply not shared */

uint32_t ws_global_add(struct ws_editor *editor, uint16_t opcode, uint32_t type, const uint32_t *operands,
                       uint32_t count)
{
    const uint32_t id = ws_editor_id(editor);
    const uint32_t length = (type != 0 ? 3 : 2) + count;
    if (length > 0xffff)
        ws_editor_fail(editor, "a type or constant of %" PRIu32 " words is longer than SPIR-V allows",
                       length);
    uint32_t *words = ws_words_extend(editor, &editor->sections[WS_SECTION_GLOBAL], length);
    if (words == NULL)
        return 0;
    build(words, opcode, type, operands, count);
    words[length - count - 1] = id;
    return id;
}

static void note_added(struct ws_editor *editor, struct added added)
{
    struct ws_type_table *table = editor->types;
    struct added *grown = ws_arena_grow(editor->arena, table->added, table->added_count,
                                        &table->added_capacity, sizeof(*grown));
    if (grown == NULL) {
        ws_editor_fail(editor, "no memory for the constants of a module");
        return;
    }
    table->added = grown;
    grown[table->added_count++] = added;
}

uint32_t ws_global_find(struct ws_editor *editor, uint16_t opcode, uint32_t type, const uint32_t *operands,
                        uint32_t count)
{
    uint32_t key[OPERANDS_MAX + 3];
    if (editor->failed || (editor->types == NULL && !prepare(editor)))
        return 0;
    if (count > OPERANDS_MAX)
        return ws_global_add(editor, opcode, type, operands, count);
    const uint32_t length = build(key, opcode, type, operands, count);
    const uint32_t result = type != 0 ? 2 : 1;
    const uint32_t hash = hash_words(key, length, result);
    struct slot *slot = find_slot(editor->types, key, result, hash);
    if (slot->words != NULL)
        return slot->words[result];
    const uint32_t id = ws_global_add(editor, opcode, type, operands, count);
    if (id != 0 && opcode == SpvOpConstant && count == 1)
        note_added(editor, (struct added){id, type, operands[0]});
    if (id != 0) {
        const struct ws_words *globals = &editor->sections[WS_SECTION_GLOBAL];
        keep(editor, slot, globals->data + globals->count - length, hash);
    }
    return id;
}

uint32_t ws_type_u32(struct ws_editor *editor)
{
    if (editor->types != NULL && editor->types->u32 != 0)
        return editor->failed ? 0 : editor->types->u32;
    const uint32_t type = ws_global_find(editor, SpvOpTypeInt, 0, (const uint32_t[]){32, 0}, 2);
    if (editor->types != NULL)
        editor->types->u32 = type;
    return type;
}

uint32_t ws_constant_u32(struct ws_editor *editor, uint32_t value)
{
    return ws_global_find(editor, SpvOpConstant, ws_type_u32(editor), &value, 1);
}

/* Whether a constant of the module is of the type 32-bit unsigned integer. */
static bool is_u32(const struct ws_module *module, const struct ws_instruction *constant)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, constant, 0));
    return type != NULL && type->opcode == SpvOpTypeInt && ws_operand(module, type, 1) == 32 &&
           ws_operand(module, type, 2) == 0;
}

bool ws_constant_u32_value(const struct ws_editor *editor, uint32_t id, uint32_t *value)
{
    const struct ws_instruction *definition = ws_module_definition(editor->module, id);
    if (definition != NULL) {
        const bool is_null = definition->opcode == SpvOpConstantNull;
        if ((!is_null && (definition->opcode != SpvOpConstant || definition->length < 4)) ||
            !is_u32(editor->module, definition))
            return false;
        *value = is_null ? 0 : ws_operand(editor->module, definition, 2);
        return true;
    }
    uint32_t low = 0;
    uint32_t high = editor->types != NULL ? editor->types->added_count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct added *added = &editor->types->added[middle];
        if (added->id == id) {
            *value = added->value;
            return added->type == editor->types->u32;
        }
        if (added->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
