#include "passes/instrument/ray_queries.h"

#include <spirv/unified1/spirv.h>

#include "passes/base/arena.h"
#include "passes/spirv/calls.h"
#include "passes/spirv/types.h"
#include "warpscope/ray_events.h"

/* Of calls that hand a query on: how deep a parameter is followed, in rounds over the module. */
#define ROUNDS_MAX 16

#define STEPS_MAX 16 /* copies and chains from one to the next; a malformed module may go round for ever */

#define KEY_ELEMENTS_MAX 256 /* of an array: its index has 8 bits of a key */

void ws_ray_query_find(const struct ws_module *module, uint32_t id, struct ws_ray_query *query)
{
    uint32_t reversed[WS_QUERY_INDICES_MAX];
    *query = (struct ws_ray_query){.base = WS_NONE};
    const struct ws_instruction *definition = ws_module_definition(module, id);
    for (uint32_t step = 0; definition != NULL && definition->opcode != SpvOpVariable &&
                            definition->opcode != SpvOpFunctionParameter;
         step++) {
        const uint32_t base = ws_operand(module, definition, 2);
        const bool is_chain =
            definition->opcode == SpvOpAccessChain || definition->opcode == SpvOpInBoundsAccessChain;
        if ((!is_chain && definition->opcode != SpvOpCopyObject) || step == STEPS_MAX)
            return;
        for (uint32_t i = definition->length - 2u; is_chain && i > 2; i--) {
            if (query->index_count == WS_QUERY_INDICES_MAX)
                return;
            reversed[query->index_count++] = ws_operand(module, definition, i);
        }
        id = base;
        definition = ws_module_definition(module, id);
    }
    if (definition == NULL)
        return;
    for (uint32_t i = 0; i < query->index_count; i++)
        query->indices[i] = reversed[query->index_count - 1 - i];
    query->base = id;
    query->pointer = ws_operand(module, definition, 0);
}

/* ---- which variable a parameter is ---- */

/* The variable that an argument is; 0 where that is not known yet. */
static uint32_t variable_of(const struct ws_module *module, const uint32_t *variables, uint32_t argument)
{
    struct ws_ray_query query;
    ws_ray_query_find(module, argument, &query);
    if (query.base == WS_NONE || query.index_count != 0)
        return WS_NONE;
    return ws_module_definition(module, query.base)->opcode == SpvOpVariable ? query.base
                                                                             : variables[query.base];
}

/* Brings the arguments of one call to the parameters of what it calls. Whether anything is new. */
static bool bring_arguments(const struct ws_module *module, uint32_t *variables,
                            const struct ws_instruction *call)
{
    const uint32_t callee = ws_calls_callee(module, call);
    bool is_new = false;
    if (callee == WS_NONE)
        return false;
    uint32_t argument = 3;
    for (uint32_t i = module->functions[callee].first;
         i < module->functions[callee].end && module->instructions[i].opcode != SpvOpLabel; i++) {
        if (module->instructions[i].opcode != SpvOpFunctionParameter)
            continue;
        const uint32_t variable = variable_of(module, variables, ws_operand(module, call, argument++));
        uint32_t *known = &variables[ws_operand(module, &module->instructions[i], 1)];
        if (variable != 0 && *known != variable && *known != WS_NONE) {
            *known = *known == 0 ? variable : WS_NONE;
            is_new = true;
        }
    }
    return is_new;
}

struct ws_ray_queries *ws_ray_queries_get(struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    if (runner->queries != NULL)
        return runner->queries;
    struct ws_ray_queries *queries = ws_arena_allocate(module->arena, 1, sizeof(*queries));
    uint32_t *variables = ws_arena_allocate(module->arena, module->bound, sizeof(*variables));
    if (queries == NULL || variables == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the ray queries of a module");
        return NULL;
    }
    bool is_new = true;
    for (uint32_t round = 0; round < ROUNDS_MAX && is_new; round++) {
        is_new = false;
        for (uint32_t i = 0; i < module->instruction_count; i++) {
            is_new |= module->instructions[i].opcode == SpvOpFunctionCall &&
                      bring_arguments(module, variables, &module->instructions[i]);
        }
    }
    for (uint32_t id = 0; id < module->bound && is_new; id++)
        variables[id] = WS_NONE; /* deeper than is followed: what was found may not be all */
    queries->variables = variables;
    runner->queries = queries;
    return queries;
}

/* ---- the key ---- */

