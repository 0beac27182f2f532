#include "analysis/model/catalog_sites.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/catalog_functions.h"
#include "analysis/model/compaction_plan.h"
#include "passes/base/array.h"
#include "passes/spirv/code.h"
#include "passes/spirv/sites.h"
#include "warpscope/passes.h"

void ws_catalog_sites_finish(struct ws_module_record *module)
{
    for (uint32_t i = 0; i < module->entry_count; ++i)
        free(module->entries[i].blocks);
    free(module->entries);
    free(module->blocks);
    free(module->sites);
    free(module->passes);
    free(module->tallies);
    free(module->functions);
    free(module->calls);
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

/* The blocks of the functions that the entry point reaches. */
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

/* Several entry points can name one function; then their launch rows count the same executions, and the
 * first that lies in the entry point's rows will do. */
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

/* Whether a device executes the instruction; the passes count by the same rule. */
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

/* Extends the block's source lines by those of one instruction. A block belongs to the file of its first
 * instruction: what was inlined from another would make a range of nothing. */
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

/* The first file named is the one that was compiled; what it includes comes after it. */
static bool set_source(struct ws_catalog *catalog, struct ws_module_record *module,
                       const struct ws_code *code)
{
    if (code->file_count == 0)
        return true;
    const char *slash = strrchr(code->files[0].name, '/');
    module->source = ws_text_pool_add(&catalog->texts, slash != NULL ? slash + 1 : code->files[0].name);
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

/* Opcodes of sites, and source lines of those that reports name: data sites and counted places. */
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
        if ((site->info.kind != WS_SITE_DATA && site->info.kind != WS_SITE_COUNT) ||
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

/* The call sites of a module that was recorded, with their source lines. */
static bool describe_calls(struct ws_catalog *catalog, struct ws_module_record *module,
                           const struct ws_code *code, const struct ws_chunk_sites *sites)
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

/* Lines and opcodes of every block and site. A module that cannot be parsed is noted, and goes without. */
static bool describe_blocks(struct ws_catalog *catalog, struct ws_module_record *module,
                            const struct ws_chunk_sites *sites)
{
    struct ws_error unread = {{0}};
    uint32_t capacity = 0;
    struct ws_code *code = ws_code_create(module->words, module->word_count, &unread);
    if (code == NULL) {
        module->unreadable = true;
        return true;
    }
    bool described = set_source(catalog, module, code) && set_local_sizes(module, sites, &code->module) &&
                     ws_catalog_functions_add(catalog, module, &code->module) &&
                     describe_sites(catalog, module, code);
    for (uint32_t i = 0; i < module->block_count && described; ++i)
        described = describe_block(catalog, module, &capacity, code, &module->blocks[i]);
    described = described && describe_calls(catalog, module, code, sites);
    ws_code_destroy(code);
    return described;
}

bool ws_catalog_sites_add(struct ws_catalog *catalog, const struct ws_chunk_sites *sites)
{
    struct ws_module_record *module = &catalog->modules[ws_catalog_module(catalog, sites->module)];
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
    for (uint32_t i = 0; i < sites->block_count; ++i)
        module->blocks[i] = (struct ws_block_record){.info = sites->blocks[i], .row = WS_NONE};
    if (!add_passes(catalog, module, sites))
        return false;
    set_rows(module);
    if (!add_entries(catalog, module, sites) || !describe_blocks(catalog, module, sites))
        return false;
    free(module->words);
    module->words = NULL;
    return true;
}
