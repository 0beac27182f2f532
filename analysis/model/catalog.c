#include "warpscope/model/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/compaction_plan.h"
#include "warpscope/model/launch.h"
#include "warpscope/passes.h"
#include "warpscope/spirv/code.h"
#include "warpscope/spirv/sites.h"

static int compare_functions(const void *left, const void *right)
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
    return bsearch(&key, module->functions, module->function_count, sizeof(key), compare_functions);
}

bool ws_catalog_calls(const struct ws_module_record *module, uint32_t caller, uint32_t callee)
{
    const struct ws_function_record *function = ws_catalog_function(module, caller);
    for (uint32_t i = 0; function != NULL && i < function->call_count; ++i)
        if (module->calls[function->call_first + i] == callee)
            return true;
    return false;
}

/* Whether `callee` is among the last ones of the list that begins at `first`. Only so many are looked at, so
 * that the work stays linear in any module; a callee that is listed twice does no harm. */
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

/* Sets the name of a function, without what glslang appends: "(" and the mangled types of its parameters. */
static bool name_function(struct ws_catalog *catalog, const struct ws_module *code,
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
        qsort(module->functions, module->function_count, sizeof(*module->functions), compare_functions);
    for (uint32_t i = 0; i < code->instruction_count && added; ++i) {
        const struct ws_instruction *instruction = &code->instructions[i];
        struct ws_function_record key = {.id = ws_operand(code, instruction, 0)};
        if (instruction->opcode != SpvOpName || module->function_count == 0)
            continue;
        struct ws_function_record *function =
            bsearch(&key, module->functions, module->function_count, sizeof(key), compare_functions);
        added = function == NULL || name_function(catalog, code, instruction, function);
    }
    return added;
}

/* Frees what a module's record owns. */
static void finish_module(struct ws_module_record *module)
{
    for (uint32_t i = 0; i < module->entry_count; ++i) {
        free(module->entries[i].blocks);
        free(module->entries[i].call_sites);
    }
    free(module->entries);
    free(module->blocks);
    free(module->sites);
    free(module->fixed);
    ws_catalog_memories_finish(module);
    free(module->structures);
    free(module->passes);
    free(module->tallies);
    free(module->functions);
    free(module->calls);
    free(module->call_sites);
    free(module->constants);
    free(module->words);
    ws_compaction_plan_module_destroy(module->compaction);
}

static bool add_passes(struct ws_catalog *catalog, struct ws_module_record *module,
                       const struct ws_chunk_sites *sites)
{
    module->passes = calloc((size_t)sites->pass_count + 1, sizeof(*module->passes));
    for (uint32_t i = 0; module->passes != NULL && i < sites->pass_count; ++i) {
        module->passes[i] = ws_text_pool_add(&catalog->texts, sites->passes[i]);
        if (module->passes[i] == NULL)
            return false;
        module->pass_count++;
    }
    return module->passes != NULL;
}

/* A block's row is that of its first block site. */
static void set_rows(struct ws_module_record *module)
{
    const uint32_t pass = ws_catalog_pass(module, WS_PASS_SIMT_EFFICIENCY);
    for (uint32_t i = 0; i < module->site_count; ++i) {
        const struct ws_site_info *site = &module->sites[i].info;
        if (ws_catalog_is_site(&module->sites[i], pass, WS_TAG_SIMT_EFFICIENCY_BLOCK) &&
            site->kind == WS_SITE_BLOCK && module->blocks[site->block].row == WS_NONE)
            module->blocks[site->block].row = site->row;
    }
}

