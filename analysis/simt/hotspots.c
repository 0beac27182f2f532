#include "analysis/simt/hotspots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/output/plot.h"
#include "analysis/output/table.h"
#include "analysis/report/analysis.h"
#include "passes/base/array.h"
#include "passes/spirv/code.h"
#include "passes/spirv/sites.h"

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
    }
    free(hotspots->modules);
    free(hotspots->shaders);
    free(hotspots->runs);
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
    bool added = code == NULL || add_blocks(hotspots, module, record, code);
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
    for (uint32_t i = module->block_first[block]; i < module->block_first[block + 1]; ++i, ++*index) {
        struct ws_hotspot_run *runs = hotspots->runs;
        sums->instructions++;
        sums->executed += executions > 0;
        sums->executions = ws_simt_sum(sums->executions, executions);
        sums->most = executions > sums->most ? executions : sums->most;
        if (i > module->block_first[block] &&
            is_same_line(&module->instructions[i - 1], &module->instructions[i])) {
            runs[hotspots->run_count - 1].count++;
            continue;
        }
        runs = ws_array_grow(runs, &hotspots->run_capacity, hotspots->run_count + 1, sizeof(*runs));
        if (runs == NULL)
            return false;
        hotspots->runs = runs;
        runs[hotspots->run_count++] =
            (struct ws_hotspot_run){shader, block, i, 1, *index, executions, doubt, efficiency};
    }
    return true;
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
        for (uint32_t j = 0; entry != NULL && j < entry->block_count && added; ++j)
            added = add_runs(hotspots, i, entry->blocks[j], &index);
        shader->run_count = hotspots->run_count - shader->run_first;
        hotspots->executions = ws_simt_sum(hotspots->executions, shader->executions);
        hotspots->most = shader->most > hotspots->most ? shader->most : hotspots->most;
    }
    return added || ws_error_set(error, "no memory for the instructions of the capture");
}

/* How it is shown. */

#define NAME_SIZE    256
#define ROWS_USUAL   20
#define PROFILE      32 /* characters of a shader's profile */
#define PLOTS_MOST   8  /* shaders with a plot of their own */
#define OPCODES_MOST 3  /* opcodes shown of a run */

struct hotspots_report {
    struct ws_hotspots hotspots;
    uint32_t rows;
};

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    (void)error;
    struct hotspots_report *report = calloc(1, sizeof(*report));
    if (report == NULL)
        return NULL;
    ws_hotspots_begin(&report->hotspots, catalog);
    report->rows = options->rows > 0 ? options->rows : ROWS_USUAL;
    return report;
}

static void destroy(void *results)
{
    struct hotspots_report *report = results;
    ws_hotspots_finish(&report->hotspots);
    free(report);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct hotspots_report *report = results;
    return ws_hotspots_record(&report->hotspots, chunk, error);
}

static bool end(void *results, struct ws_error *error)
{
    struct hotspots_report *report = results;
    return ws_hotspots_end(&report->hotspots, error);
}

static const struct ws_hotspot_instruction *instructions_of(const struct ws_hotspots *hotspots,
                                                            uint32_t shader)
{
    return hotspots->modules[hotspots->simt.catalog->shaders[shader].module].instructions;
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * ((double)part / (double)whole) : 0;
}

static uint64_t cost_of(const struct ws_hotspot_run *run)
{
    return ws_simt_product(run->executions, run->count);
}

/* Indices by a weight, heaviest first; of equal ones in their order. */
struct order {
    uint32_t index;
    uint64_t weight;
};

