/* How thread compaction is shown: its columns (report/columns.h), and the tables of thread paths. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compaction/thread_compaction.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/output/plot.h"
#include "warpscope/output/table.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/findings.h"

#define NAME_SIZE  512
#define PATH_RUNS  24 /* the most runs of a path in tables */
#define PLOT_SITES 7  /* the most call sites in the plot */

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

/* Where a function is called: the source line if known, else the offset in words. */
static void name_place(const struct ws_compaction_plan_place *place, char *name, size_t size)
{
    if (place->file != NULL)
        snprintf(name, size, "%.200s:%" PRIu32, ws_file_name(place->file), place->line);
    else
        snprintf(name, size, "word %" PRIu32, place->offset);
}

/* The call site, such as "traceRay at a.rgen:12, called at a.rgen:30". */
static void name_site(const struct ws_compaction_results *results, const struct ws_compaction_site *site,
                      char *name, size_t size)
{
    const struct ws_compaction_plan_module *plan = plan_of(results, site->shader);
    const struct ws_compaction_plan_entry *entry = entry_of(results, site);
    const struct ws_compaction_plan_place *place = &plan->places[entry->slots[site->slot].place];
    char where[NAME_SIZE / 2];
    ws_call_name(results->catalog, site->shader, place->offset, name, size);
    size_t used = strlen(name);
    uint32_t owner = entry->scopes[entry->slots[site->slot].scope].owner;
    while (entry->scopes[owner].call != WS_NONE && used < size) {
        name_place(&plan->places[entry->scopes[owner].call], where, sizeof(where));
        used += (size_t)snprintf(name + used, size - used, ", called at %s", where);
        owner = entry->scopes[entry->scopes[owner].parent].owner;
    }
    ws_text_cut(name);
}

/* Adds cells with the number of a call site and its shader. The table of call sites says where it is. */
static void add_site(struct ws_table *table, const struct ws_compaction_results *results, uint32_t site)
{
    ws_table_add(table, "%" PRIu32, site);
    ws_table_add(table, "%s", ws_shader_name(results->catalog, results->sites[site].shader));
}

/* A window as text: how many warps, or "all". */
static const char *window_text(uint32_t window, char *text, size_t size)
{
    if (window == WS_WINDOW_ALL)
        snprintf(text, size, "all");
    else
        snprintf(text, size, "%" PRIu64, UINT64_C(1) << window);
    return text;
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

static bool print_path_counts(const struct ws_compaction_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {{"site", true},  {"shader", false}, {"threads", true},
                                               {"paths", true}, {"1st", true},     {"2nd", true},
                                               {"3rd", true}};
    const uint32_t most = rows_of(results, 40);
    struct ws_table table;
    ws_table_init(&table, columns, 7);
    for (uint32_t i = 0; i < results->site_count && i < most; ++i) {
        add_site(&table, results, i);
        add_paths(&table, &results->sites[i].figures);
    }
    for (uint32_t i = 0; i < results->whole_count && i < most; ++i) {
        ws_table_add(&table, "all");
        ws_table_add(&table, "%s", ws_shader_name(results->catalog, results->wholes[i].shader));
        add_paths(&table, &results->wholes[i].figures);
    }
    return print_table(&table, "Thread paths: how many different ones, and shares of the most frequent",
                       results->site_count > most ? results->site_count - most : 0, stream);
}

static bool print_top_paths(const struct ws_compaction_results *results, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"site", true}, {"shader", false}, {"threads", true}, {"share", true}, {"path", false}};
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
        &table, "Most frequent paths (1 called, 0 passed by, ^ times in a row, | a loop went on)", 0, stream);
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

/* The windows as a list: what each requires; empty if `windows` is NULL. NULL when there is no memory. */
static cJSON *json_windows(const struct ws_compaction_results *results, const struct ws_windows *windows)
{
    cJSON *array = cJSON_CreateArray();
    char text[32];
    for (uint32_t w = 0; w < WS_WINDOWS && windows != NULL; ++w) {
        if (w >= results->window_count && w != WS_WINDOW_ALL)
            continue;
        cJSON *entry = ws_json_append(array, cJSON_CreateObject());
        cJSON_AddStringToObject(entry, "window", window_text(w, text, sizeof(text)));
        ws_json_integer(entry, "required", windows->required[w]);
        ws_json_number(entry, "compacted", ws_compaction_saved(windows, w));
    }
    return array;
}

