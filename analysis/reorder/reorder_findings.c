/* What reordering tells the summary: of each pipeline the call site where sorting saves most, if it is worth a try (reorder.h).
 * */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/reorder/reorder.h"
#include "warpscope/model/names.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/findings.h"

#define PLACE_SIZE 512

static uint32_t pipeline_of(const struct ws_reorder_results *results, uint64_t site)
{
    return results->catalog->shaders[site >> 32].pipeline;
}

static double part(uint64_t at, uint64_t of)
{
    return of > 0 ? (double)at / (double)of : 0;
}

static bool add(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain,
                struct ws_findings *findings)
{
    const uint32_t shader = (uint32_t)(gain->site >> 32);
    const struct ws_reorder_sums *sums = &gain->sums;
    char place[PLACE_SIZE];
    char by[PLACE_SIZE];
    ws_reorder_by(results, gain->site, gain->key, by, sizeof(by));
    const bool parts = ws_reorder_parting(results, gain->site) != NULL;
    ws_reorder_site_name(results, gain->site, place, sizeof(place));
    const struct ws_finding finding = {
        .kind = WS_FINDING_CHANGE,
        .of = WS_FINDING_OF_SLOTS,
        .size = part(gain->slots, results->slots),
        .small = part(gain->slots, results->slots) < WS_REORDER_LEAST,
        .title = parts ? "Sort threads where they part" : "Sort threads where they call",
        .place = ws_findings_text(findings, "%s (%s)", place, ws_shader_name(results->catalog, shader)),
        .text = ws_findings_text(
            findings,
            "Sorted there by %s%s%s%s, with %u bit%s, new warps take %.1f %% fewer slots "
            "for what follows (%.1f %% "
            "active, not "
            "%.1f %%), and moving threads is taken to cost %.1f %%.",
            ws_reorder_gain_words(results, gain), by[0] != '\0' ? " (" : "", by, by[0] != '\0' ? ")" : "",
            ws_reorder_bits(sums->values), ws_reorder_bits(sums->values) == 1 ? "" : "s",
            100 * part(sums->slots - sums->slots_after, sums->slots),
            100 * part(sums->active_after, sums->slots_after), 100 * part(sums->active, sums->slots),
            100 * part(sums->cost, sums->slots)),
        .certainty = "possible",
        .touched = ws_findings_touched(findings, shader),
        .cause = parts ? WS_CAUSE_CONTROL_FLOW : WS_CAUSE_CALLS,
        .in = parts ? shader : pipeline_of(results, gain->site),
    };
    return ws_findings_add(findings, &finding);
}

/* Launches that were not looked at: that nothing is said of them does not mean that there is nothing. */
static bool add_turning(const struct ws_reorder_results *results, struct ws_findings *findings)
{
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .title = "Launches where sorting was not looked at",
        .text =
            ws_findings_text(findings,
                             "In %" PRIu64 " launch%s loops with calls or branches in them turn too often to "
                             "be followed: what sorting threads would save there is not known.",
                             results->turning, ws_plural(results->turning, "es")),
    };
    return results->turning == 0 || ws_findings_add(findings, &finding);
}

bool ws_reorder_findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_reorder_results *results = pointer;
    struct ws_reorder_gain *gains = NULL;
    uint32_t count = 0;
    bool added = ws_reorder_gains(results, results->worth, &gains, &count);
    for (uint32_t i = 0; i < count && added; ++i) {
        bool best = true;
        for (uint32_t j = 0; j < i && best; ++j)
            best = pipeline_of(results, gains[j].site) != pipeline_of(results, gains[i].site);
        added = !best || add(results, &gains[i], findings);
    }
    free(gains);
    return added && add_turning(results, findings);
}
