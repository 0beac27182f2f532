#include "analysis/simt/warp_entry_exit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/model/simt_counts.h"
#include "warpscope/output/json.h"
#include "warpscope/output/plot.h"
#include "warpscope/passes.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/findings.h"
#include "warpscope/spirv/opcode.h"

#define NAME_SIZE 256

bool ws_warp_entry_exit_begin(struct ws_warp_entry_exit *results, const struct ws_catalog *catalog,
                              const struct ws_view *view, struct ws_error *error)
{
    memset(results, 0, sizeof(*results));
    results->catalog = catalog;
    results->groups = ws_groups_create(&ws_warp_entry_exit_columns, catalog, results, view, error);
    return results->groups != NULL;
}

void ws_warp_entry_exit_finish(struct ws_warp_entry_exit *results)
{
    for (uint32_t i = 0; i < results->module_count; ++i)
        free(results->modules[i].places);
    for (uint32_t i = 0; i < results->shader_count; ++i)
        free(results->shaders[i].places);
    free(results->modules);
    free(results->shaders);
    ws_groups_destroy(results->groups);
    memset(results, 0, sizeof(*results));
}

bool ws_stage_is_started(uint32_t stage)
{
    return (stage & WS_STAGES_RAY_TRACING) == 0 || stage == WS_STAGE_RAYGEN;
}

bool ws_per_entry(const struct ws_crossings *entries, const struct ws_crossings *crossings, double *value)
{
    if (entries->executions == 0)
        return false;
    *value = (double)crossings->executions / (double)entries->executions;
    return true;
}

const char *ws_end_kind_name(enum ws_end_kind kind)
{
    static const char *const names[WS_END_KINDS] = {"return",
                                                    "kill",
                                                    "terminate launch",
                                                    "demote to helper",
                                                    "ignore intersection",
                                                    "terminate ray",
                                                    "emit mesh tasks",
                                                    "unreachable",
                                                    "end",
                                                    "abort"};
    return names[kind];
}

/* Makes modules and shaders as many as the catalog has. */
static bool follow_catalog(struct ws_warp_entry_exit *results)
{
    const struct ws_catalog *catalog = results->catalog;
    if (catalog->module_count > results->module_count) {
        struct ws_exit_module *modules =
            ws_catalog_follow(results->modules, results->module_count, catalog->module_count,
                              catalog->module_capacity, sizeof(*modules));
        if (modules == NULL)
            return false;
        results->modules = modules;
        results->module_count = catalog->module_count;
    }
    if (catalog->shader_count > results->shader_count) {
        struct ws_exit_shader *shaders =
            ws_catalog_follow(results->shaders, results->shader_count, catalog->shader_count,
                              catalog->shader_capacity, sizeof(*shaders));
        if (shaders == NULL)
            return false;
        results->shaders = shaders;
        results->shader_count = catalog->shader_count;
    }
    return true;
}

/* What the pass counts at a site with this tag. False for a tag that is not known. */
static bool read_tag(uint32_t tag, struct ws_exit_place *place)
{
    place->at = WS_EXIT_AT_END;
    place->kind = WS_END_OTHER;
    switch (tag) {
    case WS_TAG_WARP_ENTRY_EXIT_ENTRY: place->at = WS_EXIT_AT_ENTRY; return true;
    case WS_TAG_WARP_ENTRY_EXIT_RETURNED: place->at = WS_EXIT_AT_RETURNED; return true;
    case WS_TAG_WARP_ENTRY_EXIT_REPORT: place->at = WS_EXIT_AT_REPORT; return true;
    case WS_TAG_WARP_ENTRY_EXIT_REPORTED: place->at = WS_EXIT_AT_REPORTED; return true;
    default: break;
    }
    if (tag > WS_TAG_WARP_ENTRY_EXIT_ABORT)
        return false;
    place->kind = (enum ws_end_kind)(tag - WS_TAG_WARP_ENTRY_EXIT_RETURN);
    return true;
}

/* The places that the pass counted in a module. */
static bool take_sites(struct ws_warp_entry_exit *results, uint32_t index)
{
    const struct ws_module_record *record = &results->catalog->modules[index];
    struct ws_exit_module *module = &results->modules[index];
    const uint32_t pass = ws_catalog_pass(record, WS_PASS_WARP_ENTRY_EXIT);
    module->places = calloc((size_t)record->site_count + 1, sizeof(*module->places));
    if (module->places == NULL)
        return false;
    for (uint32_t i = 0; i < record->site_count && pass != WS_NONE; ++i) {
        const struct ws_site_record *site = &record->sites[i];
        struct ws_exit_place place = {.row = site->info.row};
        if (site->info.pass != pass || site->info.kind != WS_SITE_COUNT || !read_tag(site->info.tag, &place))
            continue;
        const bool end = place.at == WS_EXIT_AT_END;
        place.file = end && site->line != 0 ? site->file : NULL;
        place.line = end ? site->line : 0;
        module->has_returned = module->has_returned || place.at == WS_EXIT_AT_RETURNED;
        module->places[module->place_count++] = place;
    }
    return true;
}

