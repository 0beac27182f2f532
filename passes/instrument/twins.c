#include "passes/instrument/twins.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

#define TWINS_MAX   64u        /* in a function: each is looked for in all that the function writes */
#define INDICES_MAX 4u         /* of a part */
#define CHAINS_MAX  4u         /* of which each begins where another one leads to */
#define DEPTH_MAX   8u         /* of vectors that are put together, and variables between them */
#define LOOKS_MAX   (1u << 20) /* at uses, in a function: those of one variable may be any number */

/* Something that is done with a variable. */
struct use {
    uint32_t base;        /* its id; 0 = a call, for Private variables */
    uint32_t instruction; /* index in module->instructions */
    enum { LOADS, WRITES, ESCAPES } kind;
};

struct ws_twins {
    struct ws_editor *editor;
    uint32_t function;
    struct use *uses; /* in the order of the function */
    uint32_t use_count;
    uint32_t use_capacity;
    uint32_t looks;
    struct ws_twin list[TWINS_MAX];
    uint32_t count;
};

static bool is_chain(const struct ws_instruction *instruction)
{
    return instruction->opcode == SpvOpAccessChain || instruction->opcode == SpvOpInBoundsAccessChain;
}

/* The variable or parameter that a pointer leads to, of this invocation alone; 0 = it leads to none. */
static uint32_t base_of(const struct ws_module *module, uint32_t pointer)
{
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    for (uint32_t i = 0; i < CHAINS_MAX && definition != NULL && is_chain(definition); i++) {
        pointer = ws_operand(module, definition, 2);
        definition = ws_module_definition(module, pointer);
    }
    if (definition == NULL ||
        (definition->opcode != SpvOpVariable && definition->opcode != SpvOpFunctionParameter))
        return 0;
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, definition, 0));
    const uint32_t storage =
        type != NULL && type->opcode == SpvOpTypePointer ? ws_operand(module, type, 1) : SpvStorageClassMax;
    return storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate ? pointer : 0;
}

static bool is_private(const struct ws_module *module, uint32_t base)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_module_type_of(module, base));
    return ws_operand(module, type, 1) == SpvStorageClassPrivate;
}

/* Whether something is in the variable where the function begins. */
static bool is_set_before(const struct ws_module *module, uint32_t base)
{
    const struct ws_instruction *definition = ws_module_definition(module, base);
    return definition->opcode == SpvOpFunctionParameter || is_private(module, base) || definition->length > 4;
}

static bool add_use(struct ws_twins *twins, struct use use)
{
    struct use *grown = ws_arena_grow(twins->editor->arena, twins->uses, twins->use_count,
                                      &twins->use_capacity, sizeof(*grown));
    if (grown == NULL)
        return false;
    twins->uses = grown;
    grown[twins->use_count++] = use;
    return true;
}

/* Notes what an instruction does with the variables among its operands. A literal that looks like one adds a place where
 * nothing is written, which is harmless. */
static bool add_uses(struct ws_twins *twins, uint32_t index)
{
    const struct ws_module *module = twins->editor->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    const bool calls = instruction->opcode == SpvOpFunctionCall;
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    const struct ws_instruction *type =
        has_type ? ws_module_definition(module, ws_operand(module, instruction, 0)) : NULL;
    const bool is_pointer = type != NULL && type->opcode == SpvOpTypePointer;
    if (instruction->opcode == SpvOpVariable || ws_instruction_is_debug(module, instruction))
        return true;
    struct use use = {.instruction = index, .kind = WRITES};
    if (is_chain(instruction)) { /* who uses one that is too deep is not found */
        use.kind = ESCAPES;
        use.base = base_of(module, ws_operand(module, instruction, 1)) == 0
                       ? base_of(module, ws_operand(module, instruction, 2))
                       : 0;
        return use.base == 0 || add_use(twins, use);
    }
    if (instruction->opcode == SpvOpLoad)
        use.kind = LOADS;
    else if (is_pointer || ws_opcode_is_terminator(instruction->opcode))
        use.kind = ESCAPES;
    for (uint32_t i = 0; i + 1u < instruction->length; i++) {
        use.base = base_of(module, ws_operand(module, instruction, i));
        if (use.base != 0 && !add_use(twins, use))
            return false;
    }
    use.base = 0;
    return !calls || add_use(twins, use);
}

struct ws_twins *ws_twins_create(struct ws_editor *editor, uint32_t function)
{
    const struct ws_module *module = editor->module;
    const struct ws_function *info = &module->functions[function];
    struct ws_twins *twins = ws_arena_allocate(editor->arena, 1, sizeof(*twins));
    if (twins == NULL)
        return NULL;
    memset(twins, 0, sizeof(*twins));
    twins->editor = editor;
    twins->function = function;
    for (uint32_t b = info->block_first; b < info->block_first + info->block_count; b++)
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; i++)
            if (!add_uses(twins, i))
                return NULL;
    return twins;
}

