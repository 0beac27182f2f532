/* Reading launches and giving their sums to everything that they belong to. */
#include "analysis/simt/simt_efficiency.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

/* The counter rows of one shader: those of the launch that is being read, and their sums. */

/* Subgroup sizes that Vulkan allows: powers of two up to 128. */
#define SIZES_POSSIBLE 0xffu

static void rows_finish(struct ws_simt_shader *shader)
{
    free(shader->rows);
    free(shader->histograms);
    free(shader->pending);
    free(shader->row_sets);
    free(shader->pending_sets);
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

static bool prepare_rows(struct ws_simt_shader *shader, const struct ws_catalog *catalog, uint32_t index)
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

/* What the counters say of the sets, where they are sampled: of each row but the launch row. */
static bool sets_add(struct ws_simt_shader *shader, uint32_t launch_row,
                     const struct ws_shader_counters *counters)
{
    const uint32_t weight = ws_counters_weight(counters);
    if (weight == 1)
        return true;
    if (shader->row_sets == NULL)
        shader->row_sets = calloc(shader->row_count, sizeof(*shader->row_sets));
    if (shader->pending_sets == NULL)
        shader->pending_sets = calloc(shader->row_count, sizeof(*shader->pending_sets));
    if (shader->row_sets == NULL || shader->pending_sets == NULL)
        return false;
    const uint32_t *words = counters->words;
    for (uint32_t i = 0; i < counters->row_count; ++i, words += counters->bins) {
        uint64_t executions = 0;
        uint64_t active = 0;
        for (uint32_t bin = 0; bin < counters->bins; ++bin) {
            executions += words[bin];
            active += words[bin] * (uint64_t)(bin + 1);
        }
        if (counters->row_first + i != launch_row)
            ws_simt_set_row_count(&shader->pending_sets[counters->row_first - shader->row_first + i],
                                  counters->group, weight, executions, active);
    }
    return true;
}

static bool rows_add(struct ws_simt_shader *shader, const struct ws_catalog *catalog, uint32_t index,
                     const struct ws_shader_counters *counters)
{
    if (shader->rows == NULL && !prepare_rows(shader, catalog, index))
        return false;
    if (!set_bins(shader, counters->bins))
        return false;
    const uint32_t launch_row = ws_catalog_entry(catalog, index)->launch_row;
    if (!sets_add(shader, launch_row, counters))
        return false;
    uint32_t first = counters->row_first - shader->row_first;
    const uint32_t *words = counters->words;
    for (uint32_t row = first; row < first + counters->row_count; ++row) {
        const uint64_t weight = shader->row_first + row == launch_row ? 1 : ws_counters_weight(counters);
        for (uint32_t bin = 0; bin < counters->bins; ++bin, ++words)
            shader->pending[(size_t)row * shader->bins + bin] += weight * *words;
    }
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

/* The row that counts the entry block; WS_NONE where it has none, or no lanes are missing of the stage. */
static uint32_t entry_row(const struct ws_module_record *module, const struct ws_entry_record *entry,
                          uint32_t stage)
{
    if ((!ws_simt_is_launched(stage) && stage != WS_STAGE_FRAGMENT) || entry->entry_block == WS_NONE)
        return WS_NONE;
    return module->blocks[entry->entry_block].row;
}

/* Sums one row of the launch into the shader's rows and into `group`. `entered`: the stage, where the row is of
 * its entry block; else 0. */
static bool take_row(struct ws_simt_shader *shader, uint32_t row, const struct subgroup *subgroup,
                     bool per_thread, uint32_t entered, struct ws_simt_group *group)
{
    const uint64_t *bins = shader->pending + (size_t)row * shader->bins;
    struct ws_simt_row sums = sum_row(bins, shader->bins, subgroup, per_thread);
    if (sums.executions == 0)
        return true;
    struct ws_simt_counts counts =
        counts_of(&sums, subgroup, per_thread, shader->multiplicity[row], shader->row_instructions[row]);
    if (entered != 0 && !per_thread && subgroup->size > 0) {
        const bool is_fragment = entered == WS_STAGE_FRAGMENT;
        *(is_fragment ? &counts.fragment_active : &counts.entry_active) = sums.active;
        *(is_fragment ? &counts.fragment_slots : &counts.entry_slots) = sums.slots;
    }
    ws_simt_counts_add(&group->counts, &counts);
    add_row(&shader->rows[row], &sums);
    if (shader->pending_sets != NULL) {
        const struct ws_simt_sets sets =
            ws_simt_sets_of(&shader->pending_sets[row], per_thread ? 0 : subgroup->size,
                            shader->multiplicity[row], (double)shader->row_instructions[row]);
        ws_simt_set_row_add(&shader->row_sets[row], &shader->pending_sets[row]);
        if (!ws_simt_sets_add(&group->sets, &sets))
            return false;
    }
    if (per_thread)
        return true;
    uint64_t *histogram = shader->histograms + (size_t)row * shader->bins;
    for (uint32_t i = 0; i < shader->bins; ++i)
        histogram[i] = ws_simt_sum(histogram[i], bins[i]);
    return ws_simt_histogram_add(&group->histogram, bins, shader->bins, shader->multiplicity[row]);
}

static bool rows_sum(struct ws_simt_shader *shader, const struct ws_catalog *catalog, uint32_t index,
                     struct ws_simt_group *group)
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
                              row + shader->row_first == entry_block_row ? stage : 0, group);
    if (shader->touched_first < shader->touched_end)
        memset(shader->pending + (size_t)shader->touched_first * shader->bins, 0,
               (size_t)(shader->touched_end - shader->touched_first) * shader->bins * sizeof(uint64_t));
    if (shader->touched_first < shader->touched_end && shader->pending_sets != NULL)
        memset(shader->pending_sets + shader->touched_first, 0,
               (shader->touched_end - shader->touched_first) * sizeof(*shader->pending_sets));
    shader->touched_first = shader->row_count;
    shader->touched_end = 0;
    return summed;
}

