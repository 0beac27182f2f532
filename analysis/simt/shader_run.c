#include "analysis/simt/shader_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/instrument.h"
#include "warpscope/model/names.h"
#include "warpscope/spirv/cuts.h"
#include "warpscope/spirv/sites.h"

/* The words of a module until its code is asked for. */
struct ws_shader_module {
    uint32_t *words;
    uint32_t word_count;
    bool read; /* its code has been asked for */
    struct ws_shader_code known;
};

bool ws_shader_modules_record(struct ws_shader_modules *modules, const struct ws_catalog *catalog,
                              const struct ws_chunk *chunk)
{
    if (chunk->type != WS_CHUNK_MODULE)
        return true;
    const uint32_t index = ws_catalog_module(catalog, chunk->module.id);
    if (catalog->module_count > modules->count) {
        struct ws_shader_module *longer =
            ws_catalog_follow(modules->modules, modules->count, catalog->module_count,
                              catalog->module_capacity, sizeof(*longer));
        if (longer == NULL)
            return false;
        modules->modules = longer;
        modules->count = catalog->module_count;
    }
    if (index >= modules->count || modules->modules[index].words != NULL)
        return true;
    struct ws_shader_module *module = &modules->modules[index];
    module->words = malloc(4 * (size_t)chunk->module.word_count + 1);
    if (module->words == NULL)
        return false;
    if (chunk->module.word_count > 0)
        memcpy(module->words, chunk->module.words, 4 * (size_t)chunk->module.word_count);
    module->word_count = chunk->module.word_count;
    return true;
}

void ws_shader_modules_finish(struct ws_shader_modules *modules)
{
    for (uint32_t i = 0; i < modules->count; ++i) {
        ws_code_destroy(modules->modules[i].known.code);
        free(modules->modules[i].words);
    }
    free(modules->modules);
    memset(modules, 0, sizeof(*modules));
}

/* Looks at the functions of a module that could be parsed. False when there is no memory; a branch to nowhere leaves
 * `known->code` NULL. */
static bool read_functions(struct ws_shader_code *known, struct ws_code *code)
{
    const struct ws_module *module = &code->module;
    struct ws_error error = {{0}};
    known->cfgs = ws_cuts_make(&code->module, &error);
    if (known->cfgs == NULL)
        return !ws_error_is_memory(&error);
    known->constructs = ws_arena_allocate(code->arena, module->function_count, sizeof(*known->constructs));
    if (known->constructs == NULL)
        return false;
    for (uint32_t i = 0; i < module->function_count; ++i)
        if (!ws_constructs_find(&known->constructs[i], code->arena, module, i, &known->cfgs[i]))
            return false;
    if (!ws_calls_build(&known->calls, code->arena, module, known->cfgs, &error) ||
        !ws_values_find(&known->values, code->arena, module, known->constructs))
        return false;
    known->code = code;
    return true;
}

bool ws_shader_modules_find(struct ws_shader_modules *modules, uint32_t index,
                            const struct ws_shader_code **found)
{
    struct ws_error error = {{0}};
    *found = NULL;
    if (index >= modules->count || modules->modules[index].words == NULL)
        return true;
    struct ws_shader_module *module = &modules->modules[index];
    if (!module->read) {
        struct ws_code *code = ws_code_create(module->words, module->word_count, &error);
        module->read = true;
        const bool read = code != NULL ? read_functions(&module->known, code) : !ws_error_is_memory(&error);
        if (module->known.code == NULL)
            ws_code_destroy(code);
        if (!read)
            return false;
    }
    *found = module->known.code != NULL ? &module->known : NULL;
    return true;
}

static uint32_t entry_function_of(const struct ws_module *module, const struct ws_shader_record *shader)
{
    for (uint32_t i = 0; i < module->entry_point_count; ++i)
        if (strcmp(module->entry_points[i].name, shader->name) == 0 &&
            ws_stage_of_model(module->entry_points[i].model) == shader->stage)
            return module->entry_points[i].function;
    return WS_NONE;
}