static void add(struct ws_crossings *crossings, const struct ws_crossings *more)
{
    crossings->executions = ws_simt_sum(crossings->executions, more->executions);
    crossings->lanes = ws_simt_sum(crossings->lanes, more->lanes);
}

static struct ws_crossings sum_row(const struct ws_shader_counters *counters, uint32_t row, bool per_thread)
{
    const uint32_t *bins = counters->words + (size_t)(row - counters->row_first) * counters->bins;
    const uint64_t weight = ws_counters_weight(counters);
    struct ws_crossings sums = {0, 0};
    if (per_thread)
        return (struct ws_crossings){weight * bins[0], weight * bins[0]};
    for (uint32_t i = 0; i < counters->bins; ++i) {
        sums.executions += weight * bins[i];
        sums.lanes += weight * bins[i] * (i + 1);
    }
    return sums;
}

static bool is_per_thread(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    return entry != NULL && entry->per_thread;
}

static void init_keys(const struct ws_warp_entry_exit *results, uint32_t shader,
                      uint64_t keys[WS_EXIT_DIMENSIONS])
{
    for (uint32_t i = 0; i < WS_EXIT_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    if (shader == WS_NONE)
        return;
    keys[WS_EXIT_STAGE] = ws_key_stage(results->catalog->shaders[shader].stage);
    keys[WS_EXIT_SHADER] = shader;
}

const struct ws_exit_sums *ws_warp_entry_exit_row(const struct ws_warp_entry_exit *results,
                                                  enum ws_exit_level level, uint64_t key)
{
    uint64_t keys[WS_EXIT_DIMENSIONS];
    init_keys(results, level == WS_EXIT_BY_SHADER ? (uint32_t)key : WS_NONE, keys);
    keys[WS_EXIT_LAUNCH] = key;
    return ws_groups_find(results->groups, level, keys);
}

/* The place of a row's sets that belongs to what is counted at `at`; NULL: it has none. */
static struct ws_simt_set_row *set_of(struct ws_exit_sets *sets, enum ws_exit_place_kind at)
{
    switch (at) {
    case WS_EXIT_AT_ENTRY: return &sets->entries;
    case WS_EXIT_AT_END: return &sets->exits;
    case WS_EXIT_AT_RETURNED: return &sets->returns;
    default: return NULL;
    }
}

/* Whether an instruction that the shader reaches puts its threads into other warps. */
static bool reorders(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[shader].module];
    if (catalog->shaders[shader].entry == WS_NONE)
        return false;
    const struct ws_entry_record *entry = &module->entries[catalog->shaders[shader].entry];
    for (uint32_t i = 0; i < entry->call_site_count; ++i)
        if (ws_opcode_reorders((uint16_t)module->call_sites[entry->call_sites[i].call_site].opcode))
            return true;
    return false;
}

/* The sums of a place in one launch: into the shader's, and as a fact. `sets`: NULL where all warps counted. */
static bool add_place(struct ws_warp_entry_exit *results, uint64_t launch, uint32_t index, uint32_t number,
                      const struct ws_crossings *sums, struct ws_exit_sets *sets)
{
    const struct ws_shader_record *record = &results->catalog->shaders[index];
    const struct ws_exit_place *place = &results->modules[record->module].places[number];
    struct ws_exit_shader *shader = &results->shaders[index];
    const bool per_thread = is_per_thread(results->catalog, index);
    const bool started = ws_stage_is_started(record->stage) && !per_thread;
    struct ws_exit_sums fact = {.per_thread = per_thread,
                                .uncounted = !results->modules[record->module].has_returned,
                                .reordered = reorders(results->catalog, index),
                                .sets = sets};
    uint64_t keys[WS_EXIT_DIMENSIONS];
    add(&shader->places[number], sums);
    switch (place->at) {
    case WS_EXIT_AT_ENTRY:
        fact.entries = *sums;
        add(&shader->entries, sums);
        break;
    case WS_EXIT_AT_END:
        fact.exits = *sums;
        add(&shader->exits, sums);
        break;
    case WS_EXIT_AT_RETURNED: fact.returns = *sums; break;
    case WS_EXIT_AT_REPORT:
        fact.report_lanes = sums->lanes;
        shader->report_lanes += sums->lanes;
        break;
    case WS_EXIT_AT_REPORTED:
        fact.reported_lanes = sums->lanes;
        shader->reported_lanes += sums->lanes;
        break;
    }
    init_keys(results, index, keys);
    keys[WS_EXIT_LAUNCH] = launch;
    if (place->at == WS_EXIT_AT_END) {
        keys[WS_EXIT_END] = place->kind;
        keys[WS_EXIT_PLACE] = ws_key_in_shader(index, number);
    }
    /* Rows that do not say which stage or shader they are of are of launched shaders. */
    return ws_groups_add_to(results->groups, keys, &fact, started ? 0 : 1u << WS_EXIT_STAGE, 0);
}

