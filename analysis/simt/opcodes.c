#include "analysis/simt/opcodes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/model/names.h"
#include "warpscope/output/plot.h"
#include "warpscope/output/table.h"
#include "warpscope/spirv/code.h"

#define NAME_SIZE    256
#define OPCODE_NAME  64
#define ROWS_USUAL   20
#define STAGES       14 /* stages in stage.h */
#define STAGES_SHOWN 6  /* stages with a column of their own */
#define TOP_SHOWN    3  /* opcodes told of each shader */
#define PLOT_SHOWN   16 /* opcodes in a plot */

bool ws_opcodes_begin(struct ws_simt_results *results, const struct ws_catalog *catalog,
                      const struct ws_view *view, struct ws_error *error)
{
    ws_simt_begin(results, catalog);
    results->opcodes_only = true;
    results->groups = ws_groups_create(&ws_opcodes_columns, catalog, results, view, error);
    return results->groups != NULL;
}

void ws_opcodes_finish(struct ws_simt_results *results)
{
    ws_groups_destroy(results->groups);
    ws_simt_finish(results);
}

static const struct ws_simt_group *row_of(const struct ws_simt_results *results, enum ws_opcodes_level level,
                                          uint32_t key, uint32_t opcode)
{
    const bool by_shader = level == WS_OPCODES_BY_SHADER || level == WS_OPCODES_BY_SHADER_OPCODE;
    const uint64_t keys[WS_SIMT_DIMENSIONS] = {
        [WS_SIMT_STAGE] = by_shader ? ws_key_stage(results->catalog->shaders[key].stage) : key,
        [WS_SIMT_SHADER] = key,
        [WS_SIMT_OPCODE] = opcode,
    };
    return ws_groups_find(results->groups, level, keys);
}

uint64_t ws_opcodes_executed(const struct ws_simt_results *results, enum ws_opcodes_level level, uint32_t key,
                             uint32_t opcode)
{
    const struct ws_simt_group *row = row_of(results, level, key, opcode);
    return row != NULL ? row->counts.instructions : 0;
}

static uint64_t instructions_of(const struct ws_row *row)
{
    return ((const struct ws_simt_group *)row->sums)->counts.instructions;
}

static void instructions(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, instructions_of(row));
}

static void instructions_error(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_simt_group *group = row->sums;
    double error = 0;
    if (group->sets == NULL)
        return;
    const bool known = ws_simt_instructions_error(group, &error);
    ws_value_count_error(value, known, error);
}

/* What a row's share is of: the row of the same shader, else of the same stage, else of all; with --by, NULL: of all. */
static const struct ws_simt_group *whole_of(const struct ws_row *row)
{
    const struct ws_simt_results *results = row->user;
    const uint64_t shader = row->keys[WS_SIMT_SHADER];
    const uint64_t stage = row->keys[WS_SIMT_STAGE];
    const bool of_opcode = row->keys[WS_SIMT_OPCODE] != WS_KEY_NONE;
    const struct ws_simt_group *whole = NULL;
    if (of_opcode && shader < WS_KEY_SEVERAL)
        whole = row_of(results, WS_OPCODES_BY_SHADER, (uint32_t)shader, 0);
    else if (of_opcode && stage < WS_KEY_SEVERAL)
        whole = row_of(results, WS_OPCODES_BY_STAGE, (uint32_t)stage, 0);
    return whole != NULL && whole->counts.instructions > 0 ? whole : row_of(results, WS_OPCODES_BY_ALL, 0, 0);
}

/* The instructions of what the row's share is of. */
static uint64_t instructions_of_whole(const struct ws_row *row)
{
    const struct ws_simt_group *whole = whole_of(row);
    return whole != NULL ? whole->counts.instructions
                         : ((const struct ws_simt_results *)row->user)->opcode_instructions;
}

static void share(const struct ws_row *row, struct ws_value *value)
{
    const uint64_t all = instructions_of_whole(row);
    if (all > 0)
        ws_value_real(value, (double)instructions_of(row) / (double)all);
}

static void share_error(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_simt_group *group = row->sums;
    const struct ws_simt_group *whole = whole_of(row);
    const double all = (double)instructions_of_whole(row);
    if (all <= 0 || whole == NULL || whole->sets == NULL || group->sets == NULL)
        return;
    double error = 0;
    const bool known = ws_simt_sets_share_error(group->sets->weighted_active, whole->sets->weighted_active,
                                                all, (double)instructions_of(row) / all, &error);
    ws_value_error(value, known, error);
}