/* Blocks: what is derived from the rows that they share. */

/* Opcodes have 16 bits (SPIR-V specification 2.3). */
#define OPCODE_COUNT 65536

/* The sums of a block whose row has these sums. */
static void block_counts(const struct ws_simt_row *sums, const struct subgroup *subgroup,
                         const struct ws_entry_record *entry, const struct ws_block_record *block,
                         struct ws_simt_counts *counts)
{
    const struct ws_simt_counts whole =
        counts_of(sums, subgroup, entry->per_thread, 1, block->info.instruction_count);
    memset(counts, 0, sizeof(*counts));
    ws_simt_counts_add(counts, &whole);
}

/* The row of a block among the shader's; WS_NONE where it was not counted. */
static uint32_t row_of(const struct ws_simt_shader *shader, const struct ws_block_record *block)
{
    return shader->rows == NULL || block->row == WS_NONE || block->row < shader->row_first ||
                   block->row - shader->row_first >= shader->row_count
               ? WS_NONE
               : block->row - shader->row_first;
}

void ws_simt_block(const struct ws_simt_results *results, uint32_t shader, uint32_t block,
                   struct ws_simt_counts *counts, struct ws_simt_histogram *histogram)
{
    const struct ws_catalog *catalog = results->catalog;
    const struct ws_simt_shader *sums = &results->shaders[shader];
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    const struct ws_block_record *record = &catalog->modules[catalog->shaders[shader].module].blocks[block];
    const uint32_t row = entry != NULL ? row_of(sums, record) : WS_NONE;
    memset(counts, 0, sizeof(*counts));
    memset(histogram, 0, sizeof(*histogram));
    if (row == WS_NONE)
        return;
    const struct subgroup subgroup = {.sizes = sums->counts.sizes};
    block_counts(&sums->rows[row], &subgroup, entry, record, counts);
    if (counts->ambiguous != 0)
        counts->ambiguous = sums->counts.ambiguous;
    if (!entry->per_thread) {
        histogram->counts = sums->histograms + (size_t)row * sums->bins;
        histogram->bins = sums->bins;
    }
}

