/* What the compiler made of a probe. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/probe/generate.h"
#include "analysis/probe/unit.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/module.h"

#define NAME_WORDS    64
#define SHOWN_OF_NAME 60 /* letters of the name of a variable */

struct making {
    struct ws_arena *arena;
    struct ws_module module;
    const char **names; /* per id; NULL = none */
    uint32_t *outputs;  /* per function of the module */
    bool *works;        /* likewise: it reads ws_work_id or ws_work_pixel */
    uint8_t *visited;   /* likewise */
    struct ws_error *error;
};

static bool read_names(struct making *making)
{
    const struct ws_module *module = &making->module;
    making->names = ws_arena_allocate(making->arena, module->bound, sizeof(*making->names));
    if (making->names == NULL)
        return ws_error_set(making->error, "out of memory");
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpName && ws_module_string(module, instruction, 1) != WS_NONE &&
            ws_operand(module, instruction, 0) < module->bound)
            making->names[ws_operand(module, instruction, 0)] =
                (const char *)(module->words + instruction->offset + 2);
    }
    return true;
}

/* Which output a function yields to: "ws_do_count(struct-WsOutput3-u1-…". */
static uint32_t own_output(const char *name)
{
    static const char mark[] = "(struct-" WS_PROBE_OUTPUT_TYPE;
    const char *at = name != NULL && strncmp(name, WS_PROBE_CALL_PREFIX, strlen(WS_PROBE_CALL_PREFIX)) == 0
                         ? strstr(name, mark)
                         : NULL;
    if (at == NULL)
        return 0;
    const unsigned long index = strtoul(at + strlen(mark), NULL, 10);
    return index < WS_PROBE_OUTPUTS_MAX ? 1u << index : 0;
}

static uint32_t find_function(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    return definition != NULL ? ws_module_function(module, (uint32_t)(definition - module->instructions))
                              : WS_NONE;
}

/* Gathers what a function and all that it calls do. Modules of the compiler have no recursion. */
static void gather(struct making *making, uint32_t index)
{
    const struct ws_module *module = &making->module;
    const struct ws_function *function = &module->functions[index];
    if (making->visited[index] != 0)
        return;
    making->visited[index] = 1;
    making->outputs[index] |= own_output(making->names[function->id]);
    for (uint32_t i = function->first; i < function->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpLoad) {
            const uint32_t pointer = ws_operand(module, instruction, 2);
            const char *name = pointer < module->bound ? making->names[pointer] : NULL;
            making->works[index] =
                making->works[index] ||
                (name != NULL && (strcmp(name, "ws_work_id") == 0 || strcmp(name, "ws_work_pixel") == 0));
        } else if (instruction->opcode == SpvOpFunctionCall) {
            const uint32_t callee = find_function(module, ws_operand(module, instruction, 2));
            if (callee == WS_NONE)
                continue;
            gather(making, callee);
            making->outputs[index] |= making->outputs[callee];
            making->works[index] = making->works[index] || making->works[callee];
        }
    }
}

/* The number of the wrapper that has this name; WS_NONE of others. */
static uint32_t wrapper_number(const char *name)
{
    static const char begin[] = "ws_probe_";
    char *end = NULL;
    if (name == NULL || strncmp(name, begin, strlen(begin)) != 0)
        return WS_NONE;
    const unsigned long number = strtoul(name + strlen(begin), &end, 10);
    return *end == '(' ? (uint32_t)number : WS_NONE;
}

static bool gather_wrappers(struct making *making, struct ws_made_unit *unit, uint32_t function_count)
{
    const struct ws_module *module = &making->module;
    making->outputs = ws_arena_allocate(making->arena, module->function_count, sizeof(*making->outputs));
    making->works = ws_arena_allocate(making->arena, module->function_count, sizeof(*making->works));
    making->visited = ws_arena_allocate(making->arena, module->function_count, sizeof(*making->visited));
    unit->outputs = calloc(function_count + 1, sizeof(*unit->outputs));
    if (making->outputs == NULL || making->works == NULL || making->visited == NULL || unit->outputs == NULL)
        return ws_error_set(making->error, "out of memory");
    for (uint32_t i = 0; i < module->function_count; i++) {
        const uint32_t number = wrapper_number(making->names[module->functions[i].id]);
        if (number >= function_count)
            continue;
        gather(making, i);
        unit->outputs[number] = making->outputs[i];
        unit->reads_work = unit->reads_work || making->works[i];
    }
    return true;
}

static bool is_constant(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    return definition != NULL && definition->opcode >= SpvOpConstantTrue &&
           definition->opcode <= SpvOpSpecConstantOp;
}

/* A probe reaches memory by what its outputs are alone: no buffer reference of its own, however it came by one. */
static bool check_pointers(struct making *making)
{
    const struct ws_module *module = &making->module;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct ws_instruction *type = &module->instructions[i];
        if (type->opcode != SpvOpTypePointer ||
            ws_operand(module, type, 1) != SpvStorageClassPhysicalStorageBuffer)
            continue;
        const uint32_t pointee = ws_operand(module, type, 2);
        const struct ws_instruction *definition = ws_module_definition(module, pointee);
        const char *name =
            pointee < module->bound && making->names[pointee] != NULL ? making->names[pointee] : "";
        if (definition != NULL && definition->opcode == SpvOpTypeStruct && strncmp(name, "Ws", 2) != 0)
            return ws_error_set(
                making->error,
                "the probe has a buffer reference '%s', and no resources are a probe's own; it yields "
                "by outputs",
                name);
    }
    return true;
}

