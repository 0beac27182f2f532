#include "passes/link/recipe.h"

#include <spirv/unified1/spirv.h>

#include "passes/link/unit.h"
#include "warpscope/base/arena.h"

/* Whether it stays the same but for its ids in every module (link_copy.c has what becomes of the others). */
static bool is_plain(const struct ws_unit_code *code, const struct ws_instruction *instruction)
{
    const uint32_t opcode = instruction->opcode;
    const uint32_t operand = ws_operand(&code->module, instruction, 2);
    if (opcode == SpvOpFunctionCall)
        return code->aliases[operand] == 0;
    for (uint32_t i = 0; i < code->variable_count && opcode == SpvOpLoad; i++)
        if (code->variables[i].id == operand)
            return false;
    return opcode != SpvOpMemoryBarrier && (opcode < SpvOpAtomicLoad || opcode > SpvOpAtomicXor);
}

/* Ids of [first, end) in the unit's list. */
static void find_ids(struct ws_unit_recipe *recipe, const struct ws_library_unit *source)
{
    uint32_t i = 0;
    while (i < source->id_count && source->ids[i] < recipe->first)
        i++;
    recipe->ids = source->ids + i;
    while (i + recipe->id_count < source->id_count && recipe->ids[recipe->id_count] < recipe->end)
        recipe->id_count++;
}

/* Lists what the function defines, and what cannot be copied as it is. `results` and `adapted` have room for as many as it has
 * instructions. */
static void list_results(struct ws_unit_recipe *recipe, const struct ws_unit_code *code,
                         const struct ws_function *function, uint32_t *results, uint32_t *adapted)
{
    const struct ws_module *module = &code->module;
    for (uint32_t i = function->first; i < function->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        bool has_type = false;
        bool has_result = false;
        ws_opcode_results(instruction->opcode, &has_type, &has_result);
        if (has_result)
            results[recipe->result_count++] = ws_operand(module, instruction, has_type);
        if (!is_plain(code, instruction))
            adapted[recipe->adapted_count++] = i;
    }
    recipe->results = results;
    recipe->adapted = adapted;
}

/* Lists what the function needs. `needed` has room for all its ids; `mark` is of this function alone. */
static void list_needed(struct ws_unit_recipe *recipe, const struct ws_unit_code *code,
                        const struct ws_function *function, uint32_t *needed, uint32_t mark)
{
    const struct ws_module *module = &code->module;
    for (uint32_t i = 0; i < recipe->result_count; i++)
        code->marks[recipe->results[i]] = mark;
    for (uint32_t i = function->first; i < function->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        for (uint32_t j = 0; j + 1u < instruction->length; j++) {
            uint32_t id = ws_operand(module, instruction, j);
            if (!code->is_id[instruction->offset + 1 + j])
                continue;
            if (instruction->opcode == SpvOpFunctionCall && j == 2 && code->aliases[id] != 0)
                id = code->aliases[id];
            if (code->marks[id] != mark)
                needed[recipe->needed_count++] = id;
            code->marks[id] = mark;
        }
    }
    recipe->needed = needed;
}

static void list_decorated(struct ws_unit_recipe *recipe, const struct ws_unit_code *code,
                           const struct ws_function *function, uint32_t *decorated)
{
    const struct ws_module *module = &code->module;
    for (uint32_t id = 0; id < module->bound; id++)
        if (code->decorated[id] && module->definitions[id] > function->first &&
            module->definitions[id] < function->end)
            decorated[recipe->decorated_count++] = id;
    recipe->decorated = decorated;
}

bool ws_unit_find_recipe(struct ws_unit_code *code, uint32_t index)
{
    const struct ws_module *module = &code->module;
    const struct ws_function *function = &module->functions[index];
    const struct ws_instruction *last = &module->instructions[function->end - 1];
    struct ws_arena *arena = module->arena;
    if (code->recipes[index] != NULL)
        return true;
    struct ws_unit_recipe *recipe = ws_arena_allocate(arena, 1, sizeof(*recipe));
    if (recipe == NULL)
        return false;
    recipe->first = module->instructions[function->first].offset;
    recipe->end = last->offset + last->length;
    find_ids(recipe, code->source);
    const uint32_t count = function->end - function->first;
    uint32_t *results = ws_arena_allocate(arena, count, sizeof(*results));
    uint32_t *adapted = ws_arena_allocate(arena, count, sizeof(*adapted));
    uint32_t *decorated = ws_arena_allocate(arena, count, sizeof(*decorated));
    uint32_t *needed = ws_arena_allocate(arena, recipe->id_count, sizeof(*needed));
    if (results == NULL || adapted == NULL || decorated == NULL || needed == NULL)
        return false;
    list_results(recipe, code, function, results, adapted);
    list_needed(recipe, code, function, needed, index + 1);
    list_decorated(recipe, code, function, decorated);
    code->recipes[index] = recipe;
    return true;
}
