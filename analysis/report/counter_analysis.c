/* Analyses of counters (warpscope/counter_analysis.h): each declaration of a plug-in becomes columns (columns.h) and an
 * analysis (analysis.h). The callbacks of an analysis are not told which one it is until there are results, so there is a
 * `create` for each place in `taken`. */
#include "analysis/report/plugin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/id_map.h"
#include "warpscope/capture/budget.h"
#include "warpscope/counter_analysis.h"
#include "warpscope/model/names.h"
#include "warpscope/report/analysis.h"

/* Numbers of the dimensions: the bits of enum ws_by. */
enum { STAGE, SHADER, LINE, LAUNCH, OWN, DIMENSIONS };

#define FIGURES_MAX 16

/* A source line: its text is made when it is shown. */
struct place {
    const char *file;
    uint32_t line;
};

struct results {
    const struct ws_counter_analysis *declared;
    const struct ws_catalog *catalog;
    struct ws_groups *groups;
    struct place *places; /* the key of LINE is the index */
    uint32_t place_count;
    uint32_t place_capacity;
    struct ws_id_map place_ids; /* hash of file and line -> index */
};

/* An analysis that was taken. */
struct taken {
    struct ws_dimension dimensions[DIMENSIONS + 1];
    struct ws_field own_fields[2];
    struct ws_field measures[FIGURES_MAX + 1];
    struct ws_level levels[WS_LEVELS_MAX + 1];
    struct ws_columns columns;
    const char *passes[2];
    struct ws_analysis analysis;
};

static struct taken taken[WS_PLUGIN_ANALYSES_MAX];
static const struct ws_counter_analysis *declared[WS_PLUGIN_ANALYSES_MAX];
static uint32_t taken_count;

/* ---- What it finds ---- */

static void destroy(void *user)
{
    struct results *results = user;
    if (results == NULL)
        return;
    ws_groups_destroy(results->groups);
    ws_id_map_finish(&results->place_ids);
    free(results->places);
    free(results);
}

static void *create(uint32_t index, const struct ws_catalog *catalog,
                    const struct ws_analysis_options *options, struct ws_error *error)
{
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->declared = declared[index];
    results->catalog = catalog;
    results->groups = ws_groups_create(&taken[index].columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    destroy(results);
    return NULL;
}

/* clang-format off */
#define CREATE(index)                                                                                        \
    static void *create_##index(const struct ws_catalog *catalog, const struct ws_analysis_options *options, \
                                struct ws_error *error)                                                      \
    {                                                                                                        \
        return create(index, catalog, options, error);                                                       \
    }
CREATE(0) CREATE(1) CREATE(2) CREATE(3) CREATE(4) CREATE(5) CREATE(6) CREATE(7)
    /* clang-format on */

    static void *(*const creates[])(const struct ws_catalog *, const struct ws_analysis_options *,
                                    struct ws_error *) = {create_0, create_1, create_2, create_3,
                                                          create_4, create_5, create_6, create_7};
_Static_assert(sizeof(creates) / sizeof(creates[0]) == WS_PLUGIN_ANALYSES_MAX, "one for each");

/* The key of a source line; WS_KEY_NONE where it is not known. Files are texts of the catalog, so equal ones have one
 * address. */
static bool find_place(struct results *results, const char *file, uint32_t line, uint64_t *key)
{
    uint32_t index = 0;
    *key = WS_KEY_NONE;
    if (file == NULL || line == 0)
        return true;
    for (uint64_t hash = (uint64_t)(uintptr_t)file * 31 + line;; ++hash) {
        if (!ws_id_map_get(&results->place_ids, hash, &index)) {
            struct place *places = ws_array_grow(results->places, &results->place_capacity,
                                                 results->place_count + 1, sizeof(*places));
            if (places == NULL || !ws_id_map_put(&results->place_ids, hash, results->place_count))
                return false;
            results->places = places;
            places[results->place_count] = (struct place){file, line};
            *key = results->place_count++;
            return true;
        }
        if (results->places[index].line == line && strcmp(results->places[index].file, file) == 0) {
            *key = index;
            return true;
        }
    }
}

