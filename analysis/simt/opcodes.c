#include "analysis/simt/opcodes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/output/plot.h"
#include "analysis/output/table.h"
#include "analysis/report/analysis.h"
#include "passes/spirv/code.h"

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

/* How it is shown. */

#define NAME_SIZE    256
#define OPCODE_NAME  64
#define ROWS_USUAL   20
#define STAGES_SHOWN 6  /* stages with a column of their own */
#define TOP_SHOWN    3  /* opcodes told of each shader */
#define PLOT_SHOWN   16 /* opcodes in a plot */

struct opcodes_report {
    struct ws_opcodes opcodes;
    uint32_t rows;
};

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    (void)error;
    struct opcodes_report *report = calloc(1, sizeof(*report));
    if (report == NULL)
        return NULL;
    ws_opcodes_begin(&report->opcodes, catalog);
    report->rows = options->rows > 0 ? options->rows : ROWS_USUAL;
    return report;
}

static void destroy(void *results)
{
    struct opcodes_report *report = results;
    ws_opcodes_finish(&report->opcodes);
    free(report);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct opcodes_report *report = results;
    return ws_opcodes_record(&report->opcodes, chunk, error);
}

static bool end(void *results, struct ws_error *error)
{
    struct opcodes_report *report = results;
    return ws_opcodes_end(&report->opcodes, error);
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

/* The stages that ran, those with most instructions first: numbers of their bits. Returns how many. */
static uint32_t order_stages(const struct ws_opcodes *opcodes, uint32_t order[WS_STAGE_COUNT])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i) {
        uint32_t at = count;
        if (opcodes->stages[i].count == 0)
            continue;
        for (; at > 0 && opcodes->stages[order[at - 1]].instructions < opcodes->stages[i].instructions; --at)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    return count;
}

static bool print_total(const struct opcodes_report *report, FILE *stream)
{
    struct ws_column columns[3 + STAGES_SHOWN] = {{"opcode", false}, {"instructions", true}, {"share", true}};
    const struct ws_opcodes *opcodes = &report->opcodes;
    uint32_t stages[WS_STAGE_COUNT];
    uint32_t stage_count = order_stages(opcodes, stages);
    uint32_t count = opcodes->total.count < report->rows ? opcodes->total.count : report->rows;
    struct ws_table table;
    stage_count = stage_count < STAGES_SHOWN ? stage_count : STAGES_SHOWN;
    for (uint32_t i = 0; i < stage_count; ++i)
        columns[3 + i] = (struct ws_column){ws_stage_name(1u << stages[i]), true};
    ws_table_init(&table, columns, 3 + stage_count);
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_simt_opcode *opcode = &opcodes->total.opcodes[i];
        char name[OPCODE_NAME];
        ws_table_add(&table, "%s", name_opcode(opcode->opcode, name));
        ws_table_add(&table, "%" PRIu64, opcode->instructions);
        ws_table_add(&table, "%.1f %%", 100 * ws_opcode_share(&opcodes->total, opcode->opcode));
        for (uint32_t j = 0; j < stage_count; ++j)
            ws_table_add(&table, "%.1f %%",
                         100 * ws_opcode_share(&opcodes->stages[stages[j]], opcode->opcode));
    }
    bool printed = !table.failed;
    if (printed)
        ws_table_print(&table, 2, stream);
    if (opcodes->total.count > count)
        fprintf(stream, "  ... and %" PRIu32 " more: --csv and --json hold them all\n",
                opcodes->total.count - count);
    ws_table_finish(&table);
    return printed;
}

/* "OpLoad 26.7 %, OpStore 12.0 %, ...". */
static void list_top(const struct ws_opcode_mix *mix, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < mix->count && i < TOP_SHOWN; ++i) {
        char name[OPCODE_NAME];
        double share = (double)mix->opcodes[i].instructions / (double)mix->instructions;
        used += (size_t)snprintf(text + used, size - used, "%s%s %.1f %%", i > 0 ? ", " : "",
                                 name_opcode(mix->opcodes[i].opcode, name), 100 * share);
    }
}

