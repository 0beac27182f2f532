/* What accesses to memory touch, by the names and bindings that the code has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/model/catalog.h"
#include "warpscope/passes.h"
#include "warpscope/spirv/access.h"
#include "warpscope/spirv/code.h"
#include "warpscope/spirv/pointers.h"
#include "warpscope/spirv/texels.h"

#define TEXT_SIZE 256

/* A module whose accesses are described. */
struct memories {
    struct ws_catalog *catalog;
    struct ws_module_record *module;
    const struct ws_code *code;
    struct ws_layouts *layouts;
    uint32_t
        *names; /* per id: index of its OpName; 0 = none, since no OpName is a module's first instruction */
};

/* The name of an id; "" = it has none. */
static const char *name_of(const struct memories *memories, uint32_t id)
{
    const struct ws_module *code = &memories->code->module;
    if (id >= code->bound || memories->names[id] == 0)
        return "";
    return (const char *)(code->words + code->instructions[memories->names[id]].offset + 2);
}

/* The names of a module's ids. NULL when there is no memory. */
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
static void describe(const struct memories *memories, uint32_t variable, uint32_t type,
                     enum ws_access_memory memory, char text[TEXT_SIZE])
{
    uint32_t set = 0;
    uint32_t binding = 0;
    const bool is_bound = variable != 0 && ws_access_binding(memories->layouts, variable, &set, &binding);
    const char *name = name_of(memories, variable);
    if (name[0] == '\0')
        name = name_of(memories, type);
    if (is_bound && name[0] != '\0')
        snprintf(text, TEXT_SIZE, "%.200s (set %" PRIu32 ", binding %" PRIu32 ")", name, set, binding);
    else if (is_bound)
        snprintf(text, TEXT_SIZE, "set %" PRIu32 ", binding %" PRIu32, set, binding);
    else
        snprintf(text, TEXT_SIZE, "%.200s", name[0] != '\0' ? name : ws_access_memory_name(memory));
}

/* Describes the buffers that places name, once. False when there is no memory. */
static bool add_placed(struct memories *memories)
{
    const struct ws_module *code = &memories->code->module;
    struct ws_pointers *pointers = ws_access_pointers(memories->layouts);
    char text[TEXT_SIZE];
    if (memories->module->placed != NULL)
        return true;
    struct ws_placed_buffers *placed = calloc(1, sizeof(*placed));
    memories->module->placed = placed;
    if (placed == NULL || pointers == NULL)
        return false;
    uint32_t variable = ws_pointers_variable(pointers, 1u << 24);
    while (variable != 0) {
        struct ws_placed_buffer *buffer = &placed->list[placed->count++];
        buffer->variable = variable;
        buffer->is_bound = ws_access_binding(memories->layouts, variable, &buffer->set, &buffer->binding);
        const struct ws_instruction *definition = ws_module_definition(code, variable);
        const struct ws_instruction *pointer = ws_module_definition(code, ws_operand(code, definition, 0));
        uint32_t type = pointer != NULL ? ws_operand(code, pointer, 2) : 0;
        const struct ws_instruction *held = ws_module_definition(code, type);
        if (held != NULL && (held->opcode == SpvOpTypeArray || held->opcode == SpvOpTypeRuntimeArray))
            type = ws_operand(code, held, 1);
        describe(memories, variable, type, WS_MEMORY_STORAGE, text);
        buffer->memory = ws_text_pool_add(&memories->catalog->texts, text);
        if (buffer->memory == NULL)
            return false;
        variable = placed->count < WS_PLACE_VARIABLES_MAX
                       ? ws_pointers_variable(pointers, (placed->count + 1) << 24)
                       : 0;
    }
    return true;
}

/* What an access touches, as text of the pool; NULL when there is no memory. */
static const char *describe_access(struct memories *memories, uint32_t variable, uint32_t type,
                                   enum ws_access_memory memory, bool varies)
{
    char text[TEXT_SIZE] = WS_MEMORY_SEVERAL;
    if (varies && !add_placed(memories))
        return NULL;
    if (!varies || variable != 0)
        describe(memories, variable, type, memory, text);
    return ws_text_pool_add(&memories->catalog->texts, text);
}

