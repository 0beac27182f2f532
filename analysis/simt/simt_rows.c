#include "analysis/simt/simt_rows.h"

#include <stdlib.h>
#include <string.h>

/* Subgroup sizes that Vulkan allows: powers of two up to 128. */
#define SIZES_POSSIBLE 0xffu

void ws_simt_rows_finish(struct ws_simt_shader *shader)
{
    ws_simt_histogram_finish(&shader->group.histogram);
    free(shader->rows);
    free(shader->histograms);
    free(shader->pending);
    free(shader->multiplicity);
    free(shader->row_instructions);
}

/* Rows that several blocks share stand for all of them. */
static void count_blocks(struct ws_simt_shader *shader, const struct ws_module_record *module,
                         const struct ws_entry_record *entry)
{
    for (uint32_t i = 0; i < entry->block_count; ++i) {
        const struct ws_block_record *block = &module->blocks[entry->blocks[i]];
        if (block->row == WS_NONE || block->row < shader->row_first ||
            block->row - shader->row_first >= shader->row_count)
            continue;
        uint32_t row = block->row - shader->row_first;
        shader->multiplicity[row]++;
        shader->row_instructions[row] =
            ws_simt_sum(shader->row_instructions[row], block->info.instruction_count);
    }
}

static bool prepare(struct ws_simt_shader *shader, const struct ws_catalog *catalog, uint32_t index)
{
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, index);
    shader->row_first = entry->row_first;
    shader->row_count = entry->row_count;
    shader->touched_first = entry->row_count;
    shader->rows = calloc(shader->row_count, sizeof(*shader->rows));
    shader->multiplicity = calloc(shader->row_count, sizeof(*shader->multiplicity));
    shader->row_instructions = calloc(shader->row_count, sizeof(*shader->row_instructions));
    if (shader->rows == NULL || shader->multiplicity == NULL || shader->row_instructions == NULL)
        return false;
    count_blocks(shader, &catalog->modules[catalog->shaders[index].module], entry);
    return true;
}

/* `array` of row_count rows, widened from `before` to `bins`; NULL when there is no memory. */
static uint64_t *widen(uint64_t *array, uint32_t row_count, uint32_t before, uint32_t bins)
{
    uint64_t *wider = calloc((size_t)row_count * bins, sizeof(*wider));
    for (uint32_t i = 0; wider != NULL && array != NULL && i < row_count; ++i)
        memcpy(wider + (size_t)i * bins, array + (size_t)i * before, before * sizeof(*wider));
    if (wider != NULL)
        free(array);
    return wider;
}

static bool set_bins(struct ws_simt_shader *shader, uint32_t bins)
{
    if (bins <= shader->bins)
        return true;
    uint64_t *histograms = widen(shader->histograms, shader->row_count, shader->bins, bins);
    if (histograms == NULL)
        return false;
    shader->histograms = histograms;
    uint64_t *pending = widen(shader->pending, shader->row_count, shader->bins, bins);
    if (pending == NULL)
        return false;
    shader->pending = pending;
    shader->bins = bins;
    return true;
}

bool ws_simt_rows_add(struct ws_simt_shader *shader, const struct ws_catalog *catalog, uint32_t index,
                      const struct ws_shader_counters *counters)
{
    if (shader->rows == NULL && !prepare(shader, catalog, index))
        return false;
    if (!set_bins(shader, counters->bins))
        return false;
    uint32_t first = counters->row_first - shader->row_first;
    const uint32_t *words = counters->words;
    for (uint32_t row = first; row < first + counters->row_count; ++row)
        for (uint32_t bin = 0; bin < counters->bins; ++bin, ++words)
            shader->pending[(size_t)row * shader->bins + bin] += *words;
    if (first < shader->touched_first)
        shader->touched_first = first;
    if (first + counters->row_count > shader->touched_end)
        shader->touched_end = first + counters->row_count;
    return true;
}

/* What is known of an execution's subgroup size. */
struct subgroup {
    uint32_t sizes; /* the set from the launch row */
    uint32_t size;  /* 0 = not known */
    uint32_t most;  /* active lanes cannot be more; 0 = no limit known */
};

static struct subgroup subgroup_of(const struct ws_simt_shader *shader, const struct ws_entry_record *entry)
{
    struct subgroup subgroup = {0, 0, 0};
    if (entry->launch_row == WS_NONE)
        return subgroup;
    size_t row = entry->launch_row - shader->row_first;
    uint64_t sizes = shader->pending[row * shader->bins + WS_LAUNCH_SUBGROUP_SIZES];
    if (sizes == 0 || (sizes & ~(uint64_t)SIZES_POSSIBLE) != 0)
        return subgroup;
    subgroup.sizes = (uint32_t)sizes;
    subgroup.most = 1u << (31 - __builtin_clz(subgroup.sizes));
    subgroup.size = subgroup.most == subgroup.sizes ? subgroup.sizes : 0;
    return subgroup;
}

