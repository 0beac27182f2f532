#include "analysis/simt/warp_entry_exit.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/simt_counts.h"
#include "passes/base/array.h"
#include "warpscope/passes.h"

void ws_entry_exit_begin(struct ws_entry_exit *results, const struct ws_catalog *catalog)
{
    memset(results, 0, sizeof(*results));
    results->catalog = catalog;
}

void ws_entry_exit_finish(struct ws_entry_exit *results)
{
    for (uint32_t i = 0; i < results->module_count; ++i)
        free(results->modules[i].places);
    for (uint32_t i = 0; i < results->shader_count; ++i)
        free(results->shaders[i].places);
    free(results->modules);
    free(results->shaders);
    free(results->launches);
    ws_text_pool_finish(&results->texts);
    memset(results, 0, sizeof(*results));
}

bool ws_stage_is_started(uint32_t stage)
{
    return (stage & WS_STAGES_RAY_TRACING) == 0 || stage == WS_STAGE_RAYGEN;
}

bool ws_exits_per_entry(const struct ws_crossings *entries, const struct ws_crossings *exits, double *value)
{
    if (entries->executions == 0)
        return false;
    *value = (double)exits->executions / (double)entries->executions;
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
                                                    "end"};
    return names[kind];
}

/* Makes modules and shaders as many as the catalog has. */
static bool follow_catalog(struct ws_entry_exit *results)
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

/* The places that the pass counted in a module. */
static bool take_sites(struct ws_entry_exit *results, uint32_t index)
{
    const struct ws_module_record *record = &results->catalog->modules[index];
    struct ws_exit_module *module = &results->modules[index];
    const uint32_t pass = ws_catalog_pass(record, WS_PASS_WARP_ENTRY_EXIT);
    module->places = calloc((size_t)record->site_count + 1, sizeof(*module->places));
    if (module->places == NULL)
        return false;
    for (uint32_t i = 0; i < record->site_count && pass != WS_NONE; ++i) {
        const struct ws_site_record *site = &record->sites[i];
        const uint32_t tag = site->info.tag;
        if (site->info.pass != pass || site->info.kind != WS_SITE_COUNT || tag > WS_TAG_WARP_ENTRY_EXIT_OTHER)
            continue;
        const bool entry = tag == WS_TAG_WARP_ENTRY_EXIT_ENTRY;
        module->places[module->place_count++] = (struct ws_exit_place){
            .row = site->info.row,
            .entry = entry,
            .kind = entry ? WS_END_OTHER : (enum ws_end_kind)(tag - WS_TAG_WARP_ENTRY_EXIT_RETURN),
            .file = !entry && site->line != 0 ? site->file : NULL,
            .line = !entry ? site->line : 0};
    }
    return true;
}

static void add(struct ws_crossings *crossings, const struct ws_crossings *more)
{
    crossings->executions = ws_simt_sum(crossings->executions, more->executions);
    crossings->lanes = ws_simt_sum(crossings->lanes, more->lanes);
}

static struct ws_crossings sum_row(const uint32_t *bins, uint32_t count, bool per_thread)
{
    struct ws_crossings sums = {0, 0};
    if (per_thread)
        return (struct ws_crossings){bins[0], bins[0]};
    for (uint32_t i = 0; i < count; ++i) {
        sums.executions += bins[i];
        sums.lanes += (uint64_t)bins[i] * (i + 1);
    }
    return sums;
}

static bool add_counters(struct ws_entry_exit *results, struct ws_exit_launch *launch,
                         const struct ws_shader_counters *counters)
{
    uint32_t index = ws_catalog_shader(results->catalog, counters->shader);
    const struct ws_shader_record *record = &results->catalog->shaders[index];
    const struct ws_entry_record *entry = ws_catalog_entry(results->catalog, index);
    const struct ws_exit_module *module = &results->modules[record->module];
    struct ws_exit_shader *shader = &results->shaders[index];
    bool per_thread = entry != NULL && entry->per_thread;
    bool started = ws_stage_is_started(record->stage) && !per_thread;
    if (shader->places == NULL)
        shader->places = calloc((size_t)module->place_count + 1, sizeof(*shader->places));
    if (shader->places == NULL)
        return false;
    for (uint32_t i = 0; i < module->place_count; ++i) {
        const struct ws_exit_place *place = &module->places[i];
        if (place->row < counters->row_first || place->row - counters->row_first >= counters->row_count)
            continue;
        const uint32_t *bins = counters->words + (size_t)(place->row - counters->row_first) * counters->bins;
        struct ws_crossings sums = sum_row(bins, counters->bins, per_thread);
        add(&shader->places[i], &sums);
        add(place->entry ? &shader->entries : &shader->exits, &sums);
        if (!place->entry)
            add(&shader->kinds[place->kind], &sums);
        if (!started)
            continue;
        add(place->entry ? &launch->entries : &launch->exits, &sums);
        add(place->entry ? &results->entries : &results->exits, &sums);
    }
    return true;
}

static bool add_launch(struct ws_entry_exit *results, const struct ws_chunk_submission *submission,
                       const struct ws_launch *launch, bool first)
{
    bool continues = first && (submission->flags & WS_SUBMISSION_CONTINUED) != 0 &&
                     results->launch_count > 0 &&
                     results->launches[results->launch_count - 1].index == launch->index;
    if (!continues) {
        struct ws_exit_launch *launches = ws_array_grow(results->launches, &results->launch_capacity,
                                                        results->launch_count + 1, sizeof(*launches));
        if (launches == NULL)
            return false;
        results->launches = launches;
        const char *label = ws_text_pool_add(&results->texts, launch->label);
        if (label == NULL)
            return false;
        launches[results->launch_count++] = (struct ws_exit_launch){
            .index = launch->index, .frame = submission->frame, .kind = launch->kind, .label = label};
    }
    for (uint32_t i = 0; i < launch->shader_count; ++i)
        if (!add_counters(results, &results->launches[results->launch_count - 1], &launch->shaders[i]))
            return false;
    return true;
}

bool ws_entry_exit_record(struct ws_entry_exit *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = follow_catalog(results);
    if (recorded && chunk->type == WS_CHUNK_SITES)
        recorded = take_sites(results, ws_catalog_module(results->catalog, chunk->sites.module));
    else if (recorded && chunk->type == WS_CHUNK_SUBMISSION)
        for (uint32_t i = 0; i < chunk->submission.launch_count && recorded; ++i)
            recorded = add_launch(results, &chunk->submission, &chunk->submission.launches[i], i == 0);
    return recorded || ws_error_set(error, "no memory for the entries and exits of the capture");
}
