/* How thread paths and compaction are shown: text, JSON, CSV and plots from the same results. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compaction/thread_compaction.h"
#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/output/plot.h"
#include "analysis/output/table.h"
#include "analysis/report/report.h"
#include "passes/spirv/code.h"

#define NAME_SIZE  512
#define PATH_RUNS  24   /* runs of a path in tables */
#define PATH_FULL  4096 /* and in JSON */
#define PLOT_SITES 7    /* besides all of them */

static bool print_table(struct ws_table *table, const char *heading, uint32_t left_out, FILE *stream)
{
    bool printed = !table->failed;
    if (printed && table->cell_count > 0) {
        fprintf(stream, "\n%s\n", heading);
        ws_table_print(table, 2, stream);
        if (left_out > 0)
            fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", left_out);
    }
    ws_table_finish(table);
    return printed;
}

static uint32_t rows_of(const struct ws_compaction_results *results, uint32_t usual)
{
    return results->table_rows > 0 ? results->table_rows : usual;
}

static const struct ws_compaction_plan_module *plan_of(const struct ws_compaction_results *results,
                                                       uint32_t shader)
{
    return results->catalog->modules[results->catalog->shaders[shader].module].compaction;
}

static const struct ws_compaction_plan_entry *entry_of(const struct ws_compaction_results *results,
                                                       const struct ws_compaction_site *site)
{
    return ws_compaction_plan(results->catalog, site->shader);
}

/* Where a place is: its source line, else its word offset. */
static void name_place(const struct ws_compaction_plan_place *place, char *name, size_t size)
{
    const char *slash = place->file != NULL ? strrchr(place->file, '/') : NULL;
    if (place->file != NULL)
        snprintf(name, size, "%.200s:%" PRIu32, slash != NULL ? slash + 1 : place->file, place->line);
    else
        snprintf(name, size, "word %" PRIu32, place->offset);
}

/* The call site, such as "TraceRayKHR at a.rgen:12, called at a.rgen:30". */
static void name_site(const struct ws_compaction_results *results, const struct ws_compaction_site *site,
                      char *name, size_t size)
{
    const struct ws_compaction_plan_module *plan = plan_of(results, site->shader);
    const struct ws_compaction_plan_entry *entry = entry_of(results, site);
    const struct ws_compaction_plan_place *place = &plan->places[entry->slots[site->slot].place];
    const char *opcode = ws_opcode_name(place->opcode);
    char where[NAME_SIZE / 2];
    name_place(place, where, sizeof(where));
    size_t used = (size_t)snprintf(
        name, size, "%s at %s", opcode != NULL && strncmp(opcode, "Op", 2) == 0 ? opcode + 2 : "call", where);
    uint32_t owner = entry->scopes[entry->slots[site->slot].scope].owner;
    while (entry->scopes[owner].call != WS_NONE && used < size) {
        name_place(&plan->places[entry->scopes[owner].call], where, sizeof(where));
        used += (size_t)snprintf(name + used, size - used, ", called at %s", where);
        owner = entry->scopes[entry->scopes[owner].parent].owner;
    }
    ws_text_cut(name);
}

/* Cells for a call site's number and its shader; print_sites says what stands behind the number. */
static void add_site(struct ws_table *table, const struct ws_compaction_results *results, uint32_t site)
{
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, results->sites[site].shader, name, sizeof(name));
    ws_table_add(table, "%" PRIu32, site);
    ws_table_add(table, "%s", name);
}

/* The window of a row of tables, as text. */
static const char *window_text(uint32_t window, char *text, size_t size)
{
    if (window == WS_WINDOW_ALL)
        snprintf(text, size, "all");
    else
        snprintf(text, size, "%" PRIu64, UINT64_C(1) << window);
    return text;
}

static bool print_windows(const struct ws_compaction_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"window", true}, {"warps required", true}, {"warps compacted", true}, {"", false}};
    static const char bar[] = "########################################";
    char text[32];
    struct ws_table table;
    ws_table_init(&table, columns, 4);
    for (uint32_t w = 0; w < WS_WINDOWS; ++w) {
        if (w >= results->window_count && w != WS_WINDOW_ALL)
            continue;
        double saved = ws_compaction_saved(&results->windows, w);
        ws_table_add(&table, "%s", window_text(w, text, sizeof(text)));
        ws_table_add(&table, "%" PRIu64, results->windows.required[w]);
        ws_table_add(&table, "%.1f %%", 100 * saved);
        ws_table_add(&table, "%.*s", (int)((double)(sizeof(bar) - 1) * saved + 0.5), bar);
    }
    return print_table(
        &table,
        "Thread compaction at all call sites: warps required when as many in a row (window) are compacted", 0,
        stream);
}