static bool print_shaders(const struct opcodes_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"shader", false}, {"stage", false}, {"instructions", true}, {"most executed opcodes", false}};
    const struct ws_opcodes *opcodes = &report->opcodes;
    const struct ws_catalog *catalog = opcodes->simt.catalog;
    struct ws_table table;
    uint32_t shown = 0;
    uint32_t more = 0;
    ws_table_init(&table, columns, 4);
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        char text[NAME_SIZE];
        if (opcodes->shaders[i].count == 0)
            continue;
        if (shown++ >= report->rows) {
            more++;
            continue;
        }
        ws_catalog_shader_name(catalog, i, text, sizeof(text));
        ws_table_add(&table, "%s", text);
        ws_table_add(&table, "%s", ws_stage_name(catalog->shaders[i].stage));
        ws_table_add(&table, "%" PRIu64, opcodes->shaders[i].instructions);
        list_top(&opcodes->shaders[i], text, sizeof(text));
        ws_table_add(&table, "%s", text);
    }
    bool printed = !table.failed;
    if (printed)
        ws_table_print(&table, 2, stream);
    if (more > 0)
        fprintf(stream, "  ... and %" PRIu32 " more: --csv and --json hold them all\n", more);
    ws_table_finish(&table);
    return printed;
}

static bool text(const void *results, FILE *stream)
{
    const struct opcodes_report *report = results;
    if (report->opcodes.total.count == 0) {
        fputs("\nOpcode mix\n  no instruction was executed, or no module could be parsed\n", stream);
        return true;
    }
    fputs("\nOpcode mix: share of the instructions executed, of all and of each stage\n", stream);
    if (!print_total(report, stream))
        return false;
    fputs("\nOpcodes by shader\n", stream);
    return print_shaders(report, stream);
}

static void add_json_mix(cJSON *object, const struct ws_opcode_mix *mix)
{
    ws_json_integer(object, "instructions", mix->instructions);
    cJSON *list = cJSON_AddArrayToObject(object, "opcodes");
    for (uint32_t i = 0; i < mix->count; ++i) {
        char name[OPCODE_NAME];
        cJSON *opcode = cJSON_CreateObject();
        ws_json_integer(opcode, "opcode", mix->opcodes[i].opcode);
        cJSON_AddStringToObject(opcode, "name", name_opcode(mix->opcodes[i].opcode, name));
        ws_json_integer(opcode, "instructions", mix->opcodes[i].instructions);
        cJSON_AddNumberToObject(opcode, "share",
                                (double)mix->opcodes[i].instructions / (double)mix->instructions);
        cJSON_AddItemToArray(list, opcode);
    }
}

static bool json(const void *results, cJSON *object)
{
    const struct opcodes_report *report = results;
    const struct ws_opcodes *opcodes = &report->opcodes;
    const struct ws_catalog *catalog = opcodes->simt.catalog;
    add_json_mix(cJSON_AddObjectToObject(object, "total"), &opcodes->total);
    cJSON *stages = cJSON_AddArrayToObject(object, "stages");
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i) {
        if (opcodes->stages[i].count == 0)
            continue;
        cJSON *stage = cJSON_CreateObject();
        cJSON_AddStringToObject(stage, "stage", ws_stage_name(1u << i));
        add_json_mix(stage, &opcodes->stages[i]);
        cJSON_AddItemToArray(stages, stage);
    }
    cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        char name[NAME_SIZE];
        cJSON *shader = cJSON_CreateObject();
        ws_catalog_shader_name(catalog, i, name, sizeof(name));
        ws_json_integer(shader, "id", catalog->shaders[i].id);
        cJSON_AddStringToObject(shader, "name", name);
        cJSON_AddStringToObject(shader, "stage", ws_stage_name(catalog->shaders[i].stage));
        add_json_mix(shader, &opcodes->shaders[i]);
        cJSON_AddItemToArray(shaders, shader);
    }
    return shaders != NULL;
}

