/* What accesses to memory touch, by the names and bindings that the code has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/model/catalog.h"
#include "warpscope/passes.h"
#include "warpscope/spirv/access.h"
#include "warpscope/spirv/code.h"

#define TEXT_SIZE 256

/* The name of an id; "" = it has none. */
static const char *name_of(const struct ws_module *code, const uint32_t *names, uint32_t id)
{
    if (id >= code->bound || names[id] == 0)
        return "";
    return (const char *)(code->words + code->instructions[names[id]].offset + 2);
}

/* Per id: index of its OpName; 0 = none, since no OpName is a module's first instruction. NULL when there is no memory. */
static uint32_t *find_names(const struct ws_module *code)
{
    uint32_t *names = calloc((size_t)code->bound + 1, sizeof(*names));
    for (uint32_t i = 1; names != NULL && i < code->instruction_count; ++i) {
        const struct ws_instruction *instruction = &code->instructions[i];
        const uint32_t id = ws_operand(code, instruction, 0);
        if (instruction->opcode == SpvOpName && id < code->bound &&
            ws_module_string(code, instruction, 1) != WS_NONE)
            names[id] = i;
    }
    return names;
}

/* "words (set 0, binding 1)"; of a block without a name that of its type; of a device address what its type is called. */
static void describe(const struct ws_module *code, const struct ws_layouts *layouts, const uint32_t *names,
                     const struct ws_access *access, char text[TEXT_SIZE])
{
    uint32_t set = 0;
    uint32_t binding = 0;
    const bool is_bound =
        access->variable != 0 && ws_access_binding(layouts, access->variable, &set, &binding);
    const char *name = name_of(code, names, access->variable);
    if (name[0] == '\0')
        name = name_of(code, names, access->type);
    if (is_bound && name[0] != '\0')
        snprintf(text, TEXT_SIZE, "%.200s (set %" PRIu32 ", binding %" PRIu32 ")", name, set, binding);
    else if (is_bound)
        snprintf(text, TEXT_SIZE, "set %" PRIu32 ", binding %" PRIu32, set, binding);
    else
        snprintf(text, TEXT_SIZE, "%.200s", name[0] != '\0' ? name : ws_access_memory_name(access->memory));
}

static bool is_access(const struct ws_site_record *site)
{
    return site->info.kind == WS_SITE_ACCESS && site->info.tag != WS_TAG_MEMORY_ACCESS_MORE;
}

/* The access of a site in the code: of a copy the one of its kind. False where the code has none there. */
static bool find_access(struct ws_layouts *layouts, const struct ws_site_record *site, uint32_t instruction,
                        struct ws_access *access)
{
    const uint32_t count = ws_access_count((uint16_t)site->opcode);
    const char *reason = NULL;
    for (uint32_t i = 0; i < count; ++i)
        if (ws_access_find(layouts, instruction, i, access, &reason) == WS_ACCESS_FOUND &&
            (uint32_t)access->kind == WS_TAG_MEMORY_ACCESS_KIND(site->info.tag))
            return true;
    return false;
}

/* The instruction at an offset; WS_NONE = none begins there. */
static uint32_t find_instruction(const struct ws_code *code, uint32_t offset)
{
    uint32_t first = 0;
    uint32_t end = 0;
    ws_code_range(code, offset, 1, &first, &end);
    return first < end && code->module.instructions[first].offset == offset ? first : WS_NONE;
}

static bool add_all(struct ws_catalog *catalog, struct ws_module_record *module, const struct ws_code *code,
                    struct ws_layouts *layouts, const uint32_t *names)
{
    for (uint32_t i = 0; i < module->site_count; ++i) {
        struct ws_access access;
        char text[TEXT_SIZE];
        const uint32_t instruction =
            is_access(&module->sites[i]) ? find_instruction(code, module->sites[i].info.offset) : WS_NONE;
        if (instruction == WS_NONE || !find_access(layouts, &module->sites[i], instruction, &access))
            continue;
        describe(&code->module, layouts, names, &access, text);
        module->memories[i] = ws_text_pool_add(&catalog->texts, text);
        if (module->memories[i] == NULL)
            return false;
    }
    return true;
}

bool ws_catalog_memories_add(struct ws_catalog *catalog, struct ws_module_record *module,
                             const struct ws_code *code)
{
    uint32_t first = 0;
    while (first < module->site_count && !is_access(&module->sites[first]))
        first++;
    if (first == module->site_count)
        return true;
    struct ws_layouts *layouts = ws_layouts_create(&code->module);
    uint32_t *names = find_names(&code->module);
    module->memories = calloc(module->site_count, sizeof(*module->memories));
    const bool added = layouts != NULL && names != NULL && module->memories != NULL &&
                       add_all(catalog, module, code, layouts, names);
    free(names);
    return added;
}
