#include "analysis/simt/hotspots.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/output/plot.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/findings.h"
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

#define SOURCE_MOST 160 /* bytes of a line that are kept */

/* What stands for a line of a file whose name is in the pool. */
static uint64_t source_key(const char *file, uint32_t line)
{
    return ((uint64_t)(uintptr_t)file << 20) ^ line;
}

static bool add_source(struct ws_hotspots *hotspots, const char *file, uint32_t line, const char *text,
                       size_t length)
{
    char copy[SOURCE_MOST + 1];
    uint32_t known = 0;
    while (length > 0 && strchr(" \t", text[0]) != NULL)
        ++text, --length;
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
        --length;
    if (length == 0 || ws_id_map_get(&hotspots->source_of, source_key(file, line), &known))
        return true;
    snprintf(copy, sizeof(copy), "%.*s", (int)(length < SOURCE_MOST ? length : SOURCE_MOST), text);
    ws_text_cut(copy);
    const char **sources = ws_array_grow(hotspots->sources, &hotspots->source_capacity,
                                         hotspots->source_count + 1, sizeof(*sources));
    if (sources == NULL)
        return false;
    hotspots->sources = sources;
    sources[hotspots->source_count] = ws_text_pool_add(&hotspots->texts, copy);
    return sources[hotspots->source_count] != NULL &&
           ws_id_map_put(&hotspots->source_of, source_key(file, line), hotspots->source_count++);
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
    bool added = code == NULL ||
                 (add_blocks(hotspots, module, record, code) && add_lines(hotspots, module, record, code) &&
                  (!hotspots->keeps_source || add_sources(hotspots, module, code)));
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

/* Adds an instruction, which belongs to the last of the runs, to the levels. */
static bool add_fact(struct ws_hotspots *hotspots, const struct ws_hotspot_instruction *instruction,
                     const struct ws_simt_counts *counts)
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
        if (!add_fact(hotspots, &module->instructions[i], &counts))
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

/* How it is shown. */

#define NAME_SIZE     256
#define PROFILE       32 /* characters of a shader's profile */
#define PLOTS_MOST    8  /* shaders with a plot of their own */
#define LINES_PLOTTED 24
#define MARKS_WANTED  8
#define OPCODES_MOST  3 /* opcodes shown of a run */

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_hotspots *hotspots = calloc(1, sizeof(*hotspots));
    if (hotspots == NULL)
        return NULL;
    ws_hotspots_begin(hotspots, catalog);
    hotspots->simt.selection = options->selection;
    hotspots->keeps_source = options->plots;
    hotspots->filtered = ws_selection_has_shaders(options->selection);
    hotspots->groups = ws_groups_create(&ws_hotspots_columns, catalog, hotspots, &options->view, error);
    if (hotspots->groups != NULL)
        return hotspots;
    ws_hotspots_finish(hotspots);
    free(hotspots);
    return NULL;
}

static void destroy(void *results)
{
    ws_hotspots_finish(results);
    free(results);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_hotspots_record(results, chunk, error);
}

static bool end(void *results, struct ws_error *error)
{
    return ws_hotspots_end(results, error);
}

static const struct ws_groups *groups(const void *results)
{
    return ((const struct ws_hotspots *)results)->groups;
}

static void set_text(struct ws_value *value, const char *text)
{
    value->kind = WS_VALUE_TEXT;
    value->text = text;
}

/* How often the program's instructions were executed, from its first to its last, against the one that was
 * executed most: a bar per character, as high as the most executed instruction in it. */
static void shader_profile(const struct ws_row *row, struct ws_value *value)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct ws_hotspots *hotspots = row->user;
    const struct ws_hotspot_shader *sums = &hotspots->shaders[row->key];
    uint64_t most[PROFILE] = {0};
    uint32_t width = sums->instructions < PROFILE ? sums->instructions : PROFILE;
    for (uint32_t i = sums->run_first; i < sums->run_first + sums->run_count; ++i) {
        const struct ws_hotspot_run *run = &hotspots->runs[i];
        for (uint64_t j = run->index; j < (uint64_t)run->index + run->count; ++j) {
            uint64_t *bar = &most[j * width / sums->instructions];
            *bar = run->thread_executions > *bar ? run->thread_executions : *bar;
        }
    }
    value->buffer[0] = '\0';
    for (uint32_t i = 0; i < width; ++i) {
        double height = sums->most > 0 ? (double)most[i] / (double)sums->most * 8 : 0;
        /* What ran at least once has the lowest bar at least. */
        strcat(value->buffer, bars[most[i] == 0 ? 0 : height < 1 ? 1 : (int)(height + 0.5)]);
    }
    set_text(value, value->buffer);
}