static bool add_counters(struct ws_warp_entry_exit *results, uint64_t launch,
                         const struct ws_shader_counters *counters)
{
    uint32_t index = ws_catalog_shader(results->catalog, counters->shader);
    const struct ws_exit_module *module = &results->modules[results->catalog->shaders[index].module];
    struct ws_exit_shader *shader = &results->shaders[index];
    if (shader->places == NULL)
        shader->places = calloc((size_t)module->place_count + 1, sizeof(*shader->places));
    bool added = shader->places != NULL;
    for (uint32_t i = 0; i < module->place_count && added; ++i) {
        const struct ws_exit_place *place = &module->places[i];
        if (place->row < counters->row_first || place->row - counters->row_first >= counters->row_count)
            continue;
        const struct ws_crossings sums =
            sum_row(counters, place->row, is_per_thread(results->catalog, index));
        const uint32_t weight = ws_counters_weight(counters);
        struct ws_exit_sets sets = {.entries = {{0}, {0}}};
        struct ws_simt_set_row *set = set_of(&sets, place->at);
        if (set != NULL)
            ws_simt_set_row_count(set, counters->group, weight, sums.executions / weight,
                                  sums.lanes / weight);
        added = add_place(results, launch, index, i, &sums, weight > 1 ? &sets : NULL);
    }
    return added;
}

static bool add_launch(struct ws_warp_entry_exit *results, const struct ws_launch *launch)
{
    const struct ws_exit_sums nothing = {.per_thread = 0};
    uint64_t keys[WS_EXIT_DIMENSIONS];
    init_keys(results, WS_NONE, keys);
    keys[WS_EXIT_LAUNCH] = launch->index;
    bool added = ws_groups_add_to(results->groups, keys, &nothing, 1u << WS_EXIT_LAUNCH, 0);
    for (uint32_t i = 0; i < launch->shader_count && added; ++i)
        added = add_counters(results, launch->index, &launch->shaders[i]);
    return added;
}

bool ws_warp_entry_exit_record(struct ws_warp_entry_exit *results, const struct ws_chunk *chunk,
                               struct ws_error *error)
{
    bool recorded = follow_catalog(results);
    if (recorded && chunk->type == WS_CHUNK_SITES)
        recorded = take_sites(results, ws_catalog_module(results->catalog, chunk->sites.module));
    else if (recorded && chunk->type == WS_CHUNK_SUBMISSION)
        for (uint32_t i = 0; i < chunk->submission.launch_count && recorded; ++i)
            recorded = add_launch(results, &chunk->submission.launches[i]);
    return recorded || ws_error_set(error, "no memory for the entries and exits of the capture");
}

/* How it is shown. */

static void end_kind(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = ws_end_kind_name((enum ws_end_kind)row->key);
}

static const struct ws_exit_place *place_of(const struct ws_row *row)
{
    const struct ws_warp_entry_exit *results = row->user;
    return &results->modules[row->catalog->shaders[row->key >> 32].module].places[(uint32_t)row->key];
}

static void place_source(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_exit_place *place = place_of(row);
    ws_value_source(value, place->file, place->line);
}

static void place_file(const struct ws_row *row, struct ws_value *value)
{
    ws_value_file(value, place_of(row)->file);
}

static void place_line(const struct ws_row *row, struct ws_value *value)
{
    if (place_of(row)->file != NULL)
        ws_value_count(value, place_of(row)->line);
}

static const struct ws_field end_fields[] = {
    {"end", "how it ends: return, kill, ignore intersection, ...", WS_TEXT, .value = end_kind}, {NULL}};

static const struct ws_field place_fields[] = {
    {"source", "where it ends in the source", WS_TEXT, .value = place_source},
    {"file", "the same: path of the file as the compiler was given it, if known", WS_TEXT,
     .value = place_file},
    {"line", "line in that file, from 1", WS_COUNT, .value = place_line},
    {NULL}};

static const struct ws_dimension dimensions[] = {
    [WS_EXIT_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_EXIT_STAGE] = {WS_DIMENSION_STAGE},
    [WS_EXIT_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_EXIT_STAGE},
    [WS_EXIT_END] = {"end", "return, kill, ignore intersection, ...", end_fields},
    [WS_EXIT_PLACE] = {"place", "place where a shader ends", place_fields, .shown = "source",
                       .same = "source", .implies = 1u << WS_EXIT_SHADER | 1u << WS_EXIT_END},
    [WS_EXIT_DIMENSIONS] = {NULL},
};

static const struct ws_exit_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

static void runs(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, sums_of(row)->entries.executions + sums_of(row)->exits.executions);
}