static int compare_order(const void *left, const void *right)
{
    const struct order *a = left;
    const struct order *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The shaders that ran, those with most executions first. NULL when there is no memory; freed by the caller.
 */
static struct order *order_shaders(const struct ws_hotspots *hotspots, uint32_t *count)
{
    uint32_t shader_count = hotspots->simt.catalog->shader_count;
    struct order *order = calloc((size_t)shader_count + 1, sizeof(*order));
    *count = 0;
    for (uint32_t i = 0; order != NULL && i < shader_count; ++i)
        if (hotspots->shaders[i].executions > 0)
            order[(*count)++] = (struct order){i, hotspots->shaders[i].executions};
    if (order != NULL)
        qsort(order, *count, sizeof(*order), compare_order);
    return order;
}

/* How often the program's instructions were executed, from its first to its last, against the one that was
 * executed most: a bar per character, as high as the most executed instruction in it. */
static void draw_profile(const struct ws_hotspots *hotspots, uint32_t shader, char *text)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct ws_hotspot_shader *sums = &hotspots->shaders[shader];
    uint64_t most[PROFILE] = {0};
    uint32_t width = sums->instructions < PROFILE ? sums->instructions : PROFILE;
    for (uint32_t i = sums->run_first; i < sums->run_first + sums->run_count; ++i) {
        const struct ws_hotspot_run *run = &hotspots->runs[i];
        for (uint64_t j = run->index; j < (uint64_t)run->index + run->count; ++j) {
            uint64_t *bar = &most[j * width / sums->instructions];
            *bar = run->executions > *bar ? run->executions : *bar;
        }
    }
    text[0] = '\0';
    for (uint32_t i = 0; i < width; ++i) {
        double height = sums->most > 0 ? (double)most[i] / (double)sums->most * 8 : 0;
        /* What ran at least once has the lowest bar at least. */
        strcat(text, bars[most[i] == 0 ? 0 : height < 1 ? 1 : (int)(height + 0.5)]);
    }
}

static bool print_shaders(const struct hotspots_report *report, const struct order *order, uint32_t count,
                          FILE *stream)
{
    static const struct ws_column columns[] = {
        {"shader", false},    {"stage", false}, {"program", true}, {"ran", true},
        {"executions", true}, {"share", true},  {"most", true},    {"first to last instruction", false}};
    const struct ws_hotspots *hotspots = &report->hotspots;
    struct ws_table table;
    ws_table_init(&table, columns, 8);
    for (uint32_t i = 0; i < count && i < report->rows; ++i) {
        const struct ws_hotspot_shader *sums = &hotspots->shaders[order[i].index];
        char text[NAME_SIZE];
        ws_catalog_shader_name(hotspots->simt.catalog, order[i].index, text, sizeof(text));
        ws_table_add(&table, "%s", text);
        ws_table_add(&table, "%s", ws_stage_name(hotspots->simt.catalog->shaders[order[i].index].stage));
        ws_table_add(&table, "%" PRIu32, sums->instructions);
        ws_table_add(&table, "%" PRIu32, sums->executed);
        ws_table_add(&table, "%" PRIu64, sums->executions);
        ws_table_add(&table, "%.1f %%", share_of(sums->executions, hotspots->executions));
        ws_table_add(&table, "%" PRIu64, sums->most);
        draw_profile(hotspots, order[i].index, text);
        ws_table_add(&table, "%s", text);
    }
    bool printed = !table.failed;
    if (printed)
        ws_table_print(&table, 2, stream);
    if (count > report->rows)
        fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows all\n", count - report->rows);
    ws_table_finish(&table);
    return printed;
}

static void name_opcode(uint32_t opcode, char *text, size_t size)
{
    const char *name = ws_opcode_name(opcode);
    if (name != NULL)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "Op%" PRIu32, opcode);
}

/* "OpLoad, OpFMul, OpStore +3". */
static void list_opcodes(const struct ws_hotspot_instruction *first, uint32_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count && i < OPCODES_MOST; ++i) {
        char name[64];
        name_opcode(first[i].opcode, name, sizeof(name));
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", name);
    }
    if (count > OPCODES_MOST)
        snprintf(text + used, size - used, " +%" PRIu32, count - OPCODES_MOST);
}