static void shader_program(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, ((const struct ws_hotspots *)row->user)->shaders[row->key].instructions);
}

static const struct ws_field shader_fields[] = {
    {"program", "instructions of the shader", WS_COUNT, .flags = WS_TABLES, .value = shader_program},
    {"profile", "thread executions from the first instruction to the last", WS_TEXT,
     "first to last instruction", .flags = WS_TABLES, .value = shader_profile},
    {NULL},
};

static void block_label(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_catalog *catalog = row->catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[row->key >> 32].module];
    ws_value_count(value, module->blocks[(uint32_t)row->key].info.label);
}

static const struct ws_field block_fields[] = {
    {"block", "id of its label", WS_COUNT, .prefix = "%", .value = block_label},
    {NULL},
};

/* The file of a line; NULL where it is not known. */
static const char *file_of(const struct ws_row *row)
{
    const uint64_t file = row->key >> 32;
    return file > 0 ? ((const struct ws_hotspots *)row->user)->files[file - 1] : NULL;
}

static void line_source(const struct ws_row *row, struct ws_value *value)
{
    const char *file = file_of(row);
    if (file != NULL)
        snprintf(value->buffer, sizeof(value->buffer), "%.200s:%" PRIu32, ws_file_name(file),
                 (uint32_t)row->key);
    set_text(value, file != NULL ? value->buffer : "");
}

static void line_file(const struct ws_row *row, struct ws_value *value)
{
    if (file_of(row) != NULL)
        set_text(value, file_of(row));
}

static void line_number(const struct ws_row *row, struct ws_value *value)
{
    if (file_of(row) != NULL)
        ws_value_count(value, (uint32_t)row->key);
}

static const struct ws_field line_fields[] = {
    {"source", "file:line", WS_TEXT, .value = line_source},
    {"file", "path of the source as the compiler was given it, if known", WS_TEXT, .value = line_file},
    {"line", "line in that file, from 1", WS_COUNT, .value = line_number},
    {NULL},
};

static const struct ws_hotspot_run *run_of(const struct ws_row *row)
{
    return &((const struct ws_hotspots *)row->user)->runs[row->keys[WS_HOTSPOTS_RUN]];
}

/* The place in its run of a row's instruction: of the first where the row is a run. */
static uint32_t place_of(const struct ws_row *row)
{
    const uint64_t instruction = row->keys[WS_HOTSPOTS_INSTRUCTION];
    return instruction != WS_KEY_NONE ? (uint32_t)instruction : 0;
}

/* The instruction of a row, and those of its run behind it. */
static const struct ws_hotspot_instruction *instruction_of(const struct ws_row *row)
{
    const struct ws_hotspots *hotspots = row->user;
    const struct ws_hotspot_run *run = run_of(row);
    const struct ws_hotspot_module *module = &hotspots->modules[row->catalog->shaders[run->shader].module];
    return &module->instructions[run->first + place_of(row)];
}

static void name_opcode(uint64_t opcode, char *text, size_t size)
{
    const char *name = ws_opcode_name((uint32_t)opcode);
    if (name != NULL)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "Op%" PRIu64, opcode);
}

static void run_index(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, run_of(row)->index + place_of(row));
}

static void run_offset(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, instruction_of(row)->offset);
}

/* "82-100". */
static void run_range(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_run *run = run_of(row);
    if (run->count > 1)
        ws_value_text(value, "%" PRIu32 "-%" PRIu32, run->index, run->index + run->count - 1);
    else
        ws_value_text(value, "%" PRIu32, run->index);
}

static void run_executions(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, run_of(row)->executions);
}

static void run_thread_executions(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, run_of(row)->thread_executions);
}