static void sum_bins(struct ws_counted *counted)
{
    if (counted->per_thread) {
        counted->executions = counted->active = counted->bins[0];
        return;
    }
    for (uint32_t i = 0; i < counted->bin_count; ++i) {
        counted->executions += counted->bins[i];
        counted->active += (uint64_t)counted->bins[i] * (i + 1);
    }
}

static bool add_fact(struct results *results, const struct ws_counted *counted, uint32_t shader)
{
    uint64_t sums[WS_SUMS_MAX] = {0};
    uint64_t keys[DIMENSIONS] = {ws_key_stage(counted->stage), shader, WS_KEY_NONE, counted->launch,
                                 WS_KEY_NONE};
    uint64_t own = 0;
    if (!results->declared->count(counted, sums, &own))
        return true;
    if (results->declared->own != NULL && own < WS_KEY_SEVERAL)
        keys[OWN] = own;
    return find_place(results, counted->file, counted->line, &keys[LINE]) &&
           ws_groups_add(results->groups, keys, sums);
}

/* The bins of a row: where counters are sampled, the estimate of them, UINT32_MAX where that does not fit. */
static void scale_bins(const struct ws_shader_counters *counters, uint32_t row, uint32_t bins[WS_BINS_MAX])
{
    const uint32_t *words = counters->words + (size_t)(row - counters->row_first) * counters->bins;
    for (uint32_t i = 0; i < counters->bins; ++i) {
        const uint64_t executions = (uint64_t)words[i] * ws_counters_weight(counters);
        bins[i] = executions > UINT32_MAX ? UINT32_MAX : (uint32_t)executions;
    }
}

static bool add_site(struct results *results, uint64_t launch, uint32_t device, uint32_t shader,
                     const struct ws_shader_counters *counters, const struct ws_site_record *site)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    const struct ws_block_record *block = &results->catalog->modules[record->module].blocks[site->info.block];
    const struct ws_entry_record *entry = ws_catalog_entry(results->catalog, shader);
    const bool of_block = site->info.kind == WS_SITE_BLOCK;
    uint32_t bins[WS_BINS_MAX];
    struct ws_counted counted = {
        .launch = launch,
        .shader = record->id,
        .stage = record->stage,
        .tag = site->info.tag,
        .kind = site->info.kind,
        .opcode = site->opcode,
        .block = site->info.block,
        .instruction_count = block->info.instruction_count,
        .file = of_block || site->file == NULL ? block->file : site->file,
        .line = of_block || site->file == NULL ? block->line : site->line,
        .per_thread = entry != NULL && entry->per_thread,
        .bins = bins,
        .bin_count = counters->bins,
    };
    scale_bins(counters, site->info.row, bins);
    counted.lane_count = counted.per_thread ? 1 : results->catalog->devices[device].subgroup_size;
    sum_bins(&counted);
    return add_fact(results, &counted, shader);
}

static bool add_counters(struct results *results, uint64_t launch, uint32_t device,
                         const struct ws_shader_counters *counters)
{
    const uint32_t shader = ws_catalog_shader(results->catalog, counters->shader);
    const struct ws_module_record *module =
        &results->catalog->modules[results->catalog->shaders[shader].module];
    const uint32_t pass = ws_catalog_pass(module, results->declared->pass);
    bool added = true;
    for (uint32_t i = 0; i < module->site_count && pass != WS_NONE && added; ++i) {
        const struct ws_site_info *site = &module->sites[i].info;
        if (site->pass == pass && (site->kind == WS_SITE_BLOCK || site->kind == WS_SITE_COUNT) &&
            site->row >= counters->row_first && site->row - counters->row_first < counters->row_count)
            added = add_site(results, launch, device, shader, counters, &module->sites[i]);
    }
    return added;
}

static bool record(void *user, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct results *results = user;
    if (chunk->type != WS_CHUNK_SUBMISSION)
        return true;
    const uint32_t device = ws_catalog_device(results->catalog, chunk->submission.device);
    for (uint32_t i = 0; i < chunk->submission.launch_count; ++i) {
        const struct ws_launch *launch = &chunk->submission.launches[i];
        for (uint32_t j = 0; j < launch->shader_count; ++j)
            if (!add_counters(results, launch->index, device, &launch->shaders[j]))
                return ws_error_set(error, "no memory for the counters of the capture");
    }
    return true;
}