/* The block of the module that begins at a word offset; WS_NONE = none. */
static uint32_t block_at(const struct ws_module *module, uint32_t offset)
{
    uint32_t low = 0;
    uint32_t high = module->block_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (module->instructions[module->blocks[middle].first].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->block_count && module->instructions[module->blocks[low].first].offset == offset
               ? low
               : WS_NONE;
}

static void set_block(struct ws_shader_run *run, const struct ws_module_record *record, uint32_t number)
{
    const uint32_t at = block_at(&run->code->code->module, record->blocks[number].info.offset);
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    if (at == WS_NONE)
        return;
    ws_simt_block(run->simt, run->shader, number, &counts, &histogram);
    run->blocks[at] = (struct ws_block_run){
        .record = number,
        .instructions = record->blocks[number].info.instruction_count,
        .executions = ws_simt_sum(counts.warps, counts.threads),
        .active = ws_simt_sum(counts.active, counts.threads),
        .slots = ws_simt_sum(counts.slots, counts.threads),
    };
}

/* Whether the counters can be trusted; `*by_warps` receives whether they are of warps. */
static bool is_trusted(const struct ws_simt_counts *counts, bool *by_warps)
{
    double efficiency = 0;
    const enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &efficiency);
    *by_warps = doubt == WS_SIMT_SURE && counts->threads == 0;
    return doubt == WS_SIMT_SURE || doubt == WS_SIMT_PER_THREAD;
}

uint32_t ws_shader_run_callee(const struct ws_shader_run *run, uint32_t instruction)
{
    const struct ws_module *module = &run->code->code->module;
    const struct ws_instruction *call = &module->instructions[instruction];
    const uint32_t callee = call->opcode == SpvOpFunctionCall ? ws_calls_callee(module, call) : WS_NONE;
    return callee != WS_NONE && module->functions[callee].block_count > 0 ? callee : WS_NONE;
}

/* Orders the functions by their calls: first those that nobody calls, then those whose callers all stand before. */
static bool order_functions(struct ws_shader_run *run)
{
    const uint32_t count = run->code->code->module.function_count;
    const struct ws_calls *calls = &run->code->calls;
    uint32_t *waiting = calloc((size_t)count + 1, sizeof(*waiting));
    run->functions = calloc((size_t)count + 1, sizeof(*run->functions));
    if (waiting == NULL || run->functions == NULL) {
        free(waiting);
        return false;
    }
    for (uint32_t i = 0; i < calls->callee_first[count]; ++i)
        if (calls->callees[i] != WS_NONE)
            waiting[calls->callees[i]]++;
    for (uint32_t f = 0; f < count; ++f)
        if (waiting[f] == 0)
            run->functions[run->function_count++] = f;
    for (uint32_t i = 0; i < run->function_count; ++i) {
        const uint32_t caller = run->functions[i];
        for (uint32_t j = calls->callee_first[caller]; j < calls->callee_first[caller + 1]; ++j)
            if (calls->callees[j] != WS_NONE && --waiting[calls->callees[j]] == 0)
                run->functions[run->function_count++] = calls->callees[j];
    }
    free(waiting);
    return true;
}

/* Sums of functions: the lanes that call them, then, callees first, what they cost. */
static bool cost_functions(struct ws_shader_run *run)
{
    const struct ws_module *module = &run->code->code->module;
    run->called_lanes = calloc((size_t)module->function_count + 1, sizeof(double));
    run->called_slots = calloc((size_t)module->function_count + 1, sizeof(double));
    if (run->called_lanes == NULL || run->called_slots == NULL)
        return false;
    for (uint32_t b = 0; b < module->block_count; ++b)
        for (uint32_t i = module->blocks[b].first; run->blocks[b].active > 0 && i < module->blocks[b].end;
             ++i)
            if (ws_shader_run_callee(run, i) != WS_NONE)
                run->called_lanes[ws_shader_run_callee(run, i)] += (double)run->blocks[b].active;
    for (uint32_t f = run->function_count; f-- > 0;) {
        const struct ws_function *function = &module->functions[run->functions[f]];
        for (uint32_t b = function->block_first; b < function->block_first + function->block_count; ++b)
            for (uint32_t i = module->blocks[b].first; run->blocks[b].active > 0 && i < module->blocks[b].end;
                 ++i)
                run->called_slots[run->functions[f]] += ws_instruction_run_slots(run, i);
    }
    return true;
}

