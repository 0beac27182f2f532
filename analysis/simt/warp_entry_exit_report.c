/* The kind of report `warps`: entry_exit.h as text, JSON, CSV and plots. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/output/plot.h"
#include "analysis/output/table.h"
#include "analysis/report/analysis.h"
#include "analysis/report/report.h"
#include "analysis/simt/warp_entry_exit.h"

#define NAME_SIZE  256
#define ROWS_USUAL 20

struct warps_report {
    struct ws_entry_exit found;
    uint32_t rows;
};

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    (void)error;
    struct warps_report *report = calloc(1, sizeof(*report));
    if (report == NULL)
        return NULL;
    ws_entry_exit_begin(&report->found, catalog);
    report->rows = options->rows > 0 ? options->rows : ROWS_USUAL;
    return report;
}

static void destroy(void *results)
{
    struct warps_report *report = results;
    ws_entry_exit_finish(&report->found);
    free(report);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct warps_report *report = results;
    return ws_entry_exit_record(&report->found, chunk, error);
}

static bool is_per_thread(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    return entry != NULL && entry->per_thread;
}

static bool has_run(const struct ws_exit_shader *shader)
{
    return shader->entries.executions > 0 || shader->exits.executions > 0;
}

static void add_ratio(struct ws_table *table, const struct ws_crossings *entries,
                      const struct ws_crossings *exits)
{
    double value = 0;
    if (ws_exits_per_entry(entries, exits, &value))
        ws_table_add(table, "%.3f", value);
    else
        ws_table_add(table, "-");
}

static void add_lanes(struct ws_table *table, const struct ws_crossings *crossings)
{
    if (crossings->executions > 0)
        ws_table_add(table, "%.1f", (double)crossings->lanes / (double)crossings->executions);
    else
        ws_table_add(table, "-");
}

/* Prints a table and how many rows it lacks. */
static bool print_table(struct ws_table *table, uint32_t more, FILE *stream)
{
    bool printed = !table->failed;
    if (printed)
        ws_table_print(table, 2, stream);
    if (printed && more > 0)
        fprintf(stream, "  ... and %" PRIu32 " more: --csv and --json hold them all\n", more);
    ws_table_finish(table);
    return printed;
}

static bool print_shaders(const struct warps_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"shader", false}, {"stage", false},     {"entries", true},         {"lanes each", true},
        {"exits", true},   {"lanes each", true}, {"exits per entry", true}, {"", false}};
    const struct ws_entry_exit *found = &report->found;
    struct ws_table table;
    uint32_t shown = 0;
    uint32_t more = 0;
    fputs("\nShaders\n", stream);
    ws_table_init(&table, columns, 8);
    for (uint32_t i = 0; i < found->shader_count; ++i) {
        const struct ws_exit_shader *shader = &found->shaders[i];
        const struct ws_crossings none = {0, 0};
        bool per_thread = is_per_thread(found->catalog, i);
        char name[NAME_SIZE];
        if (!has_run(shader))
            continue;
        if (shown++ >= report->rows) {
            more++;
            continue;
        }
        ws_catalog_shader_name(found->catalog, i, name, sizeof(name));
        ws_table_add(&table, "%s", name);
        ws_table_add(&table, "%s", ws_stage_name(found->catalog->shaders[i].stage));
        ws_table_add(&table, "%" PRIu64, shader->entries.executions);
        add_lanes(&table, per_thread ? &none : &shader->entries);
        ws_table_add(&table, "%" PRIu64, shader->exits.executions);
        add_lanes(&table, per_thread ? &none : &shader->exits);
        add_ratio(&table, per_thread ? &none : &shader->entries, &shader->exits);
        ws_table_add(&table, "%s", per_thread ? "threads are counted, not warps" : "");
    }
    return print_table(&table, more, stream);
}