/* Facts. */

#define BIT(dimension) (1u << WS_SIMT_##dimension)

static void init_keys(const struct ws_simt_results *results, uint32_t shader,
                      uint64_t keys[WS_SIMT_DIMENSIONS])
{
    for (uint32_t i = 0; i < WS_SIMT_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    if (shader == WS_NONE)
        return;
    keys[WS_SIMT_STAGE] = ws_key_stage(results->catalog->shaders[shader].stage);
    keys[WS_SIMT_SHADER] = shader;
}

/* What a block executed of each opcode. `of_block`: its sets; NULL where it was not sampled. */
static bool add_opcodes(struct ws_simt_results *results, uint64_t *keys,
                        const struct ws_module_record *module, const struct ws_block_record *block,
                        uint64_t executions, const struct ws_simt_sets *of_block)
{
    for (uint32_t i = 0; i < block->tally_count; ++i) {
        const struct ws_tally *tally = &module->tallies[block->tally_first + i];
        struct ws_simt_group sums = {.counts.instructions = ws_simt_product(executions, tally->count)};
        struct ws_simt_sets sets;
        if (of_block != NULL) {
            sets = ws_simt_sets_of_instructions(of_block, tally->count);
            sums.sets = &sets;
        }
        keys[WS_SIMT_OPCODE] = tally->opcode;
        results->opcode_instructions = ws_simt_sum(results->opcode_instructions, sums.counts.instructions);
        if (!ws_groups_add_to(results->groups, keys, &sums, results->opcodes_only ? 0 : BIT(OPCODE), 0))
            return false;
    }
    return true;
}

static bool add_block(struct ws_simt_results *results, uint64_t *keys, uint32_t shader, uint32_t block,
                      const struct ws_simt_group *sums)
{
    const struct ws_module_record *module =
        &results->catalog->modules[results->catalog->shaders[shader].module];
    const uint64_t executions = ws_simt_sum(sums->counts.active, sums->counts.threads);
    keys[WS_SIMT_BLOCK] = ws_key_in_shader(shader, block);
    keys[WS_SIMT_OPCODE] = WS_KEY_NONE;
    return (results->opcodes_only ||
            ws_groups_add_to(results->groups, keys, sums, BIT(BLOCK), BIT(OPCODE))) &&
           (executions == 0 || !(results->opcodes_only || ws_groups_need(results->groups, BIT(OPCODE))) ||
            add_opcodes(results, keys, module, &module->blocks[block], executions, sums->sets));
}

bool ws_simt_block_sets(const struct ws_simt_results *results, uint32_t shader, uint32_t block,
                        struct ws_simt_sets *sets)
{
    const struct ws_catalog *catalog = results->catalog;
    const struct ws_simt_shader *sums = &results->shaders[shader];
    const struct ws_block_record *record = &catalog->modules[catalog->shaders[shader].module].blocks[block];
    const uint32_t row = row_of(sums, record);
    if (row == WS_NONE || sums->row_sets == NULL || sums->rows[row].executions == 0)
        return false;
    const double size = (double)sums->rows[row].slots / (double)sums->rows[row].executions;
    *sets = ws_simt_sets_of(&sums->row_sets[row], size, 1, record->info.instruction_count);
    return true;
}

/* The blocks of a shader over all launches. */
static bool add_blocks(struct ws_simt_results *results, uint32_t shader)
{
    const struct ws_entry_record *entry = ws_catalog_entry(results->catalog, shader);
    uint64_t keys[WS_SIMT_DIMENSIONS];
    init_keys(results, shader, keys);
    for (uint32_t i = 0; entry != NULL && i < entry->block_count; ++i) {
        struct ws_simt_group sums = {.histogram.bins = 0};
        struct ws_simt_sets sets;
        ws_simt_block(results, shader, entry->blocks[i], &sums.counts, &sums.histogram);
        if (ws_simt_block_sets(results, shader, entry->blocks[i], &sets))
            sums.sets = &sets;
        if (!add_block(results, keys, shader, entry->blocks[i], &sums))
            return false;
    }
    return true;
}

/* The blocks of a shader in the open launch. `keys` are those of the launch. */
static bool add_launch_blocks(struct ws_simt_results *results, uint64_t *keys, uint32_t shader)
{
    const struct ws_entry_record *entry = ws_catalog_entry(results->catalog, shader);
    const struct ws_module_record *module =
        &results->catalog->modules[results->catalog->shaders[shader].module];
    const struct ws_simt_shader *sums = &results->shaders[shader];
    const struct subgroup subgroup = subgroup_of(sums, entry);
    for (uint32_t i = 0; i < entry->block_count; ++i) {
        const struct ws_block_record *block = &module->blocks[entry->blocks[i]];
        const uint32_t row = row_of(sums, block);
        if (row == WS_NONE || row < sums->touched_first || row >= sums->touched_end)
            continue;
        uint64_t *bins = sums->pending + (size_t)row * sums->bins;
        const struct ws_simt_row in_launch = sum_row(bins, sums->bins, &subgroup, entry->per_thread);
        struct ws_simt_group group = {.histogram = {bins, entry->per_thread ? 0 : sums->bins}};
        struct ws_simt_sets sets;
        block_counts(&in_launch, &subgroup, entry, block, &group.counts);
        if (sums->pending_sets != NULL) {
            sets = ws_simt_sets_of(&sums->pending_sets[row], entry->per_thread ? 0 : subgroup.size, 1,
                                   block->info.instruction_count);
            group.sets = &sets;
        }
        if (in_launch.executions > 0 && !add_block(results, keys, shader, entry->blocks[i], &group))
            return false;
    }
    return true;
}

/* Whether facts of blocks are given launch by launch: some level groups by both. */
static bool is_fine(const struct ws_simt_results *results)
{
    static const uint32_t fine[] = {BIT(LAUNCH) | BIT(BLOCK), BIT(PIPELINE) | BIT(BLOCK),
                                    BIT(LAUNCH) | BIT(OPCODE), BIT(PIPELINE) | BIT(OPCODE)};
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); ++i)
        if (ws_groups_need(results->groups, fine[i]))
            return true;
    return results->opcodes_only &&
           (ws_groups_need(results->groups, BIT(LAUNCH)) || ws_groups_need(results->groups, BIT(PIPELINE)));
}