static void each(const struct ws_row *row, const struct ws_crossings *crossings, struct ws_value *value)
{
    if (crossings->executions > 0 && sums_of(row)->per_thread == 0)
        ws_value_real(value, (double)crossings->lanes / (double)crossings->executions);
}

static void lanes_in_each(const struct ws_row *row, struct ws_value *value)
{
    each(row, &sums_of(row)->entries, value);
}

static void lanes_out_each(const struct ws_row *row, struct ws_value *value)
{
    each(row, &sums_of(row)->exits, value);
}

/* The same of one end, also where threads are counted. */
static void lanes_each(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_crossings *exits = &sums_of(row)->exits;
    if (exits->executions > 0)
        ws_value_real(value, (double)exits->lanes / (double)exits->executions);
}

static void exits_per_entry(const struct ws_row *row, struct ws_value *value)
{
    double ratio = 0;
    if (sums_of(row)->per_thread == 0 && ws_per_entry(&sums_of(row)->entries, &sums_of(row)->exits, &ratio))
        ws_value_real(value, ratio);
}

/* Whether the row is of one end, and not of a shader or launch. */
static bool is_of_end(const struct ws_row *row)
{
    return row->keys[WS_EXIT_END] != WS_KEY_NONE;
}

/* Whether it is known in how many parts the warps of the row returned. */
static bool has_parts(const struct ws_exit_sums *sums)
{
    return sums->per_thread == 0 && sums->uncounted == 0 && sums->reordered == 0;
}

static void parts_per_entry(const struct ws_row *row, struct ws_value *value)
{
    double ratio = 0;
    if (has_parts(sums_of(row)) && ws_per_entry(&sums_of(row)->entries, &sums_of(row)->returns, &ratio))
        ws_value_real(value, ratio);
}

static void returns(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->uncounted == 0 && !is_of_end(row))
        ws_value_count(value, sums_of(row)->returns.executions);
}

static void lanes_returned(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->uncounted == 0 && !is_of_end(row))
        ws_value_count(value, sums_of(row)->returns.lanes);
}

/* Where counts were lost, more lanes may have come back than reported. */
static uint64_t lanes_ended(uint64_t report_lanes, uint64_t reported_lanes)
{
    return report_lanes > reported_lanes ? report_lanes - reported_lanes : 0;
}

static void ended_by_hit(const struct ws_row *row, struct ws_value *value)
{
    if (!is_of_end(row))
        ws_value_count(value, lanes_ended(sums_of(row)->report_lanes, sums_of(row)->reported_lanes));
}

/* Of the exits of its shader; of all where it is not grouped by shader. */
static void share(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_warp_entry_exit *results = row->user;
    const uint64_t shader = row->keys[WS_EXIT_SHADER];
    uint64_t all = shader < results->shader_count ? results->shaders[shader].exits.executions : 0;
    for (uint32_t i = 0; i < results->shader_count && shader == WS_KEY_NONE; ++i)
        all = ws_simt_sum(all, results->shaders[i].exits.executions);
    if (all > 0)
        ws_value_real(value, (double)sums_of(row)->exits.executions / (double)all);
}

/* Standard errors, of what was sampled. */

/* The sets of what a row has counted at `at`; NULL where nothing was sampled. */
static const struct ws_simt_set_row *sets_at(const struct ws_row *row, enum ws_exit_place_kind at)
{
    return sums_of(row)->sets != NULL ? set_of(sums_of(row)->sets, at) : NULL;
}

static void put_error(const double sets[WS_SAMPLE_GROUPS], struct ws_value *value)
{
    double error = 0;
    const bool known = ws_simt_sets_count_error(sets, &error);
    ws_value_count_error(value, known, error);
}

static void executions_error(const struct ws_row *row, enum ws_exit_place_kind at, struct ws_value *value)
{
    if (sets_at(row, at) != NULL)
        put_error(sets_at(row, at)->executions, value);
}

static void lanes_error(const struct ws_row *row, enum ws_exit_place_kind at, struct ws_value *value)
{
    if (sets_at(row, at) != NULL)
        put_error(sets_at(row, at)->active, value);
}

static void entries_error(const struct ws_row *row, struct ws_value *value)
{
    executions_error(row, WS_EXIT_AT_ENTRY, value);
}

static void lanes_in_error(const struct ws_row *row, struct ws_value *value)
{
    lanes_error(row, WS_EXIT_AT_ENTRY, value);
}

static void exits_error(const struct ws_row *row, struct ws_value *value)
{
    executions_error(row, WS_EXIT_AT_END, value);
}

static void lanes_out_error(const struct ws_row *row, struct ws_value *value)
{
    lanes_error(row, WS_EXIT_AT_END, value);
}

static void returns_error(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->uncounted == 0 && !is_of_end(row))
        executions_error(row, WS_EXIT_AT_RETURNED, value);
}

static void lanes_returned_error(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->uncounted == 0 && !is_of_end(row))
        lanes_error(row, WS_EXIT_AT_RETURNED, value);
}