static bool add_json_path(const struct ws_compaction_results *results, cJSON *array, uint64_t threads,
                          uint32_t node)
{
    char *text = ws_path_text(&results->tree, node, WS_COMPACTION_RUNS);
    cJSON *entry = ws_json_append(array, cJSON_CreateObject());
    ws_json_integer(entry, "threads", threads);
    cJSON_AddStringToObject(entry, "path", text != NULL ? text : "");
    free(text);
    return text != NULL;
}

static int compare_launches(const void *index, const void *element)
{
    const uint64_t sought = *(const uint64_t *)index;
    const struct ws_compaction_launch *launch = element;
    return sought < launch->launch.index ? -1 : sought > launch->launch.index;
}

/* The figures of the row's call site, in the row's launch or in all. NULL if the launch has none. Launches
 * are replayed in the order of their indices. */
static const struct ws_compaction_figures *figures_of(const struct ws_row *row)
{
    const struct ws_compaction_results *results = row->user;
    if (row->keys[WS_COMPACTION_LAUNCH] == WS_KEY_NONE)
        return &results->sites[row->key].figures;
    const struct ws_compaction_launch *launch =
        bsearch(&row->keys[WS_COMPACTION_LAUNCH], results->launches, results->launch_count,
                sizeof(*results->launches), compare_launches);
    for (uint32_t i = 0; launch != NULL && i < launch->row_count; ++i)
        if (results->rows[launch->row_first + i].site == row->key)
            return &results->rows[launch->row_first + i].figures;
    return NULL;
}

static void site_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void site_name(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_compaction_results *results = row->user;
    char name[NAME_SIZE];
    name_site(results, &results->sites[row->key], name, sizeof(name));
    ws_value_text(value, "%s", name);
}

static void site_offset(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_compaction_results *results = row->user;
    const struct ws_compaction_site *site = &results->sites[row->key];
    const uint32_t place = entry_of(results, site)->slots[site->slot].place;
    ws_value_count(value, plan_of(results, site->shader)->places[place].offset);
}

static bool is_path(const struct ws_row *row)
{
    return row->keys[WS_COMPACTION_PATH] != WS_KEY_NONE;
}

static void path_count(const struct ws_row *row, struct ws_value *value)
{
    if (!is_path(row) && figures_of(row) != NULL)
        ws_value_count(value, figures_of(row)->paths);
}

static void top_share(const struct ws_row *row, uint32_t place, struct ws_value *value)
{
    const struct ws_compaction_figures *figures = is_path(row) ? NULL : figures_of(row);
    if (figures != NULL && figures->threads > 0 && figures->top[place].threads > 0)
        ws_value_real(value, (double)figures->top[place].threads / (double)figures->threads);
}

static void first_share(const struct ws_row *row, struct ws_value *value)
{
    top_share(row, 0, value);
}

static void second_share(const struct ws_row *row, struct ws_value *value)
{
    top_share(row, 1, value);
}

static void third_share(const struct ws_row *row, struct ws_value *value)
{
    top_share(row, 2, value);
}

static cJSON *top_json(const struct ws_row *row)
{
    const struct ws_compaction_figures *figures = figures_of(row);
    cJSON *top = cJSON_CreateArray();
    for (uint32_t i = 0; figures != NULL && i < WS_COMPACTION_TOP && figures->top[i].threads > 0; ++i)
        if (!add_json_path(row->user, top, figures->top[i].threads, figures->top[i].node)) {
            cJSON_Delete(top);
            return NULL;
        }
    return top;
}

static cJSON *windows_json(const struct ws_row *row)
{
    const struct ws_compaction_figures *figures = figures_of(row);
    return json_windows(row->user, figures != NULL ? &figures->windows : NULL);
}

static const struct ws_member path_members[] = {
    {"threads", "integer", "threads that took the path"},
    {"path", "string", "1 called, 0 passed by, ^ times in a row, | a loop went on"},
    {NULL}};

static const struct ws_member window_members[] = {
    {"window", "string", "warps in a row that may exchange threads: 1, 2, 4, ... or all"},
    {"required", "integer", "warps that the visits then take"},
    {"compacted", "share", "share of the warps that this saves"},
    {NULL}};