static int compare_ids(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Lists the blocks of the functions that the entry point reaches. */
static bool list_blocks(const struct ws_module_record *module, const struct ws_entry_info *info,
                        struct ws_entry_record *entry)
{
    size_t bytes = info->function_count * sizeof(uint32_t);
    uint32_t *functions = malloc(bytes + 1);
    entry->blocks = malloc((size_t)module->block_count * sizeof(*entry->blocks) + 1);
    if (functions == NULL || entry->blocks == NULL) {
        free(functions);
        return false;
    }
    if (bytes > 0)
        memcpy(functions, info->functions, bytes);
    qsort(functions, info->function_count, sizeof(*functions), compare_ids);
    for (uint32_t i = 0; i < module->block_count; ++i)
        if (bsearch(&module->blocks[i].info.function, functions, info->function_count, sizeof(*functions),
                    compare_ids) != NULL)
            entry->blocks[entry->block_count++] = i;
    free(functions);
    uint32_t *shrunk = realloc(entry->blocks, entry->block_count * sizeof(*shrunk) + 1);
    if (shrunk != NULL)
        entry->blocks = shrunk;
    return true;
}

/* Finds the launch row of an entry point. Several entry points can name one function: then their launch rows
 * count the same executions, so the first row that is one of the entry point's is taken. */
static void set_launch(const struct ws_chunk_sites *sites, const struct ws_entry_info *info,
                       struct ws_entry_record *entry)
{
    for (uint32_t i = 0; i < sites->site_count && entry->launch_row == WS_NONE; ++i) {
        const struct ws_site_info *site = &sites->sites[i];
        if (site->kind == WS_SITE_LAUNCH && sites->blocks[site->block].function == info->function &&
            site->row != WS_NONE && site->row >= info->row_first &&
            site->row - info->row_first < info->row_count) {
            entry->launch_row = site->row;
            entry->entry_block = site->block;
        }
    }
}

static bool add_entries(struct ws_catalog *catalog, struct ws_module_record *module,
                        const struct ws_chunk_sites *sites)
{
    module->entries = calloc((size_t)sites->entry_count + 1, sizeof(*module->entries));
    if (module->entries == NULL)
        return false;
    module->entry_count = sites->entry_count;
    for (uint32_t i = 0; i < sites->entry_count; ++i) {
        const struct ws_entry_info *info = &sites->entries[i];
        module->entries[i] = (struct ws_entry_record){
            .name = ws_text_pool_add(&catalog->texts, info->name),
            .stage = info->stage,
            .row_first = info->row_first,
            .row_count = info->row_count,
            .per_thread = info->per_thread,
            .launch_row = WS_NONE,
            .entry_block = WS_NONE,
        };
        set_launch(sites, info, &module->entries[i]);
        if (module->entries[i].name == NULL || !list_blocks(module, info, &module->entries[i]))
            return false;
    }
    return true;
}

/* Whether a device executes the instruction, by the rule that the passes count by. */
static bool executes(const struct ws_code *code, uint32_t instruction)
{
    return ws_instruction_is_executed(&code->module, &code->module.instructions[instruction]);
}

/* Counts the executed instructions in [first, end) by opcode. */
static bool add_tallies(struct ws_module_record *module, uint32_t *capacity, const struct ws_code *code,
                        uint32_t first, uint32_t end)
{
    uint32_t *opcodes = malloc((end - first) * sizeof(*opcodes) + 1);
    uint32_t count = 0;
    if (opcodes == NULL)
        return false;
    for (uint32_t i = first; i < end; ++i)
        if (executes(code, i))
            opcodes[count++] = code->module.instructions[i].opcode;
    qsort(opcodes, count, sizeof(*opcodes), compare_ids);
    bool added = true;
    for (uint32_t i = 0; i < count && added; ++i) {
        if (i > 0 && opcodes[i] == opcodes[i - 1]) {
            module->tallies[module->tally_count - 1].count++;
            continue;
        }
        struct ws_tally *tallies =
            ws_array_grow(module->tallies, capacity, module->tally_count + 1, sizeof(*tallies));
        added = tallies != NULL;
        if (added) {
            module->tallies = tallies;
            tallies[module->tally_count++] = (struct ws_tally){.opcode = opcodes[i], .count = 1};
        }
    }
    free(opcodes);
    return added;
}

/* Extends the block's range of source lines by that of one instruction. A block belongs to the file of its
 * first instruction. Lines of other files, from which code was inlined, are not in the range. */
static bool add_place(struct ws_catalog *catalog, const struct ws_code *code, struct ws_block_record *block,
                      const struct ws_source_place *place, uint32_t *file)
{
    if (place->file == WS_NONE || place->line == 0)
        return true;
    if (block->file == NULL) {
        *file = place->file;
        block->file = ws_text_pool_add(&catalog->texts, code->files[place->file].name);
        block->line = place->line;
        block->line_last = place->line;
    } else if (*file == place->file) {
        block->line = place->line < block->line ? place->line : block->line;
        block->line_last = place->line > block->line_last ? place->line : block->line_last;
    }
    return block->file != NULL;
}

static bool describe_block(struct ws_catalog *catalog, struct ws_module_record *module, uint32_t *capacity,
                           const struct ws_code *code, struct ws_block_record *block)
{
    uint32_t first = 0;
    uint32_t end = 0;
    uint32_t file = WS_NONE;
    block->tally_first = module->tally_count;
    ws_code_range(code, block->info.offset, block->info.length, &first, &end);
    for (uint32_t i = first; i < end; ++i)
        if (executes(code, i) && !add_place(catalog, code, block, &code->places[i], &file))
            return false;
    bool added = add_tallies(module, capacity, code, first, end);
    block->tally_count = module->tally_count - block->tally_first;
    return added;
}

/* Sets the name of the module's main source file: the first one that it names. Files that this one includes
 * come later. */
static bool set_source(struct ws_catalog *catalog, struct ws_module_record *module,
                       const struct ws_code *code)
{
    if (code->file_count == 0)
        return true;
    module->source = ws_text_pool_add(&catalog->texts, code->files[0].name);
    return module->source != NULL;
}

static bool set_local_sizes(struct ws_module_record *module, const struct ws_chunk_sites *sites,
                            const struct ws_module *code)
{
    uint32_t *functions = malloc(sites->entry_count * sizeof(*functions) + 1);
    struct ws_local_size *sizes = malloc(sites->entry_count * sizeof(*sizes) + 1);
    bool found = functions != NULL && sizes != NULL;
    for (uint32_t i = 0; i < sites->entry_count && found; ++i)
        functions[i] = sites->entries[i].function;
    found = found && ws_local_size_find(sizes, code, functions, sites->entry_count);
    for (uint32_t i = 0; i < sites->entry_count && found; ++i)
        module->entries[i].local_size = sizes[i];
    free(functions);
    free(sizes);
    return found;
}

/* Sets the opcodes of sites, and the source lines of those that reports name: data sites and counted
 * places. */
static bool describe_sites(struct ws_catalog *catalog, struct ws_module_record *module,
                           const struct ws_code *code)
{
    for (uint32_t i = 0; i < module->site_count; ++i) {
        uint32_t first = 0;
        uint32_t end = 0;
        struct ws_site_record *site = &module->sites[i];
        const uint32_t offset = site->info.offset;
        if (offset >= module->word_count)
            continue;
        ws_code_range(code, offset, 1, &first, &end);
        if (first >= end || code->module.instructions[first].offset != offset)
            continue;
        site->opcode = code->module.instructions[first].opcode;
        if ((site->info.kind != WS_SITE_DATA && site->info.kind != WS_SITE_COUNT &&
             site->info.kind != WS_SITE_YIELD && site->info.kind != WS_SITE_ACCESS) ||
            code->places[first].file == WS_NONE)
            continue;
        site->line = code->places[first].line;
        site->file = ws_text_pool_add(&catalog->texts, code->files[code->places[first].file].name);
        if (site->file == NULL)
            return false;
    }
    return true;
}

static bool has_calls(const struct ws_module_record *module)
{
    const uint32_t pass = ws_catalog_pass(module, WS_PASS_THREAD_COMPACTION);
    for (uint32_t i = 0; i < module->site_count; ++i)
        if (ws_catalog_is_site(&module->sites[i], pass, WS_TAG_THREAD_COMPACTION_CALL_SITE))
            return true;
    return false;
}

/* Makes the plan of call sites of a module that thread_compaction has recorded, with their source lines. */
static bool describe_calls(struct ws_catalog *catalog, struct ws_module_record *module, struct ws_code *code,
                           const struct ws_chunk_sites *sites)
{
    if (!has_calls(module))
        return true;
    struct ws_compaction_plan_module *plan = ws_compaction_plan_module_create(
        &code->module, sites->blocks, sites->block_count, sites->entries, sites->entry_count);
    module->compaction = plan;
    for (uint32_t i = 0; plan != NULL && i < plan->place_count; ++i) {
        uint32_t first = 0;
        uint32_t end = 0;
        ws_code_range(code, plan->places[i].offset, 1, &first, &end);
        if (first == end || code->places[first].file == WS_NONE)
            continue;
        plan->places[i].line = code->places[first].line;
        plan->places[i].file = ws_text_pool_add(&catalog->texts, code->files[code->places[first].file].name);
        if (plan->places[i].file == NULL)
            return false;
    }
    return plan != NULL;
}

/* Sets lines and opcodes of every block and site. A module that cannot be parsed is marked, and has none. */
static bool describe_blocks(struct ws_catalog *catalog, struct ws_module_record *module,
                            const struct ws_chunk_sites *sites)
{
    struct ws_error unread = {{0}};
    uint32_t capacity = 0;
    struct ws_code *code = ws_code_create(module->words, module->word_count, &unread);
    if (code == NULL) {
        module->unreadable = true;
        return !ws_error_is_memory(&unread);
    }
    bool described =
        set_source(catalog, module, code) && set_local_sizes(module, sites, &code->module) &&
        ws_catalog_functions_add(catalog, module, &code->module) &&
        ws_catalog_constants_add(catalog, module, &code->module) &&
        ws_catalog_call_sites_add(catalog, module, code) && describe_sites(catalog, module, code) &&
        ws_catalog_memories_add(catalog, module, code) && ws_catalog_structures_add(module, code);
    for (uint32_t i = 0; i < module->entry_count && described; ++i)
        described = ws_catalog_call_sites_number(module, &sites->entries[i], &module->entries[i]);
    for (uint32_t i = 0; i < module->block_count && described; ++i)
        described = describe_block(catalog, module, &capacity, code, &module->blocks[i]);
    described = described && describe_calls(catalog, module, code, sites);
    ws_code_destroy(code);
    return described;
}

/* Fills the module's blocks, entries and tallies and frees its words. False when there is no memory. */
static bool add_sites(struct ws_catalog *catalog, const struct ws_chunk_sites *sites)
{
    struct ws_module_record *module = &catalog->modules[ws_catalog_module(catalog, sites->module)];
    /* Before anything is there: what has no sites can be reported. */
    if (!ws_budget_spend(WS_STEPS_LISTED * (uint64_t)sites->entry_count * sites->block_count))
        return false;
    module->blocks = calloc((size_t)sites->block_count + 1, sizeof(*module->blocks));
    if (module->blocks == NULL)
        return false;
    module->block_count = sites->block_count;
    module->sites = calloc((size_t)sites->site_count + 1, sizeof(*module->sites));
    if (module->sites == NULL)
        return false;
    module->site_count = sites->site_count;
    for (uint32_t i = 0; i < sites->site_count; ++i)
        module->sites[i].info = sites->sites[i];
    module->fixed = malloc(sites->fixed_count * sizeof(*module->fixed) + 1);
    if (module->fixed == NULL)
        return false;
    if (sites->fixed_count > 0)
        memcpy(module->fixed, sites->fixed, sites->fixed_count * sizeof(*module->fixed));
    module->fixed_count = sites->fixed_count;
    for (uint32_t i = 0; i < sites->block_count; ++i) {
        const struct ws_block_info *info = &sites->blocks[i];
        const bool goes_on = i > 0 && info->label == info[-1].label && info->function == info[-1].function;
        module->blocks[i] = (struct ws_block_record){
            .info = *info, .part = goes_on ? module->blocks[i - 1].part + 1 : 0, .row = WS_NONE};
    }
    if (!add_passes(catalog, module, sites))
        return false;
    set_rows(module);
    if (!add_entries(catalog, module, sites) || !describe_blocks(catalog, module, sites))
        return false;
    free(module->words);
    module->words = NULL;
    return true;
}

enum kind { KIND_DEVICE, KIND_MODULE, KIND_SHADER, KIND_PIPELINE };

void ws_catalog_init(struct ws_catalog *catalog)
{
    memset(catalog, 0, sizeof(*catalog));
}

void ws_catalog_finish(struct ws_catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->module_count; ++i)
        finish_module(&catalog->modules[i]);
    for (uint32_t i = 0; i < catalog->pipeline_count; ++i)
        free(catalog->pipelines[i].shaders);
    for (uint32_t i = 0; i < catalog->shader_count; ++i)
        free(catalog->shaders[i].specialization);
    free(catalog->devices);
    free(catalog->modules);
    free(catalog->shaders);
    free(catalog->pipelines);
    ws_launch_table_finish(&catalog->launches);
    ws_times_finish(&catalog->times);
    free(catalog->images);
    ws_bound_table_destroy(catalog->bound);
    ws_structure_table_destroy(catalog->structures);
    ws_built_table_destroy(catalog->built);
    ws_id_map_finish(&catalog->ids);
    ws_text_pool_finish(&catalog->texts);
    memset(catalog, 0, sizeof(*catalog));
}

