/* What reordering tells the summary: of each pipeline the call site where sorting saves most, if it is worth a try (reorder.h).
 * */
#include "analysis/reorder/reorder.h"
#include "warpscope/model/names.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/findings.h"

#define PLACE_SIZE 512

/* A call site and key, and what is saved there. */
struct gain {
    uint64_t site;
    uint64_t key;
    struct ws_reorder_sums sums;
    uint64_t slots; /* saved, less what sorting is taken to cost; 0 = there is no gain */
};

static struct gain measure(const struct ws_row *row)
{
    const struct ws_reorder_sums *sums = row->sums;
    struct gain gain = {row->keys[WS_REORDER_BY_SITE], row->keys[WS_REORDER_BY_KEY], *sums, 0};
    const uint64_t saved = sums->slots > sums->slots_after ? sums->slots - sums->slots_after : 0;
    const bool sorted = gain.key == WS_REORDER_SHADER || gain.key == WS_REORDER_CALLED;
    if (sorted && sums->cost > 0 && saved / WS_REORDER_WORTH >= sums->cost)
        gain.slots = saved - sums->cost;
    return gain;
}

/* Whether `a` is to be said rather than `b`: it saves more, or as much by a key of fewer bits. */
static bool is_better(const struct gain *a, const struct gain *b)
{
    if (a->slots != b->slots)
        return a->slots > b->slots;
    return a->slots > 0 && (a->site != b->site ? a->site < b->site : a->key < b->key);
}

static uint32_t pipeline_of(const struct ws_reorder_results *results, uint64_t site)
{
    return results->catalog->shaders[site >> 32].pipeline;
}

static double part(uint64_t at, uint64_t of)
{
    return of > 0 ? (double)at / (double)of : 0;
}

static bool add(const struct ws_reorder_results *results, const struct gain *gain,
                struct ws_findings *findings)
{
    const uint32_t shader = (uint32_t)(gain->site >> 32);
    const struct ws_reorder_sums *sums = &gain->sums;
    char place[PLACE_SIZE];
    ws_call_name(results->catalog, shader, (uint32_t)gain->site, place, sizeof(place));
    const struct ws_finding finding = {
        .kind = WS_FINDING_CHANGE,
        .of = WS_FINDING_OF_SLOTS,
        .size = part(gain->slots, results->slots),
        .small = part(gain->slots, results->slots) < WS_REORDER_LEAST,
        .title = "Sort threads where they call",
        .place = ws_findings_text(findings, "%s (%s)", place, ws_shader_name(results->catalog, shader)),
        .text = ws_findings_text(
            findings,
            "Sorted there by %s, with %u bits, new warps take %.1f %% fewer slots for what follows (%.1f %% "
            "active, not "
            "%.1f %%), and moving threads is taken to cost %.1f %%.",
            gain->key == WS_REORDER_CALLED ? "the shader that is called and the callables that it runs"
                                           : "the shader that is called",
            ws_reorder_bits(sums->values), 100 * part(sums->slots - sums->slots_after, sums->slots),
            100 * part(sums->active_after, sums->slots_after), 100 * part(sums->active, sums->slots),
            100 * part(sums->cost, sums->slots)),
        .certainty = "possible",
        .touched = ws_findings_touched(findings, shader),
        .cause = WS_CAUSE_CALLS,
        .in = pipeline_of(results, gain->site),
    };
    return ws_findings_add(findings, &finding);
}

bool ws_reorder_findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_reorder_results *results = pointer;
    const uint32_t count = ws_groups_count(results->groups, WS_REORDER_WORTHY);
    bool added = true;
    for (uint32_t i = 0; i < count && added; ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_REORDER_WORTHY, i, &row);
        if (row.keys[WS_REORDER_BY_SITE] >> 32 >= results->catalog->shader_count)
            continue; /* of a launch, not of a call site */
        const struct gain gain = measure(&row);
        bool best = gain.slots > 0;
        for (uint32_t j = 0; j < count && best; ++j) {
            struct ws_row other;
            ws_groups_row(results->groups, WS_REORDER_WORTHY, j, &other);
            if (j == i || other.keys[WS_REORDER_BY_SITE] >> 32 >= results->catalog->shader_count ||
                pipeline_of(results, other.keys[WS_REORDER_BY_SITE]) != pipeline_of(results, gain.site))
                continue;
            const struct gain its = measure(&other);
            best = !is_better(&its, &gain);
        }
        added = !best || add(results, &gain, findings);
    }
    return added;
}