static void add_saved(struct ws_table *table, const struct ws_windows *windows, uint32_t window)
{
    if (windows->required[0] > 0)
        ws_table_add(table, "%.1f %%", 100 * ws_compaction_saved(windows, window));
    else
        ws_table_add(table, "-");
}

static bool print_sites(const struct ws_compaction_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"number", true}, {"shader", false},   {"threads", true},
                                               {"visits", true}, {"warps", true},     {"in 2", true},
                                               {"in 4", true},   {"in 16", true},     {"in 64", true},
                                               {"in all", true}, {"call site", false}};
    const uint32_t most = rows_of(results, 40);
    struct ws_table table;
    ws_table_init(&table, columns, 11);
    for (uint32_t i = 0; i < results->site_count && i < most; ++i) {
        const struct ws_compaction_figures *figures = &results->sites[i].figures;
        char name[NAME_SIZE];
        name_site(results, &results->sites[i], name, sizeof(name));
        add_site(&table, results, i);
        ws_table_add(&table, "%" PRIu64, figures->threads);
        ws_table_add(&table, "%" PRIu64, figures->active);
        ws_table_add(&table, "%" PRIu64, figures->windows.required[0]);
        add_saved(&table, &figures->windows, 1);
        add_saved(&table, &figures->windows, 2);
        add_saved(&table, &figures->windows, 4);
        add_saved(&table, &figures->windows, 6);
        add_saved(&table, &figures->windows, WS_WINDOW_ALL);
        ws_table_add(&table, "%s", name);
    }
    return print_table(
        &table,
        "Call sites, the warps that visits of them take, and shares saved by windows of 2, 4, 16, 64 and all",
        results->site_count > most ? results->site_count - most : 0, stream);
}

static void add_paths(struct ws_table *table, const struct ws_compaction_figures *figures)
{
    ws_table_add(table, "%" PRIu64, figures->threads);
    ws_table_add(table, "%" PRIu32, figures->paths);
    for (uint32_t i = 0; i < WS_COMPACTION_TOP; ++i)
        if (figures->top[i].threads > 0 && figures->threads > 0)
            ws_table_add(table, "%.2f %%",
                         100 * ((double)figures->top[i].threads / (double)figures->threads));
        else
            ws_table_add(table, "-");
}

#define PATH_COLUMNS                                                                                         \
    {"threads", true}, {"paths", true}, {"1st", true}, {"2nd", true},                                        \
    {                                                                                                        \
        "3rd", true                                                                                          \
    }

static bool print_path_counts(const struct ws_compaction_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"call site", true}, {"shader", false}, PATH_COLUMNS};
    const uint32_t most = rows_of(results, 40);
    struct ws_table table;
    ws_table_init(&table, columns, 7);
    for (uint32_t i = 0; i < results->site_count && i < most; ++i) {
        add_site(&table, results, i);
        add_paths(&table, &results->sites[i].figures);
    }
    for (uint32_t i = 0; i < results->whole_count && i < most; ++i) {
        char name[NAME_SIZE];
        ws_catalog_shader_name(results->catalog, results->wholes[i].shader, name, sizeof(name));
        ws_table_add(&table, "all");
        ws_table_add(&table, "%s", name);
        add_paths(&table, &results->wholes[i].figures);
    }
    return print_table(&table, "Thread paths: how many different ones, and shares of the most frequent",
                       results->site_count > most ? results->site_count - most : 0, stream);
}

static bool print_top_paths(const struct ws_compaction_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"call site", true}, {"shader", false}, {"threads", true}, {"share", true}, {"path", false}};
    const uint32_t most = rows_of(results, 5);
    struct ws_table table;
    ws_table_init(&table, columns, 5);
    for (uint32_t i = 0; i < results->site_count && i < rows_of(results, 40); ++i) {
        uint32_t count = 0;
        const struct ws_path_count *paths = ws_compaction_paths(results, i, &count);
        const uint64_t threads = results->sites[i].figures.threads;
        for (uint32_t j = 0; j < count && j < most; ++j) {
            char *text = ws_path_text(&results->tree, (uint32_t)paths[j].key, PATH_RUNS);
            if (text == NULL) {
                ws_table_finish(&table);
                return false;
            }
            add_site(&table, results, i);
            ws_table_add(&table, "%" PRIu64, paths[j].count);
            ws_table_add(&table, "%.2f %%",
                         threads > 0 ? 100 * ((double)paths[j].count / (double)threads) : 0.0);
            ws_table_add(&table, "%s", text);
            free(text);
        }
    }
    return print_table(
        &table, "Most frequent paths (1 called, 0 passed by, ^ times in a row, | a loop ended)", 0, stream);
}

