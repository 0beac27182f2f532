#include "analysis/model/catalog_functions.h"
#include "passes/base/array.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

static int compare(const void *left, const void *right)
{
    const struct ws_function_record *a = left;
    const struct ws_function_record *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

const struct ws_function_record *ws_catalog_function(const struct ws_module_record *module, uint32_t id)
{
    const struct ws_function_record key = {.id = id};
    if (module->function_count == 0)
        return NULL;
    return bsearch(&key, module->functions, module->function_count, sizeof(key), compare);
}

bool ws_catalog_calls(const struct ws_module_record *module, uint32_t caller, uint32_t callee)
{
    const struct ws_function_record *function = ws_catalog_function(module, caller);
    for (uint32_t i = 0; function != NULL && i < function->call_count; ++i)
        if (module->calls[function->call_first + i] == callee)
            return true;
    return false;
}

/* Whether `callee` is among the last in the list that begins at `first`: enough for code as people write it,
 * and for the rest the work stays linear. */
static bool is_listed(const struct ws_module_record *module, uint32_t first, uint32_t callee)
{
    const uint32_t recent = 16;
    uint32_t begin = module->call_count - first > recent ? module->call_count - recent : first;
    for (uint32_t i = begin; i < module->call_count; ++i)
        if (module->calls[i] == callee)
            return true;
    return false;
}

static bool add_calls(struct ws_module_record *module, uint32_t *capacity, const struct ws_module *code,
                      const struct ws_function *from, struct ws_function_record *function)
{
    function->call_first = module->call_count;
    for (uint32_t i = from->first; i < from->end; ++i) {
        const struct ws_instruction *instruction = &code->instructions[i];
        const uint32_t callee = ws_operand(code, instruction, 2);
        if (instruction->opcode != SpvOpFunctionCall || is_listed(module, function->call_first, callee))
            continue;
        uint32_t *grown = ws_array_grow(module->calls, capacity, module->call_count + 1, sizeof(*grown));
        if (grown == NULL)
            return false;
        module->calls = grown;
        grown[module->call_count++] = callee;
    }
    function->call_count = module->call_count - function->call_first;
    return true;
}

/* glslang appends "(" and the mangled types of the parameters. */
static bool set_name(struct ws_catalog *catalog, const struct ws_module *code,
                     const struct ws_instruction *instruction, struct ws_function_record *function)
{
    char name[128];
    const uint32_t length = ws_module_string(code, instruction, 1);
    if (length == WS_NONE || function->name[0] != '\0')
        return true;
    const size_t kept = length < sizeof(name) ? length : sizeof(name) - 1;
    memcpy(name, code->words + instruction->offset + 2, kept);
    name[kept] = '\0';
    name[strcspn(name, "(")] = '\0';
    ws_text_repair(name, strlen(name));
    function->name = ws_text_pool_add(&catalog->texts, name);
    return function->name != NULL;
}

bool ws_catalog_functions_add(struct ws_catalog *catalog, struct ws_module_record *module,
                              const struct ws_module *code)
{
    uint32_t capacity = 0;
    bool added = true;
    module->functions = calloc((size_t)code->function_count + 1, sizeof(*module->functions));
    if (module->functions == NULL)
        return false;
    module->function_count = code->function_count;
    for (uint32_t i = 0; i < code->function_count && added; ++i) {
        module->functions[i] = (struct ws_function_record){.id = code->functions[i].id, .name = ""};
        added = add_calls(module, &capacity, code, &code->functions[i], &module->functions[i]);
    }
    if (module->function_count > 1)
        qsort(module->functions, module->function_count, sizeof(*module->functions), compare);
    for (uint32_t i = 0; i < code->instruction_count && added; ++i) {
        const struct ws_instruction *instruction = &code->instructions[i];
        struct ws_function_record key = {.id = ws_operand(code, instruction, 0)};
        if (instruction->opcode != SpvOpName || module->function_count == 0)
            continue;
        struct ws_function_record *function =
            bsearch(&key, module->functions, module->function_count, sizeof(key), compare);
        added = function == NULL || set_name(catalog, code, instruction, function);
    }
    return added;
}
