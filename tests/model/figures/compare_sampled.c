#include "tests/model/figures/compare_sampled.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotate/report_simt.h"
#include "analysis/report/report.h"
#include "analysis/simt/simt_efficiency.h"
#include "analysis/simt/warp_entry_exit.h"
#include "tests/model/capture/encode.h"
#include "warpscope/reader.h"

#define GROUPS WS_SAMPLE_GROUPS

/* ---- the counters of a capture ---- */

/* `set`: where they stand among the shader's. A capture says so itself only where not all warps count. */
static bool compare_rows(const struct model_sampled *sampled, const struct model_module *module,
                         uint32_t shader, uint32_t set, const struct ws_shader_counters *counters)
{
    const uint32_t weight = sampled->weights[shader], bins = sampled->warps->lanes;
    const struct model_counts *counts =
        weight > 0 ? sampled->sets[shader][set % GROUPS] : &sampled->warps->counts[shader];
    if (ws_counters_weight(counters) != (weight > 0 ? weight : 1) || counters->bins != bins ||
        (weight > 1 && counters->group != set)) {
        printf("shader %u: one warp in %u counts in set %u, expected one in %u in set %u\n", shader,
               ws_counters_weight(counters), counters->group, weight, set);
        return false;
    }
    uint32_t *rows = model_count_rows(sampled->warps, module, shader, counts, false);
    bool agrees = rows != NULL;
    for (uint32_t i = 0; i < counters->row_count * bins && agrees; i++) {
        const uint32_t row = counters->row_first + i / bins;
        if (row != module->launch_row && counters->words[i] != rows[row * bins + i % bins]) {
            printf("shader %u, row %u, set %u of one warp in %u: %u executions with %u lanes, expected %u\n",
                   shader, row, set, weight, counters->words[i], i % bins + 1, rows[row * bins + i % bins]);
            agrees = false;
        }
    }
    free(rows);
    return agrees;
}

bool model_sampled_compare_rows(const char *path, const struct model_sampled *sampled,
                                const struct model_module *modules)
{
    struct ws_error error = {0};
    struct ws_chunk chunk;
    enum ws_read_result result = WS_READ_ERROR;
    const struct model_warps *warps = sampled->warps;
    uint32_t expected = 0, found = 0, sets[MODEL_SHADERS] = {0};
    bool agrees = true;
    for (uint32_t s = 0; s < warps->program->shader_count; s++)
        expected += modules[s].instrumented->entries[0].row_count == 0 ? 0
                    : sampled->weights[s] > 0                          ? GROUPS
                                                                       : 1;
    struct ws_reader *reader = ws_reader_open(path, &error);
    while (reader != NULL && agrees && (result = ws_reader_next(reader, &chunk, &error)) == WS_READ_CHUNK) {
        const bool launches = chunk.type == WS_CHUNK_SUBMISSION && chunk.submission.launch_count > 0;
        const struct ws_launch *launch = launches ? &chunk.submission.launches[0] : NULL;
        for (uint32_t i = 0; launches && i < launch->shader_count && agrees; i++) {
            const uint32_t shader = launch->shaders[i].shader - warps->first_shader;
            if (launch->shaders[i].shader < warps->first_shader || shader >= warps->program->shader_count)
                continue;
            agrees = compare_rows(sampled, &modules[shader], shader, sets[shader]++, &launch->shaders[i]);
            found++;
        }
    }
    ws_reader_destroy(reader);
    if (agrees && (reader == NULL || result != WS_READ_END || found != expected)) {
        printf("%u sets of counters, expected %u; %s\n", found, expected, error.message);
        return false;
    }
    return agrees;
}

/* ---- standard errors ---- */

/* Per set, what its executions would be of all warps; times the share of the error that one warp in `weight` has. */
struct sums {
    double executions[GROUPS], active[GROUPS], slots[GROUPS], instructions[GROUPS], weighted_slots[GROUPS];
    double all_slots, all_active, all_weighted_slots, all_instructions; /* the estimates */
    bool sampled; /* something of it was drawn from more */
};

static void add_histogram(struct sums *sums, const struct model_histogram *histogram, uint32_t set,
                          uint32_t weight, uint32_t lanes, uint32_t instructions)
{
    const double share = weight * sqrt(1 - 1.0 / weight);
    for (uint32_t n = 0; n < lanes; n++) {
        const double count = histogram->counts[n], active = count * (n + 1), slots = count * lanes;
        sums->executions[set] += share * count;
        sums->active[set] += share * active;
        sums->slots[set] += share * slots;
        sums->instructions[set] += share * active * instructions;
        sums->weighted_slots[set] += share * slots * instructions;
        sums->all_active += weight * active;
        sums->all_slots += weight * slots;
        sums->all_instructions += weight * active * instructions;
        sums->all_weighted_slots += weight * slots * instructions;
    }
}