/* "OpLoad, OpFMul, OpStore +3". */
static void run_opcodes(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_run *run = run_of(row);
    const struct ws_hotspot_instruction *first = instruction_of(row) - place_of(row);
    size_t used = 0;
    value->buffer[0] = '\0';
    for (uint32_t i = 0; i < run->count && i < OPCODES_MOST; ++i) {
        char name[64];
        name_opcode(first[i].opcode, name, sizeof(name));
        used += (size_t)snprintf(value->buffer + used, NAME_SIZE - used, "%s%s", i > 0 ? ", " : "", name);
    }
    if (run->count > OPCODES_MOST)
        snprintf(value->buffer + used, NAME_SIZE - used, " +%" PRIu32, run->count - OPCODES_MOST);
    set_text(value, value->buffer);
}

static cJSON *list_opcodes(const struct ws_row *row)
{
    const struct ws_hotspot_instruction *first = instruction_of(row) - place_of(row);
    cJSON *opcodes = cJSON_CreateArray();
    for (uint32_t i = 0; opcodes != NULL && i < run_of(row)->count; ++i) {
        char name[64];
        name_opcode(first[i].opcode, name, sizeof(name));
        cJSON_AddItemToArray(opcodes, cJSON_CreateString(name));
    }
    return opcodes;
}

static const struct ws_field run_fields[] = {
    {"index", "of the instruction in the shader's program, from 0; of a run, of its first", WS_COUNT,
     .value = run_index},
    {"offset", "of that instruction in the module, in words", WS_COUNT, .value = run_offset},
    {"range", "first and last index of the run", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = run_range},
    {"block_executions", "executions of the block by warps", WS_COUNT, .value = run_executions},
    {"each", "thread executions of each instruction of the run", WS_COUNT, .value = run_thread_executions},
    {"which", "opcodes of the run: the first three, and how many more", WS_TEXT, .flags = WS_TABLES,
     .value = run_opcodes},
    {"opcodes", "opcodes of the run, one for each instruction", .json = list_opcodes, .type = "string[]?"},
    {NULL},
};

static void opcode_name(const struct ws_row *row, struct ws_value *value)
{
    name_opcode(row->key, value->buffer, sizeof(value->buffer));
    set_text(value, value->buffer);
}

static const struct ws_field opcode_fields[] = {
    {"opcode", "its name", WS_TEXT, .value = opcode_name},
    {NULL},
};

/* The fields of a run say it: `index` and `offset` are those of the instruction. */
static const struct ws_field instruction_fields[] = {{NULL}};

#define BIT(dimension) (1u << WS_HOTSPOTS_##dimension)

static const struct ws_dimension dimensions[] = {
    [WS_HOTSPOTS_STAGE] = {WS_DIMENSION_STAGE},
    [WS_HOTSPOTS_SHADER] = {WS_DIMENSION_SHADER, .more = shader_fields, .implies = BIT(STAGE)},
    [WS_HOTSPOTS_BLOCK] = {"block", "basic block of a shader", block_fields, .implies = BIT(SHADER)},
    [WS_HOTSPOTS_LINE] = {"line", "line of the source", line_fields, .shown = "source", .same = "source"},
    [WS_HOTSPOTS_RUN] = {"run", "neighbouring instructions of one block and line", run_fields,
                         .shown = "range", .same = "index", .of_code = true,
                         .implies = BIT(BLOCK) | BIT(LINE)},
    [WS_HOTSPOTS_INSTRUCTION] = {"instruction", "instruction of a shader", instruction_fields,
                                 .shown = "index", .implies = BIT(RUN) | BIT(OPCODE)},
    [WS_HOTSPOTS_OPCODE] = {"opcode", "SPIR-V opcode", opcode_fields},
    [WS_HOTSPOTS_DIMENSIONS] = {NULL},
};

static void share(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_sums *sums = row->sums;
    const uint64_t all = ((const struct ws_hotspots *)row->user)->thread_executions;
    ws_value_real(value, all > 0 ? (double)sums->thread_executions / (double)all : 0);
}

static void efficiency(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_sums *sums = row->sums;
    if (sums->line_slots > 0)
        ws_value_real(value, (double)sums->line_active / (double)sums->line_slots);
    else if (sums->lines == 0 && sums->doubtful == 0 && sums->slots > 0)
        ws_value_real(value, (double)sums->active / (double)sums->slots);
}