/* Whether the site is of one access, with WS_TAG_MEMORY_ACCESS as its tag. `check`: the pass memory_check in the module. */
static bool is_access(const struct ws_site_record *site, uint32_t check)
{
    if (site->info.kind == WS_SITE_DATA)
        return check != WS_NONE && site->info.pass == check;
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

/* Where an access is bound. */
static struct ws_bound_place place_of(const struct memories *memories, const struct ws_access *access)
{
    struct ws_bound_place place = {.set = WS_NONE};
    if (access->variable == 0 ||
        !ws_access_binding(memories->layouts, access->variable, &place.set, &place.binding)) {
        place.set = WS_NONE;
        return place;
    }
    place.element = access->descriptor_id != 0 || access->varies ? WS_NONE : access->descriptor;
    return place;
}

/* Whether an access samples, and where its sampler is bound. */
static struct ws_sampled_place sampled_of(const struct memories *memories, uint32_t instruction,
                                          const struct ws_access *access)
{
    const struct ws_module *code = &memories->code->module;
    struct ws_sampled_place place = {.sampler = {.set = WS_NONE}};
    struct ws_texel texel;
    if (access->memory != WS_MEMORY_IMAGE ||
        ws_texel_find(&texel, code, &code->instructions[instruction]) != NULL)
        return place;
    place.is_sampled = ws_texel_is_sampled(&texel);
    place.is_gather = texel.is_gather;
    if (access->sampler == 0 ||
        !ws_access_binding(memories->layouts, access->sampler, &place.sampler.set, &place.sampler.binding)) {
        place.sampler.set = WS_NONE;
        return place;
    }
    place.sampler.element = access->sampler_element_id != 0 ? WS_NONE : access->sampler_element;
    return place;
}

static bool add_counted(struct memories *memories)
{
    struct ws_module_record *module = memories->module;
    const uint32_t check = ws_catalog_pass(module, WS_PASS_MEMORY_CHECK);
    module->memories = calloc(module->site_count, sizeof(*module->memories));
    module->bound_places = calloc((size_t)module->site_count + 1, sizeof(*module->bound_places));
    module->sampled_places = calloc((size_t)module->site_count + 1, sizeof(*module->sampled_places));
    if (module->memories == NULL || module->bound_places == NULL || module->sampled_places == NULL)
        return false;
    for (uint32_t i = 0; i < module->site_count; ++i)
        module->bound_places[i].set = WS_NONE;
    for (uint32_t i = 0; i < module->site_count; ++i) {
        struct ws_access access;
        const uint32_t instruction = is_access(&module->sites[i], check)
                                         ? find_instruction(memories->code, module->sites[i].info.offset)
                                         : WS_NONE;
        if (instruction == WS_NONE ||
            !find_access(memories->layouts, &module->sites[i], instruction, &access))
            continue;
        module->memories[i] =
            describe_access(memories, access.variable, access.type, access.memory, access.varies);
        module->bound_places[i] = place_of(memories, &access);
        module->sampled_places[i] = sampled_of(memories, instruction, &access);
        if (module->memories[i] == NULL)
            return false;
    }
    return module->memories != NULL;
}

/* ---- traces ---- */

static bool add_traced(struct memories *memories, const struct ws_stretch_access *access)
{
    const struct ws_code *code = memories->code;
    struct ws_text_pool *texts = &memories->catalog->texts;
    struct ws_module_traces *traces = memories->module->traces;
    const struct ws_source_place *place = &code->places[access->instruction];
    struct ws_traced_access traced = {.access = *access};
    traced.is_bound = access->variable != 0 &&
                      ws_access_binding(memories->layouts, access->variable, &traced.set, &traced.binding);
    traced.has_sampler =
        access->sample.sampler != 0 && ws_access_binding(memories->layouts, access->sample.sampler,
                                                         &traced.sampler_set, &traced.sampler_binding);
    traced.memory = describe_access(memories, access->variable, access->type, access->memory, access->varies);
    if (place->file != WS_NONE) {
        traced.line = place->line;
        traced.file = ws_text_pool_add(texts, code->files[place->file].name);
    }
    traces->accesses[traces->access_count++] = traced;
    return traced.memory != NULL && (place->file == WS_NONE || traced.file != NULL);
}

static bool add_stretches(struct memories *memories, const struct ws_stretches *stretches)
{
    struct ws_module_traces *traces = memories->module->traces;
    traces->accesses = calloc((size_t)stretches->access_count + 1, sizeof(*traces->accesses));
    bool added = traces->accesses != NULL;
    for (uint32_t i = 0; added && i < stretches->access_count; ++i)
        added = add_traced(memories, &stretches->accesses[i]);
    struct ws_stretch_left *left = calloc((size_t)stretches->access_count + 1, sizeof(*left));
    added = added && left != NULL;
    for (uint32_t i = 0; added && i < stretches->count; ++i)
        ws_stretch_compile(stretches, &stretches->list[i], left + stretches->list[i].access_first);
    for (uint32_t i = 0; added && i < stretches->access_count; ++i)
        traces->accesses[i].left = left[i];
    free(left);
    return added;
}

/* Finds the stretch that a site was made for: the one before the same instruction that has its tag, and its words. */
static void find_site(const struct memories *memories, const struct ws_stretches *stretches,
                      const struct ws_site_info *info, struct ws_traced_site *site)
{
    const uint32_t words = info->kind == WS_SITE_DATA ? info->row : 0;
    const uint32_t instruction = find_instruction(memories->code, info->offset);
    const struct ws_stretch *stretch =
        instruction != WS_NONE ? ws_stretches_at(stretches, instruction) : NULL;
    const struct ws_stretch *end = stretches->list + stretches->count;
    while (stretch != NULL && stretch < end && stretch->instruction == instruction) {
        if (ws_stretch_tag(stretches, stretch) == info->tag && stretch->word_count == words)
            *site = (struct ws_traced_site){stretch->access_first, stretch->access_count};
        ++stretch;
    }
    memories->module->traces->unread += site->count == 0;
}

static bool add_traces(struct memories *memories, uint32_t pass)
{
    struct ws_module_record *module = memories->module;
    struct ws_stretches stretches;
    module->traces = calloc(1, sizeof(*module->traces));
    if (module->traces == NULL)
        return false;
    module->traces->sites = calloc((size_t)module->site_count + 1, sizeof(*module->traces->sites));
    if (module->traces->sites == NULL || !ws_traced_positions_add(module, memories->code) ||
        !ws_stretches_find(&stretches, &memories->code->module, memories->layouts) ||
        !add_stretches(memories, &stretches))
        return false;
    for (uint32_t i = 0; i < module->site_count; ++i) {
        const struct ws_site_info *info = &module->sites[i].info;
        if (info->pass == pass && info->tag != WS_TAG_MEMORY_TRACE_END)
            find_site(memories, &stretches, info, &module->traces->sites[i]);
    }
    return true;
}

static bool has_accesses(const struct ws_module_record *module)
{
    const uint32_t check = ws_catalog_pass(module, WS_PASS_MEMORY_CHECK);
    uint32_t first = 0;
    while (first < module->site_count && !is_access(&module->sites[first], check))
        first++;
    return first < module->site_count;
}

bool ws_catalog_memories_add(struct ws_catalog *catalog, struct ws_module_record *module,
                             const struct ws_code *code)
{
    const uint32_t pass = ws_catalog_pass(module, WS_PASS_MEMORY_TRACE);
    const bool is_counted = has_accesses(module);
    struct memories memories = {catalog, module, code, NULL, NULL};
    if (!is_counted && pass == WS_NONE)
        return true;
    memories.layouts = ws_layouts_create(&code->module);
    memories.names = find_names(&code->module);
    const bool added = memories.layouts != NULL && memories.names != NULL &&
                       (!is_counted || add_counted(&memories)) &&
                       (pass == WS_NONE || add_traces(&memories, pass));
    free(memories.names);
    return added;
}

void ws_catalog_memories_finish(struct ws_module_record *module)
{
    free(module->memories);
    free(module->placed);
    free(module->bound_places);
    free(module->sampled_places);
    if (module->traces != NULL) {
        free(module->traces->accesses);
        free(module->traces->sites);
        free(module->traces->positions);
        free(module->traces->loops);
    }
    free(module->traces);
}