/* Rows for what did not run: shaders, pipelines and launches are told of all the same. */
static bool add_nothing(struct ws_simt_results *results)
{
    const struct ws_catalog *catalog = results->catalog;
    const struct ws_simt_group nothing = {.histogram.bins = 0};
    uint64_t keys[WS_SIMT_DIMENSIONS];
    bool added = true;
    for (uint32_t i = 0; i < catalog->shader_count && added; ++i) {
        init_keys(results, i, keys);
        added = !ws_selection_has_shader(results->selection, i) ||
                ws_groups_add_to(results->groups, keys, &nothing, BIT(SHADER), 0);
    }
    init_keys(results, WS_NONE, keys);
    for (uint32_t i = 0; i < catalog->pipeline_count && added; ++i) {
        keys[WS_SIMT_PIPELINE] = i;
        added = !ws_selection_has_pipeline(results->selection, i) ||
                ws_groups_add_to(results->groups, keys, &nothing, BIT(PIPELINE), 0);
    }
    return added;
}

static void count_unreadable(struct ws_simt_results *results)
{
    const struct ws_catalog *catalog = results->catalog;
    for (uint32_t i = 0; i < catalog->module_count; ++i) {
        bool ran = false;
        for (uint32_t j = 0; j < results->shader_count && catalog->modules[i].unreadable && !ran; ++j)
            ran = catalog->shaders[j].module == i && results->shaders[j].launches > 0;
        results->unreadable_modules += ran;
    }
}

/* Launches. */

void ws_simt_begin(struct ws_simt_results *results, const struct ws_catalog *catalog)
{
    memset(results, 0, sizeof(*results));
    results->catalog = catalog;
}