void *ws_catalog_follow(void *array, uint32_t count, uint32_t wanted, uint32_t capacity, size_t size)
{
    char *grown = realloc(array, capacity * size);
    if (grown != NULL)
        memset(grown + count * size, 0, (wanted - count) * size);
    return grown;
}

static uint32_t find(const struct ws_catalog *catalog, enum kind kind, uint32_t id)
{
    uint32_t index = WS_NONE;
    return ws_id_map_get(&catalog->ids, (uint64_t)kind << 32 | id, &index) ? index : WS_NONE;
}

static bool put(struct ws_catalog *catalog, enum kind kind, uint32_t id, uint32_t index)
{
    return ws_id_map_put(&catalog->ids, (uint64_t)kind << 32 | id, index);
}

uint32_t ws_catalog_module(const struct ws_catalog *catalog, uint32_t id)
{
    return find(catalog, KIND_MODULE, id);
}

uint32_t ws_catalog_shader(const struct ws_catalog *catalog, uint32_t id)
{
    return find(catalog, KIND_SHADER, id);
}

uint32_t ws_catalog_pipeline(const struct ws_catalog *catalog, uint32_t id)
{
    return find(catalog, KIND_PIPELINE, id);
}

uint32_t ws_catalog_device(const struct ws_catalog *catalog, uint32_t id)
{
    return find(catalog, KIND_DEVICE, id);
}

