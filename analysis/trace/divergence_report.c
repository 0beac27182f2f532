/* How divergence is shown: text, JSON, CSV and plots from the same results. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/output/plot.h"
#include "analysis/output/table.h"
#include "analysis/report/report.h"
#include "analysis/trace/divergence.h"

#define NAME_SIZE   256
#define PLOT_GROUPS 24 /* shaders in a plot */
#define BUCKETS     5

static const char *const bucket_names[BUCKETS] = {"active", "control flow", "indirect call", "early return",
                                                  "partial warp"};

static void buckets_of(const struct ws_divergence_counts *counts, uint64_t buckets[BUCKETS])
{
    buckets[0] = counts->active;
    buckets[1] = counts->control_flow;
    buckets[2] = counts->indirect_call;
    buckets[3] = counts->early_return;
    buckets[4] = counts->partial_warp;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* Columns that every table ends with. */
#define SHARE_COLUMNS                                                                                        \
    {"active", true}, {"control\nflow", true}, {"indirect\ncall", true}, {"early\nreturn", true},            \
        {"partial\nwarp", true},                                                                             \
    {                                                                                                        \
        "regrouped", true                                                                                    \
    }
#define COUNT_COLUMNS      {"executions", true}, {"slots", true}, SHARE_COLUMNS
#define SHARE_COLUMN_COUNT 6
#define COUNT_COLUMN_COUNT (2 + SHARE_COLUMN_COUNT)

static void add_shares(struct ws_table *table, const struct ws_divergence_counts *counts)
{
    uint64_t buckets[BUCKETS];
    buckets_of(counts, buckets);
    for (uint32_t i = 0; i < BUCKETS; ++i)
        ws_table_add(table, "%.1f %%", 100 * share(buckets[i], counts->slots));
    if (counts->apart > 0)
        ws_table_add(table, "%.1f %%", 100 * share(counts->apart, counts->slots));
    else
        ws_table_add(table, "%s", "");
}

static void add_counts(struct ws_table *table, const struct ws_divergence_counts *counts)
{
    ws_table_add(table, "%" PRIu64, counts->executions);
    ws_table_add(table, "%" PRIu64, counts->slots);
    add_shares(table, counts);
}

static bool print_table(struct ws_table *table, const char *heading, uint32_t left_out, FILE *stream)
{
    bool printed = !table->failed;
    if (printed && table->cell_count > 0) {
        fprintf(stream, "\n%s\n", heading);
        ws_table_print(table, 2, stream);
        if (left_out > 0)
            fprintf(stream, "  ... and %" PRIu32 " more: --json and --csv hold them all\n", left_out);
    }
    ws_table_finish(table);
    return printed;
}

/* Rows of a table that usually has `usual`. */
static uint32_t rows_of(const struct ws_divergence_results *results, uint32_t usual)
{
    return results->rows > 0 ? results->rows : usual;
}

static bool print_stages(const struct ws_divergence_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"stage", false}, COUNT_COLUMNS};
    struct ws_table table;
    ws_table_init(&table, columns, 1 + COUNT_COLUMN_COUNT);
    for (uint32_t i = 0; i < WS_DIVERGENCE_STAGES; ++i)
        if (results->stages[i].executions > 0) {
            ws_table_add(&table, "%s", ws_stage_name(1u << i));
            add_counts(&table, &results->stages[i]);
        }
    ws_table_add(&table, "all");
    add_counts(&table, &results->total);
    return print_table(
        &table,
        "Divergence: shares of instruction slots (subgroup size x instructions of every block executed)", 0,
        stream);
}

/* An index, and by what it is sorted. */
struct order {
    uint32_t index;
    uint64_t slots;
};