static const struct ws_groups *groups(const void *user)
{
    return ((const struct results *)user)->groups;
}

/* ---- How it is shown ---- */

static void place_source(const struct ws_row *row, struct ws_value *value)
{
    const struct results *results = row->user;
    const struct place *place = &results->places[row->key];
    ws_value_source(value, place->file, place->line);
}

static const struct ws_field place_fields[] = {
    {"source", "file and line of the source", WS_TEXT, .value = place_source}, {NULL}};

static void own_value(const struct ws_row *row, struct ws_value *value)
{
    const struct results *results = row->user;
    const char *text = results->declared->own_text(row->key);
    if (text != NULL)
        ws_value_text(value, "%.200s", text);
    else
        ws_value_text(value, "%" PRIu64, row->key);
}

static const enum ws_format formats[] = {
    [WS_FIGURE_COUNT] = WS_COUNT,
    [WS_FIGURE_PART] = WS_PART,
    [WS_FIGURE_SHARE] = WS_SHARE,
    [WS_FIGURE_RATIO] = WS_RATIO,
};

static void declare_dimensions(struct taken *into, const struct ws_counter_analysis *from)
{
    const struct ws_dimension usual[] = {
        [STAGE] = {WS_DIMENSION_STAGE},
        [SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << STAGE},
        [LINE] = {.name = "source", .help = "place in the source", .fields = place_fields},
        [LAUNCH] = {WS_DIMENSION_LAUNCH},
    };
    memcpy(into->dimensions, usual, sizeof(usual));
    if (from->own == NULL)
        return;
    into->own_fields[0] =
        (struct ws_field){.name = from->own, .help = from->own_help, .format = WS_TEXT, .value = own_value};
    into->dimensions[OWN] =
        (struct ws_dimension){.name = from->own, .help = from->own_help, .fields = into->own_fields};
}

static void declare(struct taken *into, const struct ws_counter_analysis *from, uint32_t index)
{
    memset(into, 0, sizeof(*into));
    declare_dimensions(into, from);
    for (uint32_t i = 0; i < from->figure_count; ++i)
        into->measures[i] = (struct ws_field){.name = from->figures[i].name,
                                              .help = from->figures[i].help,
                                              .format = formats[from->figures[i].format],
                                              .at = from->figures[i].value * sizeof(uint64_t),
                                              .of = from->figures[i].of * sizeof(uint64_t)};
    for (uint32_t i = 0; i < from->table_count; ++i)
        into->levels[i] = (struct ws_level){.name = from->tables[i].name,
                                            .heading = from->tables[i].heading,
                                            .by = from->tables[i].by,
                                            .text = from->tables[i].fields,
                                            .sort = from->tables[i].sort,
                                            .rows = from->tables[i].rows};
    into->columns = (struct ws_columns){into->dimensions, into->measures, into->levels,
                                        from->sum_count * sizeof(uint64_t)};
    into->passes[0] = from->pass;
    into->analysis = (struct ws_analysis){.name = from->name,
                                          .summary = from->summary,
                                          .passes = into->passes,
                                          .columns = &into->columns,
                                          .words = from->words,
                                          .create = creates[index],
                                          .destroy = destroy,
                                          .record = record,
                                          .groups = groups};
}

/* ---- Whether it fits ---- */