uint32_t ws_catalog_pass(const struct ws_module_record *module, const char *name)
{
    for (uint32_t i = 0; i < module->pass_count; ++i)
        if (strcmp(module->passes[i], name) == 0)
            return i;
    return WS_NONE;
}

const struct ws_entry_record *ws_catalog_entry(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_shader_record *record = &catalog->shaders[shader];
    const struct ws_module_record *module = &catalog->modules[record->module];
    return record->entry < module->entry_count ? &module->entries[record->entry] : NULL;
}

uint32_t ws_catalog_launch_row(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    const uint32_t stage = catalog->shaders[shader].stage;
    return entry != NULL && (stage == WS_STAGE_RAYGEN || stage == WS_STAGE_COMPUTE) ? entry->launch_row
                                                                                    : WS_NONE;
}

static bool add_device(struct ws_catalog *catalog, const struct ws_chunk_device *device)
{
    struct ws_device_record *devices = ws_array_grow(catalog->devices, &catalog->device_capacity,
                                                     catalog->device_count + 1, sizeof(*devices));
    if (devices == NULL)
        return false;
    catalog->devices = devices;
    struct ws_device_record *record = &devices[catalog->device_count];
    *record = (struct ws_device_record){
        .id = device->id,
        .name = ws_text_pool_add(&catalog->texts, device->name),
        .driver_name = ws_text_pool_add(&catalog->texts, device->driver_name),
        .driver_info = ws_text_pool_add(&catalog->texts, device->driver_info),
        .api_version = device->api_version,
        .subgroup_size = device->subgroup_size,
        .subgroup_size_min = device->subgroup_size_min,
        .subgroup_size_max = device->subgroup_size_max,
        .bins = device->bins,
        .subgroup_stages = device->subgroup_stages,
    };
    return record->name != NULL && record->driver_name != NULL && record->driver_info != NULL &&
           put(catalog, KIND_DEVICE, device->id, catalog->device_count++);
}

