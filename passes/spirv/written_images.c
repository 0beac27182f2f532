#include "passes/spirv/written_images.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/spirv/module.h"

/* A variable that is a storage image, by its result id. */
struct variable {
    bool image; /* what follows is of an image of the wanted kind */
    bool read_only;
    bool has_set;
    bool has_binding;
    struct ws_written_image where;
};

struct search {
    struct ws_module module;
    struct variable *variables; /* per id */
    bool *reached;              /* per function */
    uint32_t *open;             /* functions whose calls have not been followed */
    uint32_t open_count;
    struct ws_written_image *images;
    uint32_t count;
};

/* Operands of OpTypeImage behind the result id: Sampled Type, Dim, Depth, Arrayed, MS, Sampled. */
static bool is_wanted_image(const struct ws_module *module, const struct ws_instruction *type)
{
    return type != NULL && type->opcode == SpvOpTypeImage && ws_operand(module, type, 2) == SpvDim2D &&
           ws_operand(module, type, 4) == 0 && ws_operand(module, type, 5) == 0 &&
           ws_operand(module, type, 6) == 2;
}

static void note_variable(struct search *search, const struct ws_instruction *variable)
{
    const struct ws_module *module = &search->module;
    const struct ws_instruction *pointer = ws_module_definition(module, ws_operand(module, variable, 0));
    const uint32_t id = ws_operand(module, variable, 1);
    if (ws_operand(module, variable, 2) != SpvStorageClassUniformConstant || pointer == NULL ||
        pointer->opcode != SpvOpTypePointer || id >= module->bound)
        return;
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, pointer, 2));
    if (type != NULL && (type->opcode == SpvOpTypeArray || type->opcode == SpvOpTypeRuntimeArray)) {
        search->variables[id].where.array = true;
        type = ws_module_definition(module, ws_operand(module, type, 1));
    }
    search->variables[id].image = is_wanted_image(module, type);
}

static void note_decoration(struct search *search, const struct ws_instruction *decoration)
{
    const struct ws_module *module = &search->module;
    const uint32_t id = ws_operand(module, decoration, 0);
    if (id >= module->bound)
        return;
    struct variable *variable = &search->variables[id];
    switch (ws_operand(module, decoration, 1)) {
    case SpvDecorationNonWritable: variable->read_only = true; break;
    case SpvDecorationDescriptorSet:
        variable->has_set = true;
        variable->where.set = ws_operand(module, decoration, 2);
        break;
    case SpvDecorationBinding:
        variable->has_binding = true;
        variable->where.binding = ws_operand(module, decoration, 2);
        break;
    default: break;
    }
}

static void reach(struct search *search, uint32_t function)
{
    if (function == WS_NONE || search->reached[function])
        return;
    search->reached[function] = true;
    search->open[search->open_count++] = function;
}

static void reach_id(struct search *search, uint32_t id)
{
    const struct ws_module *module = &search->module;
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i].id == id)
            reach(search, i);
}

static void add(struct search *search, uint32_t id)
{
    struct variable *variable = id < search->module.bound ? &search->variables[id] : NULL;
    if (variable == NULL || !variable->image || variable->read_only || !variable->has_set ||
        !variable->has_binding)
        return;
    variable->image = false; /* once */
    search->images[search->count++] = variable->where;
}

/* Instructions name a variable to load it, to point into it, or to hand it on. */
static void walk(struct search *search, const struct ws_function *function)
{
    const struct ws_module *module = &search->module;
    for (uint32_t i = function->first; i < function->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        switch (instruction->opcode) {
        case SpvOpLoad:
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
        case SpvOpCopyObject:
        case SpvOpImageTexelPointer: add(search, ws_operand(module, instruction, 2)); break;
        case SpvOpFunctionCall:
            reach_id(search, ws_operand(module, instruction, 2));
            for (uint32_t j = 3; j + 1 < instruction->length; j++)
                add(search, ws_operand(module, instruction, j));
            break;
        default: break;
        }
    }
}

static bool run(struct search *search, const char *entry)
{
    const struct ws_module *module = &search->module;
    search->variables = ws_arena_allocate(module->arena, module->bound, sizeof(*search->variables));
    search->reached = ws_arena_allocate(module->arena, module->function_count, sizeof(*search->reached));
    search->open = ws_arena_allocate(module->arena, module->function_count, sizeof(*search->open));
    if (search->variables == NULL || search->reached == NULL || search->open == NULL)
        return false;
    uint32_t variables = 0;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpDecorate)
            note_decoration(search, instruction);
        if (instruction->opcode == SpvOpVariable) {
            note_variable(search, instruction);
            variables++;
        }
    }
    search->images = calloc((size_t)variables + 1, sizeof(*search->images));
    if (search->images == NULL)
        return false;
    for (uint32_t i = 0; i < module->entry_point_count; i++)
        if (strcmp(module->entry_points[i].name, entry) == 0)
            reach(search, module->entry_points[i].function);
    while (search->open_count > 0)
        walk(search, &module->functions[search->open[--search->open_count]]);
    return true;
}

bool ws_written_images_find(const uint32_t *words, size_t word_count, const char *entry,
                            struct ws_written_image **images, uint32_t *count)
{
    struct search search = {0};
    struct ws_error error = {0};
    struct ws_arena *arena = ws_arena_create();
    const bool found = arena != NULL && ws_module_parse(&search.module, arena, words, word_count, &error) &&
                       run(&search, entry);
    ws_arena_destroy(arena);
    if (!found || search.count == 0) {
        free(search.images);
        search.images = NULL;
    }
    *images = search.images;
    *count = found ? search.count : 0;
    return found;
}