/* main() stores what variables begin with. */
static bool check_begin(struct making *making, struct ws_made_unit *unit)
{
    const struct ws_module *module = &making->module;
    if (module->entry_point_count != 1)
        return ws_error_set(making->error, "the compiled probe has no main function");
    const struct ws_function *main = &module->functions[module->entry_points[0].function];
    for (uint32_t i = main->first; i < main->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t variable = ws_operand(module, instruction, 0);
        if (instruction->opcode != SpvOpStore)
            continue;
        const struct ws_instruction *definition = ws_module_definition(module, variable);
        const bool is_private = definition != NULL && definition->opcode == SpvOpVariable &&
                                ws_operand(module, definition, 2) == SpvStorageClassPrivate;
        if (definition != NULL && definition->opcode == SpvOpVariable && !is_private)
            continue;
        if (!is_private || !is_constant(module, ws_operand(module, instruction, 1))) {
            const char *name = is_private && making->names[variable] != NULL ? making->names[variable] : "?";
            unit->variable = strdup(name);
            return ws_error_set(
                making->error,
                "the variable '%s' does not begin with a constant; set it in a function at `entry begin`",
                name);
        }
    }
    return true;
}

/* Writes an OpName anew. Returns its length in words. */
static uint32_t write_name(uint32_t *words, uint32_t id, const char *name)
{
    const uint32_t length = 2 + (uint32_t)strlen(name) / 4 + 1;
    memset(words, 0, 4 * (size_t)length);
    words[0] = length << 16 | SpvOpName;
    words[1] = id;
    memcpy(words + 2, name, strlen(name));
    return length;
}

/* FNV-1a. */
static uint64_t hash_name(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash;
}

/* The name that an id gets; NULL = it stays what it is. The linker takes variables of one name for one: of a long name, which a
 * reader of blobs has no room for, the hash stands for its end. */
static const char *new_name(const struct making *making, uint32_t id, const char *state,
                            char name[4 * NAME_WORDS])
{
    const struct ws_module *module = &making->module;
    const struct ws_instruction *definition = ws_module_definition(module, id);
    const char *old = making->names[id];
    const uint32_t number = wrapper_number(old);
    if (number != WS_NONE) {
        snprintf(name, 4 * NAME_WORDS, "ws_probe_%" PRIu32, number);
        return name;
    }
    if (definition != NULL && definition->opcode == SpvOpVariable &&
        ws_operand(module, definition, 2) == SpvStorageClassPrivate && strncmp(old, "ws_", 3) != 0) {
        if (strlen(old) <= SHOWN_OF_NAME)
            snprintf(name, 4 * NAME_WORDS, "%s@%s", old, state);
        else
            snprintf(name, 4 * NAME_WORDS, "%.*s@%016" PRIx64 "@%s", SHOWN_OF_NAME, old, hash_name(old),
                     state);
        return name;
    }
    return NULL;
}

static bool write_unit(struct making *making, struct ws_made_unit *unit, const char *state)
{
    const struct ws_module *module = &making->module;
    uint32_t at = 5;
    unit->words =
        calloc(module->word_count + (size_t)NAME_WORDS * module->functions->first, sizeof(*unit->words));
    if (unit->words == NULL)
        return ws_error_set(making->error, "out of memory");
    memcpy(unit->words, module->words, 5 * sizeof(*unit->words));
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        char name[4 * NAME_WORDS];
        const uint32_t id = ws_operand(module, instruction, 0);
        const char *text = NULL;
        if (instruction->opcode == SpvOpName && id < module->bound && making->names[id] != NULL)
            text = new_name(making, id, state, name);
        if (text != NULL) {
            at += write_name(unit->words + at, id, text);
        } else {
            memcpy(unit->words + at, module->words + instruction->offset, 4u * instruction->length);
            at += instruction->length;
        }
    }
    unit->word_count = at;
    return true;
}

bool ws_probe_unit_make(struct ws_made_unit *unit, const uint32_t *words, size_t word_count,
                        uint32_t function_count, const char *state, struct ws_error *error)
{
    struct making making = {.arena = ws_arena_create(), .error = error};
    *unit = (struct ws_made_unit){0};
    const bool good = making.arena != NULL &&
                      ws_module_parse(&making.module, making.arena, words, word_count, error) &&
                      making.module.function_count > 0 && read_names(&making) && check_pointers(&making) &&
                      check_begin(&making, unit) && gather_wrappers(&making, unit, function_count) &&
                      write_unit(&making, unit, state);
    if (!good)
        ws_error_set(error, "out of memory");
    ws_arena_destroy(making.arena);
    return good;
}

void ws_probe_unit_finish(struct ws_made_unit *unit)
{
    free(unit->words);
    free(unit->outputs);
    free(unit->variable);
    *unit = (struct ws_made_unit){0};
}
