#include "tests/model/figures/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/annotate/report_simt.h"
#include "analysis/reorder/reorder.h"
#include "analysis/report/report.h"
#include "analysis/simt/hotspots.h"
#include "analysis/simt/simt_efficiency.h"
#include "analysis/simt/warp_entry_exit.h"
#include "analysis/time/warp_times.h"
#include "analysis/trace/execution_trace.h"
#include "tests/model/figures/compare_calls.h"
#include "tests/model/figures/warp_times.h"
#include "warpscope/reader.h"

struct comparison {
    const struct model_warps *warps;
    const struct model_module *modules;
    const struct model_naive *naive;
    const struct model_visits *visits;
    struct model_reorder *reorder;
    bool shows_calls; /* there are records before and after calls */
    bool agrees;
};

/* Notes a difference, of a figure of a block of a shader. */
static void same(struct comparison *comparison, const char *what, uint32_t shader, uint32_t block,
                 uint64_t found, uint64_t expected)
{
    if (found != expected) {
        printf("%s of shader %u, block %u: %" PRIu64 ", expected %" PRIu64 "\n", what, shader, block, found,
               expected);
        comparison->agrees = false;
    }
}

static bool has(const char *const *passes, uint32_t pass_count, const char *name)
{
    for (uint32_t i = 0; i < pass_count; i++)
        if (strcmp(passes[i], name) == 0)
            return true;
    return false;
}

static uint64_t executions_of(const struct model_histogram *histogram, uint64_t *lanes)
{
    uint64_t executions = 0;
    *lanes = 0;
    for (uint32_t n = 0; n < MODEL_LANES; n++) {
        executions += histogram->counts[n];
        *lanes += (uint64_t)histogram->counts[n] * (n + 1);
    }
    return executions;
}

/* Sums over all blocks. */
struct simt_sums {
    uint64_t active, slots, instructions;
};

static void compare_part(struct comparison *comparison, const struct ws_simt_results *results,
                         uint32_t shader, uint32_t block, uint32_t number, struct simt_sums *sums)
{
    const struct model_part *part = &comparison->modules[shader].places[block].parts[number];
    const struct model_histogram *expected = &comparison->warps->counts[shader].blocks[block][number];
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    uint64_t lanes;
    const uint64_t executions = executions_of(expected, &lanes);
    if (part->index == MODEL_NONE)
        return;
    ws_simt_block(results, comparison->warps->first_shader + shader, part->index, &counts, &histogram);
    same(comparison, "executions", shader, block, counts.warps, executions);
    same(comparison, "active lanes", shader, block, counts.active, lanes);
    same(comparison, "lanes", shader, block, counts.slots, executions * comparison->warps->lanes);
    same(comparison, "instructions", shader, block, counts.instructions, lanes * part->instructions);
    for (uint32_t n = 0; n < histogram.bins; n++)
        same(comparison, "histogram", shader, block, histogram.counts[n], expected->counts[n]);
    sums->active += lanes;
    sums->slots += executions * comparison->warps->lanes;
    sums->instructions += lanes * part->instructions;
}

static void compare_simt(struct comparison *comparison, const struct ws_simt_results *results)
{
    const struct model_program *program = comparison->warps->program;
    struct simt_sums sums = {0};
    for (uint32_t s = 0; s < program->shader_count; s++)
        for (uint32_t b = 0; b < program->shaders[s].block_count; b++)
            for (uint32_t part = 0; part < MODEL_PARTS; part++)
                compare_part(comparison, results, s, b, part, &sums);
    same(comparison, "all active lanes", 0, 0, results->total.counts.active, sums.active);
    same(comparison, "all lanes", 0, 0, results->total.counts.slots, sums.slots);
    same(comparison, "all instructions", 0, 0, results->total.counts.instructions, sums.instructions);
}

/* The part that has this index in the blocks of the instrumented module. */
static uint32_t part_of(const struct model_places *places, uint32_t index)
{
    uint32_t part = 0;
    while (part + 1 < MODEL_PARTS && places->parts[part].index != index)
        part++;
    return part;
}

static void compare_hotspots(struct comparison *comparison, const struct ws_hotspots *hotspots)
{
    const uint32_t first = comparison->warps->first_shader;
    for (uint32_t i = 0; i < hotspots->run_count; i++) {
        const struct ws_hotspot_run *run = &hotspots->runs[i];
        if (run->shader < first)
            continue;
        const struct model_module *module = &comparison->modules[run->shader - first];
        const uint32_t label = module->instrumented->blocks[run->block].label - MODEL_BLOCK_LABEL;
        uint64_t lanes;
        const uint32_t part = part_of(&module->places[label], run->block);
        executions_of(&comparison->warps->counts[run->shader - first].blocks[label][part], &lanes);
        same(comparison, "executions of instructions", run->shader, label, run->thread_executions, lanes);
    }
}

