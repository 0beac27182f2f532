/* The report of SIMT efficiency for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/table.h"
#include "analysis/report/report.h"
#include "analysis/simt/simt_report.h"
#include "passes/spirv/code.h"

#define NAME_SIZE      256
#define HISTOGRAM_MOST 6 /* bins shown per block */

/* Columns that every table of groups ends with. */
#define GROUP_COLUMNS                                                                                        \
    {"executions", true}, {"threads", true}, {"efficiency", true}, {"weighted", true}, {"partial", true},    \
        {"instructions", true},                                                                              \
    {                                                                                                        \
        "note", false                                                                                        \
    }

static void add_share(struct ws_table *table, enum ws_simt_doubt doubt, double value)
{
    if (doubt == WS_SIMT_SURE)
        ws_table_add(table, "%.1f %%", 100 * value);
    else
        ws_table_add(table, "-");
}

/* The cells of GROUP_COLUMNS. */
static void add_counts(struct ws_table *table, const struct ws_simt_counts *counts)
{
    char note[NAME_SIZE];
    double value = 0;
    ws_table_add(table, "%" PRIu64, counts->warps);
    if (counts->threads > 0)
        ws_table_add(table, "%" PRIu64, counts->threads);
    else
        ws_table_add(table, "%s", "");
    enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &value);
    add_share(table, doubt, value);
    enum ws_simt_doubt weighted_doubt = ws_simt_efficiency_weighted(counts, &value);
    add_share(table, weighted_doubt, value);
    enum ws_simt_doubt partial_doubt = ws_simt_partial(counts, &value);
    add_share(table, partial_doubt, value);
    ws_table_add(table, "%" PRIu64, counts->instructions);
    ws_simt_doubt_text(doubt, counts, note, sizeof(note));
    ws_table_add(table, "%s", doubt == WS_SIMT_NOTHING ? "" : note);
}

/* The same cells of a shader that was left as it was: nothing is known of it, which is not 0. */
static void add_uncounted(struct ws_table *table)
{
    static const char *const cells[] = {"-", "", "-", "-", "-", "-", "not instrumented"};
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); ++i)
        ws_table_add(table, "%s", cells[i]);
}

static bool print_table(struct ws_table *table, uint32_t left_out, FILE *stream)
{
    bool printed = !table->failed;
    if (printed) {
        ws_table_print(table, 2, stream);
        if (left_out > 0)
            fprintf(stream, "  ... and %" PRIu32 " more: --json and --csv hold them all\n", left_out);
    }
    ws_table_finish(table);
    return printed;
}

/* Whether something ran for which the share of partial warps has a meaning, and something else. */
static bool partial_is_of_a_part(const struct ws_simt_results *results)
{
    bool launched = false, called = false;
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i) {
        const bool ran = results->stages[i].counts.warps > 0;
        launched = launched || (ran && ws_simt_is_launched(i));
        called = called || (ran && !ws_simt_is_launched(i));
    }
    return launched && called;
}

static bool print_total(const struct ws_simt_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {GROUP_COLUMNS};
    struct ws_table table;
    fputs("\nSIMT efficiency\n", stream);
    ws_table_init(&table, columns, 7);
    add_counts(&table, &results->total.counts);
    if (!print_table(&table, 0, stream))
        return false;
    if (partial_is_of_a_part(results))
        fputs("  partial: of launches' lanes when they begin; the efficiencies: of all stages\n", stream);
    return true;
}

