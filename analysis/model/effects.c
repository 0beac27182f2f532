#include "warpscope/model/effects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/instrument.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/effects_code.h"

/* What folding costs for each word of a module (budget.h). What is beyond the budget counts all ways of a branch. */
#define WS_STEPS_FOLDED 64

/* One entry point of one module, or of one shader whose constants were folded. */
struct entry {
    const char *name; /* in texts */
    uint32_t stage;
    struct ws_shader_effects effects;
};

struct module {
    uint32_t *words; /* of a module with specialization constants; NULL = it has none */
    uint32_t word_count;
    uint32_t entry_first;
    uint32_t entry_count;
    uint32_t *asking; /* offsets of calls, ascending */
    uint32_t asking_count;
};

struct ws_effects {
    struct ws_text_pool texts;
    struct entry *entries;
    uint32_t entry_count;
    uint32_t entry_capacity;
    struct module *modules;
    uint32_t module_count;
    uint32_t module_capacity;
    struct ws_id_map module_of; /* id -> index */
    struct ws_id_map entry_of;  /* shader id -> index in entries */
};

struct ws_effects *ws_effects_create(void)
{
    return calloc(1, sizeof(struct ws_effects));
}

void ws_effects_destroy(struct ws_effects *effects)
{
    if (effects == NULL)
        return;
    ws_text_pool_finish(&effects->texts);
    ws_id_map_finish(&effects->module_of);
    ws_id_map_finish(&effects->entry_of);
    for (uint32_t i = 0; i < effects->module_count; ++i) {
        free(effects->modules[i].asking);
        free(effects->modules[i].words);
    }
    free(effects->entries);
    free(effects->modules);
    free(effects);
}

static bool add_entry(struct ws_effects *effects, const struct ws_entry_point *point,
                      const struct ws_shader_effects *found)
{
    struct entry *entries =
        ws_array_grow(effects->entries, &effects->entry_capacity, effects->entry_count + 1, sizeof(*entries));
    if (entries == NULL)
        return false;
    effects->entries = entries;
    entries[effects->entry_count] = (struct entry){.name = ws_text_pool_add(&effects->texts, point->name),
                                                   .stage = ws_stage_of_model(point->model),
                                                   .effects = *found};
    return entries[effects->entry_count++].name != NULL;
}

static bool add_entries(struct ws_effects *effects, const struct ws_module *code)
{
    const uint32_t count = code->entry_point_count;
    struct ws_shader_effects *found = malloc(((size_t)count + 1) * sizeof(*found));
    uint32_t query_offset = WS_NONE;
    bool added = found != NULL && ws_effects_read(code, NULL, 0, count, found) &&
                 ws_effects_read_queries(code, NULL, &query_offset);
    for (uint32_t i = 0; i < count && added; ++i) {
        found[i].query_offset = query_offset;
        added = add_entry(effects, &code->entry_points[i], &found[i]);
    }
    free(found);
    return added;
}

static bool has_constants(const struct ws_module *code)
{
    for (uint32_t i = 0; i < code->instruction_count; ++i)
        if (code->instructions[i].opcode >= SpvOpSpecConstantTrue &&
            code->instructions[i].opcode <= SpvOpSpecConstant)
            return true;
    return false;
}

/* Reads a module. One that cannot be parsed has no entries, so what its shaders do is not known. */
static bool read_module(struct ws_effects *effects, struct module *module,
                        const struct ws_chunk_module *chunk, struct ws_arena *arena)
{
    struct ws_error unread = {{0}};
    struct ws_module code;
    if (!ws_module_parse(&code, arena, chunk->words, chunk->word_count, &unread))
        return !ws_error_is_memory(&unread);
    if (!add_entries(effects, &code) ||
        !ws_effects_read_asking(&code, &module->asking, &module->asking_count))
        return false;
    module->entry_count = effects->entry_count - module->entry_first;
    if (!has_constants(&code))
        return true;
    module->words = malloc(chunk->word_count * sizeof(*module->words));
    module->word_count = chunk->word_count;
    if (module->words != NULL)
        memcpy(module->words, chunk->words, chunk->word_count * sizeof(*module->words));
    return module->words != NULL;
}

static bool add_module(struct ws_effects *effects, const struct ws_chunk_module *chunk)
{
    struct module *modules = ws_array_grow(effects->modules, &effects->module_capacity,
                                           effects->module_count + 1, sizeof(*modules));
    struct ws_arena *arena = ws_arena_create();
    bool added = modules != NULL && arena != NULL;
    if (modules != NULL)
        effects->modules = modules;
    if (added) {
        struct module *module = &modules[effects->module_count++];
        *module = (struct module){.entry_first = effects->entry_count};
        added = read_module(effects, module, chunk, arena) &&
                ws_id_map_put(&effects->module_of, chunk->id, effects->module_count - 1);
    }
    ws_arena_destroy(arena);
    return added;
}