static const struct ws_field measures[] = {
    {"instructions", "executed: active lanes x instructions, summed over blocks", WS_COUNT,
     .value = instructions, .better = WS_BETTER_LESS},
    {"instructions_error", "standard error of instructions, where counters were sampled (--sample)", WS_COUNT,
     .value = instructions_error},
    {"share", "of all instructions of the same shader or stage, else of all", WS_SHARE, .value = share},
    {"share_error",
     "standard error of share, in its unit; not known (-) where all sets of warps drawn have\nthe same share",
     WS_SHARE, .value = share_error},
    {NULL},
};

#define BIT(dimension) (1u << WS_SIMT_##dimension)
#define MIX            "opcode_number opcode instructions instructions_error share share_error"

static const struct ws_level levels[] = {
    [WS_OPCODES_BY_ALL] = {"total", .data = "instructions instructions_error"},
    [WS_OPCODES_BY_OPCODE] = {"opcodes", .by = BIT(OPCODE), .sort = "-instructions", .ordered = true,
                              .data = MIX},
    [WS_OPCODES_BY_STAGE] = {"stages", .by = BIT(STAGE),
                             .data = "stage instructions instructions_error share share_error"},
    [WS_OPCODES_BY_STAGE_OPCODE] = {"stage_opcodes", .by = BIT(STAGE) | BIT(OPCODE), .sort = "-instructions",
                                    .ordered = true, .data = "stage " MIX},
    [WS_OPCODES_BY_SHADER] = {"shaders", .by = BIT(SHADER),
                              .data =
                                  "shader_id shader stage instructions instructions_error share share_error"},
    [WS_OPCODES_BY_SHADER_OPCODE] = {"shader_opcodes", .by = BIT(SHADER) | BIT(OPCODE),
                                     .sort = "-instructions", .ordered = true,
                                     .data = "shader_id shader stage " MIX},
    {NULL},
};

const struct ws_columns ws_opcodes_columns = {ws_simt_dimensions,
                                              measures,
                                              levels,
                                              sizeof(struct ws_simt_group),
                                              .add = ws_simt_group_add,
                                              .finish = ws_simt_group_finish,
                                              .weight = "instructions"};

struct opcodes {
    struct ws_simt_results simt;
    uint32_t rows;
};

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct opcodes *opcodes = calloc(1, sizeof(*opcodes));
    if (opcodes == NULL)
        return NULL;
    opcodes->rows = options->rows > 0 ? options->rows : ROWS_USUAL;
    if (ws_opcodes_begin(&opcodes->simt, catalog, &options->view, error)) {
        opcodes->simt.selection = options->selection;
        return opcodes;
    }
    free(opcodes);
    return NULL;
}

static void destroy(void *results)
{
    struct opcodes *opcodes = results;
    ws_opcodes_finish(&opcodes->simt);
    free(opcodes);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_simt_record(&((struct opcodes *)results)->simt, chunk, error);
}

static bool end(void *results, struct ws_error *error)
{
    return ws_simt_end(&((struct opcodes *)results)->simt, error);
}

static const struct ws_groups *groups(const void *results)
{
    return ((const struct opcodes *)results)->simt.groups;
}

static const char *name_opcode(uint32_t opcode, char text[OPCODE_NAME])
{
    const char *name = ws_opcode_name(opcode);
    if (name != NULL)
        snprintf(text, OPCODE_NAME, "%s", name);
    else
        snprintf(text, OPCODE_NAME, "Op%" PRIu32, opcode);
    return text;
}

/* The share of an opcode in a stage, in percent. */
static double stage_share(const struct ws_simt_results *simt, uint32_t stage, uint32_t opcode)
{
    const uint64_t all = ws_opcodes_executed(simt, WS_OPCODES_BY_STAGE, 1u << stage, 0);
    const uint64_t part = ws_opcodes_executed(simt, WS_OPCODES_BY_STAGE_OPCODE, 1u << stage, opcode);
    return all > 0 ? 100 * ((double)part / (double)all) : 0;
}

