#include "analysis/simt/simt_blocks.h"

#include <stdlib.h>
#include <string.h>

/* Opcodes have 16 bits (SPIR-V specification 2.3). */
#define OPCODE_COUNT 65536

void ws_simt_block(const struct ws_simt_results *results, uint32_t shader, uint32_t block,
                   struct ws_simt_counts *counts, struct ws_simt_histogram *histogram)
{
    const struct ws_catalog *catalog = results->catalog;
    const struct ws_simt_shader *sums = &results->shaders[shader];
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    const struct ws_block_record *record = &catalog->modules[catalog->shaders[shader].module].blocks[block];
    memset(counts, 0, sizeof(*counts));
    memset(histogram, 0, sizeof(*histogram));
    if (entry == NULL || record->row == WS_NONE || record->row < sums->row_first ||
        record->row - sums->row_first >= sums->row_count)
        return;
    uint32_t row = record->row - sums->row_first;
    const struct ws_simt_row *row_sums = &sums->rows[row];
    struct ws_simt_counts whole = {0};
    uint64_t instructions = record->info.instruction_count;
    if (entry->per_thread) {
        whole.threads = row_sums->executions;
        whole.instructions = ws_simt_product(instructions, row_sums->executions);
    } else {
        whole.warps = row_sums->executions;
        whole.active = row_sums->active;
        whole.slots = row_sums->slots;
        whole.weighted_active = ws_simt_product(instructions, row_sums->active);
        whole.weighted_slots = ws_simt_product(instructions, row_sums->slots);
        whole.instructions = whole.weighted_active;
        whole.unsized = row_sums->unsized;
        whole.wide = row_sums->wide;
        whole.sizes = row_sums->executions > 0 ? sums->group.counts.sizes : 0;
        whole.ambiguous = row_sums->unsized > 0 ? sums->group.counts.ambiguous : 0;
        histogram->counts = sums->histograms + (size_t)row * sums->bins;
        histogram->bins = sums->bins;
    }
    ws_simt_counts_add(counts, &whole);
}

/* Calls `visit` for every block that ran, with its dynamic instruction count, until it returns false. */
static bool for_each_block(const struct ws_simt_results *results,
                           bool (*visit)(void *user, uint32_t shader, uint32_t block, uint64_t executions,
                                         uint64_t instructions),
                           void *user)
{
    for (uint32_t shader = 0; shader < results->shader_count; ++shader) {
        const struct ws_entry_record *entry = ws_catalog_entry(results->catalog, shader);
        if (entry == NULL || results->shaders[shader].rows == NULL)
            continue;
        for (uint32_t i = 0; i < entry->block_count; ++i) {
            struct ws_simt_counts counts;
            struct ws_simt_histogram histogram;
            ws_simt_block(results, shader, entry->blocks[i], &counts, &histogram);
            uint64_t executions = ws_simt_sum(counts.active, counts.threads);
            if (executions > 0 && !visit(user, shader, entry->blocks[i], executions, counts.instructions))
                return false;
        }
    }
    return true;
}

struct opcode_count {
    const struct ws_catalog *catalog;
    uint64_t *instructions; /* per opcode */
    bool *unreadable;       /* per module */
};

static bool count_block(void *user, uint32_t shader, uint32_t block, uint64_t executions,
                        uint64_t instructions)
{
    (void)instructions;
    struct opcode_count *count = user;
    uint32_t index = count->catalog->shaders[shader].module;
    const struct ws_module_record *module = &count->catalog->modules[index];
    const struct ws_block_record *record = &module->blocks[block];
    count->unreadable[index] = module->unreadable;
    for (uint32_t i = 0; i < record->tally_count; ++i) {
        const struct ws_tally *tally = &module->tallies[record->tally_first + i];
        uint64_t *sum = &count->instructions[tally->opcode % OPCODE_COUNT];
        *sum = ws_simt_sum(*sum, ws_simt_product(executions, tally->count));
    }
    return true;
}

static int compare_opcodes(const void *left, const void *right)
{
    const struct ws_simt_opcode *a = left;
    const struct ws_simt_opcode *b = right;
    if (a->instructions != b->instructions)
        return a->instructions > b->instructions ? -1 : 1;
    return a->opcode < b->opcode ? -1 : a->opcode > b->opcode;
}