static const char *without_folders(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

static void add_run(struct ws_table *table, const struct ws_hotspots *hotspots,
                    const struct ws_hotspot_run *run)
{
    const struct ws_hotspot_instruction *first = &instructions_of(hotspots, run->shader)[run->first];
    char text[NAME_SIZE];
    ws_table_add(table, "%.1f %%", share_of(cost_of(run), hotspots->executions));
    ws_table_add(table, "%" PRIu64, run->executions);
    if (run->doubt == WS_SIMT_SURE)
        ws_table_add(table, "%.1f %%", 100 * run->efficiency);
    else
        ws_table_add(table, "-");
    ws_catalog_shader_name(hotspots->simt.catalog, run->shader, text, sizeof(text));
    ws_table_add(table, "%s", text);
    if (run->count > 1)
        ws_table_add(table, "%" PRIu32 "-%" PRIu32, run->index, run->index + run->count - 1);
    else
        ws_table_add(table, "%" PRIu32, run->index);
    if (first->file != NULL)
        ws_table_add(table, "%.40s:%" PRIu32, without_folders(first->file), first->line);
    else
        ws_table_add(table, "%s", "");
    list_opcodes(first, run->count, text, sizeof(text));
    ws_table_add(table, "%s", text);
}

static bool print_runs(const struct hotspots_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"share", true},        {"executions", true}, {"efficiency", true}, {"shader", false},
        {"instructions", true}, {"source", false},    {"which are", false}};
    const struct ws_hotspots *hotspots = &report->hotspots;
    struct order *order = calloc((size_t)hotspots->run_count + 1, sizeof(*order));
    struct ws_table table;
    uint32_t count = 0;
    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < hotspots->run_count; ++i)
        if (hotspots->runs[i].executions > 0)
            order[count++] = (struct order){i, cost_of(&hotspots->runs[i])};
    qsort(order, count, sizeof(*order), compare_order);
    ws_table_init(&table, columns, 7);
    for (uint32_t i = 0; i < count && i < report->rows; ++i)
        add_run(&table, hotspots, &hotspots->runs[order[i].index]);
    free(order);
    bool printed = !table.failed;
    if (printed)
        ws_table_print(&table, 2, stream);
    if (count > report->rows)
        fprintf(stream, "  ... and %" PRIu32 " more: --csv and --json hold them all\n", count - report->rows);
    ws_table_finish(&table);
    return printed;
}

static bool text(const void *results, FILE *stream)
{
    const struct hotspots_report *report = results;
    uint32_t count = 0;
    struct order *order = order_shaders(&report->hotspots, &count);
    bool printed = order != NULL;
    if (printed && count == 0) {
        fputs("\nHotspots\n  no instruction was executed, or no module could be parsed\n", stream);
    } else if (printed) {
        fputs("\nHotspots: how often instructions were executed, over each shader's program\n", stream);
        printed = print_shaders(report, order, count, stream);
        fputs("\nHottest instructions, by share of all executed (neighbours of one block and line as one)\n",
              stream);
        printed = printed && print_runs(report, stream);
    }
    free(order);
    return printed;
}

static void add_json_run(cJSON *list, const struct ws_hotspots *hotspots, const struct ws_hotspot_run *run)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    const struct ws_hotspot_instruction *first = &instructions_of(hotspots, run->shader)[run->first];
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[run->shader].module];
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "index", run->index);
    ws_json_integer(object, "instructions", run->count);
    ws_json_integer(object, "offset", first->offset);
    ws_json_integer(object, "block", module->blocks[run->block].info.label);
    if (first->file != NULL) {
        cJSON_AddStringToObject(object, "file", first->file);
        ws_json_integer(object, "line", first->line);
    }
    ws_json_integer(object, "executions", run->executions);
    if (run->doubt == WS_SIMT_SURE)
        cJSON_AddNumberToObject(object, "efficiency", run->efficiency);
    else
        cJSON_AddNullToObject(object, "efficiency");
    cJSON *opcodes = cJSON_AddArrayToObject(object, "opcodes");
    for (uint32_t i = 0; i < run->count; ++i) {
        char name[64];
        name_opcode(first[i].opcode, name, sizeof(name));
        cJSON_AddItemToArray(opcodes, cJSON_CreateString(name));
    }
    cJSON_AddItemToArray(list, object);
}