/* Whether the parts that two chains choose are the same. */
static bool is_same_part(const struct ws_module *module, uint32_t left, uint32_t right)
{
    const struct ws_instruction *a = ws_module_definition(module, left);
    const struct ws_instruction *b = ws_module_definition(module, right);
    if (left == right)
        return true;
    if (left == 0 || right == 0 || a->length != b->length)
        return false;
    for (uint32_t i = 3; i + 1u < a->length; i++)
        if (ws_operand(module, a, i) != ws_operand(module, b, i))
            return false;
    return true;
}

/* Whether a chain chooses one part of a variable, by constants. */
static bool is_part(const struct ws_module *module, const struct ws_instruction *chain)
{
    const struct ws_instruction *base = ws_module_definition(module, ws_operand(module, chain, 2));
    if (!is_chain(chain) || base == NULL || is_chain(base) || chain->length - 4u > INDICES_MAX)
        return false;
    for (uint32_t i = 3; i + 1u < chain->length; i++) {
        const struct ws_instruction *index = ws_module_definition(module, ws_operand(module, chain, i));
        if (index == NULL || index->opcode != SpvOpConstant)
            return false;
    }
    return true;
}

/* ---- what a vector is put together of ---- */

/* A number of a vector. */
struct part {
    uint64_t source; /* the value that it is of, by id; of a variable that is written several times by hash */
    uint32_t index;  /* within it */
    uint32_t count;  /* numbers that it has */
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint32_t count_of(const struct ws_module *module, uint32_t value)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_module_type_of(module, value));
    return type != NULL && type->opcode == SpvOpTypeVector ? ws_operand(module, type, 2) : 1;
}

/* The variable's part that is loaded, or written, as two ids. */
static uint32_t chain_of(const struct ws_module *module, uint32_t pointer)
{
    return base_of(module, pointer) != pointer ? pointer : 0;
}

/* Whether a variable is a vector. */
static bool is_vector(const struct ws_module *module, uint32_t base)
{
    const struct ws_instruction *pointer = ws_module_definition(module, ws_module_type_of(module, base));
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, pointer, 2));
    return type != NULL && type->opcode == SpvOpTypeVector;
}

/* What is stored in a part of a variable, where that is all that is ever written to it; 0 = there is no such value. */
static uint32_t find_stored(struct ws_twins *twins, uint32_t base, uint32_t chain)
{
    const struct ws_module *module = twins->editor->module;
    uint32_t stored = 0;
    if (is_set_before(module, base) || is_private(module, base))
        return 0;
    for (uint32_t i = 0; i < twins->use_count; i++) {
        const struct use *use = &twins->uses[i];
        if (++twins->looks > LOOKS_MAX)
            return 0;
        if (use->base != base || use->kind == LOADS)
            continue;
        const struct ws_instruction *instruction = &module->instructions[use->instruction];
        const uint32_t pointer = ws_operand(module, instruction, 0);
        if (use->kind == ESCAPES || instruction->opcode != SpvOpStore)
            return 0;
        if (!is_same_part(module, chain_of(module, pointer), chain)) {
            if (chain == 0 || chain_of(module, pointer) == 0)
                return 0;
            continue;
        }
        if (stored != 0)
            return 0;
        stored = ws_operand(module, instruction, 1);
    }
    return stored;
}

static struct part part_of(struct ws_twins *twins, uint32_t value, uint32_t index, uint32_t depth);

static struct part part_of_load(struct ws_twins *twins, const struct ws_instruction *load, uint32_t value,
                                uint32_t index, uint32_t depth)
{
    const struct ws_module *module = twins->editor->module;
    const uint32_t pointer = ws_operand(module, load, 2);
    const uint32_t base = base_of(module, pointer);
    const uint32_t chain = base != 0 ? chain_of(module, pointer) : 0;
    struct part part = {value, index, count_of(module, value)};
    if (base == 0 || (chain != 0 && !is_part(module, ws_module_definition(module, chain))))
        return part;
    const struct ws_instruction *indices = chain != 0 ? ws_module_definition(module, chain) : NULL;
    const bool is_number = indices != NULL && indices->length == 5 && is_vector(module, base);
    const uint32_t stored = find_stored(twins, base, is_number ? 0 : chain);
    if (is_number) {
        const struct ws_instruction *number = ws_module_definition(module, ws_operand(module, indices, 3));
        index = ws_operand(module, number, 2);
    }
    if (stored != 0)
        return part_of(twins, stored, index, depth + 1);
    part.source = mix(base, 1);
    if (is_number)
        return (struct part){part.source, index, 0};
    for (uint32_t i = 3; indices != NULL && i + 1u < indices->length; i++)
        part.source = mix(part.source, ws_operand(module, indices, i));
    return part;
}

