#include "analysis/simt/idle_losses.h"

#include <stdlib.h>

#include "warpscope/base/array.h"
#include "warpscope/model/launch.h"
#include "warpscope/model/names.h"

#define PLACE_SIZE 256

static void add_place(struct ws_idle_loss *loss, const struct ws_shader_run *run, uint32_t block,
                      double slots, struct ws_text_pool *texts)
{
    char place[PLACE_SIZE];
    if (slots <= loss->worst)
        return;
    loss->worst = slots;
    loss->place = ws_text_pool_add(
        texts, ws_shader_run_place(run, run->code->code->module.blocks[block].end - 1, place, sizeof(place)));
}

bool ws_idle_losses_add(struct ws_idle_losses *losses, const struct ws_shader_run *run,
                        const struct ws_idle_slots *idle)
{
    struct ws_idle_loss *all = ws_array_grow(losses->all, &losses->capacity, losses->count + 1, sizeof(*all));
    if (all == NULL)
        return false;
    losses->all = all;
    struct ws_idle_loss *loss = &all[losses->count++];
    *loss = (struct ws_idle_loss){
        .shader = run->shader, .all = idle->all, .partial = idle->partial, .other = idle->other, .place = ""};
    for (uint32_t b = 0; b < run->code->code->module.block_count; ++b) {
        loss->control_flow += idle->branches[b] + idle->loops[b];
        loss->early_return += idle->exits[b];
        add_place(loss, run, b, idle->branches[b], &losses->texts);
        add_place(loss, run, b, idle->loops[b], &losses->texts);
    }
    return loss->place != NULL;
}

void ws_idle_losses_finish(struct ws_idle_losses *losses)
{
    ws_text_pool_finish(&losses->texts);
    free(losses->all);
    *losses = (struct ws_idle_losses){.all = NULL};
}

void ws_loss_describe(struct ws_findings *findings, struct ws_finding *finding, const char *shader,
                      const char *at, double share)
{
    static const struct {
        const char *title;
        const char *text;
    } causes[] = {
        [WS_CAUSE_OWN] =
            {"Lanes that stay empty behind calls",
             "What was called ended their thread, or the device did not bring the warp together again"},
        [WS_CAUSE_CONTROL_FLOW] = {"Lanes that wait at branches and loops",
                                   "Others of their warp take the other side, or go on in the loop"},
        [WS_CAUSE_EARLY_RETURN] = {"Lanes whose thread has ended",
                                   "Threads return before others of their warp, and their lanes stay empty"},
        [WS_CAUSE_PARTIAL] = {"Warps that begin with empty lanes",
                              "The size of the launch or the workgroup is no multiple of a warp"},
        [WS_CAUSE_HELPERS] =
            {"Lanes without a fragment",
             "They run beside one for its derivatives, or are empty; small and thin triangles have "
             "most of them"},
        [WS_CAUSE_CALLS] =
            {"Lanes that wait while a shader is called for others",
             "Rays and calls of one warp lead to different shaders, which run one after the other"},
    };
    const bool most = finding->cause == WS_CAUSE_CALLS;
    finding->title = causes[finding->cause].title;
    finding->text = ws_findings_text(findings, "%s: %.0f %% of the slots of %s.", causes[finding->cause].text,
                                     100 * share, most ? shader : "this shader");
    finding->place = ws_findings_text(findings, "%s%s%s%s", most ? "most in " : "", shader,
                                      at != NULL && at[0] != '\0' ? ", most at " : "", at != NULL ? at : "");
}

static bool add_loss(struct ws_findings *findings, const struct ws_idle_loss *loss, const char *name,
                     enum ws_finding_cause cause, double lost, double slots)
{
    struct ws_finding finding = {.kind = WS_FINDING_LOSS,
                                 .of = WS_FINDING_OF_SLOTS,
                                 .size = lost / slots,
                                 .report = "simt_efficiency",
                                 .cause = cause,
                                 .in = loss->shader};
    if (lost < WS_FINDING_LEAST_LOSS / 4 * slots)
        return true; /* far below what is shown nothing needs a sentence */
    ws_loss_describe(findings, &finding, name, cause == WS_CAUSE_CONTROL_FLOW ? loss->place : NULL,
                     loss->all > 0 ? lost / loss->all : 0);
    finding.touched = ws_findings_touched(findings, loss->shader);
    finding.options = ws_findings_option(findings, "--shader", name);
    return ws_findings_add(findings, &finding);
}

static bool is_called(const struct ws_catalog *catalog, const struct ws_idle_loss *loss)
{
    return (catalog->shaders[loss->shader].stage & WS_STAGES_CALLED) != 0;
}

static bool add_own(struct ws_findings *findings, const struct ws_catalog *catalog,
                    const struct ws_idle_loss *loss, double slots)
{
    const char *name = ws_shader_name(catalog, loss->shader);
    const bool fragment = catalog->shaders[loss->shader].stage == WS_STAGE_FRAGMENT;
    return add_loss(findings, loss, name, WS_CAUSE_CONTROL_FLOW, loss->control_flow, slots) &&
           add_loss(findings, loss, name, WS_CAUSE_EARLY_RETURN, loss->early_return, slots) &&
           add_loss(findings, loss, name, WS_CAUSE_OWN, loss->other, slots) &&
           (is_called(catalog, loss) ||
            add_loss(findings, loss, name, fragment ? WS_CAUSE_HELPERS : WS_CAUSE_PARTIAL, loss->partial,
                     slots));
}

/* Called shaders of one pipeline, at the first of them. */
static bool add_calls(const struct ws_idle_losses *losses, uint32_t first, const struct ws_catalog *catalog,
                      double slots, struct ws_findings *findings)
{
    const uint32_t pipeline = catalog->shaders[losses->all[first].shader].pipeline;
    const struct ws_idle_loss *worst = NULL;
    double sum = 0;
    for (uint32_t i = 0; i < losses->count; ++i) {
        const struct ws_idle_loss *loss = &losses->all[i];
        if (!is_called(catalog, loss) || catalog->shaders[loss->shader].pipeline != pipeline)
            continue;
        if (i < first)
            return true;
        sum += loss->partial;
        worst = worst == NULL || loss->partial > worst->partial ? loss : worst;
    }
    if (worst == NULL || sum <= 0)
        return true;
    const char *name = ws_shader_name(catalog, worst->shader);
    struct ws_finding finding = {
        .kind = WS_FINDING_LOSS,
        .of = WS_FINDING_OF_SLOTS,
        .size = sum / slots,
        .report = "simt_efficiency",
        .options = ws_findings_option(findings, "--shader", name),
        .cause = WS_CAUSE_CALLS,
        .in = pipeline,
    };
    ws_loss_describe(findings, &finding, name, NULL, worst->all > 0 ? worst->partial / worst->all : 0);
    return ws_findings_add(findings, &finding);
}

bool ws_idle_losses_findings(const struct ws_idle_losses *losses, const struct ws_catalog *catalog,
                             double slots, struct ws_findings *findings)
{
    for (uint32_t i = 0; i < losses->count && slots > 0; ++i)
        if (!add_own(findings, catalog, &losses->all[i], slots) ||
            (is_called(catalog, &losses->all[i]) && !add_calls(losses, i, catalog, slots, findings)))
            return false;
    return true;
}