/* Of lanes / executions. */
static void each_error(const struct ws_row *row, enum ws_exit_place_kind at,
                       const struct ws_crossings *crossings, struct ws_value *value)
{
    const struct ws_simt_set_row *sets = sets_at(row, at);
    if (sets == NULL || crossings->executions == 0 || sums_of(row)->per_thread != 0)
        return;
    double error = 0;
    const bool known =
        ws_simt_sets_share_error(sets->active, sets->executions, (double)crossings->executions,
                                 (double)crossings->lanes / (double)crossings->executions, &error);
    ws_value_error(value, known, error);
}

static void lanes_in_each_error(const struct ws_row *row, struct ws_value *value)
{
    each_error(row, WS_EXIT_AT_ENTRY, &sums_of(row)->entries, value);
}

static void lanes_out_each_error(const struct ws_row *row, struct ws_value *value)
{
    each_error(row, WS_EXIT_AT_END, &sums_of(row)->exits, value);
}

/* Of what is counted at `at`, per entry. */
static void per_entry_error(const struct ws_row *row, enum ws_exit_place_kind at,
                            const struct ws_crossings *crossings, struct ws_value *value)
{
    const struct ws_simt_set_row *entries = sets_at(row, WS_EXIT_AT_ENTRY);
    double ratio = 0;
    if (entries == NULL || !ws_per_entry(&sums_of(row)->entries, crossings, &ratio))
        return;
    double error = 0;
    const bool known = ws_simt_sets_share_error(sets_at(row, at)->executions, entries->executions,
                                                (double)sums_of(row)->entries.executions, ratio, &error);
    ws_value_error(value, known, error);
}

static void parts_per_entry_error(const struct ws_row *row, struct ws_value *value)
{
    if (has_parts(sums_of(row)))
        per_entry_error(row, WS_EXIT_AT_RETURNED, &sums_of(row)->returns, value);
}

static void exits_per_entry_error(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->per_thread == 0)
        per_entry_error(row, WS_EXIT_AT_END, &sums_of(row)->exits, value);
}

static void note(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s",
                  sums_of(row)->per_thread != 0  ? "threads are counted, not warps"
                  : sums_of(row)->reordered != 0 ? "threads are reordered"
                                                 : "");
}

#define AT(member) .at = offsetof(struct ws_exit_sums, member)

static const struct ws_field measures[] = {
    {"entries", "executions of the entry by warps", WS_COUNT, AT(entries.executions)},
    {"lanes_in", "their active lanes", WS_COUNT, AT(entries.lanes)},
    {"lanes_in_each", "lanes_in / entries", WS_RATIO, .flags = WS_DASH, .digits = 1, .value = lanes_in_each,
     .better = WS_BETTER_MORE},
    {"returns", "executions by warps of the place behind main, where lanes that returned meet", WS_COUNT,
     .flags = WS_DASH, .value = returns},
    {"lanes_returned", "their active lanes", WS_COUNT, .flags = WS_DASH, .value = lanes_returned},
    {"parts_per_entry",
     "returns / entries: above 1 warps came apart. Lanes that end early are in no part, so\n"
     "with such ends it is a lower bound; of launched shaders in total and launch",
     WS_RATIO, .flags = WS_DASH, .digits = 3, .value = parts_per_entry, .better = WS_BETTER_LESS},
    {"exits", "executions by warps of all ends, or of this one", WS_COUNT, AT(exits.executions)},
    {"lanes_out", "their active lanes", WS_COUNT, AT(exits.lanes)},
    {"lanes_out_each", "lanes_out / exits", WS_RATIO, .flags = WS_DASH, .digits = 1, .value = lanes_out_each,
     .better = WS_BETTER_MORE},
    {"lanes_each", "the same, also of threads", WS_RATIO, .flags = WS_DASH | WS_TABLES, .digits = 1,
     .value = lanes_each},
    {"exits_per_entry",
     "exits / entries: above 1 lanes of a warp left at different ends, or at one end at\n"
     "different times; of launched shaders in total and launch; nothing where threads are\n"
     "counted, not warps, or nothing entered",
     WS_RATIO, .flags = WS_DASH, .digits = 3, .value = exits_per_entry, .better = WS_BETTER_LESS},
    {"share", "of the shader's exits", WS_SHARE, .value = share},
    {"ended_by_hit",
     "lanes of intersection shaders that ended while they reported: the any-hit shader or\n"
     "the hit ended the ray",
     WS_COUNT, .value = ended_by_hit},
    {"threads_counted", "threads are counted, not warps", WS_FLAG, AT(per_thread), .flags = WS_MAX},
    {"runs", "entries and exits", WS_COUNT, .flags = WS_TABLES, .value = runs},
    {"entries_error", "standard error, where counters were sampled (--sample), of entries", WS_COUNT,
     .value = entries_error},
    {"lanes_in_error", "the same of lanes_in", WS_COUNT, .value = lanes_in_error},
    {"lanes_in_each_error",
     "the same of lanes_in_each; of ratios not known (-)\nwhere all warps drawn were alike", WS_RATIO,
     .value = lanes_in_each_error},
    {"returns_error", "the same of returns", WS_COUNT, .value = returns_error},
    {"lanes_returned_error", "the same of lanes_returned", WS_COUNT, .value = lanes_returned_error},
    {"parts_per_entry_error", "the same of parts_per_entry", WS_RATIO, .value = parts_per_entry_error},
    {"exits_error", "the same of exits", WS_COUNT, .value = exits_error},
    {"lanes_out_error", "the same of lanes_out", WS_COUNT, .value = lanes_out_error},
    {"lanes_out_each_error", "the same of lanes_out_each", WS_RATIO, .value = lanes_out_each_error},
    {"exits_per_entry_error", "the same of exits_per_entry", WS_RATIO, .value = exits_per_entry_error},
    {"note", "whether threads are counted, or reordered", WS_TEXT, "", .flags = WS_TABLES, .value = note},
    {NULL},
};