static bool add_module(struct ws_catalog *catalog, const struct ws_chunk_module *module)
{
    struct ws_module_record *modules = ws_array_grow(catalog->modules, &catalog->module_capacity,
                                                     catalog->module_count + 1, sizeof(*modules));
    if (modules == NULL)
        return false;
    catalog->modules = modules;
    struct ws_module_record *record = &modules[catalog->module_count++];
    *record = (struct ws_module_record){
        .id = module->id,
        .hash = module->hash,
        .name = ws_text_pool_add(&catalog->texts, module->name),
        .source = ws_text_pool_add(&catalog->texts, ""),
        .word_count = module->word_count,
        .words = malloc(4 * (size_t)module->word_count + 1),
    };
    if (record->name == NULL || record->source == NULL || record->words == NULL)
        return false;
    if (module->word_count > 0)
        memcpy(record->words, module->words, 4 * (size_t)module->word_count);
    return put(catalog, KIND_MODULE, module->id, catalog->module_count - 1);
}

static int compare_specializations(const void *left, const void *right)
{
    const struct ws_specialization *a = left;
    const struct ws_specialization *b = right;
    return a->constant_id < b->constant_id ? -1 : a->constant_id > b->constant_id;
}

static bool set_specialization(struct ws_shader_record *record, const struct ws_chunk_shader *shader)
{
    const uint32_t count = shader->specialization_count;
    record->specialization = calloc((size_t)count + 1, sizeof(*record->specialization));
    if (record->specialization == NULL)
        return false;
    if (count > 0)
        memcpy(record->specialization, shader->specialization, count * sizeof(*record->specialization));
    qsort(record->specialization, count, sizeof(*record->specialization), compare_specializations);
    record->specialization_count = count;
    return true;
}