static const struct ws_field site_fields[] = {
    {"site", "number of the call site", WS_COUNT, .value = site_number},
    {"call_site", "its instruction and where that is", WS_TEXT, .value = site_name},
    {"offset", "where the instruction is in the module, in words", WS_COUNT, .value = site_offset},
    {"paths", "different paths of its threads", WS_COUNT, .flags = WS_FIGURE | WS_STEADY,
     .value = path_count},
    {"first_share", "share of threads with the most frequent path", WS_SHARE, .flags = WS_DASH | WS_FIGURE,
     .digits = 2, .value = first_share},
    {"second_share", "share of threads with the second most frequent path", WS_SHARE,
     .flags = WS_DASH | WS_FIGURE, .digits = 2, .value = second_share},
    {"third_share", "share of threads with the third most frequent path", WS_SHARE,
     .flags = WS_DASH | WS_FIGURE, .digits = 2, .value = third_share},
    {"top", "the most frequent paths", .json = top_json, .type = "object[]?", .members = path_members},
    {"windows", "what each window requires", .json = windows_json, .type = "object[]?",
     .members = window_members},
    {NULL}};

static void window_size(const struct ws_row *row, struct ws_value *value)
{
    char text[32];
    ws_value_text(value, "%s", window_text((uint32_t)row->key, text, sizeof(text)));
}

static const struct ws_field window_fields[] = {
    {"window", "warps in a row that may exchange threads: 1, 2, 4, ... or all", WS_TEXT, .flags = WS_RIGHT,
     .value = window_size},
    {NULL}};

static void path_text(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_compaction_results *results = row->user;
    value->kind = WS_VALUE_TEXT;
    value->text = results->path_texts[row->key];
}

static const struct ws_field path_fields[] = {
    {"path", "1 called, 0 passed by, ^ times in a row, | a loop went on", WS_TEXT, .value = path_text},
    {NULL}};

static const struct ws_dimension dimensions[] = {
    [WS_COMPACTION_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_COMPACTION_STAGE] = {WS_DIMENSION_STAGE},
    [WS_COMPACTION_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_COMPACTION_STAGE},
    [WS_COMPACTION_SITE] = {"call_site", "call site, by the way to it", site_fields,
                            .shown = "site call_site", .implies = 1u << WS_COMPACTION_SHADER},
    [WS_COMPACTION_WINDOW] = {"window", "how many warps exchange threads", window_fields},
    [WS_COMPACTION_PATH] = {"path", "path of a thread", path_fields, .implies = 1u << WS_COMPACTION_SITE},
    [WS_COMPACTION_DIMENSIONS] = {NULL},
};

static const struct ws_compaction_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

/* Paths have threads, but no other figures. */
static void count_of_site(const struct ws_row *row, uint64_t count, struct ws_value *value)
{
    if (!is_path(row))
        ws_value_count(value, count);
}

static void visits(const struct ws_row *row, struct ws_value *value)
{
    count_of_site(row, sums_of(row)->active, value);
}

static void warps(const struct ws_row *row, struct ws_value *value)
{
    count_of_site(row, sums_of(row)->warps, value);
}

static void required(const struct ws_row *row, struct ws_value *value)
{
    count_of_site(row, sums_of(row)->required, value);
}

static void not_compacted(const struct ws_row *row, struct ws_value *value)
{
    count_of_site(row, sums_of(row)->rest, value);
}

/* A bar of up to 40 characters. */
static void bar(const struct ws_row *row, struct ws_value *value)
{
    static const char full[] = "########################################";
    const struct ws_compaction_sums *sums = sums_of(row);
    const double saved = sums->warps > 0 ? (double)sums->saved / (double)sums->warps : 0;
    ws_value_text(value, "%.*s", (int)((double)(sizeof(full) - 1) * saved + 0.5), full);
}

static void launched(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->launched > 0)
        ws_value_count(value, sums_of(row)->launched);
}

static void truncated(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, sums_of(row)->truncated);
}

static void note(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", sums_of(row)->truncated != 0 ? "records missing" : "");
}

#define AT(member) .at = offsetof(struct ws_compaction_sums, member)
#define SAVED(place)                                                                                         \
    WS_SHARE, .at = offsetof(struct ws_compaction_sums, saved_in[place]),                                    \
              .of = offsetof(struct ws_compaction_sums, warps), .flags = WS_DASH