void ws_simt_finish(struct ws_simt_results *results)
{
    for (uint32_t i = 0; i < results->shader_count; ++i)
        rows_finish(&results->shaders[i]);
    ws_simt_group_finish(&results->total);
    free(results->shaders);
    free(results->pipeline_launches);
    free(results->timed);
    free(results->touched);
    memset(results, 0, sizeof(*results));
}

/* Makes shaders and pipelines as many as the catalog has. */
static bool follow_catalog(struct ws_simt_results *results)
{
    const struct ws_catalog *catalog = results->catalog;
    if (catalog->shader_count > results->shader_count) {
        struct ws_simt_shader *shaders =
            ws_catalog_follow(results->shaders, results->shader_count, catalog->shader_count,
                              catalog->shader_capacity, sizeof(*shaders));
        if (shaders == NULL)
            return false;
        results->shaders = shaders;
        results->shader_count = catalog->shader_count;
    }
    if (catalog->pipeline_count > results->pipeline_count) {
        uint64_t *launches =
            ws_catalog_follow(results->pipeline_launches, results->pipeline_count, catalog->pipeline_count,
                              catalog->pipeline_capacity, sizeof(*launches));
        if (launches == NULL)
            return false;
        results->pipeline_launches = launches;
        results->pipeline_count = catalog->pipeline_count;
    }
    return true;
}

bool ws_simt_group_add(void *to, const void *from)
{
    struct ws_simt_group *group = to;
    const struct ws_simt_group *more = from;
    ws_simt_counts_add(&group->counts, &more->counts);
    return ws_simt_sets_add(&group->sets, more->sets) &&
           ws_simt_histogram_add(&group->histogram, more->histogram.counts, more->histogram.bins, 1);
}

void ws_simt_group_finish(void *pointer)
{
    struct ws_simt_group *group = pointer;
    ws_simt_histogram_finish(&group->histogram);
    free(group->sets);
    group->sets = NULL;
}

bool ws_simt_executions_error(const struct ws_simt_group *group, double *error)
{
    return group->sets != NULL && ws_simt_sets_count_error(group->sets->executions, error);
}

bool ws_simt_instructions_error(const struct ws_simt_group *group, double *error)
{
    return group->sets != NULL && ws_simt_sets_count_error(group->sets->weighted_active, error);
}

bool ws_simt_efficiency_error(const struct ws_simt_group *group, double efficiency, double *error)
{
    return group->sets != NULL && ws_simt_sets_share_error(group->sets->active, group->sets->slots,
                                                           (double)group->counts.slots, efficiency, error);
}

bool ws_simt_efficiency_weighted_error(const struct ws_simt_group *group, double efficiency, double *error)
{
    return group->sets != NULL &&
           ws_simt_sets_share_error(group->sets->weighted_active, group->sets->weighted_slots,
                                    (double)group->counts.weighted_slots, efficiency, error);
}

/* The only pipeline of a launch ran all its shaders; of several, the one that has the shader. */
static uint64_t pipeline_key(const struct ws_simt_results *results, uint32_t shader)
{
    const struct ws_launch_record *launch = ws_catalog_launch(results->catalog, results->launch);
    return ws_key_pipeline(launch != NULL && launch->pipeline != WS_NONE
                               ? launch->pipeline
                               : ws_catalog_launch_pipeline(results->catalog, results->launch, shader));
}

static bool ran(const struct ws_simt_group *group)
{
    return group->counts.warps > 0 || group->counts.threads > 0;
}