static bool print_launches(const struct ws_compaction_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"number", true},  {"label", false}, {"call site", true},
                                               {"shader", false}, PATH_COLUMNS,     {"warps", true},
                                               {"in 2", true},    {"in all", true}, {"note", false}};
    const uint32_t most = rows_of(results, 30);
    uint32_t shown = 0;
    struct ws_table table;
    ws_table_init(&table, columns, 13);
    for (uint32_t i = 0; i < results->launch_count; ++i) {
        const struct ws_compaction_launch *launch = &results->launches[i];
        for (uint32_t j = 0; j < launch->row_count && shown < most; ++j, ++shown) {
            const struct ws_compaction_row *row = &results->rows[launch->row_first + j];
            ws_table_add(&table, "%" PRIu64, launch->launch.index);
            ws_table_add(&table, "%s", launch->launch.label);
            add_site(&table, results, row->site);
            add_paths(&table, &row->figures);
            ws_table_add(&table, "%" PRIu64, row->figures.windows.required[0]);
            add_saved(&table, &row->figures.windows, 1);
            add_saved(&table, &row->figures.windows, WS_WINDOW_ALL);
            ws_table_add(&table, "%s", launch->launch.truncated ? "records missing" : "");
        }
    }
    return print_table(&table, "Launches", results->row_count - shown, stream);
}

bool ws_compaction_text(const void *pointer, FILE *stream)
{
    const struct ws_compaction_results *results = pointer;
    if (results->site_count == 0) {
        fprintf(stream, "\nThread compaction\n  %s\n",
                results->launch_count > 0 ? "no shader that was recorded has a call site"
                                          : "no launch was recorded");
        return true;
    }
    return print_windows(results, stream) && print_sites(results, stream) &&
           print_path_counts(results, stream) && print_top_paths(results, stream) &&
           print_launches(results, stream);
}

static bool has_lost_paths(const struct ws_compaction_results *results)
{
    for (uint32_t i = 0; i < results->counts.used; ++i)
        if ((uint32_t)results->counts.slots[i].key == WS_PATH_LOST)
            return true;
    return false;
}

void ws_compaction_notes(const void *pointer, FILE *stream)
{
    const struct ws_compaction_results *results = pointer;
    if (results->rest > 0)
        fprintf(stream,
                "  %" PRIu64
                " warps at call sites with more visits than are kept: not compacted in any window\n",
                results->rest);
    if (results->left_out > 0)
        fprintf(stream, "  %" PRIu64 " call sites by way left out: more than a shader may have here\n",
                results->left_out);
    if (has_lost_paths(results))
        fprintf(stream, "  some thread paths were too many to be told apart, and count as one\n");
}

static void add_json_windows(const struct ws_compaction_results *results, cJSON *object,
                             const struct ws_windows *windows)
{
    cJSON *array = cJSON_AddArrayToObject(object, "windows");
    char text[32];
    for (uint32_t w = 0; w < WS_WINDOWS; ++w) {
        if (w >= results->window_count && w != WS_WINDOW_ALL)
            continue;
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemToArray(array, entry);
        cJSON_AddStringToObject(entry, "window", window_text(w, text, sizeof(text)));
        ws_json_integer(entry, "required", windows->required[w]);
        cJSON_AddNumberToObject(entry, "compacted", ws_compaction_saved(windows, w));
    }
}

static bool add_json_path(const struct ws_compaction_results *results, cJSON *array, uint64_t threads,
                          uint32_t node)
{
    char *text = ws_path_text(&results->tree, node, PATH_FULL);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(array, entry);
    ws_json_integer(entry, "threads", threads);
    cJSON_AddStringToObject(entry, "path", text != NULL ? text : "");
    free(text);
    return text != NULL;
}