/* How many elements the arrays at which a query's indices point have each; false where it is not known, or
 * they are more in all than a key can tell apart. */
static bool find_lengths(const struct ws_module *module, const struct ws_ray_query *query, uint32_t *lengths)
{
    const struct ws_instruction *pointer = ws_module_definition(module, query->pointer);
    uint32_t type = pointer == NULL ? 0 : ws_operand(module, pointer, 2);
    uint32_t count = 1;
    for (uint32_t i = 0; i < query->index_count; i++) {
        const struct ws_instruction *array = ws_module_definition(module, type);
        const struct ws_instruction *length =
            array == NULL ? NULL : ws_module_definition(module, ws_operand(module, array, 2));
        if (length == NULL || array->opcode != SpvOpTypeArray || length->opcode != SpvOpConstant)
            return false;
        lengths[i] = ws_operand(module, length, 2);
        if (lengths[i] == 0 || lengths[i] > KEY_ELEMENTS_MAX / count)
            return false;
        count *= lengths[i];
        type = ws_operand(module, array, 1);
    }
    return true;
}

/* Index of the query among all that its variable holds, as an id; 0 where it has no word. */
static uint32_t flat_index(struct ws_visit *visit, const struct ws_ray_query *query, const uint32_t *lengths)
{
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    uint32_t flat = 0;
    for (uint32_t i = 0; i < query->index_count; i++) {
        uint32_t index = 0;
        if (ws_visit_words(visit, query->indices[i], &index, 1) != 1)
            return 0;
        if (i != 0) {
            const uint32_t length = ws_constant_u32(editor, lengths[i]);
            flat = ws_emit(editor, visit->cursor, SpvOpIMul, u32, (const uint32_t[]){flat, length}, 2);
            index = ws_emit(editor, visit->cursor, SpvOpIAdd, u32, (const uint32_t[]){flat, index}, 2);
        }
        flat = index;
    }
    return flat;
}

uint32_t ws_visit_query_key(struct ws_visit *visit, uint32_t operand)
{
    const struct ws_module *module = visit->runner->module;
    const struct ws_ray_queries *queries = ws_ray_queries_get(visit->runner);
    uint32_t lengths[WS_QUERY_INDICES_MAX] = {0};
    struct ws_ray_query query;
    ws_ray_query_find(module, ws_visit_operand(visit, operand), &query);
    uint32_t variable = query.base;
    if (queries == NULL)
        return 0;
    if (variable != WS_NONE && ws_module_definition(module, variable)->opcode == SpvOpFunctionParameter)
        variable = queries->variables[variable];
    if (variable == 0 || variable == WS_NONE || !find_lengths(module, &query, lengths))
        return ws_visit_constant(visit, WS_QUERY_UNKNOWN);
    if (query.index_count == 0)
        return ws_visit_constant(visit, variable);
    const uint32_t arguments[] = {ws_visit_constant(visit, variable), flat_index(visit, &query, lengths)};
    return ws_visit_call(visit, "query_key", arguments, 2);
}

/* ---- its state ---- */

bool ws_visit_query_words(struct ws_visit *visit, uint32_t words[WS_QUERY_WORDS])
{
    struct ws_runner *runner = visit->runner;
    uint32_t arguments[3 + WS_QUERY_INDICES_MAX];
    uint32_t result = 0;
    struct ws_ray_query query;
    if (visit->place != WS_PLACE_AFTER || ws_visit_opcode(visit) != SpvOpRayQueryProceedKHR)
        return false;
    ws_ray_query_find(runner->module, ws_visit_operand(visit, 2), &query);
    arguments[1] = query.base;
    arguments[2] = ws_visit_operand(visit, 1); /* whether it proceeded to a candidate */
    for (uint32_t i = 0; i < query.index_count && query.base != WS_NONE; i++)
        if (ws_visit_words(visit, query.indices[i], &arguments[3 + i], 1) != 1)
            return false;
    arguments[0] = ws_ray_query_reader(runner, &query, &result);
    if (arguments[0] == 0)
        return false;
    const uint32_t value =
        ws_emit(runner->editor, visit->cursor, SpvOpFunctionCall, result, arguments, 3 + query.index_count);
    for (uint32_t i = 0; i < WS_QUERY_WORDS; i++) {
        words[i] = ws_emit(runner->editor, visit->cursor, SpvOpCompositeExtract, ws_type_u32(runner->editor),
                           (const uint32_t[]){value, i}, 2);
    }
    return !runner->editor->failed;
}