/* Sums one shader of the open launch into all that it belongs to. */
static bool close_shader(struct ws_simt_results *results, uint32_t shader)
{
    struct ws_simt_shader *sums = &results->shaders[shader];
    struct ws_simt_group group = {.histogram.bins = 0};
    uint64_t keys[WS_SIMT_DIMENSIONS];
    bool summed = true;
    init_keys(results, shader, keys);
    if (results->groups != NULL) {
        keys[WS_SIMT_LAUNCH] = results->launch;
        keys[WS_SIMT_PIPELINE] = pipeline_key(results, shader);
        summed = !is_fine(results) || add_launch_blocks(results, keys, shader);
        keys[WS_SIMT_BLOCK] = WS_KEY_NONE;
        keys[WS_SIMT_OPCODE] = WS_KEY_NONE;
    }
    summed = summed && rows_sum(sums, results->catalog, shader, &group) &&
             ws_simt_group_add(&results->total, &group) &&
             (results->groups == NULL || results->opcodes_only || !ran(&group) ||
              ws_groups_add_to(results->groups, keys, &group, 0, BIT(BLOCK) | BIT(OPCODE)));
    sums->launches += ran(&group);
    ws_simt_counts_add(&sums->counts, &group.counts);
    ws_simt_group_finish(&group);
    return summed;
}

static bool close_launch(struct ws_simt_results *results)
{
    bool summed = true;
    for (uint32_t i = 0; i < results->touched_count && summed && results->open; ++i)
        summed = close_shader(results, results->touched[i]);
    results->touched_count = 0;
    results->open = false;
    return summed;
}

static bool open_launch(struct ws_simt_results *results, const struct ws_chunk_submission *submission,
                        const struct ws_launch *launch)
{
    const struct ws_launch_record *record = ws_catalog_launch(results->catalog, launch->index);
    const struct ws_simt_group nothing = {.histogram.bins = 0};
    uint64_t keys[WS_SIMT_DIMENSIONS];
    for (uint32_t i = 0; record != NULL && i < record->pipeline_count; ++i)
        results->pipeline_launches[record->pipelines[i]]++;
    results->overlapped += (submission->flags & WS_SUBMISSION_OVERLAPPED) != 0;
    results->launch = launch->index;
    results->open = true;
    init_keys(results, WS_NONE, keys);
    keys[WS_SIMT_LAUNCH] = launch->index;
    return results->groups == NULL || ws_groups_add_to(results->groups, keys, &nothing, BIT(LAUNCH), 0);
}

static bool add_counters(struct ws_simt_results *results, const struct ws_shader_counters *counters)
{
    uint32_t shader = ws_catalog_shader(results->catalog, counters->shader);
    if (counters->row_count == 0)
        return true;
    if (results->shaders[shader].touched_end == 0) {
        uint32_t *touched = ws_array_grow(results->touched, &results->touched_capacity,
                                          results->touched_count + 1, sizeof(*touched));
        if (touched == NULL)
            return false;
        results->touched = touched;
        touched[results->touched_count++] = shader;
    }
    return rows_add(&results->shaders[shader], results->catalog, shader, counters);
}

static bool add_launch(struct ws_simt_results *results, const struct ws_chunk_submission *submission,
                       const struct ws_launch *launch, bool first)
{
    bool continues = first && (submission->flags & WS_SUBMISSION_CONTINUED) != 0 && results->open &&
                     results->launch == launch->index;
    if (!continues && (!close_launch(results) || !open_launch(results, submission, launch)))
        return false;
    for (uint32_t i = 0; i < launch->shader_count; ++i)
        if (!add_counters(results, &launch->shaders[i]))
            return false;
    return true;
}

bool ws_simt_record(struct ws_simt_results *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = follow_catalog(results);
    if (chunk->type == WS_CHUNK_SUBMISSION)
        for (uint32_t i = 0; i < chunk->submission.launch_count && recorded; ++i)
            recorded = add_launch(results, &chunk->submission, &chunk->submission.launches[i], i == 0);
    return recorded || ws_error_set(error, "no memory for the counters of the capture");
}

/* The facts that are known only now. */
static bool end_groups(struct ws_simt_results *results)
{
    bool added = add_nothing(results);
    for (uint32_t i = 0; i < results->shader_count && added && !is_fine(results); ++i)
        added = add_blocks(results, i);
    return added;
}

bool ws_simt_end(struct ws_simt_results *results, struct ws_error *error)
{
    const bool ended =
        follow_catalog(results) && close_launch(results) && (results->groups == NULL || end_groups(results));
    count_unreadable(results);
    return ended || ws_error_set(error, "no memory for the sums of the capture");
}
