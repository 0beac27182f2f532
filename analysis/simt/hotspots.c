#include "analysis/simt/hotspots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/report/analysis.h"
#include "warpscope/spirv/code.h"
#include "warpscope/spirv/sites.h"

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
        free(hotspots->modules[i].line_files);
        ws_lines_destroy(hotspots->modules[i].lines);
    }
    free(hotspots->modules);
    free(hotspots->shaders);
    free(hotspots->runs);
    free(hotspots->files);
    ws_id_map_finish(&hotspots->file_of);
    ws_id_map_finish(&hotspots->source_of);
    free(hotspots->sources);
    ws_groups_destroy(hotspots->groups);
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

/* The module's lines, and the names of its files as the instructions have them. */
static bool add_lines(struct ws_hotspots *hotspots, struct ws_hotspot_module *module,
                      const struct ws_module_record *record, const struct ws_code *code)
{
    module->lines = ws_lines_create(code, record);
    module->line_files = calloc((size_t)code->file_count + 1, sizeof(*module->line_files));
    if (module->lines == NULL || module->line_files == NULL)
        return false;
    for (uint32_t i = 0; i < code->file_count; ++i) {
        module->line_files[i] = ws_text_pool_add(&hotspots->texts, code->files[i].name);
        if (module->line_files[i] == NULL)
            return false;
    }
    return true;
}

static bool add_source(struct ws_hotspots *hotspots, const char *file, uint32_t line, const char *text,
                       size_t length)
{
    char copy[WS_HOTSPOTS_SOURCE_MOST + 1];
    uint32_t known = 0;
    while (length > 0 && strchr(" \t", text[0]) != NULL)
        ++text, --length;
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
        --length;
    if (length == 0 || ws_id_map_get(&hotspots->source_of, ws_hotspots_source_key(file, line), &known))
        return true;
    snprintf(copy, sizeof(copy), "%.*s",
             (int)(length < WS_HOTSPOTS_SOURCE_MOST ? length : WS_HOTSPOTS_SOURCE_MOST), text);
    ws_text_cut(copy);
    const char **sources = ws_array_grow(hotspots->sources, &hotspots->source_capacity,
                                         hotspots->source_count + 1, sizeof(*sources));
    if (sources == NULL)
        return false;
    hotspots->sources = sources;
    sources[hotspots->source_count] = ws_text_pool_add(&hotspots->texts, copy);
    return sources[hotspots->source_count] != NULL &&
           ws_id_map_put(&hotspots->source_of, ws_hotspots_source_key(file, line), hotspots->source_count++);
}