static const struct ws_field measures[] = {
    {"threads", "threads that entered the shader of the call site; of a path those that took it", WS_COUNT,
     AT(threads)},
    {"visits", "calls by threads", WS_COUNT, .value = visits},
    {"warps", "warps that the visits require without compaction", WS_COUNT, .value = warps,
     .better = WS_BETTER_LESS},
    {"required", "warps that they require with the window, else with window all", WS_COUNT, .value = required,
     .better = WS_BETTER_LESS},
    {"compacted", "share of warps that the window saves, else window all", WS_SHARE, AT(saved),
     .of = offsetof(struct ws_compaction_sums, warps)},
    {"bar", "the same as a bar", WS_TEXT, "", .flags = WS_TABLES, .value = bar},
    {"in_2", "share of warps saved by windows of 2", SAVED(0)},
    {"in_4", "by windows of 4", SAVED(1)},
    {"in_16", "by windows of 16", SAVED(2)},
    {"in_64", "by windows of 64", SAVED(3)},
    {"in_all", "by a window of all warps", SAVED(4)},
    {"not_compacted", "warps whose visits are beyond what is kept", WS_COUNT, .value = not_compacted},
    {"launched", "warps of the launch, in all stages", WS_COUNT, .value = launched},
    {"truncated", "some records of the launch are missing", WS_FLAG, AT(truncated), .flags = WS_MAX,
     .value = truncated},
    {"note", "what is missing", WS_TEXT, .flags = WS_TABLES, .value = note},
    {NULL},
};

#define LAUNCH "launch frame submission launch_kind launch_size label subgroup_size"
#define SITE   "site call_site shader_id shader stage offset"
#define DATA   " visits warps required compacted"
#define SAVES  " in_2 in_4 in_16 in_64 in_all not_compacted"

static const struct ws_level levels[] = {
    [WS_COMPACTION_BY_ALL] = {"total", .data = "threads" DATA SAVES},
    [WS_COMPACTION_BY_WINDOW] = {"windows",
                                 "Thread compaction at all call sites: warps required when as many in a row "
                                 "(window) are compacted",
                                 .by = 1u << WS_COMPACTION_WINDOW, .rows = UINT32_MAX,
                                 .text = "window required compacted bar", .data = "window" DATA},
    [WS_COMPACTION_BY_SITE] = {"call_sites",
                               "Call sites, the warps that visits of them take, and shares saved by windows "
                               "of 2, 4, 16, 64 and all",
                               .by = 1u << WS_COMPACTION_SITE, .rows = 40,
                               .text = "site shader threads visits warps in_2 in_4 in_16 in_64 in_all "
                                       "call_site",
                               .data = SITE " threads" DATA SAVES
                                            " paths first_share second_share third_share top"},
    [WS_COMPACTION_BY_SITE_WINDOW] = {"call_site_windows",
                                      .by = 1u << WS_COMPACTION_SITE | 1u << WS_COMPACTION_WINDOW,
                                      .data = SITE " window" DATA},
    [WS_COMPACTION_BY_PATH] = {"paths", .by = 1u << WS_COMPACTION_PATH, .data = SITE " path threads"},
    [WS_COMPACTION_BY_LAUNCH] = {"launches", .by = 1u << WS_COMPACTION_LAUNCH,
                                 .data = LAUNCH " launched threads" DATA SAVES " truncated"},
    [WS_COMPACTION_BY_LAUNCH_SITE] = {"launch_call_sites", "Launches",
                                      .by = 1u << WS_COMPACTION_LAUNCH | 1u << WS_COMPACTION_SITE, .rows = 30,
                                      .text =
                                          "launch label site shader threads paths first_share second_share "
                                          "third_share warps in_2 in_all note",
                                      .data = LAUNCH
                                      " " SITE " threads" DATA SAVES
                                      " paths first_share second_share third_share top windows truncated"},
    {NULL},
};

const struct ws_columns ws_compaction_columns = {dimensions,
                                                 measures,
                                                 levels,
                                                 sizeof(struct ws_compaction_sums),
                                                 .shown = "threads visits warps required compacted",
                                                 .main = "compacted required",
                                                 .weight = "required"};

const char ws_compaction_words[] =
    "A thread's path at a call site (a trace, a callable, a ray query's step) has a 1 for\n"
    "each round in which it called, a 0 for each in which it passed by. Visits in the same\n"
    "round of all loops could be made by compacted warps: a window is how many warps in a\n"
    "row may exchange threads, required is how many the visits then take.\n";

/* From which share of the warps at call sites compaction is worth knowing: below it, moving registers costs more. */
#define LEAST_SAVED 0.1