#define CROSSINGS                                                                                            \
    " entries lanes_in lanes_in_each returns lanes_returned parts_per_entry exits lanes_out lanes_out_each " \
    "exits_per_entry ended_by_hit threads_counted entries_error lanes_in_error lanes_in_each_error "         \
    "returns_error lanes_returned_error parts_per_entry_error exits_error lanes_out_error "                  \
    "lanes_out_each_error exits_per_entry_error"

static const struct ws_level levels[] = {
    [WS_EXIT_BY_ALL] = {"total", .data = CROSSINGS},
    [WS_EXIT_BY_LAUNCH] =
        {"launches", "Launches (launched shaders)", .by = 1u << WS_EXIT_LAUNCH,
         .text = "launch frame launch_kind label entries returns parts_per_entry exits "
                 "exits_per_entry",
         .data = "launch frame submission launch_kind launch_size label subgroup_size" CROSSINGS},
    [WS_EXIT_BY_SHADER] = {"shaders", "Shaders", .by = 1u << WS_EXIT_SHADER, .filter = "runs > 0",
                           .text = "shader stage entries lanes_in_each returns parts_per_entry exits "
                                   "lanes_out_each exits_per_entry note",
                           .data = "shader_id shader stage" CROSSINGS},
    [WS_EXIT_BY_PLACE] =
        {"ends", "Where they end (shares of the shader's exits)", .by = 1u << WS_EXIT_PLACE,
         .filter = "exits > 0", .text = "shader end source exits share lanes_out lanes_each",
         .data = "shader_id shader stage end source file line exits share lanes_out lanes_out_each "
                 "threads_counted exits_error lanes_out_error lanes_out_each_error"},
    {NULL},
};

static bool add_sums(void *to, const void *from)
{
    struct ws_exit_sums *sums = to;
    const struct ws_exit_sums *more = from;
    add(&sums->entries, &more->entries);
    add(&sums->returns, &more->returns);
    add(&sums->exits, &more->exits);
    sums->report_lanes = ws_simt_sum(sums->report_lanes, more->report_lanes);
    sums->reported_lanes = ws_simt_sum(sums->reported_lanes, more->reported_lanes);
    sums->per_thread |= more->per_thread;
    sums->uncounted |= more->uncounted;
    sums->reordered |= more->reordered;
    if (more->sets == NULL)
        return true;
    if (sums->sets == NULL)
        sums->sets = calloc(1, sizeof(*sums->sets));
    if (sums->sets == NULL)
        return false;
    ws_simt_set_row_add(&sums->sets->entries, &more->sets->entries);
    ws_simt_set_row_add(&sums->sets->returns, &more->sets->returns);
    ws_simt_set_row_add(&sums->sets->exits, &more->sets->exits);
    return true;
}

static void finish_sums(void *pointer)
{
    struct ws_exit_sums *sums = pointer;
    free(sums->sets);
    sums->sets = NULL;
}

const struct ws_columns ws_warp_entry_exit_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_exit_sums),
    .add = add_sums,
    .finish = finish_sums,
    .shown = "entries lanes_in_each returns parts_per_entry exits lanes_out_each exits_per_entry note",
    .main = "parts_per_entry exits_per_entry entries"};

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_warp_entry_exit *results = calloc(1, sizeof(*results));
    if (results != NULL && ws_warp_entry_exit_begin(results, catalog, &options->view, error)) {
        results->selection = options->selection;
        return results;
    }
    free(results);
    return NULL;
}

static void destroy(void *results)
{
    ws_warp_entry_exit_finish(results);
    free(results);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_warp_entry_exit_record(results, chunk, error);
}