static bool add_shader(struct ws_catalog *catalog, const struct ws_chunk_shader *shader)
{
    struct ws_shader_record *shaders = ws_array_grow(catalog->shaders, &catalog->shader_capacity,
                                                     catalog->shader_count + 1, sizeof(*shaders));
    if (shaders == NULL)
        return false;
    catalog->shaders = shaders;
    struct ws_shader_record *record = &shaders[catalog->shader_count];
    *record = (struct ws_shader_record){
        .id = shader->id,
        .module = ws_catalog_module(catalog, shader->module),
        .entry = shader->entry,
        .stage = shader->stage,
        .name = ws_text_pool_add(&catalog->texts, shader->name),
        .flags = shader->flags,
    };
    const uint32_t index = catalog->shader_count++;
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, index);
    if (entry != NULL)
        ws_local_size_specialize(&entry->local_size, shader->specialization, shader->specialization_count,
                                 record->local_size);
    return record->name != NULL && set_specialization(record, shader) &&
           put(catalog, KIND_SHADER, shader->id, index);
}

static bool add_pipeline(struct ws_catalog *catalog, const struct ws_chunk_pipeline *pipeline)
{
    struct ws_pipeline_record *pipelines = ws_array_grow(catalog->pipelines, &catalog->pipeline_capacity,
                                                         catalog->pipeline_count + 1, sizeof(*pipelines));
    if (pipelines == NULL)
        return false;
    catalog->pipelines = pipelines;
    struct ws_pipeline_record *record = &pipelines[catalog->pipeline_count];
    *record = (struct ws_pipeline_record){
        .id = pipeline->id,
        .kind = pipeline->kind,
        .name = ws_text_pool_add(&catalog->texts, ""),
        .shaders = malloc(sizeof(*record->shaders) * ((size_t)pipeline->shader_count + 1)),
        .shader_count = pipeline->shader_count,
    };
    if (record->shaders == NULL)
        return false;
    catalog->pipeline_count++;
    for (uint32_t i = 0; i < pipeline->shader_count; ++i)
        record->shaders[i] = ws_catalog_shader(catalog, pipeline->shaders[i]);
    return record->name != NULL && put(catalog, KIND_PIPELINE, pipeline->id, catalog->pipeline_count - 1);
}

