#include "analysis/simt/hotspots.h"

#include <stdlib.h>
#include <string.h>

#include "passes/base/array.h"
#include "passes/spirv/code.h"
#include "passes/spirv/sites.h"

void ws_hotspots_begin(struct ws_hotspots *hotspots, const struct ws_catalog *catalog)
{
    memset(hotspots, 0, sizeof(*hotspots));
    ws_simt_begin(&hotspots->simt, catalog);
}

void ws_hotspots_finish(struct ws_hotspots *hotspots)
{
    for (uint32_t i = 0; i < hotspots->module_count; ++i) {
        free(hotspots->modules[i].instructions);
        free(hotspots->modules[i].block_first);
        free(hotspots->modules[i].words);
    }
    free(hotspots->modules);
    free(hotspots->shaders);
    free(hotspots->runs);
    ws_text_pool_finish(&hotspots->texts);
    ws_simt_finish(&hotspots->simt);
    memset(hotspots, 0, sizeof(*hotspots));
}

/* Keeps the words of a module: its blocks are known only when its sites are. */
static bool add_module(struct ws_hotspots *hotspots, const struct ws_chunk_module *module)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    struct ws_hotspot_module *modules =
        ws_catalog_follow(hotspots->modules, hotspots->module_count, catalog->module_count,
                          catalog->module_capacity, sizeof(*modules));
    if (modules == NULL)
        return false;
    hotspots->modules = modules;
    hotspots->module_count = catalog->module_count;
    struct ws_hotspot_module *added = &modules[ws_catalog_module(catalog, module->id)];
    added->words = malloc(4 * (size_t)module->word_count + 1);
    if (added->words != NULL && module->word_count > 0)
        memcpy(added->words, module->words, 4 * (size_t)module->word_count);
    return added->words != NULL;
}

/* The executed instructions of one block, behind those of the blocks before. */
static bool add_block(struct ws_hotspots *hotspots, struct ws_hotspot_module *module,
                      const struct ws_code *code, const struct ws_block_info *block, uint32_t *count)
{
    uint32_t first = 0;
    uint32_t end = 0;
    ws_code_range(code, block->offset, block->length, &first, &end);
    for (uint32_t i = first; i < end; ++i) {
        const struct ws_instruction *instruction = &code->module.instructions[i];
        const struct ws_source_place *place = &code->places[i];
        if (!ws_instruction_is_executed(&code->module, instruction))
            continue;
        const char *file = NULL;
        if (place->file != WS_NONE && place->line > 0) {
            file = ws_text_pool_add(&hotspots->texts, code->files[place->file].name);
            if (file == NULL)
                return false;
        }
        module->instructions[(*count)++] = (struct ws_hotspot_instruction){
            .offset = instruction->offset,
            .opcode = instruction->opcode,
            .file = file,
            .line = file != NULL ? place->line : 0,
        };
    }
    return true;
}

static bool add_blocks(struct ws_hotspots *hotspots, struct ws_hotspot_module *module,
                       const struct ws_module_record *record, const struct ws_code *code)
{
    uint32_t count = 0;
    /* Blocks do not overlap (capture.h), so no instruction is in two. */
    module->instructions = calloc((size_t)code->module.instruction_count + 1, sizeof(*module->instructions));
    if (module->instructions == NULL)
        return false;
    for (uint32_t i = 0; i < record->block_count; ++i) {
        module->block_first[i] = count;
        if (!add_block(hotspots, module, code, &record->blocks[i].info, &count))
            return false;
    }
    module->block_first[record->block_count] = count;
    return true;
}

static bool add_sites(struct ws_hotspots *hotspots, const struct ws_chunk_sites *sites)
{
    struct ws_error unread = {{0}};
    uint32_t index = ws_catalog_module(hotspots->simt.catalog, sites->module);
    const struct ws_module_record *record = &hotspots->simt.catalog->modules[index];
    struct ws_hotspot_module *module = &hotspots->modules[index];
    module->block_first = calloc((size_t)record->block_count + 1, sizeof(*module->block_first));
    if (module->block_first == NULL)
        return false;
    struct ws_code *code = ws_code_create(module->words, record->word_count, &unread);
    module->unreadable = code == NULL;
    bool added = code == NULL || add_blocks(hotspots, module, record, code);
    ws_code_destroy(code);
    free(module->words);
    module->words = NULL;
    return added;
}

bool ws_hotspots_record(struct ws_hotspots *hotspots, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = true;
    if (chunk->type == WS_CHUNK_MODULE)
        recorded = add_module(hotspots, &chunk->module);
    else if (chunk->type == WS_CHUNK_SITES)
        recorded = add_sites(hotspots, &chunk->sites);
    return (recorded && ws_simt_record(&hotspots->simt, chunk, error)) ||
           ws_error_set(error, "no memory for the instructions of the capture");
}

static bool is_same_line(const struct ws_hotspot_instruction *a, const struct ws_hotspot_instruction *b)
{
    return a->file == b->file && a->line == b->line;
}

/* The runs of one block of a shader; `*index` is the place of the block in the shader's program. */
static bool add_runs(struct ws_hotspots *hotspots, uint32_t shader, uint32_t block, uint32_t *index)
{
    struct ws_hotspot_shader *sums = &hotspots->shaders[shader];
    const struct ws_hotspot_module *module =
        &hotspots->modules[hotspots->simt.catalog->shaders[shader].module];
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    double efficiency = 0;
    ws_simt_block(&hotspots->simt, shader, block, &counts, &histogram);
    enum ws_simt_doubt doubt = ws_simt_efficiency(&counts, &efficiency);
    uint64_t executions = ws_simt_sum(counts.active, counts.threads);
    for (uint32_t i = module->block_first[block]; i < module->block_first[block + 1]; ++i, ++*index) {
        struct ws_hotspot_run *runs = hotspots->runs;
        sums->instructions++;
        sums->executed += executions > 0;
        sums->executions = ws_simt_sum(sums->executions, executions);
        sums->most = executions > sums->most ? executions : sums->most;
        if (i > module->block_first[block] &&
            is_same_line(&module->instructions[i - 1], &module->instructions[i])) {
            runs[hotspots->run_count - 1].count++;
            continue;
        }
        runs = ws_array_grow(runs, &hotspots->run_capacity, hotspots->run_count + 1, sizeof(*runs));
        if (runs == NULL)
            return false;
        hotspots->runs = runs;
        runs[hotspots->run_count++] =
            (struct ws_hotspot_run){shader, block, i, 1, *index, executions, doubt, efficiency};
    }
    return true;
}

bool ws_hotspots_end(struct ws_hotspots *hotspots, struct ws_error *error)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    bool added = ws_simt_end(&hotspots->simt, error);
    hotspots->shaders = calloc((size_t)catalog->shader_count + 1, sizeof(*hotspots->shaders));
    added = added && hotspots->shaders != NULL;
    for (uint32_t i = 0; i < catalog->shader_count && added; ++i) {
        const struct ws_entry_record *entry = ws_catalog_entry(catalog, i);
        struct ws_hotspot_shader *shader = &hotspots->shaders[i];
        uint32_t index = 0;
        shader->run_first = hotspots->run_count;
        for (uint32_t j = 0; entry != NULL && j < entry->block_count && added; ++j)
            added = add_runs(hotspots, i, entry->blocks[j], &index);
        shader->run_count = hotspots->run_count - shader->run_first;
        hotspots->executions = ws_simt_sum(hotspots->executions, shader->executions);
        hotspots->most = shader->most > hotspots->most ? shader->most : hotspots->most;
    }
    return added || ws_error_set(error, "no memory for the instructions of the capture");
}