static bool print_histogram(const struct ws_simt_histogram *histogram, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"lanes", true}, {"executions", true}, {"share", true}, {"", false}};
    struct ws_table table;
    uint64_t sum = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < histogram->bins; ++i) {
        sum = ws_simt_sum(sum, histogram->counts[i]);
        most = histogram->counts[i] > most ? histogram->counts[i] : most;
    }
    if (sum == 0)
        return true;
    fputs("\nActive lanes\n", stream);
    ws_table_init(&table, columns, 4);
    for (uint32_t i = histogram->bins; i > 0; --i) {
        static const char bar[] = "########################################";
        uint64_t count = histogram->counts[i - 1];
        if (count == 0)
            continue;
        ws_table_add(&table, "%" PRIu32, i);
        ws_table_add(&table, "%" PRIu64, count);
        ws_table_add(&table, "%.1f %%", 100 * ((double)count / (double)sum));
        ws_table_add(&table, "%.*s", (int)((sizeof(bar) - 1) * ((double)count / (double)most) + 0.5), bar);
    }
    return print_table(&table, 0, stream);
}

static void add_launch_size(struct ws_table *table, const struct ws_simt_launch *launch)
{
    const uint32_t *size = launch->size;
    if (size[0] == 0 && size[1] == 0 && size[2] == 0)
        ws_table_add(table, "not known");
    else
        ws_table_add(table, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
}

static void add_launch(struct ws_table *table, const struct ws_simt_results *results,
                       const struct ws_simt_launch *launch)
{
    char name[NAME_SIZE] = "";
    ws_table_add(table, "%" PRIu64, launch->index);
    ws_table_add(table, "%" PRIu64, launch->frame);
    ws_table_add(table, "%s%s", ws_launch_kind_name(launch->kind),
                 (launch->flags & WS_LAUNCH_INDIRECT) != 0 ? ", indirect" : "");
    add_launch_size(table, launch);
    if (launch->kind == WS_LAUNCH_RENDER_PASS)
        ws_table_add(table, "%" PRIu32, launch->draws);
    else
        ws_table_add(table, "%s", "");
    if (launch->pipeline != WS_NONE)
        ws_catalog_pipeline_name(results->catalog, launch->pipeline, name, sizeof(name));
    else if (launch->pipeline_count > 0)
        snprintf(name, sizeof(name), "%" PRIu32 " pipelines", launch->pipeline_count);
    ws_table_add(table, "%s", name);
    ws_table_add(table, "%s", launch->label);
    add_counts(table, &launch->group.counts);
}

static bool print_launches(const struct ws_simt_results *results, uint32_t most, FILE *stream)
{
    static const struct ws_column columns[] = {{"number", true}, {"frame", true}, {"kind", false},
                                               {"size", true},   {"draws", true}, {"pipeline", false},
                                               {"label", false}, GROUP_COLUMNS};
    uint32_t count = results->launch_count < most ? results->launch_count : most;
    struct ws_table table;
    if (count == 0)
        return true;
    fputs("\nLaunches\n", stream);
    ws_table_init(&table, columns, 14);
    for (uint32_t i = 0; i < count; ++i)
        add_launch(&table, results, &results->launches[i]);
    return print_table(&table, results->launch_count - count, stream);
}

/* Indices sorted by how much ran, most first. */
struct order {
    uint32_t index;
    uint64_t instructions;
};

static int compare_order(const void *left, const void *right)
{
    const struct order *a = left;
    const struct order *b = right;
    if (a->instructions != b->instructions)
        return a->instructions > b->instructions ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool print_pipelines(const struct ws_simt_results *results, uint32_t most, FILE *stream)
{
    static const struct ws_column columns[] = {{"pipeline", false}, {"launches", true}, GROUP_COLUMNS};
    struct order *order = calloc((size_t)results->pipeline_count + 1, sizeof(*order));
    struct ws_table table;
    uint32_t used = 0;
    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < results->pipeline_count; ++i)
        if (results->pipelines[i].launches > 0)
            order[used++] = (struct order){i, results->pipelines[i].group.counts.instructions};
    qsort(order, used, sizeof(*order), compare_order);
    ws_table_init(&table, columns, 9);
    for (uint32_t i = 0; i < used && i < most; ++i) {
        char name[NAME_SIZE];
        ws_catalog_pipeline_name(results->catalog, order[i].index, name, sizeof(name));
        ws_table_add(&table, "%s", name);
        ws_table_add(&table, "%" PRIu64, results->pipelines[order[i].index].launches);
        add_counts(&table, &results->pipelines[order[i].index].group.counts);
    }
    free(order);
    if (results->shared_pipelines.counts.warps > 0 || results->shared_pipelines.counts.threads > 0) {
        ws_table_add(&table, "shaders of several pipelines");
        ws_table_add(&table, "-");
        add_counts(&table, &results->shared_pipelines.counts);
    }
    if (table.cell_count > 0)
        fputs("\nPipelines\n", stream);
    else {
        ws_table_finish(&table);
        return true;
    }
    return print_table(&table, used > most ? used - most : 0, stream);
}

static bool print_stages(const struct ws_simt_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"stage", false}, GROUP_COLUMNS};
    struct ws_table table;
    ws_table_init(&table, columns, 8);
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i) {
        const struct ws_simt_counts *counts = &results->stages[i].counts;
        if (counts->warps == 0 && counts->threads == 0)
            continue;
        ws_table_add(&table, "%s", ws_stage_name(1u << i));
        add_counts(&table, counts);
    }
    if (table.cell_count == 0) {
        ws_table_finish(&table);
        return true;
    }
    fputs("\nStages\n", stream);
    return print_table(&table, 0, stream);
}