static int compare_order(const void *left, const void *right)
{
    const struct order *a = left;
    const struct order *b = right;
    if (a->slots != b->slots)
        return a->slots > b->slots ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Shaders that ran, most slots first. NULL when there is no memory. */
static struct order *order_shaders(const struct ws_divergence_results *results, uint32_t *count)
{
    struct order *order = calloc((size_t)results->shader_count + 1, sizeof(*order));
    *count = 0;
    for (uint32_t i = 0; order != NULL && i < results->shader_count; ++i)
        if (results->shaders[i].counts.executions > 0)
            order[(*count)++] = (struct order){i, results->shaders[i].counts.slots};
    if (order != NULL)
        qsort(order, *count, sizeof(*order), compare_order);
    return order;
}

static bool print_shaders(const struct ws_divergence_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"id", true}, {"shader", false}, {"stage", false}, COUNT_COLUMNS};
    uint32_t count = 0;
    uint32_t most = rows_of(results, 40);
    struct order *order = order_shaders(results, &count);
    struct ws_table table;
    if (order == NULL)
        return false;
    ws_table_init(&table, columns, 3 + COUNT_COLUMN_COUNT);
    for (uint32_t i = 0; i < count && i < most; ++i) {
        char name[NAME_SIZE];
        ws_catalog_shader_name(results->catalog, order[i].index, name, sizeof(name));
        ws_table_add(&table, "%" PRIu32, results->catalog->shaders[order[i].index].id);
        ws_table_add(&table, "%s", name);
        ws_table_add(&table, "%s", ws_stage_name(results->catalog->shaders[order[i].index].stage));
        add_counts(&table, &results->shaders[order[i].index].counts);
    }
    free(order);
    return print_table(&table, "Shaders", count > most ? count - most : 0, stream);
}

static bool print_pipelines(const struct ws_divergence_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"pipeline", false}, COUNT_COLUMNS};
    uint32_t most = rows_of(results, 20);
    uint32_t left_out = 0;
    struct ws_table table;
    ws_table_init(&table, columns, 1 + COUNT_COLUMN_COUNT);
    for (uint32_t i = 0; i < results->pipeline_count; ++i) {
        char name[NAME_SIZE];
        if (results->pipelines[i].executions == 0)
            continue;
        if (table.cell_count / table.column_count >= most) {
            left_out++;
            continue;
        }
        ws_catalog_pipeline_name(results->catalog, i, name, sizeof(name));
        ws_table_add(&table, "%s", name);
        add_counts(&table, &results->pipelines[i]);
    }
    if (results->shared.executions > 0) {
        ws_table_add(&table, "shaders of several pipelines");
        add_counts(&table, &results->shared);
    }
    return print_table(&table, "Pipelines", left_out, stream);
}

static bool print_launches(const struct ws_divergence_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"number", true}, {"kind", false},          {"size", true},
                                               {"label", false}, {"subgroup\nsize", true}, COUNT_COLUMNS,
                                               {"note", false}};
    uint32_t most = rows_of(results, 20);
    uint32_t count = results->launch_count;
    struct ws_table table;
    ws_table_init(&table, columns, 6 + COUNT_COLUMN_COUNT);
    for (uint32_t i = 0; i < count && i < most; ++i) {
        const struct ws_divergence_launch *launch = &results->launches[i];
        ws_table_add(&table, "%" PRIu64, launch->index);
        ws_table_add(&table, "%s", ws_launch_kind_name(launch->kind));
        ws_table_add(&table, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, launch->size[0], launch->size[1],
                     launch->size[2]);
        ws_table_add(&table, "%s", launch->label);
        ws_table_add(&table, "%" PRIu32, launch->subgroup_size);
        add_counts(&table, &launch->counts);
        ws_table_add(&table, "%s", launch->truncated ? "records missing" : "");
    }
    return print_table(&table, "Launches", count > most ? count - most : 0, stream);
}

/* Blocks with inactive slots. */
static uint32_t count_wasteful(const struct ws_divergence_results *results)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < results->shader_count; ++i)
        for (uint32_t j = 0; j < results->shaders[i].block_count; ++j)
            count += results->shaders[i].blocks[j].slots > results->shaders[i].blocks[j].active;
    return count;
}