static bool add_json_figures(const struct ws_compaction_results *results, cJSON *object,
                             const struct ws_compaction_figures *figures)
{
    bool added = true;
    ws_json_integer(object, "threads", figures->threads);
    ws_json_integer(object, "visits", figures->active);
    ws_json_integer(object, "not_compacted", figures->rest);
    ws_json_integer(object, "paths", figures->paths);
    cJSON *top = cJSON_AddArrayToObject(object, "top");
    for (uint32_t i = 0; i < WS_COMPACTION_TOP && figures->top[i].threads > 0; ++i)
        added = add_json_path(results, top, figures->top[i].threads, figures->top[i].node) && added;
    add_json_windows(results, object, &figures->windows);
    return added;
}

static void add_json_site(const struct ws_compaction_results *results, cJSON *object,
                          const struct ws_compaction_site *site)
{
    const struct ws_compaction_plan_place *place =
        &plan_of(results, site->shader)->places[entry_of(results, site)->slots[site->slot].place];
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, site->shader, name, sizeof(name));
    ws_json_integer(object, "shader", results->catalog->shaders[site->shader].id);
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "stage", ws_stage_name(results->catalog->shaders[site->shader].stage));
    name_site(results, site, name, sizeof(name));
    cJSON_AddStringToObject(object, "call_site", name);
    ws_json_integer(object, "offset", place->offset);
}

static cJSON *append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    return array != NULL && cJSON_AddItemToArray(array, object) ? object : NULL;
}

bool ws_compaction_json(const void *pointer, cJSON *object)
{
    const struct ws_compaction_results *results = pointer;
    bool added = true;
    ws_json_integer(object, "not_compacted", results->rest);
    add_json_windows(results, object, &results->windows);
    cJSON *sites = cJSON_AddArrayToObject(object, "call_sites");
    for (uint32_t i = 0; i < results->site_count; ++i) {
        cJSON *entry = append_object(sites);
        uint32_t count = 0;
        const struct ws_path_count *paths = ws_compaction_paths(results, i, &count);
        ws_json_integer(entry, "site", i);
        add_json_site(results, entry, &results->sites[i]);
        added = add_json_figures(results, entry, &results->sites[i].figures) && added;
        cJSON *list = cJSON_AddArrayToObject(entry, "most_frequent_paths");
        for (uint32_t j = 0; j < count && j < rows_of(results, 100); ++j)
            added = add_json_path(results, list, paths[j].count, (uint32_t)paths[j].key) && added;
    }
    cJSON *wholes = cJSON_AddArrayToObject(object, "shaders");
    for (uint32_t i = 0; i < results->whole_count; ++i) {
        cJSON *entry = append_object(wholes);
        char name[NAME_SIZE];
        ws_catalog_shader_name(results->catalog, results->wholes[i].shader, name, sizeof(name));
        ws_json_integer(entry, "id", results->catalog->shaders[results->wholes[i].shader].id);
        cJSON_AddStringToObject(entry, "name", name);
        ws_json_integer(entry, "threads", results->wholes[i].figures.threads);
        ws_json_integer(entry, "paths", results->wholes[i].figures.paths);
    }
    cJSON *launches = cJSON_AddArrayToObject(object, "launches");
    for (uint32_t i = 0; i < results->launch_count; ++i) {
        const struct ws_compaction_launch *launch = &results->launches[i];
        cJSON *entry = append_object(launches);
        ws_json_integer(entry, "index", launch->launch.index);
        cJSON_AddStringToObject(entry, "label", launch->launch.label);
        ws_json_integer(entry, "warps", launch->warps);
        cJSON_AddBoolToObject(entry, "truncated", launch->launch.truncated);
        cJSON *rows = cJSON_AddArrayToObject(entry, "call_sites");
        for (uint32_t j = 0; j < launch->row_count; ++j) {
            const struct ws_compaction_row *row = &results->rows[launch->row_first + j];
            cJSON *figures = append_object(rows);
            ws_json_integer(figures, "site", row->site);
            added = add_json_figures(results, figures, &row->figures) && added;
        }
    }
    return added && sites != NULL && launches != NULL;
}

const char ws_compaction_csv_help[] =
    "  shader, name, stage      of the shader: its id, name and stage\n"
    "  site, call_site          the number of the call site, and where it is; a row for each window\n"
    "  window                   warps that are looked at together: 1, 2, 4, ... or all\n"
    "  threads, visits          that could come to the call site, and that did, each time anew\n"
    "  required                 warps that the visits need with that window\n"
    "  compacted                share saved of those that windows of 1 need, 0 to 1\n"
    "  paths                    how many different paths threads took\n"
    "  first_share, first_path  of the most frequent one\n";