/* The lines of one mix. `id` is empty where the level has none. */
static void put_mix(const char *level, const char *id, const char *name, const char *stage,
                    const struct ws_opcode_mix *mix, FILE *stream)
{
    for (uint32_t i = 0; i < mix->count; ++i) {
        char opcode[OPCODE_NAME];
        fprintf(stream, "%s,%s,", level, id);
        ws_csv_text(stream, name);
        fprintf(stream, ",%s,%" PRIu32 ",%s,%" PRIu64 ",%.9g\n", stage, mix->opcodes[i].opcode,
                name_opcode(mix->opcodes[i].opcode, opcode), mix->opcodes[i].instructions,
                (double)mix->opcodes[i].instructions / (double)mix->instructions);
    }
}

static bool csv(const void *results, FILE *stream)
{
    const struct opcodes_report *report = results;
    const struct ws_opcodes *opcodes = &report->opcodes;
    const struct ws_catalog *catalog = opcodes->simt.catalog;
    fputs("level,id,name,stage,opcode,opcode_name,instructions,share\n", stream);
    put_mix("total", "", "", "", &opcodes->total, stream);
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i)
        put_mix("stage", "", "", ws_stage_name(1u << i), &opcodes->stages[i], stream);
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        char name[NAME_SIZE];
        char id[16];
        ws_catalog_shader_name(catalog, i, name, sizeof(name));
        snprintf(id, sizeof(id), "%" PRIu32, catalog->shaders[i].id);
        put_mix("shader", id, name, ws_stage_name(catalog->shaders[i].stage), &opcodes->shaders[i], stream);
    }
    return true;
}

/* The opcodes executed most, with a bar for each stage. */
static bool plots(const void *results, struct ws_plots *pictures, struct ws_error *error)
{
    const struct opcodes_report *report = results;
    const struct ws_opcodes *opcodes = &report->opcodes;
    double shares[WS_STAGE_COUNT][PLOT_SHOWN];
    char names[PLOT_SHOWN][OPCODE_NAME];
    const char *labels[PLOT_SHOWN];
    struct ws_series series[WS_STAGE_COUNT];
    uint32_t stages[WS_STAGE_COUNT];
    uint32_t stage_count = order_stages(opcodes, stages);
    uint32_t count = opcodes->total.count < PLOT_SHOWN ? opcodes->total.count : PLOT_SHOWN;
    for (uint32_t i = 0; i < count; ++i)
        labels[i] = name_opcode(opcodes->total.opcodes[i].opcode, names[i]);
    for (uint32_t i = 0; i < stage_count; ++i) {
        for (uint32_t j = 0; j < count; ++j)
            shares[i][j] =
                100 * ws_opcode_share(&opcodes->stages[stages[i]], opcodes->total.opcodes[j].opcode);
        series[i] =
            (struct ws_series){.name = ws_stage_name(1u << stages[i]), .y = shares[i], .count = count};
    }
    const struct ws_plot plot = {.kind = WS_PLOT_BARS,
                                 .title = "Opcode mix: the opcodes executed most, by stage",
                                 .y_label = "share of the stage's instructions (%)",
                                 .labels = labels,
                                 .series = series,
                                 .series_count = stage_count};
    return count == 0 || ws_plots_plot(pictures, "mix", &plot, error);
}

static const char *const passes[] = {"simt_efficiency", NULL};

extern const struct ws_analysis ws_analysis_opcodes;

const struct ws_analysis ws_analysis_opcodes = {
    .name = "opcodes",
    .summary = "the opcode mix: instructions executed of each opcode, per shader, stage and in total",
    .passes = passes,
    .csv_help = "  level                total, stage or shader\n"
                "  id, name             of the shader\n"
                "  stage                of the stage or shader\n"
                "  opcode, opcode_name  its number and its name\n"
                "  instructions         executed: active lanes x instructions, summed over blocks\n"
                "  share                of all instructions of the level, 0 to 1\n",
    .create = create,
    .destroy = destroy,
    .record = record,
    .end = end,
    .text = text,
    .json = json,
    .csv = csv,
    .plots = plots,
};