/* Lines only: blocks, opcodes and shaders have no such number. */
static void line_executions(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_sums *sums = row->sums;
    if (sums->lines > 0)
        ws_value_count(value, sums->executions);
}

#define AT(member) offsetof(struct ws_hotspot_sums, member)

static const struct ws_field measures[] = {
    {"instructions", "how many there are", WS_COUNT, .at = AT(instructions), .flags = WS_STEADY},
    {"executed", "how many of them were executed at least once", WS_COUNT, .at = AT(executed),
     .flags = WS_STEADY},
    {"executions",
     "of lines: how often warps came to the line; in stages that are counted per thread, threads", WS_COUNT,
     .value = line_executions},
    {"thread_executions", "of all of them: active lanes, or threads, summed over executions of their blocks",
     WS_COUNT, .at = AT(thread_executions), .better = WS_BETTER_LESS},
    {"share", "of the thread executions of all instructions of the capture", WS_SHARE, .value = share},
    {"most", "thread executions of the instruction executed most", WS_COUNT, .at = AT(most)},
    {"efficiency",
     "active lanes / subgroup sizes, of executions of the line, or of their blocks; none where it is "
     "withheld",
     WS_SHARE, .flags = WS_DASH, .value = efficiency, .better = WS_BETTER_MORE},
    {"unlined", "thread executions of those without a source line", WS_COUNT, .at = AT(unlined)},
    {NULL},
};

static bool add_sums(void *to, const void *from)
{
    struct ws_hotspot_sums *sums = to;
    const struct ws_hotspot_sums *more = from;
    sums->instructions += more->instructions;
    sums->executed += more->executed;
    sums->thread_executions = ws_simt_sum(sums->thread_executions, more->thread_executions);
    sums->unlined = ws_simt_sum(sums->unlined, more->unlined);
    sums->lines += more->lines;
    sums->executions = ws_simt_sum(sums->executions, more->executions);
    sums->line_active = ws_simt_sum(sums->line_active, more->line_active);
    sums->line_slots = ws_simt_sum(sums->line_slots, more->line_slots);
    sums->most = more->most > sums->most ? more->most : sums->most;
    sums->active = ws_simt_sum(sums->active, more->active);
    sums->slots = ws_simt_sum(sums->slots, more->slots);
    sums->doubtful += more->doubtful;
    return true;
}

static const struct ws_level levels[] = {
    [WS_HOTSPOTS_BY_ALL] = {"total", .data = "instructions executed thread_executions share most efficiency "
                                             "unlined"},
    [WS_HOTSPOTS_BY_SHADER] =
        {"shaders", "Hotspots: how often instructions were executed, over each shader's program",
         .by = BIT(SHADER), .sort = "-thread_executions", .filter = "thread_executions > 0",
         .text = "shader_id shader stage program executed thread_executions share most profile",
         .data =
             "shader_id shader stage instructions executed thread_executions share most efficiency unlined"},
    [WS_HOTSPOTS_BY_LINE] = {"lines", "Hottest lines, by share of all instructions executed",
                             .by = BIT(SHADER) | BIT(LINE), .sort = "-thread_executions",
                             .filter = "executions > 0",
                             .text = "share executions efficiency shader source instructions"},
    [WS_HOTSPOTS_BY_RUN] =
        {"runs",
         "Hottest instructions without a source line, by share of all executed (neighbours of one block as "
         "one)",
         .by = BIT(RUN), .sort = "-thread_executions", .filter = "unlined > 0",
         .text = "share block_executions efficiency shader block range which",
         .data = "shader_id shader stage block source file line index offset block_executions each opcodes "
                 "instructions executed thread_executions share efficiency unlined"},
    [WS_HOTSPOTS_BY_INSTRUCTION] =
        {"instructions", .by = BIT(INSTRUCTION),
         .data = "shader_id shader stage block source file line index offset opcode block_executions "
                 "thread_executions share efficiency"},
    {NULL},
};

const struct ws_columns ws_hotspots_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_hotspot_sums),
    .shown = "instructions executions thread_executions share efficiency",
    .add = add_sums,
    .weight = "thread_executions"};