/* Number `index` of a vector that is put together. */
static struct part part_of_construct(struct ws_twins *twins, const struct ws_instruction *construct,
                                     uint32_t index, uint32_t depth)
{
    const struct ws_module *module = twins->editor->module;
    uint32_t operand = 2;
    while (operand + 2u < construct->length) {
        const uint32_t count = count_of(module, ws_operand(module, construct, operand));
        if (index < count)
            break;
        index -= count;
        operand++;
    }
    return part_of(twins, ws_operand(module, construct, operand), index, depth + 1);
}

/* Number `index` of a value. */
static struct part part_of(struct ws_twins *twins, uint32_t value, uint32_t index, uint32_t depth)
{
    const struct ws_module *module = twins->editor->module;
    const struct ws_instruction *definition = ws_module_definition(module, value);
    const struct part own = {value, index, count_of(module, value)};
    if (definition == NULL || depth == DEPTH_MAX)
        return own;
    const uint32_t first = ws_operand(module, definition, 2);
    const uint32_t second = ws_operand(module, definition, 3);
    const uint32_t third = ws_operand(module, definition, 4);
    const uint32_t lanes = count_of(module, first);
    switch ((SpvOp)definition->opcode) {
    case SpvOpCopyObject: return part_of(twins, first, index, depth + 1);
    case SpvOpCompositeConstruct:
        return own.count > 1 ? part_of_construct(twins, definition, index, depth) : own;
    case SpvOpVectorShuffle: {
        const uint32_t chosen = ws_operand(module, definition, 4 + index);
        return chosen < lanes ? part_of(twins, first, chosen, depth + 1)
                              : part_of(twins, second, chosen - lanes, depth + 1);
    }
    case SpvOpCompositeExtract:
        return definition->length == 5 && lanes > 1 ? part_of(twins, first, second, depth + 1) : own;
    case SpvOpCompositeInsert:
        if (definition->length != 6 || own.count == 1)
            return own;
        return third == index ? part_of(twins, first, 0, depth + 1)
                              : part_of(twins, second, index, depth + 1);
    case SpvOpLoad: return part_of_load(twins, definition, value, index, depth);
    default: return own;
    }
}

bool ws_twins_is_splat(struct ws_twins *twins, uint32_t value, uint32_t count)
{
    const struct part first = part_of(twins, value, 0, 0);
    bool same = true;
    for (uint32_t i = 1; i < count && same; i++) {
        const struct part part = part_of(twins, value, i, 0);
        same = part.source == first.source && part.index == first.index;
    }
    return same;
}

uint64_t ws_twins_hash(struct ws_twins *twins, uint32_t value, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct part part = part_of(twins, value, i, 0);
        hash = mix(mix(hash, part.source), part.index);
    }
    return hash;
}

/* Whether a vector is put together of numbers: it is not as a whole one that was computed so. */
static bool is_assembled(struct ws_twins *twins, uint32_t value)
{
    const uint32_t count = count_of(twins->editor->module, value);
    const struct part first = part_of(twins, value, 0, 0);
    bool assembled = first.count != count;
    for (uint32_t i = 0; i < count && i < 4 && !assembled; i++) {
        const struct part part = part_of(twins, value, i, 0);
        assembled = part.source != first.source || part.index != i;
    }
    return assembled;
}

/* Whether what a load gets was put together of numbers: what the function wrote last before it, as it stands in the module. */
static bool loads_assembled(struct ws_twins *twins, uint32_t load, uint32_t base, uint32_t chain)
{
    const struct ws_module *module = twins->editor->module;
    const struct ws_instruction *last = NULL;
    uint32_t written = 0; /* chain of that */
    for (uint32_t i = 0; i < twins->use_count && twins->uses[i].instruction < load; i++) {
        const struct use *use = &twins->uses[i];
        if (++twins->looks > LOOKS_MAX)
            return false;
        if (use->base != base || use->kind != WRITES)
            continue;
        const struct ws_instruction *instruction = &module->instructions[use->instruction];
        const uint32_t other = chain_of(module, ws_operand(module, instruction, 0));
        const bool is_store = instruction->opcode == SpvOpStore;
        if (is_store && chain != 0 && other != 0 && !is_same_part(module, other, chain))
            continue; /* another part */
        last = is_store ? instruction : NULL;
        written = other;
    }
    if (last == NULL || !is_same_part(module, written, chain))
        return last != NULL && chain == 0;
    return is_assembled(twins, ws_operand(module, last, 1));
}