static void compare_exits(struct comparison *comparison, const struct ws_warp_entry_exit *results)
{
    const struct model_warps *warps = comparison->warps;
    for (uint32_t s = 0; s < warps->program->shader_count; s++) {
        const struct ws_exit_shader *shader = &results->shaders[warps->first_shader + s];
        uint64_t lanes, ends = 0, lanes_out = 0, ended_by_hit = 0;
        const uint64_t entries = executions_of(&warps->counts[s].entries, &lanes);
        same(comparison, "entries", s, 0, shader->entries.executions, entries);
        same(comparison, "lanes in", s, 0, shader->entries.lanes, lanes);
        for (uint32_t b = 0; b < warps->program->shaders[s].block_count; b++) {
            ends += executions_of(&warps->counts[s].ends[b], &lanes);
            lanes_out += lanes;
            for (uint32_t a = 0; a < MODEL_ACTIONS; a++) {
                ends += executions_of(&warps->counts[s].demotes[b][a], &lanes);
                lanes_out += lanes;
                executions_of(&warps->counts[s].reports[b][a], &lanes);
                ended_by_hit += lanes;
                executions_of(&warps->counts[s].reported[b][a], &lanes);
                ended_by_hit -= lanes;
            }
        }
        same(comparison, "lanes ended by a hit", s, 0, shader->report_lanes - shader->reported_lanes,
             ended_by_hit);
        const struct ws_exit_sums *sums =
            ws_warp_entry_exit_row(results, WS_EXIT_BY_SHADER, warps->first_shader + s);
        const uint64_t returns = executions_of(&warps->counts[s].returned, &lanes);
        same(comparison, "returns", s, 0, sums != NULL ? sums->returns.executions : 0, returns);
        same(comparison, "lanes returned", s, 0, sums != NULL ? sums->returns.lanes : 0, lanes);
        same(comparison, "lanes in, but out", s, 0, shader->entries.lanes, lanes_out + ended_by_hit);
        same(comparison, "exits", s, 0, shader->exits.executions, ends);
        same(comparison, "lanes out", s, 0, shader->exits.lanes, lanes_out);
    }
}

/* How many of the values are `value`. */
static uint64_t count_value(const uint64_t *values, uint32_t count, uint64_t value)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += values[i] == value;
    return found;
}

static void compare_lifetimes(struct comparison *comparison, const char *what,
                              const struct ws_trace_population *population, const uint64_t *values,
                              uint32_t count)
{
    same(comparison, what, 0, 0, population->lifetimes.total, count);
    for (uint32_t i = 0; i < population->lifetimes.count; i++) {
        const struct ws_trace_count *lifetime = &population->lifetimes.counts[i];
        if (count_value(values, count, lifetime->value) != lifetime->count) {
            printf("%s: %" PRIu64 " of %" PRIu64 " blocks, expected %" PRIu64 "\n", what, lifetime->count,
                   lifetime->value, count_value(values, count, lifetime->value));
            comparison->agrees = false;
        }
    }
}

static void compare_trace(struct comparison *comparison, const struct ws_trace_results *results)
{
    const struct model_warps *warps = comparison->warps;
    if (results->stage_count != 1) {
        same(comparison, "launched shaders", 0, 0, results->stage_count, 1);
        return;
    }
    compare_lifetimes(comparison, "lifetimes of threads", &results->stages[0].threads,
                      comparison->naive->thread_blocks, model_program_threads(warps->program));
    compare_lifetimes(comparison, "lifetimes of warps", &results->stages[0].warps,
                      comparison->naive->warp_blocks, warps->warp_count);
    uint64_t regrouped = 0, called = 0;
    for (uint32_t i = 0; i < warps->context_count; i++) {
        const struct model_context *context = &warps->contexts[i];
        regrouped += context->regrouped && !context->continues;
        called += context->caller != MODEL_NONE && !context->continues;
    }
    /* An intersection shader may be ended by its first hit, without a record. Where none shows its thread in
     * the caller either before an any-hit shader of the next ray, that seems to be called from it. */
    if (comparison->shows_calls)
        same(comparison, "regrouped contexts", 0, 0, results->stages[0].regrouped, regrouped);
    same(comparison, "called contexts", 0, 0, results->stages[0].called, called);
}