/* Shaders that did not run are told of too. */
static bool end(void *pointer, struct ws_error *error)
{
    struct ws_warp_entry_exit *results = pointer;
    const struct ws_exit_sums nothing = {.per_thread = 0};
    uint64_t keys[WS_EXIT_DIMENSIONS];
    for (uint32_t i = 0; i < results->catalog->shader_count; ++i) {
        init_keys(results, i, keys);
        if (ws_selection_has_shader(results->selection, i) &&
            !ws_groups_add_to(results->groups, keys, &nothing, 1u << WS_EXIT_SHADER, 0))
            return ws_error_set(error, "no memory for the entries and exits of the capture");
    }
    return true;
}

/* From which number of parts an entry is worth knowing: below it single warps came apart. */
#define LEAST_PARTS 1.02

/* Shaders whose warps came apart, the worst of them by name. */
static bool add_findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_warp_entry_exit *results = pointer;
    double most = LEAST_PARTS;
    uint32_t worst = WS_NONE;
    uint32_t apart = 0;
    for (uint32_t i = 0; i < results->catalog->shader_count; ++i) {
        const struct ws_exit_sums *sums = ws_warp_entry_exit_row(results, WS_EXIT_BY_SHADER, i);
        double parts = 0;
        if (sums == NULL || !has_parts(sums) || !ws_per_entry(&sums->entries, &sums->returns, &parts) ||
            parts < LEAST_PARTS)
            continue;
        apart++;
        worst = parts > most || worst == WS_NONE ? i : worst;
        most = parts > most ? parts : most;
    }
    if (worst == WS_NONE)
        return true;
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .title = "Warps that come apart",
        .place = ws_findings_text(findings, "%s%s", apart > 1 ? "most in " : "",
                                  ws_shader_name(results->catalog, worst)),
        .text = ws_findings_text(
            findings,
            "They return from it in %.2f parts on average: the device runs the lanes of a warp at "
            "different times.",
            most),
    };
    return ws_findings_add(findings, &finding);
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct ws_warp_entry_exit *results = pointer;
    return results->groups;
}

/* What is known of warps that came apart. */
static const char *verdict(const struct ws_exit_sums *all)
{
    if (!has_parts(all))
        return "the capture does not tell whether warps came apart";
    if (all->returns.executions > all->entries.executions)
        return "warps came apart: they returned in more parts than entered";
    if (all->returns.lanes == all->entries.lanes)
        return "each warp returned in one piece";
    return "nothing shows that warps came apart: they did not return in more parts than entered";
}

static void print_total(const struct ws_exit_sums *all, FILE *stream)
{
    double parts = 0;
    double exits = 0;
    if (!ws_per_entry(&all->entries, &all->exits, &exits))
        return;
    ws_per_entry(&all->entries, &all->returns, &parts);
    fprintf(stream, "  %" PRIu64 " warp%s entered launched shaders\n", all->entries.executions,
            ws_plural(all->entries.executions, "s"));
    if (has_parts(all))
        fprintf(stream, "  %" PRIu64 " part%s returned: %.3f per entry\n", all->returns.executions,
                ws_plural(all->returns.executions, "s"), parts);
    fprintf(stream, "  %" PRIu64 " exit%s at all ends: %.3f per entry%s\n  %s\n", all->exits.executions,
            ws_plural(all->exits.executions, "s"), exits,
            exits > 1 ? ", so lanes of a warp left at different ends or times" : "", verdict(all));
}

static bool text(const void *pointer, FILE *stream)
{
    const struct ws_warp_entry_exit *results = pointer;
    uint64_t ended = 0;
    bool any = false;
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        any = any || results->shaders[i].entries.executions > 0 || results->shaders[i].exits.executions > 0;
        ended += lanes_ended(results->shaders[i].report_lanes, results->shaders[i].reported_lanes);
    }
    fputs("\nWarps that enter and leave\n", stream);
    if (!any) {
        fputs("  nothing was counted\n", stream);
        return true;
    }
    print_total(ws_warp_entry_exit_row(results, WS_EXIT_BY_ALL, 0), stream);
    if (ended > 0)
        fprintf(stream,
                "  %" PRIu64
                " lane%s of intersection shaders ended while they reported: the any-hit shader or "
                "the hit ended the ray\n",
                ended, ws_plural(ended, "s"));
    return ws_groups_text_all(results->groups, stream);
}

/* Whether the places of a shader tell which of its lanes a hit ended. */
static bool tells_hits(const struct ws_warp_entry_exit *results, uint32_t shader)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    return record->stage != WS_STAGE_INTERSECTION || results->modules[record->module].has_returned;
}