static bool print_blocks(const struct ws_divergence_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"shader", false},    {"block", true},
                                               {"source", false},    {"inactive\nslots", true},
                                               {"executions", true}, SHARE_COLUMNS};
    uint32_t count = 0;
    struct ws_divergence_reference *list = ws_divergence_worst(results, rows_of(results, 20), &count);
    struct ws_table table;
    if (count == WS_NONE)
        return false;
    ws_table_init(&table, columns, 5 + SHARE_COLUMN_COUNT);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t shader = list[i].shader;
        const struct ws_block_record *block =
            &results->catalog->modules[results->catalog->shaders[shader].module].blocks[list[i].block];
        char name[NAME_SIZE];
        char place[NAME_SIZE];
        ws_catalog_shader_name(results->catalog, shader, name, sizeof(name));
        ws_block_place(block, place, sizeof(place));
        ws_table_add(&table, "%s", name);
        ws_table_add(&table, "%%%" PRIu32, block->info.label);
        ws_table_add(&table, "%s", place);
        ws_table_add(&table, "%" PRIu64, list[i].inactive);
        ws_table_add(&table, "%" PRIu64, results->shaders[shader].blocks[list[i].block].executions);
        add_shares(&table, &results->shaders[shader].blocks[list[i].block]);
    }
    free(list);
    return print_table(&table, "Blocks with most inactive slots", count_wasteful(results) - count, stream);
}

bool ws_divergence_text(const void *pointer, FILE *stream)
{
    const struct ws_divergence_results *results = pointer;
    if (results->total.executions == 0) {
        fputs("\nDivergence\n  no execution of a block was recorded\n", stream);
        return true;
    }
    return print_stages(results, stream) && print_pipelines(results, stream) &&
           print_shaders(results, stream) && print_launches(results, stream) && print_blocks(results, stream);
}

static void add_json_counts(cJSON *object, const struct ws_divergence_counts *counts)
{
    ws_json_integer(object, "executions", counts->executions);
    ws_json_integer(object, "slots", counts->slots);
    ws_json_integer(object, "active", counts->active);
    ws_json_integer(object, "control_flow", counts->control_flow);
    ws_json_integer(object, "indirect_call", counts->indirect_call);
    ws_json_integer(object, "early_return", counts->early_return);
    ws_json_integer(object, "partial_warp", counts->partial_warp);
    ws_json_integer(object, "regrouped", counts->apart);
}

/* A new object at the end of an array; NULL when there is no memory. */
static cJSON *append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    return array != NULL && cJSON_AddItemToArray(array, object) ? object : NULL;
}

static void add_json_groups(const struct ws_divergence_results *results, cJSON *object)
{
    cJSON *stages = cJSON_AddArrayToObject(object, "stages");
    cJSON *pipelines = cJSON_AddArrayToObject(object, "pipelines");
    char name[NAME_SIZE];
    add_json_counts(cJSON_AddObjectToObject(object, "total"), &results->total);
    for (uint32_t i = 0; i < WS_DIVERGENCE_STAGES; ++i)
        if (results->stages[i].executions > 0) {
            cJSON *stage = append_object(stages);
            cJSON_AddStringToObject(stage, "stage", ws_stage_name(1u << i));
            add_json_counts(stage, &results->stages[i]);
        }
    for (uint32_t i = 0; i < results->pipeline_count; ++i)
        if (results->pipelines[i].executions > 0) {
            cJSON *pipeline = append_object(pipelines);
            ws_catalog_pipeline_name(results->catalog, i, name, sizeof(name));
            ws_json_integer(pipeline, "id", results->catalog->pipelines[i].id);
            cJSON_AddStringToObject(pipeline, "name", name);
            add_json_counts(pipeline, &results->pipelines[i]);
        }
    add_json_counts(cJSON_AddObjectToObject(object, "shaders_of_several_pipelines"), &results->shared);
}