/* Reads the capture for what kinds of report keep to themselves. */
static bool read_counters(struct comparison *comparison, const char *path, bool simt, bool exits,
                          struct ws_error *error)
{
    struct ws_catalog catalog;
    struct ws_hotspots hotspots;
    struct ws_warp_entry_exit entry_exit;
    struct ws_chunk chunk;
    enum ws_read_result result = WS_READ_ERROR;
    bool taken = true;
    ws_catalog_init(&catalog);
    ws_hotspots_begin(&hotspots, &catalog);
    ws_warp_entry_exit_begin(&entry_exit, &catalog, NULL, error);
    struct ws_reader *reader = ws_reader_open(path, error);
    while (reader != NULL && taken && (result = ws_reader_next(reader, &chunk, error)) == WS_READ_CHUNK) {
        taken = ws_catalog_record(&catalog, &chunk, error) && ws_hotspots_record(&hotspots, &chunk, error) &&
                ws_warp_entry_exit_record(&entry_exit, &chunk, error);
    }
    const bool read = taken && result == WS_READ_END && ws_hotspots_end(&hotspots, error);
    if (read && simt)
        compare_hotspots(comparison, &hotspots);
    if (read && exits)
        compare_exits(comparison, &entry_exit);
    ws_reader_destroy(reader);
    ws_warp_entry_exit_finish(&entry_exit);
    ws_hotspots_finish(&hotspots);
    ws_catalog_finish(&catalog);
    return read;
}

/* Shaders in which no pass records anything have no entry records. */
static uint64_t count_records(const struct model_warps *warps)
{
    uint64_t count = warps->appended;
    for (uint32_t i = 0; i < warps->unit_count && warps->appended == 0; i++)
        count += warps->units[i].site != MODEL_NONE;
    return count;
}

static bool compare_kinds(struct comparison *comparison, const char *path, bool one_worker,
                          struct ws_error *error)
{
    const struct ws_report_request request = {.all = true};
    const struct ws_replay_losses *losses = NULL;
    struct ws_report report;
    struct ws_reader *reader = one_worker ? ws_reader_open(path, error) : NULL;
    const bool read = one_worker ? reader != NULL && ws_report_run(&report, path, reader, &request, error)
                                 : ws_report_read(&report, path, &request, error);
    if (!read) {
        ws_reader_destroy(reader);
        return false;
    }
    if (ws_report_simt(&report) != NULL)
        compare_simt(comparison, ws_report_simt(&report));
    const void *trace = ws_report_results(&report, ws_analysis_find("execution_trace"));
    if (trace != NULL)
        compare_trace(comparison, trace);
    const void *divergence = ws_report_results(&report, &ws_analysis_divergence);
    if (divergence != NULL &&
        !model_compare_divergence(divergence, comparison->warps, comparison->modules, comparison->naive))
        comparison->agrees = false;
    const void *compaction = ws_report_results(&report, &ws_analysis_thread_compaction);
    if (compaction != NULL && !comparison->visits->too_many &&
        !model_compare_compaction(compaction, comparison->warps, comparison->modules, comparison->visits))
        comparison->agrees = false;
    const void *reorder = ws_report_results(&report, &ws_analysis_reorder);
    if (reorder != NULL && comparison->reorder != NULL && !comparison->reorder->too_many &&
        !model_reorder_compare(comparison->reorder, comparison->warps, reorder))
        comparison->agrees = false;
    const void *times = ws_report_results(&report, &ws_analysis_warp_time);
    if (times != NULL && !model_compare_warp_times(times, comparison->warps, comparison->modules))
        comparison->agrees = false;
    if (report.replay != NULL) {
        losses = ws_replay_losses(report.replay);
        same(comparison, "malformed records", 0, 0, losses->malformed + losses->truncated + losses->unrooted,
             0);
        same(comparison, "records", 0, 0, losses->records, count_records(comparison->warps));
    }
    ws_report_finish(&report);
    ws_reader_destroy(reader);
    return true;
}

bool model_compare(const char *path, const struct model_warps *warps, const struct model_module *modules,
                   const struct model_visits *visits, struct model_reorder *reorder,
                   const char *const *passes, uint32_t pass_count)
{
    static struct model_naive naive;
    struct ws_error error = {0};
    struct comparison comparison = {.warps = warps,
                                    .modules = modules,
                                    .naive = &naive,
                                    .visits = visits,
                                    .reorder = reorder,
                                    .agrees = true};
    comparison.shows_calls = has(passes, pass_count, "divergence");
    model_naive_make(&naive, warps, modules);
    if (!read_counters(&comparison, path, has(passes, pass_count, "simt_efficiency"),
                       has(passes, pass_count, "warp_entry_exit"), &error) ||
        !compare_kinds(&comparison, path, false, &error) || !compare_kinds(&comparison, path, true, &error)) {
        printf("%s\n", error.message);
        return false;
    }
    return comparison.agrees;
}