/* Of all blocks of a shader. What is not sampled has no error, but a share in sums. */
static void add_blocks(struct sums *sums, const struct model_sampled *sampled,
                       const struct model_module *modules, uint32_t shader)
{
    const struct model_warps *warps = sampled->warps;
    const uint32_t weight = sampled->weights[shader];
    sums->sampled = sums->sampled || (weight > 1 && sampled->drawn[shader]);
    for (uint32_t b = 0; b < warps->program->shaders[shader].block_count; b++) {
        for (uint32_t p = 0; p < MODEL_PARTS; p++) {
            const struct model_part *part = &modules[shader].places[b].parts[p];
            for (uint32_t g = 0; g < (weight > 0 ? GROUPS : 1) && part->index != MODEL_NONE; g++)
                add_histogram(sums,
                              weight > 0 ? &sampled->sets[shader][g]->blocks[b][p]
                                         : &warps->counts[shader].blocks[b][p],
                              g, weight > 0 ? weight : 1, warps->lanes, part->instructions);
        }
    }
}

static double error_of(const double sets[GROUPS])
{
    double mean = 0, squares = 0;
    for (uint32_t g = 0; g < GROUPS; g++)
        mean += sets[g] / GROUPS;
    for (uint32_t g = 0; g < GROUPS; g++)
        squares += (sets[g] - mean) * (sets[g] - mean);
    return sqrt((double)GROUPS / (GROUPS - 1) * squares);
}

/* Of part / whole, whose estimates these are. */
static double error_of_share(const double part[GROUPS], const double whole[GROUPS], double parts,
                             double wholes)
{
    double residuals[GROUPS];
    for (uint32_t g = 0; g < GROUPS; g++)
        residuals[g] = part[g] - parts / wholes * whole[g];
    return error_of(residuals) / wholes;
}

/* Whether no set counted, or two of them differ. */
static bool is_count_known(const double sets[GROUPS])
{
    bool counted = false, differs = false;
    for (uint32_t g = 0; g < GROUPS; g++) {
        counted = counted || sets[g] > 0;
        differs = differs || fabs(sets[g] - sets[0]) > 1e-10 * sets[0];
    }
    return differs || !counted;
}

/* Whether no set counted, or two of those that did have other shares, and residuals that are not all equal. */
static bool is_share_known(const double part[GROUPS], const double whole[GROUPS], double share)
{
    double first = -1;
    bool shares_differ = false, residuals_differ = false;
    for (uint32_t g = 0; g < GROUPS; g++) {
        const double residual = part[g] - share * whole[g] - (part[0] - share * whole[0]);
        residuals_differ = residuals_differ || fabs(residual) > 1e-10 * (whole[g] + whole[0]);
        if (whole[g] <= 0)
            continue;
        first = first < 0 ? part[g] / whole[g] : first;
        shares_differ = shares_differ || fabs(part[g] / whole[g] - first) > 1e-10;
    }
    return first < 0 || (shares_differ && residuals_differ);
}