static void add_json_shader(const struct ws_divergence_results *results, uint32_t index, cJSON *object)
{
    const struct ws_divergence_shader *shader = &results->shaders[index];
    const struct ws_shader_record *record = &results->catalog->shaders[index];
    cJSON *blocks = cJSON_AddArrayToObject(object, "blocks");
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, index, name, sizeof(name));
    ws_json_integer(object, "id", record->id);
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "stage", ws_stage_name(record->stage));
    add_json_counts(object, &shader->counts);
    for (uint32_t i = 0; i < shader->block_count; ++i) {
        const struct ws_block_record *block = &results->catalog->modules[record->module].blocks[i];
        if (shader->blocks[i].executions == 0)
            continue;
        cJSON *entry = append_object(blocks);
        ws_json_integer(entry, "block", block->info.label);
        ws_json_integer(entry, "offset", block->info.offset);
        if (block->file != NULL) {
            cJSON_AddStringToObject(entry, "file", block->file);
            ws_json_integer(entry, "line", block->line);
        }
        add_json_counts(entry, &shader->blocks[i]);
    }
}

bool ws_divergence_json(const void *pointer, cJSON *object)
{
    const struct ws_divergence_results *results = pointer;
    add_json_groups(results, object);
    cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
    cJSON *launches = cJSON_AddArrayToObject(object, "launches");
    for (uint32_t i = 0; i < results->shader_count; ++i)
        if (results->shaders[i].counts.executions > 0)
            add_json_shader(results, i, append_object(shaders));
    for (uint32_t i = 0; i < results->launch_count; ++i) {
        const struct ws_divergence_launch *launch = &results->launches[i];
        cJSON *entry = append_object(launches);
        ws_json_integer(entry, "index", launch->index);
        ws_json_integer(entry, "submission", launch->submission);
        cJSON_AddStringToObject(entry, "kind", ws_launch_kind_name(launch->kind));
        cJSON_AddStringToObject(entry, "label", launch->label);
        ws_json_integer(entry, "subgroup_size", launch->subgroup_size);
        cJSON_AddBoolToObject(entry, "truncated", launch->truncated);
        add_json_counts(entry, &launch->counts);
    }
    return launches != NULL && shaders != NULL;
}

const char ws_divergence_csv_help[] =
    "  shader, name, stage  of the shader: its id, name and stage; a row for each block that ran\n"
    "  block, offset        label id of the block, and where it is in the module, in words\n"
    "  file, line           where it begins in the source, if known\n"
    "  executions           of the block by warps\n"
    "  slots                subgroup size x instructions, summed over executions, and of those:\n"
    "  active               of active lanes, and of inactive ones by cause:\n"
    "  control_flow, indirect_call, early_return, partial_warp\n"
    "  regrouped            those of indirect_call in warps that the device put together anew\n";

bool ws_divergence_csv(const void *pointer, FILE *stream)
{
    const struct ws_divergence_results *results = pointer;
    fputs("shader,name,stage,block,offset,file,line,executions,slots,active,control_flow,indirect_call,"
          "early_return,partial_warp,regrouped\n",
          stream);
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        const struct ws_divergence_shader *shader = &results->shaders[i];
        const struct ws_shader_record *record = &results->catalog->shaders[i];
        char name[NAME_SIZE];
        ws_catalog_shader_name(results->catalog, i, name, sizeof(name));
        for (uint32_t j = 0; j < shader->block_count; ++j) {
            const struct ws_divergence_counts *counts = &shader->blocks[j];
            const struct ws_block_record *block = &results->catalog->modules[record->module].blocks[j];
            if (counts->executions == 0)
                continue;
            fprintf(stream, "%" PRIu32 ",", record->id);
            ws_csv_text(stream, name);
            fprintf(stream, ",%s,%" PRIu32 ",%" PRIu32 ",", ws_stage_name(record->stage), block->info.label,
                    block->info.offset);
            if (block->file != NULL) {
                ws_csv_text(stream, block->file);
                fprintf(stream, ",%" PRIu32, block->line);
            } else {
                fputc(',', stream);
            }
            fprintf(stream,
                    ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64 "\n",
                    counts->executions, counts->slots, counts->active, counts->control_flow,
                    counts->indirect_call, counts->early_return, counts->partial_warp, counts->apart);
        }
    }
    return true;
}