static bool json(const void *results, cJSON *object)
{
    const struct hotspots_report *report = results;
    const struct ws_hotspots *hotspots = &report->hotspots;
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    ws_json_integer(object, "executions", hotspots->executions);
    ws_json_integer(object, "most", hotspots->most);
    cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        const struct ws_hotspot_shader *sums = &hotspots->shaders[i];
        char name[NAME_SIZE];
        cJSON *shader = cJSON_CreateObject();
        ws_catalog_shader_name(catalog, i, name, sizeof(name));
        ws_json_integer(shader, "id", catalog->shaders[i].id);
        cJSON_AddStringToObject(shader, "name", name);
        cJSON_AddStringToObject(shader, "stage", ws_stage_name(catalog->shaders[i].stage));
        ws_json_integer(shader, "instructions", sums->instructions);
        ws_json_integer(shader, "executed", sums->executed);
        ws_json_integer(shader, "executions", sums->executions);
        ws_json_integer(shader, "most", sums->most);
        cJSON *runs = cJSON_AddArrayToObject(shader, "runs");
        for (uint32_t j = sums->run_first; j < sums->run_first + sums->run_count; ++j)
            add_json_run(runs, hotspots, &hotspots->runs[j]);
        cJSON_AddItemToArray(shaders, shader);
    }
    return shaders != NULL;
}

static void put_run(const struct ws_hotspots *hotspots, const struct ws_hotspot_run *run, FILE *stream)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    const struct ws_shader_record *shader = &catalog->shaders[run->shader];
    const struct ws_module_record *module = &catalog->modules[shader->module];
    char name[NAME_SIZE];
    ws_catalog_shader_name(catalog, run->shader, name, sizeof(name));
    for (uint32_t i = 0; i < run->count; ++i) {
        const struct ws_hotspot_instruction *at = &instructions_of(hotspots, run->shader)[run->first + i];
        char opcode[64];
        name_opcode(at->opcode, opcode, sizeof(opcode));
        fprintf(stream, "%" PRIu32 ",", shader->id);
        ws_csv_text(stream, name);
        fprintf(stream, ",%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s,", ws_stage_name(shader->stage),
                run->index + i, at->offset, module->blocks[run->block].info.label, opcode);
        ws_csv_text(stream, at->file != NULL ? at->file : "");
        if (at->file != NULL)
            fprintf(stream, ",%" PRIu32, at->line);
        else
            fputc(',', stream);
        fprintf(stream, ",%" PRIu64 ",", run->executions);
        if (run->doubt == WS_SIMT_SURE)
            fprintf(stream, "%.9g", run->efficiency);
        fputc('\n', stream);
    }
}

static bool csv(const void *results, FILE *stream)
{
    const struct hotspots_report *report = results;
    fputs("shader,name,stage,index,offset,block,opcode,file,line,executions,efficiency\n", stream);
    for (uint32_t i = 0; i < report->hotspots.run_count; ++i)
        put_run(&report->hotspots, &report->hotspots.runs[i], stream);
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
            y[j] = scale * (double)run->executions;
        }
    }
    return (struct ws_series){.x = points, .y = y, .count = sums->instructions};
}