/* ---- twins ---- */

/* Whether other variables and parameters may lead to the same memory. */
static bool is_aliased(const struct ws_module *module, uint32_t base)
{
    for (uint32_t i = 0; i < module->functions[0].first; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpDecorate && ws_operand(module, instruction, 0) == base &&
            ws_operand(module, instruction, 1) == SpvDecorationAliased)
            return true;
    }
    return false;
}

/* Whether several blocks load a variable, and nothing else leads to what it holds. */
static bool is_shared(struct ws_twins *twins, uint32_t base)
{
    const struct ws_module *module = twins->editor->module;
    const struct ws_function *info = &module->functions[twins->function];
    uint32_t block = info->block_first;
    uint32_t first = WS_NONE; /* block that loads it */
    bool shared = false;
    for (uint32_t i = 0; i < twins->use_count; i++) {
        const struct use *use = &twins->uses[i];
        if (++twins->looks > LOOKS_MAX)
            return false;
        while (use->instruction >= module->blocks[block].end)
            block++;
        if (use->base == base && use->kind == ESCAPES)
            return false;
        if (use->base == base && use->kind == LOADS) {
            first = first == WS_NONE ? block : first;
            shared = shared || block != first;
        }
    }
    return shared && !is_aliased(module, base);
}

/* Adds the variable. */
static uint32_t put_variable(struct ws_twins *twins, uint32_t type)
{
    struct ws_editor *editor = twins->editor;
    const struct ws_module *module = editor->module;
    const uint32_t label = module->blocks[module->functions[twins->function].block_first].first;
    const uint32_t pointer =
        ws_global_find(editor, SpvOpTypePointer, 0, (const uint32_t[]){SpvStorageClassFunction, type}, 2);
    const uint32_t operands[] = {pointer, ws_editor_id(editor), SpvStorageClassFunction};
    ws_editor_insert_first(editor, label, SpvOpVariable, operands, 3);
    return operands[1];
}

struct ws_twin *ws_twins_find(struct ws_twins *twins, const struct ws_instruction *load)
{
    const struct ws_module *module = twins->editor->module;
    const uint32_t pointer = ws_operand(module, load, 2);
    const uint32_t base = base_of(module, pointer);
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    const uint32_t chain = pointer != base ? pointer : 0;
    const uint32_t index = (uint32_t)(load - module->instructions);
    if (base == 0 || (chain != 0 && !is_part(module, definition)) ||
        loads_assembled(twins, index, base, chain))
        return NULL;
    for (uint32_t i = 0; i < twins->count; i++)
        if (twins->list[i].base == base && is_same_part(module, twins->list[i].chain, chain))
            return &twins->list[i];
    if (twins->count == TWINS_MAX || !is_shared(twins, base))
        return NULL;
    const uint32_t type = ws_operand(module, load, 0);
    struct ws_twin *twin = &twins->list[twins->count++];
    *twin = (struct ws_twin){.base = base, .chain = chain, .type = type, .twin = put_variable(twins, type)};
    return twin;
}

bool ws_twins_next(const struct ws_twins *twins, const struct ws_twin *twin, uint32_t *position,
                   struct ws_cursor *place)
{
    const struct ws_module *module = twins->editor->module;
    const uint32_t everywhere = is_private(module, twin->base) ? 0 : WS_NONE; /* calls of it */
    if ((*position)++ == 0 && is_set_before(module, twin->base)) {
        *place = ws_runner_prologue(module, module->functions[twins->function].block_first);
        return true;
    }
    for (; *position <= twins->use_count; (*position)++) {
        const struct use *use = &twins->uses[*position - 1];
        if (use->kind != WRITES || (use->base != twin->base && use->base != everywhere))
            continue;
        *place = ws_cursor_after(module, use->instruction);
        (*position)++;
        return true;
    }
    return false;
}

uint32_t ws_twins_load(struct ws_twins *twins, const struct ws_twin *twin, struct ws_cursor cursor)
{
    struct ws_editor *editor = twins->editor;
    const struct ws_module *module = editor->module;
    uint32_t pointer = twin->base;
    if (twin->chain != 0) {
        const struct ws_instruction *chain = ws_module_definition(module, twin->chain);
        uint32_t operands[1 + INDICES_MAX];
        const uint32_t count = chain->length - 3u;
        for (uint32_t i = 0; i < count; i++)
            operands[i] = ws_operand(module, chain, 2 + i);
        pointer = ws_emit(editor, cursor, SpvOpAccessChain, ws_operand(module, chain, 0), operands, count);
    }
    return ws_emit(editor, cursor, SpvOpLoad, twin->type, &pointer, 1);
}