static bool same(const char *what, int shader, bool is_found, double found, bool is_expected, double expected)
{
    if (is_found == is_expected && (!is_found || fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
        return true;
    printf("standard error of %s of shader %d: %s%g, expected %s%g\n", what, shader, is_found ? "" : "none ",
           found, is_expected ? "" : "none ", expected);
    return false;
}

/* The error of a count that the analysis has sets of. */
static bool same_count(const char *what, int shader, bool is_sampled, const double found[GROUPS],
                       bool is_expected, const double expected[GROUPS])
{
    double error = 0;
    const bool known = ws_simt_sets_count_error(found, &error) && is_sampled;
    return same(what, shader, known, error, is_expected && is_count_known(expected), error_of(expected));
}

/* `shader`: -1 = all. */
static bool compare_group(const struct ws_simt_group *group, const struct sums *sums, int shader)
{
    double executions = 0, instructions = 0, efficiency = 0, weighted = 0;
    const bool executions_known = ws_simt_executions_error(group, &executions);
    const bool instructions_known = ws_simt_instructions_error(group, &instructions);
    const double share = sums->all_slots > 0 ? sums->all_active / sums->all_slots : 0;
    const double weighted_share =
        sums->all_weighted_slots > 0 ? sums->all_instructions / sums->all_weighted_slots : 0;
    const bool known = ws_simt_efficiency_error(group, share, &efficiency);
    const bool weighted_known = ws_simt_efficiency_weighted_error(group, weighted_share, &weighted);
    const bool any = sums->all_slots > 0;
    return same("executions", shader, executions_known, executions,
                sums->sampled && is_count_known(sums->executions), error_of(sums->executions)) &&
           same("instructions", shader, instructions_known, instructions,
                sums->sampled && is_count_known(sums->instructions), error_of(sums->instructions)) &&
           (!any ||
            (same("efficiency", shader, known, efficiency,
                  sums->sampled && is_share_known(sums->active, sums->slots, share),
                  error_of_share(sums->active, sums->slots, sums->all_active, sums->all_slots)) &&
             same("weighted efficiency", shader, weighted_known, weighted,
                  sums->sampled && is_share_known(sums->instructions, sums->weighted_slots, weighted_share),
                  error_of_share(sums->instructions, sums->weighted_slots, sums->all_instructions,
                                 sums->all_weighted_slots))));
}

static bool compare_simt(const struct ws_simt_results *results, const struct model_sampled *sampled,
                         const struct model_module *modules)
{
    struct sums all = {.sampled = false};
    for (uint32_t s = 0; s < sampled->warps->program->shader_count; s++) {
        struct sums sums = {.sampled = false};
        const struct ws_simt_group *group =
            ws_simt_row(results, WS_SIMT_BY_SHADER, sampled->warps->first_shader + s);
        add_blocks(&sums, sampled, modules, s);
        add_blocks(&all, sampled, modules, s);
        if (group != NULL && sums.all_slots > 0 && !compare_group(group, &sums, (int)s))
            return false;
        if (group == NULL && sums.all_slots > 0) {
            printf("shader %u has no row\n", s);
            return false;
        }
    }
    return all.all_slots == 0 || compare_group(&results->total, &all, -1);
}

/* Of a place, or of several, of a shader. */
static void add_places(struct sums *sums, const struct model_sampled *sampled, uint32_t shader,
                       const struct model_histogram *of)
{
    const uint32_t offset = (uint32_t)(of - &sampled->warps->counts[shader].entries);
    const uint32_t weight = sampled->weights[shader];
    sums->sampled = sums->sampled || (weight > 1 && sampled->drawn[shader]);
    for (uint32_t g = 0; g < GROUPS && weight > 0; g++)
        add_histogram(sums, &sampled->sets[shader][g]->entries + offset, g, weight, sampled->warps->lanes, 0);
}

static bool compare_exits(const struct ws_warp_entry_exit *results, const struct model_sampled *sampled)
{
    const struct model_warps *warps = sampled->warps;
    for (uint32_t s = 0; s < warps->program->shader_count; s++) {
        const struct ws_exit_sums *row =
            ws_warp_entry_exit_row(results, WS_EXIT_BY_SHADER, warps->first_shader + s);
        const struct model_counts *counts = &warps->counts[s];
        struct sums entries = {.sampled = false}, exits = {.sampled = false}, returns = {.sampled = false};
        add_places(&entries, sampled, s, &counts->entries);
        add_places(&returns, sampled, s, &counts->returned);
        for (uint32_t b = 0; b < warps->program->shaders[s].block_count; b++) {
            add_places(&exits, sampled, s, &counts->ends[b]);
            for (uint32_t a = 0; a < MODEL_ACTIONS; a++)
                add_places(&exits, sampled, s, &counts->demotes[b][a]);
        }
        if (row == NULL || !sampled->drawn[s])
            continue;
        const struct ws_exit_sets *sets = row->sets, none = {0};
        const bool known = sets != NULL;
        sets = known ? sets : &none;
        if (!same_count("entries", (int)s, known, sets->entries.executions, entries.sampled,
                        entries.executions) ||
            !same_count("lanes in", (int)s, known, sets->entries.active, entries.sampled, entries.active) ||
            !same_count("exits", (int)s, known, sets->exits.executions, entries.sampled, exits.executions) ||
            !same_count("lanes out", (int)s, known, sets->exits.active, entries.sampled, exits.active) ||
            !same_count("returns", (int)s, known, sets->returns.executions, entries.sampled,
                        returns.executions))
            return false;
    }
    return true;
}

bool model_sampled_compare_errors(const char *path, const struct model_sampled *sampled,
                                  const struct model_module *modules)
{
    const struct ws_report_request request = {.all = true};
    struct ws_error error = {0};
    struct ws_report report;
    if (!ws_report_read(&report, path, &request, &error)) {
        printf("%s\n", error.message);
        return false;
    }
    const struct ws_simt_results *simt = ws_report_simt(&report);
    const struct ws_warp_entry_exit *exits = ws_report_results(&report, &ws_analysis_warp_entry_exit);
    const bool agrees = (simt == NULL || compare_simt(simt, sampled, modules)) &&
                        (exits == NULL || compare_exits(exits, sampled));
    ws_report_finish(&report);
    return agrees;
}