/* The last name that an object got is its name. Most applications name an object once, right after they made
 * it. */
static bool set_name(struct ws_catalog *catalog, const struct ws_chunk_name *name)
{
    const char *text = ws_text_pool_add(&catalog->texts, name->name);
    uint32_t module = ws_catalog_module(catalog, name->id);
    uint32_t pipeline = ws_catalog_pipeline(catalog, name->id);
    if (text == NULL)
        return false;
    if (name->kind == WS_NAME_MODULE && module != WS_NONE)
        catalog->modules[module].name = text;
    if (name->kind == WS_NAME_PIPELINE && pipeline != WS_NONE)
        catalog->pipelines[pipeline].name = text;
    if (name->kind == WS_NAME_STRUCTURE)
        ws_structure_set_name(catalog, name->id, text);
    return true;
}

/* Whether passes other than time put code into shaders. */
static bool has_other_passes(const struct ws_chunk_info *info)
{
    for (uint32_t i = 0; i < info->pass_count; ++i)
        if (strcmp(info->passes[i], WS_PASS_TIME) != 0)
            return true;
    return false;
}

static bool add_image(struct ws_catalog *catalog, const struct ws_chunk_image *image)
{
    struct ws_chunk_image *images =
        ws_array_grow(catalog->images, &catalog->image_capacity, catalog->image_count + 1, sizeof(*images));
    if (images == NULL)
        return false;
    catalog->images = images;
    images[catalog->image_count++] = *image;
    return true;
}

bool ws_catalog_record(struct ws_catalog *catalog, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = true;
    switch (chunk->type) {
    case WS_CHUNK_DEVICE: recorded = add_device(catalog, &chunk->device); break;
    case WS_CHUNK_MODULE: recorded = add_module(catalog, &chunk->module); break;
    case WS_CHUNK_SITES: recorded = add_sites(catalog, &chunk->sites); break;
    case WS_CHUNK_SHADER: recorded = add_shader(catalog, &chunk->shader); break;
    case WS_CHUNK_PIPELINE: recorded = add_pipeline(catalog, &chunk->pipeline); break;
    case WS_CHUNK_SUBMISSION: recorded = ws_launch_table_record(catalog, &chunk->submission); break;
    case WS_CHUNK_TIMES: recorded = ws_times_record(catalog, &chunk->times); break;
    case WS_CHUNK_INFO: catalog->times.instrumented = has_other_passes(&chunk->info); break;
    case WS_CHUNK_IMAGE: recorded = add_image(catalog, &chunk->image); break;
    case WS_CHUNK_RESOURCES: recorded = ws_bound_record(catalog, &chunk->resources); break;
    case WS_CHUNK_SET: recorded = ws_bound_record_set(catalog, &chunk->set); break;
    case WS_CHUNK_SET_CHANGE: recorded = ws_bound_record_set_change(catalog, &chunk->set_change); break;
    case WS_CHUNK_BOUND: recorded = ws_bound_record_launches(catalog, &chunk->bound); break;
    case WS_CHUNK_BUILD:
        recorded = ws_structures_record(catalog, chunk) && ws_built_record(catalog, &chunk->build);
        break;
    case WS_CHUNK_STRUCTURE:
    case WS_CHUNK_COPY:
    case WS_CHUNK_GONE: recorded = ws_structures_record(catalog, chunk); break;
    case WS_CHUNK_NAME: recorded = set_name(catalog, &chunk->name); break;
    default: break;
    }
    return recorded || ws_error_set(error, "no memory for what the capture defines");
}