/* What a plot is made of: groups, each with the shares of the five buckets, in percent. */
struct shares {
    uint32_t count;
    char names[PLOT_GROUPS][NAME_SIZE];
    const char *labels[PLOT_GROUPS];
    double values[BUCKETS][PLOT_GROUPS];
};

static void add_group(struct shares *shares, const struct ws_divergence_counts *counts)
{
    uint64_t buckets[BUCKETS];
    buckets_of(counts, buckets);
    for (uint32_t i = 0; i < BUCKETS; ++i)
        shares->values[i][shares->count] = 100 * share(buckets[i], counts->slots);
    shares->labels[shares->count] = shares->names[shares->count];
    shares->count++;
}

static bool plot_shares(const struct shares *shares, struct ws_plots *plots, const char *name,
                        const char *title, const char *x_label, struct ws_error *error)
{
    struct ws_series series[BUCKETS];
    for (uint32_t i = 0; i < BUCKETS; ++i)
        series[i] =
            (struct ws_series){.name = bucket_names[i], .y = shares->values[i], .count = shares->count};
    const struct ws_plot plot = {.kind = WS_PLOT_STACKS,
                                 .title = title,
                                 .x_label = x_label,
                                 .y_label = "% of instruction slots",
                                 .labels = shares->labels,
                                 .series = series,
                                 .series_count = BUCKETS,
                                 .y_max = 100};
    return shares->count == 0 || ws_plots_plot(plots, name, &plot, error);
}

static void gather_stages(const struct ws_divergence_results *results, struct shares *shares)
{
    shares->count = 0;
    for (uint32_t i = 0; i < WS_DIVERGENCE_STAGES; ++i)
        if (results->stages[i].executions > 0) {
            snprintf(shares->names[shares->count], NAME_SIZE, "%s", ws_stage_name(1u << i));
            add_group(shares, &results->stages[i]);
        }
}

static void gather_launches(const struct ws_divergence_results *results, struct shares *shares)
{
    shares->count = 0;
    for (uint32_t i = 0; i < results->launch_count && i < PLOT_GROUPS; ++i) {
        snprintf(shares->names[shares->count], NAME_SIZE, "%" PRIu64, results->launches[i].index);
        add_group(shares, &results->launches[i].counts);
    }
}

static bool gather_shaders(const struct ws_divergence_results *results, struct shares *shares)
{
    uint32_t count = 0;
    struct order *order = order_shaders(results, &count);
    shares->count = 0;
    for (uint32_t i = 0; order != NULL && i < count && i < PLOT_GROUPS; ++i) {
        ws_catalog_shader_name(results->catalog, order[i].index, shares->names[shares->count], NAME_SIZE);
        add_group(shares, &results->shaders[order[i].index].counts);
    }
    free(order);
    return order != NULL;
}

bool ws_divergence_plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_divergence_results *results = pointer;
    struct shares *shares = calloc(1, sizeof(*shares));
    if (shares == NULL)
        return ws_error_set(error, "no memory for the plots of divergence");
    gather_stages(results, shares);
    bool plotted = plot_shares(shares, plots, "stages", "Instruction slots by stage", "stage", error);
    plotted = plotted && (gather_shaders(results, shares) ||
                          ws_error_set(error, "no memory for the plots of divergence"));
    plotted =
        plotted && plot_shares(shares, plots, "shaders", "Instruction slots by shader", "shader", error);
    gather_launches(results, shares);
    plotted =
        plotted && plot_shares(shares, plots, "launches", "Instruction slots by launch", "launch", error);
    free(shares);
    return plotted;
}