/* The call site where compaction saves most warps, with what it saves at all of them. */
bool ws_compaction_findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_compaction_results *results = pointer;
    const double saved = ws_compaction_saved(&results->windows, WS_WINDOW_ALL);
    uint64_t most = 0;
    uint32_t best = 0;
    char name[NAME_SIZE];
    for (uint32_t i = 0; i < results->site_count; ++i) {
        const uint64_t *required = results->sites[i].figures.windows.required;
        const uint64_t fewer = required[0] - required[WS_WINDOW_ALL];
        best = fewer > most ? i : best;
        most = fewer > most ? fewer : most;
    }
    if (most == 0 || saved < LEAST_SAVED)
        return true;
    name_site(results, &results->sites[best], name, sizeof(name));
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .cause = WS_CAUSE_CALLS,
        .in = results->catalog->shaders[results->sites[best].shader].pipeline,
        .title = "Thread compaction",
        .place = ws_findings_text(findings, "most at %s", name),
        .text = ws_findings_text(
            findings,
            "Compacting warps at call sites could save up to %.0f %% of the warps there (report: "
            "thread_compaction).",
            100 * saved),
    };
    return ws_findings_add(findings, &finding);
}

const char *ws_compaction_nothing(const void *pointer)
{
    const struct ws_compaction_results *results = pointer;
    if (results->site_count > 0)
        return NULL;
    return results->launch_count > 0 ? "no shader that was recorded has a call site"
                                     : "no launch of shaders with call sites was recorded";
}

bool ws_compaction_text(const void *pointer, FILE *stream)
{
    const struct ws_compaction_results *results = pointer;
    if (ws_compaction_nothing(results) != NULL) {
        fprintf(stream, "\nThread compaction: %s\n", ws_compaction_nothing(results));
        return true;
    }
    return ws_groups_text(results->groups, WS_COMPACTION_BY_WINDOW, stream) &&
           ws_groups_text(results->groups, WS_COMPACTION_BY_SITE, stream) &&
           print_path_counts(results, stream) && print_top_paths(results, stream) &&
           ws_groups_text(results->groups, WS_COMPACTION_BY_LAUNCH_SITE, stream);
}

static const struct ws_member shader_members[] = {
    {"shader_id", "integer", "id of the shader"},
    {"shader", "string", "its name"},
    {"threads", "integer", "threads that entered it"},
    {"paths", "integer", "different paths of its threads through all its call sites"},
    {NULL}};

const struct ws_member ws_compaction_members[] = {
    {"shaders", "object[]", "thread paths through all call sites of a shader", shader_members}, {NULL}};

bool ws_compaction_json(const void *pointer, struct ws_json *json)
{
    const struct ws_compaction_results *results = pointer;
    ws_json_open_list(json, "shaders");
    for (uint32_t i = 0; i < results->whole_count; ++i) {
        cJSON *entry = cJSON_CreateObject();
        ws_json_integer(entry, "shader_id", results->catalog->shaders[results->wholes[i].shader].id);
        cJSON_AddStringToObject(entry, "shader", ws_shader_name(results->catalog, results->wholes[i].shader));
        ws_json_integer(entry, "threads", results->wholes[i].figures.threads);
        ws_json_integer(entry, "paths", results->wholes[i].figures.paths);
        ws_json_element(json, entry);
    }
    ws_json_close_list(json);
    return !json->failed;
}

/* Percent of warps compacted per window (Vulkan Vision thesis, figure 3.7); the last value is of all
 * warps. */
static void fill_series(const struct ws_compaction_results *results, const struct ws_windows *windows,
                        double *values)
{
    uint32_t count = 0;
    for (; count < results->window_count; ++count)
        values[count] = 100 * ws_compaction_saved(windows, count);
    values[count] = 100 * ws_compaction_saved(windows, WS_WINDOW_ALL);
}

/* A call site in the few words that a legend has room for: its number, its shader, and where it is. */
static void name_series(const struct ws_compaction_results *results, uint32_t number, char name[NAME_SIZE])
{
    const struct ws_compaction_site *site = &results->sites[number];
    const uint32_t place = entry_of(results, site)->slots[site->slot].place;
    char where[NAME_SIZE / 2];
    ws_call_place(results->catalog, site->shader, plan_of(results, site->shader)->places[place].offset, where,
                  sizeof(where));
    snprintf(name, NAME_SIZE, "%" PRIu32 ": %s, %s", number, ws_shader_name(results->catalog, site->shader),
             where);
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
                                 .about =
                                     "How many warps would be saved if threads that take the same path were "
                                     "packed together before the call, out of so many warps.",
                                 .unit = " %",
                                 .x_label = "compaction window, in consecutive warps (1 is without)",
                                 .y_label = "% of warps saved",
                                 .labels = labels,
                                 .series = series,
                                 .series_count = (size_t)sites + 1};
    return ws_plots_plot(plots, "windows", &plot, error);
}