/* Keeps the lines that have code: the module's words will be gone when pictures are drawn. */
static bool add_sources(struct ws_hotspots *hotspots, const struct ws_hotspot_module *module,
                        const struct ws_code *code)
{
    bool added = true;
    uint32_t next = 0; /* lines are sorted by file and line */
    for (uint32_t file = 0; file < code->file_count; ++file) {
        const char *text = code->files[file].text;
        uint32_t number = 1;
        for (; text != NULL && *text != '\0' && added; ++number) {
            const size_t length = strcspn(text, "\n");
            while (next < module->lines->line_count &&
                   (module->lines->lines[next].file < file ||
                    (module->lines->lines[next].file == file && module->lines->lines[next].line < number)))
                next++;
            if (next < module->lines->line_count && module->lines->lines[next].file == file &&
                module->lines->lines[next].line == number)
                added = add_source(hotspots, module->line_files[file], number, text, length);
            text += length + (text[length] == '\n');
        }
    }
    return added;
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
    bool added = code == NULL ? !ws_error_is_memory(&unread)
                              : add_blocks(hotspots, module, record, code) &&
                                    add_lines(hotspots, module, record, code) &&
                                    (!hotspots->keeps_source || add_sources(hotspots, module, code));
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

/* The key of dimension LINE, of a file name of the pool: 0 where the line is not known. WS_KEY_NONE when there is no
 * memory. */
static uint64_t line_key(struct ws_hotspots *hotspots, const char *name, uint32_t line)
{
    uint32_t file = hotspots->file_count;
    if (name == NULL)
        return 0;
    if (!ws_id_map_get(&hotspots->file_of, (uintptr_t)name, &file)) {
        const char **files =
            ws_array_grow(hotspots->files, &hotspots->file_capacity, file + 1, sizeof(*files));
        if (files == NULL)
            return WS_KEY_NONE;
        hotspots->files = files;
        if (!ws_id_map_put(&hotspots->file_of, (uintptr_t)name, file))
            return WS_KEY_NONE;
        files[hotspots->file_count++] = name;
    }
    return (uint64_t)(file + 1) << 32 | line;
}

/* Adds an instruction, which belongs to the last of the runs, to the levels. `sets`: of its block; NULL where it was not
 * sampled. */
static bool add_fact(struct ws_hotspots *hotspots, const struct ws_hotspot_instruction *instruction,
                     const struct ws_simt_counts *counts, struct ws_simt_sets *sets)
{
    const uint32_t number = hotspots->run_count - 1;
    const struct ws_hotspot_run *run = &hotspots->runs[number];
    struct ws_hotspot_sums sums = {
        .instructions = 1,
        .executed = run->thread_executions > 0,
        .thread_executions = run->thread_executions,
        .most = run->thread_executions,
        .unlined = instruction->file == NULL ? run->thread_executions : 0,
        .doubtful =
            run->doubt != WS_SIMT_SURE && run->doubt != WS_SIMT_NOTHING && run->doubt != WS_SIMT_PER_THREAD,
        .sets = sets,
    };
    if (hotspots->groups == NULL)
        return true;
    if (run->doubt == WS_SIMT_SURE) {
        sums.active = counts->active;
        sums.slots = counts->slots;
    }
    if (run->count == 1)
        hotspots->line_key = line_key(hotspots, instruction->file, instruction->line);
    const uint64_t keys[WS_HOTSPOTS_DIMENSIONS] = {
        [WS_HOTSPOTS_STAGE] = ws_key_stage(hotspots->simt.catalog->shaders[run->shader].stage),
        [WS_HOTSPOTS_SHADER] = run->shader,
        [WS_HOTSPOTS_BLOCK] = ws_key_in_shader(run->shader, run->block),
        [WS_HOTSPOTS_LINE] = hotspots->line_key,
        [WS_HOTSPOTS_OPCODE] = instruction->opcode,
        [WS_HOTSPOTS_RUN] = number,
        [WS_HOTSPOTS_INSTRUCTION] = (uint64_t)number << 32 | (run->count - 1),
    };
    return hotspots->line_key != WS_KEY_NONE && ws_groups_add(hotspots->groups, keys, &sums);
}

/* Adds a row for the shader, which is shown even if it did not run. */
static bool add_shader(struct ws_hotspots *hotspots, uint32_t shader)
{
    const struct ws_hotspot_sums nothing = {0};
    const uint64_t keys[WS_HOTSPOTS_DIMENSIONS] = {
        [WS_HOTSPOTS_STAGE] = ws_key_stage(hotspots->simt.catalog->shaders[shader].stage),
        [WS_HOTSPOTS_SHADER] = shader,
        [WS_HOTSPOTS_BLOCK] = WS_KEY_NONE,
        [WS_HOTSPOTS_LINE] = WS_KEY_NONE,
        [WS_HOTSPOTS_OPCODE] = WS_KEY_NONE,
        [WS_HOTSPOTS_RUN] = WS_KEY_NONE,
        [WS_HOTSPOTS_INSTRUCTION] = WS_KEY_NONE,
    };
    return hotspots->groups == NULL ||
           ws_groups_add_to(hotspots->groups, keys, &nothing, 1u << WS_HOTSPOTS_SHADER, 0);
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
    uint64_t warps = ws_simt_sum(counts.warps, counts.threads);
    struct ws_simt_sets sets;
    const bool sampled = ws_simt_block_sets(&hotspots->simt, shader, block, &sets);
    for (uint32_t i = module->block_first[block]; i < module->block_first[block + 1]; ++i, ++*index) {
        struct ws_hotspot_run *runs = hotspots->runs;
        sums->instructions++;
        sums->executed += executions > 0;
        sums->thread_executions = ws_simt_sum(sums->thread_executions, executions);
        sums->most = executions > sums->most ? executions : sums->most;
        if (i > module->block_first[block] &&
            is_same_line(&module->instructions[i - 1], &module->instructions[i])) {
            runs[hotspots->run_count - 1].count++;
        } else {
            runs = ws_array_grow(runs, &hotspots->run_capacity, hotspots->run_count + 1, sizeof(*runs));
            if (runs == NULL)
                return false;
            hotspots->runs = runs;
            runs[hotspots->run_count++] =
                (struct ws_hotspot_run){shader, block, i, 1, *index, warps, executions, doubt, efficiency};
        }
        if (!add_fact(hotspots, &module->instructions[i], &counts, sampled ? &sets : NULL))
            return false;
    }
    return true;
}

/* Adds how often the lines of a shader were executed. Their instructions have been added before. */
static bool add_line_facts(struct ws_hotspots *hotspots, uint32_t shader)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    const uint32_t index = catalog->shaders[shader].module;
    const struct ws_hotspot_module *module = &hotspots->modules[index];
    struct ws_simt_histogram histogram;
    bool added = true;
    if (entry == NULL || module->lines == NULL || hotspots->groups == NULL)
        return true;
    struct ws_simt_counts *of_block =
        calloc((size_t)catalog->modules[index].block_count + 1, sizeof(*of_block));
    if (of_block == NULL)
        return false;
    for (uint32_t i = 0; i < entry->block_count; ++i)
        ws_simt_block(&hotspots->simt, shader, entry->blocks[i], &of_block[entry->blocks[i]], &histogram);
    for (uint32_t i = 0; i < module->lines->line_count && added; ++i) {
        const struct ws_source_line *line = &module->lines->lines[i];
        struct ws_simt_counts counts;
        double efficiency = 0;
        ws_lines_count(module->lines, i, of_block, &counts);
        struct ws_hotspot_sums sums = {.lines = 1, .executions = ws_simt_sum(counts.warps, counts.threads)};
        if (sums.executions == 0)
            continue;
        if (ws_simt_efficiency(&counts, &efficiency) == WS_SIMT_SURE) {
            sums.line_active = counts.active;
            sums.line_slots = counts.slots;
        }
        const uint64_t keys[WS_HOTSPOTS_DIMENSIONS] = {
            [WS_HOTSPOTS_STAGE] = ws_key_stage(catalog->shaders[shader].stage),
            [WS_HOTSPOTS_SHADER] = shader,
            [WS_HOTSPOTS_BLOCK] = WS_KEY_NONE,
            [WS_HOTSPOTS_LINE] = line_key(hotspots, module->line_files[line->file], line->line),
            [WS_HOTSPOTS_OPCODE] = WS_KEY_NONE,
            [WS_HOTSPOTS_RUN] = WS_KEY_NONE,
            [WS_HOTSPOTS_INSTRUCTION] = WS_KEY_NONE,
        };
        added = keys[WS_HOTSPOTS_LINE] != WS_KEY_NONE &&
                ws_groups_add_to(hotspots->groups, keys, &sums, 1u << WS_HOTSPOTS_LINE,
                                 1u << WS_HOTSPOTS_BLOCK | 1u << WS_HOTSPOTS_OPCODE | 1u << WS_HOTSPOTS_RUN |
                                     1u << WS_HOTSPOTS_INSTRUCTION);
    }
    free(of_block);
    return added;
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
        if (!ws_selection_has_shader(hotspots->simt.selection, i))
            continue;
        added = add_shader(hotspots, i);
        for (uint32_t j = 0; entry != NULL && j < entry->block_count && added; ++j)
            added = add_runs(hotspots, i, entry->blocks[j], &index);
        shader->run_count = hotspots->run_count - shader->run_first;
        added = added && add_line_facts(hotspots, i);
        hotspots->thread_executions = ws_simt_sum(hotspots->thread_executions, shader->thread_executions);
        hotspots->most = shader->most > hotspots->most ? shader->most : hotspots->most;
    }
    return added || ws_error_set(error, "no memory for the instructions of the capture");
}