/* Sums of one row in this launch. */
static struct ws_simt_row sum_row(const uint64_t *bins, uint32_t count, const struct subgroup *subgroup,
                                  bool per_thread)
{
    struct ws_simt_row sums = {0};
    if (per_thread) {
        sums.executions = bins[0];
        return sums;
    }
    for (uint32_t i = 0; i < count; ++i) {
        sums.executions = ws_simt_sum(sums.executions, bins[i]);
        sums.active = ws_simt_sum(sums.active, ws_simt_product(bins[i], i + 1));
        if (subgroup->most > 0 && i >= subgroup->most)
            sums.wide = ws_simt_sum(sums.wide, bins[i]);
    }
    if (subgroup->size > 0)
        sums.slots = ws_simt_product(sums.executions, subgroup->size);
    else
        sums.unsized = sums.executions;
    return sums;
}

/* The counts of all blocks that share a row. */
static struct ws_simt_counts counts_of(const struct ws_simt_row *sums, const struct subgroup *subgroup,
                                       bool per_thread, uint64_t blocks, uint64_t instructions)
{
    if (per_thread)
        return (struct ws_simt_counts){
            .threads = ws_simt_product(blocks, sums->executions),
            .instructions = ws_simt_product(instructions, sums->executions),
        };
    return (struct ws_simt_counts){
        .warps = ws_simt_product(blocks, sums->executions),
        .active = ws_simt_product(blocks, sums->active),
        .slots = ws_simt_product(blocks, sums->slots),
        .weighted_active = ws_simt_product(instructions, sums->active),
        .weighted_slots = ws_simt_product(instructions, sums->slots),
        .instructions = ws_simt_product(instructions, sums->active),
        .unsized = ws_simt_product(blocks, sums->unsized),
        .wide = ws_simt_product(blocks, sums->wide),
        .sizes = sums->executions > 0 ? subgroup->sizes : 0,
        .ambiguous = sums->unsized > 0 ? subgroup->sizes : 0,
    };
}

static void add_row(struct ws_simt_row *row, const struct ws_simt_row *more)
{
    row->executions = ws_simt_sum(row->executions, more->executions);
    row->active = ws_simt_sum(row->active, more->active);
    row->slots = ws_simt_sum(row->slots, more->slots);
    row->unsized = ws_simt_sum(row->unsized, more->unsized);
    row->wide = ws_simt_sum(row->wide, more->wide);
}

/* The row that counts the entry block; WS_NONE where it has none, or the stage is not launched. */
static uint32_t entry_row(const struct ws_module_record *module, const struct ws_entry_record *entry,
                          uint32_t stage)
{
    if (!ws_simt_is_launched(stage) || entry->entry_block == WS_NONE)
        return WS_NONE;
    return module->blocks[entry->entry_block].row;
}

/* Sums one row of the launch into the shader's rows and into `group`. */
static bool take_row(struct ws_simt_shader *shader, uint32_t row, const struct subgroup *subgroup,
                     bool per_thread, bool is_entry, struct ws_simt_group *group)
{
    const uint64_t *bins = shader->pending + (size_t)row * shader->bins;
    struct ws_simt_row sums = sum_row(bins, shader->bins, subgroup, per_thread);
    if (sums.executions == 0)
        return true;
    struct ws_simt_counts counts =
        counts_of(&sums, subgroup, per_thread, shader->multiplicity[row], shader->row_instructions[row]);
    if (is_entry && !per_thread && subgroup->size > 0) {
        counts.entry_active = sums.active;
        counts.entry_slots = sums.slots;
    }
    ws_simt_counts_add(&group->counts, &counts);
    add_row(&shader->rows[row], &sums);
    if (per_thread)
        return true;
    uint64_t *histogram = shader->histograms + (size_t)row * shader->bins;
    for (uint32_t i = 0; i < shader->bins; ++i)
        histogram[i] = ws_simt_sum(histogram[i], bins[i]);
    return ws_simt_histogram_add(&group->histogram, bins, shader->bins, shader->multiplicity[row]);
}

bool ws_simt_rows_sum(struct ws_simt_shader *shader, const struct ws_catalog *catalog, uint32_t index,
                      struct ws_simt_group *group, uint32_t size[3])
{
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, index);
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[index].module];
    uint32_t stage = catalog->shaders[index].stage;
    struct subgroup subgroup = subgroup_of(shader, entry);
    uint32_t entry_block_row = entry_row(module, entry, stage);
    bool summed = true;
    for (uint32_t row = shader->touched_first; row < shader->touched_end && summed; ++row)
        if (shader->multiplicity[row] > 0)
            summed = take_row(shader, row, &subgroup, entry->per_thread,
                              row + shader->row_first == entry_block_row, group);
    const uint32_t launch_row = ws_catalog_launch_row(catalog, index);
    if (launch_row != WS_NONE) {
        size_t at = (size_t)(launch_row - shader->row_first) * shader->bins + WS_LAUNCH_SIZE;
        for (uint32_t i = 0; i < 3; ++i)
            size[i] = (uint32_t)shader->pending[at + i];
    }
    if (shader->touched_first < shader->touched_end)
        memset(shader->pending + (size_t)shader->touched_first * shader->bins, 0,
               (size_t)(shader->touched_end - shader->touched_first) * shader->bins * sizeof(uint64_t));
    shader->touched_first = shader->row_count;
    shader->touched_end = 0;
    return summed;
}