bool ws_shader_run_init(struct ws_shader_run *run, struct ws_shader_modules *modules,
                        const struct ws_simt_results *simt, uint32_t shader, bool *known)
{
    const struct ws_catalog *catalog = simt->catalog;
    const struct ws_shader_record *record = &catalog->shaders[shader];
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    *run = (struct ws_shader_run){.catalog = catalog, .simt = simt, .shader = shader};
    *known = false;
    if (entry == NULL || shader >= simt->shader_count ||
        !is_trusted(&simt->shaders[shader].counts, &run->by_warps))
        return true;
    if (!ws_shader_modules_find(modules, record->module, &run->code))
        return false;
    if (run->code == NULL)
        return true;
    const struct ws_module *module = &run->code->code->module;
    run->entry_function = entry_function_of(module, record);
    if (run->entry_function == WS_NONE)
        return true;
    run->blocks = calloc((size_t)module->block_count + 1, sizeof(*run->blocks));
    if (run->blocks == NULL)
        goto error;
    for (uint32_t i = 0; i < module->block_count; ++i)
        run->blocks[i].record = WS_NONE;
    for (uint32_t i = 0; i < entry->block_count; ++i)
        set_block(run, &catalog->modules[record->module], entry->blocks[i]);
    if (!order_functions(run) || !cost_functions(run))
        goto error;
    *known = true;
    return true;
error:
    ws_shader_run_finish(run);
    return false;
}

void ws_shader_run_finish(struct ws_shader_run *run)
{
    free(run->blocks);
    free(run->functions);
    free(run->called_lanes);
    free(run->called_slots);
    memset(run, 0, sizeof(*run));
}

uint64_t ws_block_run_slots(const struct ws_block_run *block)
{
    return ws_simt_product(block->instructions, block->slots);
}

double ws_instruction_run_slots(const struct ws_shader_run *run, uint32_t instruction)
{
    const uint32_t block = run->code->values.block[instruction];
    const uint32_t callee = ws_shader_run_callee(run, instruction);
    if (block == WS_NONE || !ws_instruction_is_executed(&run->code->code->module,
                                                        &run->code->code->module.instructions[instruction]))
        return 0;
    double slots = (double)run->blocks[block].slots;
    if (callee != WS_NONE && run->called_lanes[callee] > 0)
        slots += run->called_slots[callee] * (double)run->blocks[block].active / run->called_lanes[callee];
    return slots;
}

static bool has_line(const struct ws_code *code, uint32_t instruction)
{
    return code->places[instruction].file != WS_NONE && code->places[instruction].line > 0;
}

/* The instruction whose line stands for that of another: the nearest in front of it in its block that has one, else the
 * nearest behind it in its function; WS_NONE = none. */
static uint32_t lined(const struct ws_shader_run *run, uint32_t instruction)
{
    const struct ws_code *code = run->code->code;
    const uint32_t number = run->code->values.block[instruction];
    if (number == WS_NONE)
        return WS_NONE;
    const struct ws_block *block = &code->module.blocks[number];
    for (uint32_t i = instruction + 1; i-- > block->first;)
        if (has_line(code, i))
            return i;
    for (uint32_t i = instruction; i < code->module.functions[block->function].end; ++i)
        if (has_line(code, i))
            return i;
    return WS_NONE;
}

const char *ws_shader_run_place(const struct ws_shader_run *run, uint32_t instruction, char *text,
                                size_t size)
{
    const struct ws_code *code = run->code->code;
    const uint32_t from = lined(run, instruction);
    if (from != WS_NONE)
        snprintf(text, size, "%s:%" PRIu32, ws_file_name(code->files[code->places[from].file].name),
                 code->places[from].line);
    else
        snprintf(text, size, "word %" PRIu32, code->module.instructions[instruction].offset);
    return text;
}

const char *ws_shader_run_lines(const struct ws_shader_run *run, uint32_t block, char *text, size_t size)
{
    const struct ws_block_run *ran = &run->blocks[block];
    const struct ws_block_record *record =
        ran->record != WS_NONE
            ? &run->catalog->modules[run->catalog->shaders[run->shader].module].blocks[ran->record]
            : NULL;
    const char *file = record != NULL && record->file != NULL ? ws_file_name(record->file) : NULL;
    if (file == NULL)
        return ws_shader_run_place(run, run->code->code->module.blocks[block].first, text, size);
    if (record->line == record->line_last)
        snprintf(text, size, "%s:%" PRIu32, file, record->line);
    else
        snprintf(text, size, "%s:%" PRIu32 "-%" PRIu32, file, record->line, record->line_last);
    return text;
}