static bool print_shaders(const struct ws_simt_results *results, uint32_t most, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"id", true}, {"shader", false}, {"stage", false}, GROUP_COLUMNS};
    struct order *order = calloc((size_t)results->shader_count + 1, sizeof(*order));
    struct ws_table table;
    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < results->shader_count; ++i)
        order[i] = (struct order){i, results->shaders[i].group.counts.instructions};
    qsort(order, results->shader_count, sizeof(*order), compare_order);
    uint32_t count = results->shader_count < most ? results->shader_count : most;
    ws_table_init(&table, columns, 10);
    for (uint32_t i = 0; i < count; ++i) {
        char name[NAME_SIZE];
        uint32_t shader = order[i].index;
        ws_catalog_shader_name(results->catalog, shader, name, sizeof(name));
        ws_table_add(&table, "%" PRIu32, results->catalog->shaders[shader].id);
        ws_table_add(&table, "%s", name);
        ws_table_add(&table, "%s", ws_stage_name(results->catalog->shaders[shader].stage));
        if (results->catalog->shaders[shader].entry != WS_NONE)
            add_counts(&table, &results->shaders[shader].group.counts);
        else
            add_uncounted(&table);
    }
    free(order);
    if (count == 0) {
        ws_table_finish(&table);
        return true;
    }
    fputs("\nShaders\n", stream);
    return print_table(&table, results->shader_count - count, stream);
}

/* At most HISTOGRAM_MOST bins of a block's histogram, the rest as "+N". */
static void add_histogram(struct ws_table *table, const struct ws_simt_histogram *histogram)
{
    char text[HISTOGRAM_MOST * 26 + 32] = "";
    size_t used = 0;
    uint32_t shown = 0;
    uint32_t more = 0;
    for (uint32_t i = histogram->bins; i > 0; --i) {
        if (histogram->counts[i - 1] == 0)
            continue;
        if (shown++ < HISTOGRAM_MOST)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIu32 ":%" PRIu64,
                                     used > 0 ? " " : "", i, histogram->counts[i - 1]);
        else
            more++;
    }
    if (more > 0)
        snprintf(text + used, sizeof(text) - used, " +%" PRIu32, more);
    ws_table_add(table, "%s", text);
}