static const char *nothing(const void *results)
{
    const struct ws_hotspots *hotspots = results;
    return hotspots->thread_executions > 0 ? NULL : ws_simt_no_instructions(hotspots->simt.catalog);
}

static bool text(const void *results, FILE *stream)
{
    const struct ws_hotspots *hotspots = results;
    if (nothing(results) == NULL)
        return ws_groups_text_all(hotspots->groups, stream);
    fprintf(stream, "\nHotspots: %s\n", nothing(results));
    return true;
}

/* A shader's program as a series, its first instruction at `x`. `points` has room for two numbers per
 * instruction. */
static struct ws_series make_series(const struct ws_hotspots *hotspots, uint32_t shader, double x,
                                    double scale, double *points)
{
    const struct ws_hotspot_shader *sums = &hotspots->shaders[shader];
    double *y = points + sums->instructions;
    for (uint32_t i = sums->run_first; i < sums->run_first + sums->run_count; ++i) {
        const struct ws_hotspot_run *run = &hotspots->runs[i];
        for (uint32_t j = run->index; j < run->index + run->count; ++j) {
            points[j] = x + j;
            y[j] = scale * (double)run->thread_executions;
        }
    }
    return (struct ws_series){.x = points, .y = y, .count = sums->instructions};
}

/* Lines of the source as rows of a plot. */
struct line_rows {
    const struct ws_hotspots *hotspots;
    uint32_t count;
    uint64_t keys[LINES_PLOTTED]; /* of the lines */
    double shares[LINES_PLOTTED];
    char places[LINES_PLOTTED][NAME_SIZE];
    char sources[LINES_PLOTTED][NAME_SIZE + SOURCE_MOST];
    const char *labels[LINES_PLOTTED];
    const char *details[LINES_PLOTTED];
};

/* Adds a row of the level of lines. Names the shader where rows of several are shown. */
static void add_line_row(struct line_rows *rows, const struct ws_row *row, bool several)
{
    const struct ws_hotspots *hotspots = rows->hotspots;
    const struct ws_hotspot_sums *sums = row->sums;
    const uint64_t key = row->keys[WS_HOTSPOTS_LINE];
    const uint32_t shader = (uint32_t)row->keys[WS_HOTSPOTS_SHADER];
    const char *file = hotspots->files[(key >> 32) - 1];
    const char *base = strrchr(file, '/');
    uint32_t source = 0;
    const uint32_t i = rows->count++;
    rows->keys[i] = key;
    rows->shares[i] = 100 * ((double)sums->thread_executions / (double)hotspots->thread_executions);
    snprintf(rows->places[i], NAME_SIZE, "%s:%" PRIu32, base != NULL ? base + 1 : file, (uint32_t)key);
    const bool known = ws_id_map_get(&hotspots->source_of, source_key(file, (uint32_t)key), &source);
    const char *name = several ? ws_shader_name(hotspots->simt.catalog, shader) : "";
    /* A shader that has the file's name says nothing new. */
    const size_t stem = strcspn(rows->places[i], ":");
    if (strncmp(name, rows->places[i], stem) == 0 && name[stem] == ':')
        name = "";
    snprintf(rows->sources[i], sizeof(rows->sources[i]), "%s%s%s%s", name[0] != '\0' ? "in " : "", name,
             name[0] != '\0' && known ? ": " : "", known ? hotspots->sources[source] : "");
    ws_text_cut(rows->places[i]);
    ws_text_cut(rows->sources[i]);
    rows->labels[i] = rows->places[i];
    rows->details[i] = rows->sources[i];
}

/* Takes the hottest lines: of a shader, or of all (WS_NONE). `order`: rows of the level, hottest first. */
static void take_lines(const struct ws_hotspots *hotspots, const uint32_t *order, uint32_t count,
                       uint32_t shader, struct line_rows *rows)
{
    rows->hotspots = hotspots;
    rows->count = 0;
    for (uint32_t i = 0; i < count && rows->count < LINES_PLOTTED; ++i) {
        struct ws_row row;
        ws_groups_row(hotspots->groups, WS_HOTSPOTS_BY_LINE, order[i], &row);
        const struct ws_hotspot_sums *sums = row.sums;
        if (row.keys[WS_HOTSPOTS_LINE] != 0 && row.keys[WS_HOTSPOTS_LINE] != WS_KEY_NONE &&
            sums->thread_executions > 0 && (shader == WS_NONE || row.keys[WS_HOTSPOTS_SHADER] == shader))
            add_line_row(rows, &row, shader == WS_NONE);
    }
}