static bool csv_site(const struct ws_compaction_results *results, const struct ws_compaction_site *site,
                     FILE *stream)
{
    const struct ws_compaction_figures *figures = &site->figures;
    char *path = ws_path_text(&results->tree, figures->top[0].node, PATH_FULL);
    char name[NAME_SIZE];
    char text[32];
    if (path == NULL)
        return false;
    for (uint32_t w = 0; w < WS_WINDOWS; ++w) {
        if (w >= results->window_count && w != WS_WINDOW_ALL)
            continue;
        fprintf(stream, "%" PRIu32 ",", results->catalog->shaders[site->shader].id);
        ws_catalog_shader_name(results->catalog, site->shader, name, sizeof(name));
        ws_csv_text(stream, name);
        fprintf(stream, ",%s,%zu,", ws_stage_name(results->catalog->shaders[site->shader].stage),
                (size_t)(site - results->sites));
        name_site(results, site, name, sizeof(name));
        ws_csv_text(stream, name);
        fprintf(stream, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.9g,%" PRIu32 ",%.9g,",
                window_text(w, text, sizeof(text)), figures->threads, figures->active,
                figures->windows.required[w], ws_compaction_saved(&figures->windows, w), figures->paths,
                figures->threads > 0 ? (double)figures->top[0].threads / (double)figures->threads : 0.0);
        ws_csv_text(stream, path);
        fputc('\n', stream);
    }
    free(path);
    return true;
}

bool ws_compaction_csv(const void *pointer, FILE *stream)
{
    const struct ws_compaction_results *results = pointer;
    bool written = true;
    fputs("shader,name,stage,site,call_site,window,threads,visits,required,compacted,paths,first_share,first_"
          "path\n",
          stream);
    for (uint32_t i = 0; i < results->site_count && written; ++i)
        written = csv_site(results, &results->sites[i], stream);
    return written;
}

/* Figure 3.7: % warps compacted per window; "all" stands one step behind the last window. */
static void fill_series(const struct ws_compaction_results *results, const struct ws_windows *windows,
                        double *values)
{
    uint32_t count = 0;
    for (; count < results->window_count; ++count)
        values[count] = 100 * ws_compaction_saved(windows, count);
    values[count] = 100 * ws_compaction_saved(windows, WS_WINDOW_ALL);
}

/* A call site in few words, as legends have room for: its number, its shader, and where in it. */
static void name_series(const struct ws_compaction_results *results, uint32_t number, char name[NAME_SIZE])
{
    const struct ws_compaction_site *site = &results->sites[number];
    char shader[NAME_SIZE / 4];
    char where[NAME_SIZE / 2];
    ws_catalog_shader_name(results->catalog, site->shader, shader, sizeof(shader));
    name_place(&plan_of(results, site->shader)->places[entry_of(results, site)->slots[site->slot].place],
               where, sizeof(where));
    snprintf(name, NAME_SIZE, "%" PRIu32 ": %s, %s", number, shader, where);
    ws_text_cut(name);
}

bool ws_compaction_plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_compaction_results *results = pointer;
    double values[PLOT_SITES + 1][WS_WINDOWS];
    char names[PLOT_SITES + 1][NAME_SIZE] = {"all call sites"};
    char texts[WS_WINDOWS][32];
    const char *labels[WS_WINDOWS];
    struct ws_series series[PLOT_SITES + 1];
    const uint32_t sites = results->site_count < PLOT_SITES ? results->site_count : PLOT_SITES;
    if (results->site_count == 0)
        return true;
    for (uint32_t w = 0; w <= results->window_count; ++w)
        labels[w] = window_text(w < results->window_count ? w : WS_WINDOW_ALL, texts[w], sizeof(texts[w]));
    fill_series(results, &results->windows, values[0]);
    for (uint32_t i = 0; i < sites; ++i) {
        name_series(results, i, names[i + 1]);
        fill_series(results, &results->sites[i].figures.windows, values[i + 1]);
    }
    for (uint32_t i = 0; i <= sites; ++i)
        series[i] =
            (struct ws_series){.name = names[i], .y = values[i], .count = (size_t)results->window_count + 1};
    const struct ws_plot plot = {.kind = WS_PLOT_BARS,
                                 .title = "Warps compacted, by call site",
                                 .x_label = "compaction window, in consecutive warps (1 is without)",
                                 .y_label = "% of warps saved",
                                 .labels = labels,
                                 .series = series,
                                 .series_count = (size_t)sites + 1};
    return ws_plots_plot(plots, "windows", &plot, error);
}