static void notes(const void *pointer, FILE *stream)
{
    const struct ws_warp_entry_exit *results = pointer;
    uint64_t in = 0;
    uint64_t out = 0;
    uint32_t reordered = 0;
    uint64_t untold = 0; /* lanes of intersection shaders that older captures do not tell the end of */
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        const struct ws_exit_shader *shader = &results->shaders[i];
        const uint64_t left = shader->exits.lanes + lanes_ended(shader->report_lanes, shader->reported_lanes);
        const bool told = tells_hits(results, i) || shader->entries.lanes < left;
        in += shader->entries.lanes;
        out += told ? left : shader->entries.lanes;
        untold += told ? 0 : shader->entries.lanes - left;
        reordered += shader->entries.executions > 0 && reorders(results->catalog, i);
    }
    if (reordered > 0)
        fprintf(stream,
                "  %" PRIu32 " shader%s threads into other warps (reorderThread): in how many parts their "
                "warps return is not known\n",
                reordered, reordered == 1 ? " puts" : "s put");
    if (untold > 0)
        fprintf(stream,
                "  %" PRIu64
                " lane%s of intersection shaders came to no end of their own: a hit may have ended the "
                "ray, which this capture does not count\n",
                untold, ws_plural(untold, "s"));
    if (in != out)
        fprintf(stream,
                "  %" PRIu64 " lane%s entered shaders and %" PRIu64
                " left them: ends or entries were left out, or counts were lost\n",
                in, ws_plural(in, "s"), out);
}

/* Parts and exits, relative to entries ("Vulkan Vision", figure 3.10, has the parts), of the rows of a level that have
 * warps. Bars have the text of `label`, or the number of the launch. */
static bool plot(const struct ws_warp_entry_exit *results, enum ws_exit_level level, struct ws_plot *drawn,
                 const char *name, struct ws_plots *pictures, struct ws_error *error)
{
    const uint32_t rows = ws_groups_count(results->groups, level);
    double *points = calloc(3 * (size_t)rows + 1, sizeof(*points));
    char(*names)[NAME_SIZE] = calloc((size_t)rows + 1, sizeof(*names));
    const char **labels = calloc((size_t)rows + 1, sizeof(*labels));
    size_t count = 0;
    bool has_all_parts = true;
    bool plotted = points != NULL && names != NULL && labels != NULL;
    for (uint32_t i = 0; i < rows && plotted; ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, level, i, &row);
        if (sums_of(&row)->per_thread != 0 ||
            !ws_per_entry(&sums_of(&row)->entries, &sums_of(&row)->exits, &points[(size_t)rows + count]))
            continue;
        ws_per_entry(&sums_of(&row)->entries, &sums_of(&row)->returns, &points[2 * (size_t)rows + count]);
        has_all_parts = has_all_parts && has_parts(sums_of(&row));
        points[count] = (double)row.keys[WS_EXIT_LAUNCH];
        if (level == WS_EXIT_BY_SHADER)
            snprintf(names[count], sizeof(names[count]), "%s",
                     ws_shader_name(results->catalog, (uint32_t)row.keys[WS_EXIT_SHADER]));
        labels[count] = names[count];
        count++;
    }
    if (plotted && count > 0) {
        const double *x = level == WS_EXIT_BY_LAUNCH ? points : NULL;
        const struct ws_series series[] = {{"exits", x, points + rows, count},
                                           {"parts", x, points + 2 * (size_t)rows, count}};
        drawn->kind = WS_PLOT_BARS;
        drawn->about =
            "At 1 a warp that entered the shader together came back together. More parts: it came apart. "
            "More exits: its lanes left at different ends, or at different times.";
        drawn->y_label = "per entry of a warp";
        drawn->labels = level == WS_EXIT_BY_SHADER ? labels : NULL;
        drawn->series = series;
        drawn->series_count = has_all_parts ? 2 : 1;
        plotted = ws_plots_plot(pictures, name, drawn, error);
    }
    free(points);
    free(names);
    free(labels);
    return plotted;
}

static bool plots(const void *results, struct ws_plots *pictures, struct ws_error *error)
{
    struct ws_plot launches = {.title = "Exits and parts of launched shaders for each entry",
                               .x_label = "launch"};
    struct ws_plot shaders = {.title = "Exits and parts of each shader for each entry"};
    return plot(results, WS_EXIT_BY_LAUNCH, &launches, "launches", pictures, error) &&
           plot(results, WS_EXIT_BY_SHADER, &shaders, "shaders", pictures, error);
}

static const char *const passes[] = {"warp_entry_exit", NULL};

const struct ws_analysis ws_analysis_warp_entry_exit = {
    .name = "warp_entry_exit",
    .summary = "whether warps stay together (parts per entry), and where their lanes end",
    .answers = "whether warps stay together",
    .passes = passes,
    .columns = &ws_warp_entry_exit_columns,
    .words = "Parts per entry above 1: warps came apart and returned part by part. Below 1: no lane of\n"
             "some warps returned, since all ended early (kill, ignore intersection, terminate ray); 0.7\n"
             "means that of 10 warps that entered, in 7 a lane came to the end of the shader. Exits per\n"
             "entry above 1: lanes of a warp left at different ends, or at different times.\n",
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .record = record,
    .end = end,
    .findings = add_findings,
    .text = text,
    .notes = notes,
    .plots = plots,
};