/* The stages that ran, those with most instructions first: numbers of their bits. Returns how many. */
static uint32_t order_stages(const struct ws_simt_results *simt, uint32_t order[STAGES])
{
    uint64_t executed[STAGES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < STAGES; ++i) {
        uint32_t at = count;
        executed[i] = ws_opcodes_executed(simt, WS_OPCODES_BY_STAGE, 1u << i, 0);
        if (executed[i] == 0)
            continue;
        for (; at > 0 && executed[order[at - 1]] < executed[i]; --at)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    return count;
}

/* Prints a table, and how many rows it lacks. */
static bool print_table(struct ws_table *table, uint32_t more, FILE *stream)
{
    const bool printed = !table->failed;
    if (printed)
        ws_table_print(table, 2, stream);
    if (printed && more > 0)
        fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", more);
    ws_table_finish(table);
    return printed;
}

/* Opcodes in rows, stages in columns. */
static bool print_total(const struct opcodes *opcodes, FILE *stream)
{
    struct ws_column columns[3 + STAGES_SHOWN] = {{"opcode", false}, {"instructions", true}, {"share", true}};
    const struct ws_simt_results *simt = &opcodes->simt;
    uint32_t stages[STAGES];
    uint32_t stage_count = order_stages(simt, stages);
    uint32_t count = 0;
    uint32_t *rows = ws_groups_sorted(simt->groups, WS_OPCODES_BY_OPCODE, &count);
    struct ws_table table;
    if (rows == NULL)
        return false;
    stage_count = stage_count < STAGES_SHOWN ? stage_count : STAGES_SHOWN;
    for (uint32_t i = 0; i < stage_count; ++i)
        columns[3 + i] = (struct ws_column){ws_stage_name(1u << stages[i]), true};
    ws_table_init(&table, columns, 3 + stage_count);
    for (uint32_t i = 0; i < count && i < opcodes->rows; ++i) {
        struct ws_row row;
        char name[OPCODE_NAME];
        ws_groups_row(simt->groups, WS_OPCODES_BY_OPCODE, rows[i], &row);
        const uint32_t opcode = (uint32_t)row.keys[WS_SIMT_OPCODE];
        ws_table_add(&table, "%s", name_opcode(opcode, name));
        ws_table_add(&table, "%" PRIu64, instructions_of(&row));
        ws_table_add(&table, "%.1f %%",
                     100 * ((double)instructions_of(&row) / (double)simt->opcode_instructions));
        for (uint32_t j = 0; j < stage_count; ++j)
            ws_table_add(&table, "%.1f %%", stage_share(simt, stages[j], opcode));
    }
    free(rows);
    return print_table(&table, count > opcodes->rows ? count - opcodes->rows : 0, stream);
}

/* The opcodes executed most of each shader, as text: "OpLoad 26.7 %, OpStore 12.0 %, ...". NULL when there is
 * no memory. */
static char (*list_tops(const struct ws_simt_results *simt))[NAME_SIZE]
{
    uint32_t count = 0;
    uint32_t *rows = ws_groups_sorted(simt->groups, WS_OPCODES_BY_SHADER_OPCODE, &count);
    uint32_t *listed = calloc((size_t)simt->shader_count + 1, sizeof(*listed));
    char(*tops)[NAME_SIZE] = calloc((size_t)simt->shader_count + 1, sizeof(*tops));
    for (uint32_t i = 0; rows != NULL && listed != NULL && tops != NULL && i < count; ++i) {
        struct ws_row row;
        char name[OPCODE_NAME];
        ws_groups_row(simt->groups, WS_OPCODES_BY_SHADER_OPCODE, rows[i], &row);
        const uint32_t shader = (uint32_t)row.keys[WS_SIMT_SHADER];
        if (shader >= simt->shader_count || listed[shader]++ >= TOP_SHOWN)
            continue;
        const uint64_t all = ws_opcodes_executed(simt, WS_OPCODES_BY_SHADER, shader, 0);
        const size_t used = strlen(tops[shader]);
        snprintf(tops[shader] + used, NAME_SIZE - used, "%s%s %.1f %%", used > 0 ? ", " : "",
                 name_opcode((uint32_t)row.keys[WS_SIMT_OPCODE], name),
                 100 * ((double)instructions_of(&row) / (double)all));
    }
    const bool filled = rows != NULL && listed != NULL;
    free(rows);
    free(listed);
    if (filled)
        return tops;
    free(tops);
    return NULL;
}

static bool print_shaders(const struct opcodes *opcodes, FILE *stream)
{
    static const struct ws_column columns[] = {{"shader\nid", true},
                                               {"shader", false},
                                               {"stage", false},
                                               {"instructions", true},
                                               {"most executed opcodes", false}};
    const struct ws_simt_results *simt = &opcodes->simt;
    char(*tops)[NAME_SIZE] = list_tops(simt);
    struct ws_table table;
    uint32_t shown = 0;
    if (tops == NULL)
        return false;
    ws_table_init(&table, columns, 5);
    for (uint32_t i = 0; i < simt->shader_count; ++i) {
        const uint64_t executed = ws_opcodes_executed(simt, WS_OPCODES_BY_SHADER, i, 0);
        if (executed == 0 || shown++ >= opcodes->rows)
            continue;
        ws_table_add(&table, "%" PRIu32, simt->catalog->shaders[i].id);
        ws_table_add(&table, "%s", ws_shader_name(simt->catalog, i));
        ws_table_add(&table, "%s", ws_stage_name(simt->catalog->shaders[i].stage));
        ws_table_add(&table, "%" PRIu64, executed);
        ws_table_add(&table, "%s", tops[i]);
    }
    free(tops);
    return print_table(&table, shown > opcodes->rows ? shown - opcodes->rows : 0, stream);
}

static const char *nothing(const void *results)
{
    const struct opcodes *opcodes = results;
    return opcodes->simt.opcode_instructions > 0 ? NULL : ws_simt_no_instructions(opcodes->simt.catalog);
}

static bool text(const void *results, FILE *stream)
{
    const struct opcodes *opcodes = results;
    if (nothing(results) != NULL) {
        fprintf(stream, "\nOpcode mix: %s\n", nothing(results));
        return true;
    }
    fputs("\nOpcode mix: share of the instructions executed, of all and of each stage\n", stream);
    if (!print_total(opcodes, stream))
        return false;
    fputs("\nOpcodes by shader\n", stream);
    return print_shaders(opcodes, stream);
}

/* The opcodes executed most, with a bar for each stage. */
static bool plots(const void *results, struct ws_plots *pictures, struct ws_error *error)
{
    const struct ws_simt_results *simt = &((const struct opcodes *)results)->simt;
    double shares[STAGES][PLOT_SHOWN];
    char names[PLOT_SHOWN][OPCODE_NAME];
    const char *labels[PLOT_SHOWN];
    struct ws_series series[STAGES];
    uint32_t stages[STAGES];
    const uint32_t stage_count = order_stages(simt, stages);
    uint32_t count = 0;
    uint32_t *rows = ws_groups_sorted(simt->groups, WS_OPCODES_BY_OPCODE, &count);
    if (rows == NULL)
        return ws_error_set(error, "no memory for the pictures");
    count = count < PLOT_SHOWN ? count : PLOT_SHOWN;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(simt->groups, WS_OPCODES_BY_OPCODE, rows[i], &row);
        labels[i] = name_opcode((uint32_t)row.keys[WS_SIMT_OPCODE], names[i]);
        for (uint32_t j = 0; j < stage_count; ++j)
            shares[j][i] = stage_share(simt, stages[j], (uint32_t)row.keys[WS_SIMT_OPCODE]);
    }
    for (uint32_t i = 0; i < stage_count; ++i)
        series[i] =
            (struct ws_series){.name = ws_stage_name(1u << stages[i]), .y = shares[i], .count = count};
    free(rows);
    const struct ws_plot plot = {
        .kind = WS_PLOT_BARS,
        .title = "Opcode mix: the opcodes executed most, by stage",
        .about = "What the instructions of each stage are, by how often they were executed.",
        .unit = " %",
        .y_label = "share of the stage's instructions (%)",
        .labels = labels,
        .series = series,
        .series_count = stage_count};
    return count == 0 || ws_plots_plot(pictures, "mix", &plot, error);
}

static const char *const passes[] = {"simt_efficiency", NULL};

static const char words[] =
    "An instruction counts once for each active lane that executed it: those of the\n"
    "application's own SPIR-V, before the driver made machine code of it and before anything\n"
    "was put into it. OpLoad and OpStore are of variables too, many of which become registers.\n"
    "A share is of all instructions of the same shader, stage or capture.\n";

const struct ws_analysis ws_analysis_opcodes = {
    .name = "opcodes",
    .summary = "the opcode mix: instructions executed of each opcode, per shader, stage and in total",
    .passes = passes,
    .words = words,
    .columns = &ws_opcodes_columns,
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .record = record,
    .end = end,
    .nothing = nothing,
    .text = text,
    .plots = plots,
};