static bool plot_lines(const struct line_rows *rows, const char *file, const char *title,
                       const char *arguments, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_series series = {"share", NULL, rows->shares, rows->count};
    const struct ws_plot plot = {.kind = WS_PLOT_ROWS,
                                 .title = title,
                                 .arguments = arguments,
                                 .about =
                                     "The lines that took most of the instructions executed, the most first.",
                                 .y_label = "% of all instructions executed, by threads",
                                 .unit = " %",
                                 .labels = rows->labels,
                                 .details = rows->details,
                                 .series = &series,
                                 .series_count = 1};
    return ws_plots_plot(plots, file, &plot, error);
}

/* A shader's program, where its lines are not known. */
static bool plot_program(const struct ws_hotspots *hotspots, uint32_t shader, const char *file,
                         struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    double *points = calloc(2 * (size_t)hotspots->shaders[shader].instructions + 1, sizeof(*points));
    char title[NAME_SIZE + 64];
    if (points == NULL)
        return false;
    snprintf(title, sizeof(title), "%s (%s): executions of each instruction", ws_shader_name(catalog, shader),
             ws_stage_name(catalog->shaders[shader].stage));
    const struct ws_series series = make_series(hotspots, shader, 0, 1, points);
    const struct ws_plot plot = {
        .kind = WS_PLOT_STEPS,
        .title = title,
        .about = "The shader has no source lines: instructions are counted from the first.",
        .x_label = "instruction of the program, from the first to the last",
        .y_label = "executions by threads",
        .series = &series,
        .series_count = 1};
    bool plotted = ws_plots_plot(plots, file, &plot, error);
    free(points);
    return plotted;
}

/* A shader's own plot. */
static bool plot_shader(const struct ws_hotspots *hotspots, const uint32_t *order, uint32_t count,
                        uint32_t shader, struct line_rows *rows, struct ws_plots *plots,
                        struct ws_error *error)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    char title[NAME_SIZE + 64];
    char file[NAME_SIZE + 16];
    snprintf(file, sizeof(file), "%" PRIu32 "-%s", catalog->shaders[shader].id,
             ws_shader_name(catalog, shader));
    snprintf(title, sizeof(title), "Hottest lines of %s (%s)", ws_shader_name(catalog, shader),
             ws_stage_name(catalog->shaders[shader].stage));
    char name[NAME_SIZE];
    char arguments[4 * NAME_SIZE + 16] = "--shader ";
    snprintf(name, sizeof(name), "%s", ws_shader_name(catalog, shader));
    ws_text_cut(name);
    const size_t used = strlen(arguments);
    arguments[used + ws_text_quote(arguments + used, name)] = '\0';
    take_lines(hotspots, order, count, shader, rows);
    return rows->count > 0
               ? plot_lines(rows, file, title, hotspots->filtered ? NULL : arguments, plots, error)
               : plot_program(hotspots, shader, file, plots, error);
}

/* Where the instructions of the hottest lines stand in the plot of all programs. `offsets`: the x of the first
 * instruction of each shader drawn, NAN where it is not. */
static uint32_t mark_lines(const struct ws_hotspots *hotspots, const double *offsets,
                           struct ws_plot_mark *marks, char (*texts)[NAME_SIZE])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < MARKS_WANTED; ++k) {
        const struct ws_hotspot_run *best = NULL;
        for (uint32_t i = 0; i < hotspots->run_count; ++i) {
            const struct ws_hotspot_run *run = &hotspots->runs[i];
            const bool lower = count == 0 || (double)run->thread_executions * 100 / (double)hotspots->most <
                                                 marks[count - 1].y;
            if (lower && run->thread_executions > 0 && !isnan(offsets[run->shader]) &&
                (best == NULL || run->thread_executions > best->thread_executions))
                best = run;
        }
        if (best == NULL)
            break;
        const uint32_t module = hotspots->simt.catalog->shaders[best->shader].module;
        const struct ws_hotspot_instruction *first = &hotspots->modules[module].instructions[best->first];
        const char *base = first->file != NULL ? strrchr(first->file, '/') : NULL;
        if (first->file != NULL)
            snprintf(texts[count], NAME_SIZE, "%s:%" PRIu32, base != NULL ? base + 1 : first->file,
                     first->line);
        else
            snprintf(texts[count], NAME_SIZE, "instruction %" PRIu32, best->index);
        ws_text_cut(texts[count]);
        marks[count] = (struct ws_plot_mark){
            .x = offsets[best->shader] + best->index + best->count / 2.0,
            .y = (double)best->thread_executions * 100 / (double)hotspots->most,
            .text = texts[count],
        };
        count++;
    }
    return count;
}