/* A shader's own plot. */
static bool plot_shader(const struct ws_hotspots *hotspots, uint32_t shader, struct ws_plots *plots,
                        struct ws_error *error)
{
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    double *points = calloc(2 * (size_t)hotspots->shaders[shader].instructions + 1, sizeof(*points));
    char name[NAME_SIZE];
    char title[NAME_SIZE + 64];
    char file[NAME_SIZE + 16];
    if (points == NULL)
        return false;
    ws_catalog_shader_name(catalog, shader, name, sizeof(name));
    snprintf(title, sizeof(title), "%s (%s): executions of each instruction", name,
             ws_stage_name(catalog->shaders[shader].stage));
    snprintf(file, sizeof(file), "%" PRIu32 "-%s", catalog->shaders[shader].id, name);
    const struct ws_series series = make_series(hotspots, shader, 0, 1, points);
    const struct ws_plot plot = {.kind = WS_PLOT_STEPS,
                                 .title = title,
                                 .x_label = "instruction of the program, from the first to the last",
                                 .y_label = "executions by threads",
                                 .series = &series,
                                 .series_count = 1};
    bool plotted = ws_plots_plot(plots, file, &plot, error);
    free(points);
    return plotted;
}

/* All programs, one behind the other, relative to the instruction executed most: figure 3.14 of the paper. */
static bool plot_programs(const struct ws_hotspots *hotspots, const struct order *order, uint32_t count,
                          struct ws_plots *plots, struct ws_error *error)
{
    size_t instructions = 0;
    for (uint32_t i = 0; i < count; ++i)
        instructions += hotspots->shaders[order[i].index].instructions;
    double *points = calloc(2 * instructions + 1, sizeof(*points));
    struct ws_series *series = calloc((size_t)count + 1, sizeof(*series));
    char(*names)[NAME_SIZE] = calloc((size_t)count + 1, sizeof(*names));
    bool plotted = points != NULL && series != NULL && names != NULL;
    size_t x = 0;
    for (uint32_t i = 0; i < count && plotted; ++i) {
        uint32_t shader = order[i].index;
        series[i] = make_series(hotspots, shader, (double)x, 100.0 / (double)hotspots->most, points + 2 * x);
        ws_catalog_shader_name(hotspots->simt.catalog, shader, names[i], sizeof(names[i]));
        series[i].name = names[i];
        x += hotspots->shaders[shader].instructions;
    }
    const struct ws_plot plot = {.kind = WS_PLOT_STEPS,
                                 .title = "Hotspots: executions of each instruction of every shader",
                                 .x_label = "instruction, shader after shader",
                                 .y_label = "executions, relative to the most (%)",
                                 .series = series,
                                 .series_count = count,
                                 .y_max = 100};
    plotted = plotted && ws_plots_plot(plots, "all", &plot, error);
    free(points);
    free(series);
    free(names);
    return plotted;
}

static bool plots(const void *results, struct ws_plots *pictures, struct ws_error *error)
{
    const struct hotspots_report *report = results;
    uint32_t count = 0;
    struct order *order = order_shaders(&report->hotspots, &count);
    bool plotted = order != NULL;
    if (plotted && count > 0)
        plotted = plot_programs(&report->hotspots, order, count, pictures, error);
    for (uint32_t i = 0; i < count && i < PLOTS_MOST && plotted; ++i)
        plotted = plot_shader(&report->hotspots, order[i].index, pictures, error);
    free(order);
    return plotted;
}

static const char *const passes[] = {"simt_efficiency", NULL};

extern const struct ws_analysis ws_analysis_hotspots;

const struct ws_analysis ws_analysis_hotspots = {
    .name = "hotspots",
    .summary = "where the instructions went: executions of each instruction of each shader",
    .passes = passes,
    .csv_help = "  shader, name, stage  of the shader: its id, name and stage\n"
                "  index                of the instruction in the shader's program, from 0\n"
                "  offset               of the instruction in the module, in words\n"
                "  block                label id of its block\n"
                "  opcode               its name\n"
                "  file, line           where it comes from in the source, if known\n"
                "  executions           sum of active lanes over executions of its block\n"
                "  efficiency           of its block, 0 to 1; empty where it is withheld\n",
    .create = create,
    .destroy = destroy,
    .record = record,
    .end = end,
    .text = text,
    .json = json,
    .csv = csv,
    .plots = plots,
};