static bool print_ends(const struct warps_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {{"shader", false},   {"end", false},  {"source", false},
                                               {"exits", true},     {"share", true}, {"lanes", true},
                                               {"lanes each", true}};
    const struct ws_entry_exit *found = &report->found;
    struct ws_table table;
    uint32_t shown = 0;
    uint32_t more = 0;
    fputs("\nWhere they end (shares of the shader's exits)\n", stream);
    ws_table_init(&table, columns, 7);
    for (uint32_t i = 0; i < found->shader_count; ++i) {
        const struct ws_exit_shader *shader = &found->shaders[i];
        const struct ws_exit_module *module = &found->modules[found->catalog->shaders[i].module];
        char name[NAME_SIZE];
        ws_catalog_shader_name(found->catalog, i, name, sizeof(name));
        for (uint32_t j = 0; shader->places != NULL && j < module->place_count; ++j) {
            const struct ws_exit_place *place = &module->places[j];
            const struct ws_crossings *sums = &shader->places[j];
            if (place->entry || sums->executions == 0)
                continue;
            if (shown++ >= report->rows) {
                more++;
                continue;
            }
            ws_table_add(&table, "%s", name);
            ws_table_add(&table, "%s", ws_end_kind_name(place->kind));
            const char *slash = place->file != NULL ? strrchr(place->file, '/') : NULL;
            if (place->file != NULL)
                ws_table_add(&table, "%.40s:%" PRIu32, slash != NULL ? slash + 1 : place->file, place->line);
            else
                ws_table_add(&table, "%s", "");
            ws_table_add(&table, "%" PRIu64, sums->executions);
            ws_table_add(&table, "%.1f %%",
                         100 * ((double)sums->executions / (double)shader->exits.executions));
            ws_table_add(&table, "%" PRIu64, sums->lanes);
            add_lanes(&table, sums);
        }
    }
    return print_table(&table, more, stream);
}

static bool print_launches(const struct warps_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {{"number", true},         {"frame", true},   {"kind", false},
                                               {"label", false},         {"entries", true}, {"exits", true},
                                               {"exits per entry", true}};
    const struct ws_entry_exit *found = &report->found;
    uint32_t count = found->launch_count < report->rows ? found->launch_count : report->rows;
    struct ws_table table;
    fputs("\nLaunches (launched shaders)\n", stream);
    ws_table_init(&table, columns, 7);
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_exit_launch *launch = &found->launches[i];
        ws_table_add(&table, "%" PRIu64, launch->index);
        ws_table_add(&table, "%" PRIu64, launch->frame);
        ws_table_add(&table, "%s", ws_launch_kind_name(launch->kind));
        ws_table_add(&table, "%.40s", launch->label);
        ws_table_add(&table, "%" PRIu64, launch->entries.executions);
        ws_table_add(&table, "%" PRIu64, launch->exits.executions);
        add_ratio(&table, &launch->entries, &launch->exits);
    }
    return print_table(&table, found->launch_count - count, stream);
}

static bool text(const void *results, FILE *stream)
{
    const struct warps_report *report = results;
    const struct ws_entry_exit *found = &report->found;
    double value = 0;
    bool any = false;
    for (uint32_t i = 0; i < found->shader_count; ++i)
        any = any || has_run(&found->shaders[i]);
    fputs("\nWarps that enter and leave\n", stream);
    if (!any) {
        fputs("  nothing was counted\n", stream);
        return true;
    }
    if (ws_exits_per_entry(&found->entries, &found->exits, &value))
        fprintf(stream,
                "  %" PRIu64 " warps entered launched shaders, which were left %" PRIu64
                " times: %.3f exits per entry\n  %s\n",
                found->entries.executions, found->exits.executions, value,
                value > 1 ? "warps were split: they left in more than one part"
                          : "each warp left in one piece");
    return print_launches(report, stream) && print_shaders(report, stream) && print_ends(report, stream);
}

static void notes(const void *results, FILE *stream)
{
    const struct warps_report *report = results;
    uint64_t in = 0;
    uint64_t out = 0;
    for (uint32_t i = 0; i < report->found.shader_count; ++i) {
        in += report->found.shaders[i].entries.lanes;
        out += report->found.shaders[i].exits.lanes;
    }
    if (in != out)
        fprintf(stream,
                "  %" PRIu64 " lanes entered shaders and %" PRIu64
                " left them: ends or entries were left out, or counts were lost\n",
                in, out);
}

static void add_json_crossings(cJSON *object, const char *executions, const char *lanes,
                               const struct ws_crossings *crossings)
{
    ws_json_integer(object, executions, crossings->executions);
    ws_json_integer(object, lanes, crossings->lanes);
}

static void add_json_pair(cJSON *object, const struct ws_crossings *entries, const struct ws_crossings *exits,
                          bool per_thread)
{
    double value = 0;
    add_json_crossings(object, "entries", "lanes_in", entries);
    add_json_crossings(object, "exits", "lanes_out", exits);
    if (!per_thread && ws_exits_per_entry(entries, exits, &value))
        cJSON_AddNumberToObject(object, "exits_per_entry", value);
    else
        cJSON_AddNullToObject(object, "exits_per_entry");
}