/* All programs, one behind the other, relative to the instruction executed most: figure 3.14 of the paper. */
static bool plot_programs(const struct ws_hotspots *hotspots, const uint32_t *order, uint32_t count,
                          struct ws_plots *plots, struct ws_error *error)
{
    const uint32_t shaders = hotspots->simt.catalog->shader_count;
    size_t instructions = 0;
    for (uint32_t i = 0; i < count; ++i)
        instructions += hotspots->shaders[order[i]].instructions;
    double *points = calloc(2 * instructions + 1, sizeof(*points));
    double *offsets = calloc((size_t)shaders + 1, sizeof(*offsets));
    struct ws_series *series = calloc((size_t)count + 1, sizeof(*series));
    struct ws_plot_mark marks[MARKS_WANTED];
    char texts[MARKS_WANTED][NAME_SIZE];
    bool plotted = points != NULL && offsets != NULL && series != NULL;
    size_t x = 0;
    for (uint32_t i = 0; i < shaders && plotted; ++i)
        offsets[i] = NAN;
    for (uint32_t i = 0; i < count && plotted; ++i) {
        uint32_t shader = order[i];
        series[i] = make_series(hotspots, shader, (double)x, 100.0 / (double)hotspots->most, points + 2 * x);
        series[i].name = ws_shader_name(hotspots->simt.catalog, shader);
        offsets[shader] = (double)x;
        x += hotspots->shaders[shader].instructions;
    }
    const struct ws_plot plot = {
        .kind = WS_PLOT_STEPS,
        .title = "Hotspots: executions of each instruction of every shader",
        .about =
            "The program of every shader, one behind the other: how often each instruction was executed. The "
            "names are those of source lines.",
        .x_label = "instruction, shader after shader",
        .y_label = "executions, relative to the most (%)",
        .series = series,
        .series_count = count,
        .marks = marks,
        .mark_count = plotted && hotspots->most > 0 ? mark_lines(hotspots, offsets, marks, texts) : 0,
        .y_max = 100};
    plotted = plotted && ws_plots_plot(plots, "all", &plot, error);
    free(points);
    free(offsets);
    free(series);
    return plotted;
}

/* The shaders, hottest first, and their pictures. */
static bool plot_shaders(const struct ws_hotspots *hotspots, const uint32_t *lines, uint32_t line_count,
                         struct line_rows *rows, struct ws_plots *pictures, struct ws_error *error)
{
    uint32_t count = 0;
    uint32_t *order = ws_groups_sorted(hotspots->groups, WS_HOTSPOTS_BY_SHADER, &count);
    bool plotted = order != NULL;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(hotspots->groups, WS_HOTSPOTS_BY_SHADER, order[i], &row);
        order[i] = (uint32_t)row.keys[WS_HOTSPOTS_SHADER];
    }
    /* Of one shader the others show the same. */
    if (plotted && count > 1) {
        take_lines(hotspots, lines, line_count, WS_NONE, rows);
        if (rows->count > 0)
            plotted = plot_lines(rows, "lines", "Hottest lines of all shaders", NULL, pictures, error);
        plotted = plotted && plot_programs(hotspots, order, count, pictures, error);
    }
    for (uint32_t i = 0; i < count && i < PLOTS_MOST && plotted; ++i)
        if (hotspots->shaders[order[i]].thread_executions > 0)
            plotted = plot_shader(hotspots, lines, line_count, order[i], rows, pictures, error);
    free(order);
    return plotted;
}