static void add_block(struct ws_table *table, const struct ws_simt_results *results,
                      const struct ws_simt_block_reference *reference)
{
    const struct ws_catalog *catalog = results->catalog;
    const struct ws_shader_record *shader = &catalog->shaders[reference->shader];
    const struct ws_block_record *block = &catalog->modules[shader->module].blocks[reference->block];
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    char text[NAME_SIZE];
    double value = 0;
    uint64_t all = results->total.counts.instructions;
    ws_simt_block(results, reference->shader, reference->block, &counts, &histogram);
    ws_table_add(table, "%.1f %%", 100 * ((double)reference->instructions / (double)all));
    ws_table_add(table, "%" PRIu64, counts.warps + counts.threads);
    enum ws_simt_doubt doubt = ws_simt_efficiency(&counts, &value);
    add_share(table, doubt, value);
    ws_table_add(table, "%" PRIu32, block->info.instruction_count);
    ws_catalog_shader_name(catalog, reference->shader, text, sizeof(text));
    ws_table_add(table, "%s", text);
    ws_table_add(table, "%s", ws_stage_name(shader->stage));
    ws_table_add(table, "%%%" PRIu32, block->info.label);
    ws_block_place(block, text, sizeof(text));
    ws_table_add(table, "%s", text);
    add_histogram(table, &histogram);
}

static bool print_blocks(const struct ws_simt_results *results, uint32_t most, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"share", true},  {"executions", true}, {"efficiency", true},
        {"length", true}, {"shader", false},    {"stage", false},
        {"block", true},  {"source", false},    {"active lanes", false},
    };
    uint32_t count = 0;
    struct ws_simt_block_reference *blocks = ws_simt_hottest(results, most, &count);
    if (blocks == NULL)
        return count == 0;
    struct ws_table table;
    fputs("\nHottest blocks, by share of all instructions executed\n", stream);
    ws_table_init(&table, columns, 9);
    for (uint32_t i = 0; i < count; ++i)
        add_block(&table, results, &blocks[i]);
    free(blocks);
    return print_table(&table, 0, stream);
}

static bool print_opcodes(const struct ws_simt_results *results, uint32_t most, FILE *stream)
{
    static const struct ws_column columns[] = {{"opcode", false}, {"instructions", true}, {"share", true}};
    uint64_t sum = 0;
    struct ws_table table;
    if (results->opcode_count == 0)
        return true;
    for (uint32_t i = 0; i < results->opcode_count; ++i)
        sum = ws_simt_sum(sum, results->opcodes[i].instructions);
    uint32_t count = results->opcode_count < most ? results->opcode_count : most;
    fputs("\nInstructions executed, by opcode\n", stream);
    ws_table_init(&table, columns, 3);
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_simt_opcode *opcode = &results->opcodes[i];
        const char *name = ws_opcode_name(opcode->opcode);
        if (name != NULL)
            ws_table_add(&table, "%s", name);
        else
            ws_table_add(&table, "Op%" PRIu32, opcode->opcode);
        ws_table_add(&table, "%" PRIu64, opcode->instructions);
        ws_table_add(&table, "%.1f %%", 100 * ((double)opcode->instructions / (double)sum));
    }
    return print_table(&table, results->opcode_count - count, stream);
}

bool ws_simt_text(const struct ws_simt_results *results, const struct ws_report_limits *limits, FILE *stream)
{
    if (results->total.counts.warps == 0 && results->total.counts.threads == 0)
        fputs("\nNothing was counted.\n", stream);
    else if (!print_total(results, stream))
        return false;
    return print_histogram(&results->total.histogram, stream) &&
           print_launches(results, limits->launches, stream) &&
           print_pipelines(results, limits->pipelines, stream) && print_stages(results, stream) &&
           print_shaders(results, limits->shaders, stream) && print_blocks(results, limits->blocks, stream) &&
           print_opcodes(results, limits->opcodes, stream);
}

void ws_simt_notes(const struct ws_simt_results *results, FILE *stream)
{
    if (results->total.counts.wide > 0)
        fprintf(stream,
                "  wrong data: %" PRIu64 " execution%s more active lanes than the subgroup size; the "
                "efficiencies they touch are withheld\n",
                results->total.counts.wide, results->total.counts.wide == 1 ? " has" : "s have");
    if (results->total.counts.saturated)
        fputs("  some sums exceed 64 bits and stand at the largest number there is\n", stream);
}