static void add_json_shader(cJSON *list, const struct ws_entry_exit *found, uint32_t index)
{
    const struct ws_exit_shader *shader = &found->shaders[index];
    const struct ws_exit_module *module = &found->modules[found->catalog->shaders[index].module];
    cJSON *object = cJSON_CreateObject();
    char name[NAME_SIZE];
    ws_catalog_shader_name(found->catalog, index, name, sizeof(name));
    ws_json_integer(object, "id", found->catalog->shaders[index].id);
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "stage", ws_stage_name(found->catalog->shaders[index].stage));
    cJSON_AddBoolToObject(object, "per_thread", is_per_thread(found->catalog, index));
    add_json_pair(object, &shader->entries, &shader->exits, is_per_thread(found->catalog, index));
    cJSON *ends = cJSON_AddArrayToObject(object, "ends");
    for (uint32_t i = 0; shader->places != NULL && i < module->place_count; ++i) {
        const struct ws_exit_place *place = &module->places[i];
        if (place->entry)
            continue;
        cJSON *end = cJSON_CreateObject();
        cJSON_AddStringToObject(end, "kind", ws_end_kind_name(place->kind));
        if (place->file != NULL) {
            cJSON_AddStringToObject(end, "file", place->file);
            ws_json_integer(end, "line", place->line);
        }
        add_json_crossings(end, "exits", "lanes_out", &shader->places[i]);
        cJSON_AddItemToArray(ends, end);
    }
    cJSON_AddItemToArray(list, object);
}

static bool json(const void *results, cJSON *object)
{
    const struct warps_report *report = results;
    const struct ws_entry_exit *found = &report->found;
    add_json_pair(object, &found->entries, &found->exits, false);
    cJSON *launches = cJSON_AddArrayToObject(object, "launches");
    for (uint32_t i = 0; i < found->launch_count; ++i) {
        cJSON *launch = cJSON_CreateObject();
        ws_json_integer(launch, "index", found->launches[i].index);
        ws_json_integer(launch, "frame", found->launches[i].frame);
        cJSON_AddStringToObject(launch, "label", found->launches[i].label);
        add_json_pair(launch, &found->launches[i].entries, &found->launches[i].exits, false);
        cJSON_AddItemToArray(launches, launch);
    }
    cJSON *shaders = cJSON_AddArrayToObject(object, "shaders");
    for (uint32_t i = 0; i < found->shader_count; ++i)
        add_json_shader(shaders, found, i);
    return shaders != NULL;
}

static void put_numbers(const struct ws_crossings *entries, const struct ws_crossings *exits, bool per_thread,
                        FILE *stream)
{
    double value = 0;
    fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", entries->executions, entries->lanes,
            exits->executions, exits->lanes);
    if (!per_thread && ws_exits_per_entry(entries, exits, &value))
        fprintf(stream, "%.9g", value);
    fputc('\n', stream);
}

static void put_shader(const struct ws_entry_exit *found, uint32_t index, FILE *stream)
{
    const struct ws_exit_shader *shader = &found->shaders[index];
    const struct ws_shader_record *record = &found->catalog->shaders[index];
    const struct ws_exit_module *module = &found->modules[record->module];
    char name[NAME_SIZE];
    ws_catalog_shader_name(found->catalog, index, name, sizeof(name));
    fprintf(stream, "shader,%" PRIu32 ",", record->id);
    ws_csv_text(stream, name);
    fprintf(stream, ",%s,,,", ws_stage_name(record->stage));
    put_numbers(&shader->entries, &shader->exits, is_per_thread(found->catalog, index), stream);
    for (uint32_t i = 0; shader->places != NULL && i < module->place_count; ++i) {
        const struct ws_exit_place *place = &module->places[i];
        if (place->entry)
            continue;
        fprintf(stream, "end,%" PRIu32 ",", record->id);
        ws_csv_text(stream, name);
        fprintf(stream, ",%s,%s,", ws_stage_name(record->stage), ws_end_kind_name(place->kind));
        ws_csv_text(stream, place->file != NULL ? place->file : "");
        if (place->file != NULL)
            fprintf(stream, ",%" PRIu32, place->line);
        else
            fputc(',', stream);
        fprintf(stream, ",,,%" PRIu64 ",%" PRIu64 ",\n", shader->places[i].executions,
                shader->places[i].lanes);
    }
}