static bool plots(const void *results, struct ws_plots *pictures, struct ws_error *error)
{
    const struct ws_hotspots *hotspots = results;
    uint32_t count = 0;
    uint32_t *lines = ws_groups_sorted(hotspots->groups, WS_HOTSPOTS_BY_LINE, &count);
    struct line_rows *rows = malloc(sizeof(*rows));
    const bool plotted =
        lines != NULL && rows != NULL && plot_shaders(hotspots, lines, count, rows, pictures, error);
    free(lines);
    free(rows);
    return plotted;
}

/* The line of a shader with most thread executions: ", most in common.glsl:100 (8 % of all executed instructions)". "" where
 * lines are not known. */
static const char *describe_line(const struct ws_hotspots *hotspots, uint32_t shader,
                                 struct ws_findings *findings)
{
    const uint32_t count = ws_groups_count(hotspots->groups, WS_HOTSPOTS_BY_LINE);
    uint64_t most = 0;
    uint64_t line = 0;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(hotspots->groups, WS_HOTSPOTS_BY_LINE, i, &row);
        const uint64_t executions = ((const struct ws_hotspot_sums *)row.sums)->thread_executions;
        const uint64_t key = row.keys[WS_HOTSPOTS_LINE];
        if (row.keys[WS_HOTSPOTS_SHADER] != shader || key >> 32 == 0 || key >> 32 > hotspots->file_count ||
            executions <= most)
            continue;
        most = executions;
        line = key;
    }
    if (most == 0)
        return "";
    return ws_findings_text(findings,
                            " Its hottest line, %s:%" PRIu32 ", has %.1f %% of all instructions executed.",
                            ws_file_name(hotspots->files[(line >> 32) - 1]), (uint32_t)line,
                            100 * (double)most / (double)hotspots->thread_executions);
}

/* The shader with most slots. */
static bool add_findings(const void *results, struct ws_findings *findings)
{
    const struct ws_hotspots *hotspots = results;
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    const struct ws_simt_counts *total = &hotspots->simt.total.counts;
    uint64_t all = 0;
    uint64_t most = 0;
    uint32_t shader = 0;
    for (uint32_t i = 0; i < hotspots->simt.shader_count; ++i) {
        const uint64_t slots = ws_simt_slots(&hotspots->simt.shaders[i].counts);
        all = ws_simt_sum(all, slots);
        shader = slots > most ? i : shader;
        most = slots > most ? slots : most;
    }
    findings->totals.slots = total->weighted_slots;
    findings->totals.active = total->weighted_active;
    if (most == 0)
        return true;
    const double share = (double)most / (double)all;
    const struct ws_finding finding = {
        .kind = WS_FINDING_SPENT,
        .of = WS_FINDING_OF_SLOTS,
        .size = share,
        .title = "most work in",
        .place = ws_shader_name(catalog, shader),
        .text = ws_findings_text(findings, "It takes %.0f %% of all instruction slots.%s", 100 * share,
                                 describe_line(hotspots, shader, findings)),
        .options = ws_findings_option(findings, "--shader", ws_shader_name(catalog, shader)),
    };
    return ws_findings_add(findings, &finding);
}

static const char words[] =
    "An execution of a line is a warp that comes to it, from another line or once more in a\n"
    "loop. A thread execution is an active lane of it. Share is of the thread executions of all\n"
    "instructions of the capture, so it says where the instructions went, and not where time\n"
    "did: a warp takes as long for one active lane as for all. Efficiency is how many lanes of\n"
    "the warps were active there. Program is how many instructions a shader has, ran how many\n"
    "of them were executed at least once, most how often the one executed most was; the bars\n"
    "show the program from its first instruction to its last. Instructions without a source\n"
    "line stand in a list of their own, by their numbers in the program.\n";

static const char *const passes[] = {"simt_efficiency", NULL};

const struct ws_analysis ws_analysis_hotspots = {
    .name = "hotspots",
    .summary = "where the instructions went: executions of each instruction of each shader",
    .passes = passes,
    .words = words,
    .columns = &ws_hotspots_columns,
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .record = record,
    .end = end,
    .findings = add_findings,
    .nothing = nothing,
    .text = text,
    .plots = plots,
};