static const char *find_fault(const struct ws_counter_analysis *analysis)
{
    if (analysis->summary == NULL || analysis->pass == NULL || analysis->count == NULL)
        return "it lacks its summary, its pass or its callback";
    if (analysis->own != NULL &&
        (!ws_analysis_plugin_name(analysis->own) || analysis->own_help == NULL || analysis->own_text == NULL))
        return "its own dimension lacks its name, its help or its texts";
    if (analysis->sum_count == 0 || analysis->sum_count > WS_SUMS_MAX)
        return "it has no sums, or more than WS_SUMS_MAX";
    if (analysis->figure_count == 0 || analysis->figure_count > FIGURES_MAX || analysis->figures == NULL)
        return "it has no figures, or more than 16";
    if (analysis->table_count == 0 || analysis->table_count > WS_LEVELS_MAX || analysis->tables == NULL)
        return "it has no tables, or more than 16";
    for (uint32_t i = 0; i < analysis->figure_count; ++i) {
        const struct ws_figure *figure = &analysis->figures[i];
        if (!ws_analysis_plugin_name(figure->name) || figure->help == NULL ||
            (uint32_t)figure->format > WS_FIGURE_RATIO)
            return "a figure lacks its name, its help or its format";
        if (figure->value >= analysis->sum_count || figure->of >= analysis->sum_count)
            return "a figure is of a sum that there is not";
    }
    const uint32_t all = (1u << DIMENSIONS) - 1 - (analysis->own == NULL ? 1u << OWN : 0);
    for (uint32_t i = 0; i < analysis->table_count; ++i) {
        const struct ws_figure_table *table = &analysis->tables[i];
        if (!ws_analysis_plugin_name(table->name) || table->heading == NULL || table->fields == NULL)
            return "a table lacks its name, its heading or its fields";
        if ((table->by & ~all) != 0)
            return "a table groups by what there is not";
    }
    return NULL;
}

static bool check(struct taken *into, const struct ws_counter_analysis *analysis, uint32_t index,
                  const char *path, struct ws_error *error)
{
    struct ws_error wrong = {{0}};
    if (!ws_analysis_plugin_free(analysis != NULL ? analysis->name : NULL, path, error))
        return false;
    const char *fault = find_fault(analysis);
    if (fault == NULL) {
        declare(into, analysis, index);
        if (!ws_columns_check(&into->columns, &wrong))
            fault = wrong.message;
    }
    return fault == NULL ||
           ws_error_set(error, "'%s' has an analysis '%s' that cannot be: %s", path, analysis->name, fault);
}

static bool fits(const struct ws_counter_analysis_plugin *plugin, const char *path, struct ws_error *error)
{
    if (plugin->interface != WS_COUNTER_ANALYSIS_INTERFACE)
        return ws_error_set(error,
                            "'%s' was built for version %u of the interface of analyses of counters, this "
                            "Warpscope has version "
                            "%u: build it with the headers of this one",
                            path, plugin->interface, WS_COUNTER_ANALYSIS_INTERFACE);
    if (plugin->analysis_size != sizeof(struct ws_counter_analysis) ||
        plugin->counted_size > sizeof(struct ws_counted))
        return ws_error_set(
            error, "'%s' was built with other headers than those of this Warpscope: build it with these",
            path);
    if (plugin->analysis_count == 0 || plugin->analyses == NULL)
        return ws_error_set(error, "'%s' has no analyses (WS_COUNTER_ANALYSIS_PLUGIN)", path);
    if (plugin->analysis_count > ws_analysis_plugin_room())
        return ws_error_set(error, "'%s' has more analyses than there is room for (%d of all plug-ins)", path,
                            WS_PLUGIN_ANALYSES_MAX);
    return true;
}

bool ws_counter_analysis_plugin_take(const struct ws_counter_analysis_plugin *plugin, const char *path,
                                     struct ws_error *error)
{
    if (!fits(plugin, path, error))
        return false;
    for (uint32_t i = 0; i < plugin->analysis_count; ++i) {
        const uint32_t index = taken_count + i;
        if (!check(&taken[index], plugin->analyses[i], index, path, error))
            return false;
        declared[index] = plugin->analyses[i];
        for (uint32_t j = 0; j < i; ++j)
            if (strcmp(plugin->analyses[i]->name, plugin->analyses[j]->name) == 0)
                return ws_error_set(error, "'%s' has two analyses '%s'", path, plugin->analyses[i]->name);
    }
    for (uint32_t i = 0; i < plugin->analysis_count; ++i)
        ws_analysis_plugin_add(&taken[taken_count++].analysis);
    return true;
}
