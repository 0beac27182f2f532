/* What divergence tells the summary: of each shader the slots that it loses to each cause, and of each pipeline those
 * that it loses to calls, with the shader that loses most. */
#include "analysis/simt/idle_losses.h"
#include "analysis/trace/divergence.h"
#include "warpscope/model/names.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/findings.h"

#define PLACE_SIZE 256

static double part(uint64_t at, uint64_t of)
{
    return of > 0 ? (double)at / (double)of : 0;
}

/* The block of a shader that loses most to control flow, in words: "blur.comp:21-24". */
static const char *find_place(const struct ws_divergence_results *results, uint32_t shader,
                              struct ws_findings *findings)
{
    const uint32_t count = ws_groups_count(results->groups, WS_DIVERGENCE_BY_BLOCK);
    const struct ws_module_record *module =
        &results->catalog->modules[results->catalog->shaders[shader].module];
    uint64_t most = 0;
    uint32_t worst = WS_NONE;
    char place[PLACE_SIZE];
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_DIVERGENCE_BY_BLOCK, i, &row);
        const struct ws_divergence_counts *counts = row.sums;
        const uint64_t key = row.keys[WS_DIVERGENCE_BLOCK];
        if (key >> 32 != shader || counts->control_flow <= most || (uint32_t)key >= module->block_count)
            continue;
        most = counts->control_flow;
        worst = (uint32_t)key;
    }
    if (worst == WS_NONE)
        return NULL;
    ws_block_place(&module->blocks[worst], place, sizeof(place));
    return ws_findings_text(findings, "%s", place);
}

/* Far below what is shown nothing needs a sentence. */
static bool is_small(double size)
{
    return size < WS_FINDING_LEAST_LOSS / 4;
}

/* A loss of `size` of the slots of the capture. `shader` is where most of it is: `share` of its slots. */
static bool add(const struct ws_divergence_results *results, enum ws_finding_cause cause, uint32_t in,
                uint32_t shader, double share, double size, struct ws_findings *findings)
{
    struct ws_finding finding = {
        .kind = WS_FINDING_LOSS, .of = WS_FINDING_OF_SLOTS, .size = size, .cause = cause, .in = in};
    const char *name = ws_shader_name(results->catalog, shader);
    if (is_small(size))
        return true;
    ws_loss_describe(findings, &finding, name,
                     cause == WS_CAUSE_CONTROL_FLOW ? find_place(results, shader, findings) : NULL, share);
    finding.touched = ws_findings_touched(findings, shader);
    finding.options = ws_findings_option(findings, "--shader", name);
    return ws_findings_add(findings, &finding);
}

static bool add_shader(const struct ws_divergence_results *results, uint32_t shader,
                       const struct ws_divergence_counts *counts, uint64_t slots,
                       struct ws_findings *findings)
{
    const struct {
        enum ws_finding_cause cause;
        uint64_t lost;
    } losses[] = {{WS_CAUSE_CONTROL_FLOW, counts->control_flow},
                  {WS_CAUSE_EARLY_RETURN, counts->early_return},
                  {WS_CAUSE_PARTIAL, counts->partial_warp},
                  {WS_CAUSE_HELPERS, counts->helper_lane}};
    for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); ++i)
        if (!add(results, losses[i].cause, shader, shader, part(losses[i].lost, counts->slots),
                 part(losses[i].lost, slots), findings))
            return false;
    return true;
}

/* Whether the pipeline of a row has the shader. */
static bool has_shader(const struct ws_catalog *catalog, uint64_t key, uint32_t shader)
{
    if (key == WS_KEY_SEVERAL)
        return catalog->shaders[shader].pipeline == WS_PIPELINE_SEVERAL;
    for (uint32_t i = 0; key < catalog->pipeline_count && i < catalog->pipelines[key].shader_count; ++i)
        if (catalog->pipelines[key].shaders[i] == shader)
            return true;
    return false;
}

static bool add_pipeline(const struct ws_divergence_results *results, uint64_t key,
                         const struct ws_divergence_counts *counts, uint64_t slots,
                         struct ws_findings *findings)
{
    const uint32_t count = ws_groups_count(results->groups, WS_DIVERGENCE_BY_SHADER);
    const double size = part(counts->indirect_call, slots);
    uint32_t shader = WS_NONE;
    struct ws_divergence_counts worst = {.executions = 0};
    /* Few pipelines lose more, however many there are, and only of these are the shaders looked through. */
    if (is_small(size))
        return true;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_DIVERGENCE_BY_SHADER, i, &row);
        const struct ws_divergence_counts *of = row.sums;
        if (row.keys[WS_DIVERGENCE_SHADER] >= results->catalog->shader_count ||
            of->indirect_call <= worst.indirect_call ||
            !has_shader(results->catalog, key, (uint32_t)row.keys[WS_DIVERGENCE_SHADER]))
            continue;
        worst = *of;
        shader = (uint32_t)row.keys[WS_DIVERGENCE_SHADER];
    }
    if (shader == WS_NONE)
        return true;
    return add(results, WS_CAUSE_CALLS, key == WS_KEY_SEVERAL ? WS_PIPELINE_SEVERAL : (uint32_t)key, shader,
               part(worst.indirect_call, worst.slots), size, findings);
}

bool ws_divergence_findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_divergence_results *results = pointer;
    const struct ws_groups *groups = results->groups;
    const struct ws_divergence_counts *total = ws_groups_find(groups, WS_DIVERGENCE_BY_ALL, NULL);
    bool added = true;
    findings->totals.slots = total->slots;
    findings->totals.active = total->active;
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_DIVERGENCE_BY_SHADER) && added; ++i) {
        struct ws_row row;
        ws_groups_row(groups, WS_DIVERGENCE_BY_SHADER, i, &row);
        if (row.keys[WS_DIVERGENCE_SHADER] < results->catalog->shader_count)
            added = add_shader(results, (uint32_t)row.keys[WS_DIVERGENCE_SHADER], row.sums, total->slots,
                               findings);
    }
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_DIVERGENCE_BY_PIPELINE) && added; ++i) {
        struct ws_row row;
        ws_groups_row(groups, WS_DIVERGENCE_BY_PIPELINE, i, &row);
        added = add_pipeline(results, row.keys[WS_DIVERGENCE_PIPELINE], row.sums, total->slots, findings);
    }
    return added;
}