static bool csv(const void *results, FILE *stream)
{
    const struct warps_report *report = results;
    const struct ws_entry_exit *found = &report->found;
    fputs("level,id,name,stage,end,file,line,entries,lanes_in,exits,lanes_out,exits_per_entry\ntotal,,,,,,",
          stream);
    put_numbers(&found->entries, &found->exits, false, stream);
    for (uint32_t i = 0; i < found->launch_count; ++i) {
        fprintf(stream, "launch,%" PRIu64 ",", found->launches[i].index);
        ws_csv_text(stream, found->launches[i].label);
        fputs(",,,,", stream);
        put_numbers(&found->launches[i].entries, &found->launches[i].exits, false, stream);
    }
    for (uint32_t i = 0; i < found->shader_count; ++i)
        put_shader(found, i, stream);
    return true;
}

/* Exits beside entries, relative to entries: figure 3.10 of the paper. `count` groups, whose names are
 * `labels`, or their numbers. */
static bool plot(const char *name, const char *title, const char *label, const char *const *labels,
                 const double *x, const double *exits, size_t count, struct ws_plots *pictures,
                 struct ws_error *error)
{
    double *entries = calloc(count + 1, sizeof(*entries));
    if (entries == NULL)
        return false;
    for (size_t i = 0; i < count; ++i)
        entries[i] = 1;
    const struct ws_series series[] = {{"entries", x, entries, count}, {"exits", x, exits, count}};
    const struct ws_plot drawn = {.kind = WS_PLOT_BARS,
                                  .title = title,
                                  .x_label = label,
                                  .y_label = "executions by warps, relative to entries",
                                  .labels = labels,
                                  .series = series,
                                  .series_count = 2};
    bool plotted = count == 0 || ws_plots_plot(pictures, name, &drawn, error);
    free(entries);
    return plotted;
}

static bool plot_launches(const struct ws_entry_exit *found, struct ws_plots *pictures,
                          struct ws_error *error)
{
    double *points = calloc(2 * (size_t)found->launch_count + 1, sizeof(*points));
    size_t count = 0;
    if (points == NULL)
        return false;
    for (uint32_t i = 0; i < found->launch_count; ++i)
        if (ws_exits_per_entry(&found->launches[i].entries, &found->launches[i].exits,
                               &points[found->launch_count + count]))
            points[count++] = (double)found->launches[i].index;
    bool plotted = plot("launches", "Exits of launched shaders for each entry", "launch", NULL, points,
                        points + found->launch_count, count, pictures, error);
    free(points);
    return plotted;
}

static bool plot_shaders(const struct ws_entry_exit *found, struct ws_plots *pictures, struct ws_error *error)
{
    double *exits = calloc((size_t)found->shader_count + 1, sizeof(*exits));
    char(*names)[NAME_SIZE] = calloc((size_t)found->shader_count + 1, sizeof(*names));
    const char **labels = calloc((size_t)found->shader_count + 1, sizeof(*labels));
    size_t count = 0;
    bool plotted = exits != NULL && names != NULL && labels != NULL;
    for (uint32_t i = 0; i < found->shader_count && plotted; ++i)
        if (!is_per_thread(found->catalog, i) &&
            ws_exits_per_entry(&found->shaders[i].entries, &found->shaders[i].exits, &exits[count])) {
            ws_catalog_shader_name(found->catalog, i, names[count], sizeof(names[count]));
            labels[count] = names[count];
            count++;
        }
    plotted = plotted && plot("shaders", "Exits of each shader for each entry", NULL, labels, NULL, exits,
                              count, pictures, error);
    free(exits);
    free(names);
    free(labels);
    return plotted;
}

static bool plots(const void *results, struct ws_plots *pictures, struct ws_error *error)
{
    const struct warps_report *report = results;
    return plot_launches(&report->found, pictures, error) && plot_shaders(&report->found, pictures, error);
}

static const char *const passes[] = {"warp_entry_exit", NULL};

extern const struct ws_analysis ws_analysis_warps;

const struct ws_analysis ws_analysis_warps = {
    .name = "warps",
    .summary = "whether warps leave shaders in one piece: exits per entry, and where they end",
    .passes = passes,
    .csv_help = "  level                total, launch, shader or end\n"
                "  id, name             of the shader, or of the launch its index and label\n"
                "  stage                of the shader\n"
                "  end, file, line      of an end: its kind and where it is in the source, if known\n"
                "  entries, lanes_in    executions of the entry by warps, and their active lanes\n"
                "  exits, lanes_out     the same of all ends, or of this end\n"
                "  exits_per_entry      of launched shaders in total and launch; empty where threads are\n"
                "                       counted, not warps, or nothing entered\n",
    .create = create,
    .destroy = destroy,
    .record = record,
    .text = text,
    .notes = notes,
    .json = json,
    .csv = csv,
    .plots = plots,
};