/* Adds what the entry point does with the values that a pipeline gives to its constants. */
static bool add_folded(struct ws_effects *effects, const struct module *module, uint32_t entry,
                       const struct ws_fold_constant *constants, uint32_t count)
{
    struct ws_arena *arena = ws_arena_create();
    struct ws_error unread = {{0}};
    struct ws_module code;
    struct ws_fold fold;
    struct ws_shader_effects found = {.mask = 0};
    const bool added =
        arena != NULL && ws_module_parse(&code, arena, module->words, module->word_count, &unread) &&
        ws_fold_find(&fold, arena, &code, code.entry_points[entry].function, constants, count) &&
        ws_effects_read(&code, &fold, entry, 1, &found) &&
        ws_effects_read_queries(&code, &fold, &found.query_offset) &&
        add_entry(effects, &code.entry_points[entry], &found);
    ws_arena_destroy(arena);
    return added;
}

/* Gives a shader the effects of entry point `entry` of its module. */
static bool add_shader_effects(struct ws_effects *effects, const struct module *module, uint32_t entry,
                               const struct ws_chunk_shader *shader)
{
    if (module->words == NULL || !ws_budget_spend(WS_STEPS_FOLDED * (uint64_t)module->word_count))
        return ws_id_map_put(&effects->entry_of, shader->id, module->entry_first + entry);
    struct ws_fold_constant *constants =
        malloc(((size_t)shader->specialization_count + 1) * sizeof(*constants));
    for (uint32_t i = 0; i < shader->specialization_count && constants != NULL; ++i)
        constants[i] =
            (struct ws_fold_constant){shader->specialization[i].constant_id, shader->specialization[i].value};
    const bool added = constants != NULL &&
                       add_folded(effects, module, entry, constants, shader->specialization_count) &&
                       ws_id_map_put(&effects->entry_of, shader->id, effects->entry_count - 1);
    free(constants);
    return added;
}

static bool add_shader(struct ws_effects *effects, const struct ws_chunk_shader *shader)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&effects->module_of, shader->module, &index))
        return true;
    const struct module *module = &effects->modules[index];
    const char *name = ws_text_pool_add(&effects->texts, shader->name);
    if (name == NULL)
        return false;
    for (uint32_t i = 0; i < module->entry_count; ++i) {
        const struct entry *entry = &effects->entries[module->entry_first + i];
        if (entry->stage == shader->stage && strcmp(entry->name, name) == 0)
            return add_shader_effects(effects, module, i, shader);
    }
    return true;
}

bool ws_effects_record(struct ws_effects *effects, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = true;
    if (chunk->type == WS_CHUNK_MODULE)
        recorded = add_module(effects, &chunk->module);
    else if (chunk->type == WS_CHUNK_SHADER)
        recorded = add_shader(effects, &chunk->shader);
    return recorded || ws_error_set(error, "no memory for what shaders do");
}

const struct ws_shader_effects *ws_effects_of(const struct ws_effects *effects, uint32_t shader)
{
    uint32_t index = 0;
    return ws_id_map_get(&effects->entry_of, shader, &index) ? &effects->entries[index].effects : NULL;
}

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

bool ws_effects_asks(const struct ws_effects *effects, uint32_t module, uint32_t offset)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&effects->module_of, module, &index) || effects->modules[index].asking_count == 0)
        return false;
    return bsearch(&offset, effects->modules[index].asking, effects->modules[index].asking_count,
                   sizeof(offset), compare) != NULL;
}

void ws_effects_describe(const struct ws_shader_effects *effects, char *text, size_t size)
{
    static const struct {
        uint32_t mask;
        const char *text;
    } words[] = {
        {WS_EFFECT_PAYLOAD, "stores to the payload"},
        {WS_EFFECT_BUFFER, "stores to a buffer"},
        {WS_EFFECT_IMAGE, "stores to an image"},
        {WS_EFFECT_TERMINATE, "terminates the ray"},
        {WS_EFFECT_CALL, "traces rays or calls shaders"},
        {WS_EFFECT_REPORT, "reports intersections"},
        {WS_EFFECT_OTHER, "does something that is not understood"},
        {WS_EFFECT_IGNORE, "ignores intersections"},
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && used < size; ++i)
        if ((effects->mask & words[i].mask) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", words[i].text);
    if (used == 0)
        snprintf(text, size, "does nothing that can be seen");
    else if (effects->offset != WS_NONE && used < size)
        snprintf(text + used, size - used, "%s word %u",
                 (effects->mask & (effects->mask - 1)) == 0 ? " at" : "; see", effects->offset);
}