/* The opcodes with any executions, sorted. */
static bool list_opcodes(struct ws_simt_results *results, const uint64_t *instructions)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < OPCODE_COUNT; ++i)
        count += instructions[i] > 0;
    results->opcodes = calloc((size_t)count + 1, sizeof(*results->opcodes));
    if (results->opcodes == NULL)
        return false;
    for (uint32_t i = 0; i < OPCODE_COUNT; ++i)
        if (instructions[i] > 0)
            results->opcodes[results->opcode_count++] =
                (struct ws_simt_opcode){.opcode = i, .instructions = instructions[i]};
    qsort(results->opcodes, results->opcode_count, sizeof(*results->opcodes), compare_opcodes);
    return true;
}

bool ws_simt_count_opcodes(struct ws_simt_results *results)
{
    struct opcode_count count = {
        .catalog = results->catalog,
        .instructions = calloc(OPCODE_COUNT, sizeof(*count.instructions)),
        .unreadable = calloc((size_t)results->catalog->module_count + 1, sizeof(*count.unreadable)),
    };
    bool counted = count.instructions != NULL && count.unreadable != NULL;
    if (counted) {
        for_each_block(results, count_block, &count);
        for (uint32_t i = 0; i < results->catalog->module_count; ++i)
            results->unreadable_modules += count.unreadable[i];
        counted = list_opcodes(results, count.instructions);
    }
    free(count.instructions);
    free(count.unreadable);
    return counted;
}

/* The hottest blocks so far: a heap of at most `most`, the coolest on top. */
struct hottest {
    struct ws_simt_block_reference *blocks;
    uint32_t count;
    uint32_t most;
};

/* Hotter first; of equal ones, in the order of the capture. */
static int compare_blocks(const void *left, const void *right)
{
    const struct ws_simt_block_reference *a = left;
    const struct ws_simt_block_reference *b = right;
    if (a->instructions != b->instructions)
        return a->instructions > b->instructions ? -1 : 1;
    if (a->shader != b->shader)
        return a->shader < b->shader ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static void swap(struct ws_simt_block_reference *a, struct ws_simt_block_reference *b)
{
    struct ws_simt_block_reference kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_down(struct hottest *hottest)
{
    for (uint32_t at = 0;;) {
        uint32_t coolest = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < hottest->count; ++child)
            if (compare_blocks(&hottest->blocks[child], &hottest->blocks[coolest]) > 0)
                coolest = child;
        if (coolest == at)
            return;
        swap(&hottest->blocks[at], &hottest->blocks[coolest]);
        at = coolest;
    }
}

static bool take_block(void *user, uint32_t shader, uint32_t block, uint64_t executions,
                       uint64_t instructions)
{
    (void)executions;
    struct hottest *hottest = user;
    struct ws_simt_block_reference added = {shader, block, instructions};
    if (hottest->count == hottest->most) {
        if (compare_blocks(&added, &hottest->blocks[0]) < 0) {
            hottest->blocks[0] = added;
            sift_down(hottest);
        }
        return true;
    }
    uint32_t at = hottest->count++;
    hottest->blocks[at] = added;
    for (; at > 0 && compare_blocks(&hottest->blocks[at], &hottest->blocks[(at - 1) / 2]) > 0;
         at = (at - 1) / 2)
        swap(&hottest->blocks[at], &hottest->blocks[(at - 1) / 2]);
    return true;
}

static bool count_one(void *user, uint32_t shader, uint32_t block, uint64_t executions, uint64_t instructions)
{
    (void)shader;
    (void)block;
    (void)executions;
    (void)instructions;
    ++*(uint32_t *)user;
    return true;
}

struct ws_simt_block_reference *ws_simt_hottest(const struct ws_simt_results *results, uint32_t most,
                                                uint32_t *count)
{
    uint32_t blocks = 0;
    for_each_block(results, count_one, &blocks);
    struct hottest hottest = {.most = most < blocks ? most : blocks};
    *count = hottest.most;
    if (hottest.most == 0)
        return NULL;
    hottest.blocks = calloc(hottest.most, sizeof(*hottest.blocks));
    if (hottest.blocks == NULL) {
        *count = WS_NONE;
        return NULL;
    }
    for_each_block(results, take_block, &hottest);
    qsort(hottest.blocks, hottest.count, sizeof(*hottest.blocks), compare_blocks);
    return hottest.blocks;
}
