#include "analysis/simt/opcodes.h"

#include <stdlib.h>
#include <string.h>

/* Opcodes have 16 bits (SPIR-V specification 2.3). */
#define OPCODE_COUNT 65536

void ws_opcodes_begin(struct ws_opcodes *opcodes, const struct ws_catalog *catalog)
{
    memset(opcodes, 0, sizeof(*opcodes));
    ws_simt_begin(&opcodes->simt, catalog);
}

void ws_opcodes_finish(struct ws_opcodes *opcodes)
{
    free(opcodes->total.opcodes);
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i)
        free(opcodes->stages[i].opcodes);
    for (uint32_t i = 0; opcodes->shaders != NULL && i < opcodes->simt.catalog->shader_count; ++i)
        free(opcodes->shaders[i].opcodes);
    free(opcodes->shaders);
    ws_simt_finish(&opcodes->simt);
    memset(opcodes, 0, sizeof(*opcodes));
}

bool ws_opcodes_record(struct ws_opcodes *opcodes, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_simt_record(&opcodes->simt, chunk, error);
}

/* Adds what one shader executed to `counts`, per opcode. */
static void count_shader(const struct ws_opcodes *opcodes, uint32_t shader, uint64_t *counts)
{
    const struct ws_catalog *catalog = opcodes->simt.catalog;
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[shader].module];
    for (uint32_t i = 0; entry != NULL && i < entry->block_count; ++i) {
        const struct ws_block_record *block = &module->blocks[entry->blocks[i]];
        struct ws_simt_counts sums;
        struct ws_simt_histogram histogram;
        ws_simt_block(&opcodes->simt, shader, entry->blocks[i], &sums, &histogram);
        uint64_t executions = ws_simt_sum(sums.active, sums.threads);
        for (uint32_t j = 0; executions > 0 && j < block->tally_count; ++j) {
            const struct ws_tally *tally = &module->tallies[block->tally_first + j];
            uint64_t *count = &counts[tally->opcode % OPCODE_COUNT];
            *count = ws_simt_sum(*count, ws_simt_product(executions, tally->count));
        }
    }
}

static int compare_opcodes(const void *left, const void *right)
{
    const struct ws_simt_opcode *a = left;
    const struct ws_simt_opcode *b = right;
    if (a->instructions != b->instructions)
        return a->instructions > b->instructions ? -1 : 1;
    return a->opcode < b->opcode ? -1 : a->opcode > b->opcode;
}

/* Makes a mix of the counts, and sets them to 0. */
static bool make_mix(struct ws_opcode_mix *mix, uint64_t *counts)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < OPCODE_COUNT; ++i)
        used += counts[i] > 0;
    mix->opcodes = calloc((size_t)used + 1, sizeof(*mix->opcodes));
    if (mix->opcodes == NULL)
        return false;
    for (uint32_t i = 0; i < OPCODE_COUNT; ++i)
        if (counts[i] > 0) {
            mix->opcodes[mix->count++] = (struct ws_simt_opcode){.opcode = i, .instructions = counts[i]};
            mix->instructions = ws_simt_sum(mix->instructions, counts[i]);
        }
    qsort(mix->opcodes, mix->count, sizeof(*mix->opcodes), compare_opcodes);
    memset(counts, 0, OPCODE_COUNT * sizeof(*counts));
    return true;
}

static void add_mix(const struct ws_opcode_mix *mix, uint64_t *counts)
{
    for (uint32_t i = 0; i < mix->count; ++i) {
        uint64_t *count = &counts[mix->opcodes[i].opcode];
        *count = ws_simt_sum(*count, mix->opcodes[i].instructions);
    }
}

static bool make_mixes(struct ws_opcodes *opcodes, uint64_t *counts)
{
    const struct ws_catalog *catalog = opcodes->simt.catalog;
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        count_shader(opcodes, i, counts);
        if (!make_mix(&opcodes->shaders[i], counts))
            return false;
    }
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i) {
        for (uint32_t j = 0; j < catalog->shader_count; ++j)
            if (catalog->shaders[j].stage == 1u << i)
                add_mix(&opcodes->shaders[j], counts);
        if (!make_mix(&opcodes->stages[i], counts))
            return false;
    }
    for (uint32_t i = 0; i < catalog->shader_count; ++i)
        add_mix(&opcodes->shaders[i], counts);
    return make_mix(&opcodes->total, counts);
}

bool ws_opcodes_end(struct ws_opcodes *opcodes, struct ws_error *error)
{
    uint64_t *counts = calloc(OPCODE_COUNT, sizeof(*counts));
    opcodes->shaders = calloc((size_t)opcodes->simt.catalog->shader_count + 1, sizeof(*opcodes->shaders));
    bool made = ws_simt_end(&opcodes->simt, error) && counts != NULL && opcodes->shaders != NULL &&
                make_mixes(opcodes, counts);
    free(counts);
    return made || ws_error_set(error, "no memory for the opcodes of the capture");
}

double ws_opcode_share(const struct ws_opcode_mix *mix, uint32_t opcode)
{
    for (uint32_t i = 0; i < mix->count; ++i)
        if (mix->opcodes[i].opcode == opcode)
            return (double)mix->opcodes[i].instructions / (double)mix->instructions;
    return 0;
}
