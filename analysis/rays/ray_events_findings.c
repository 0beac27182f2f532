/* What ray_events tells the summary: any-hit runs that ignore, intersection runs that report nothing, and where most rays
 * are traced. */
#include <inttypes.h>

#include "analysis/rays/ray_events.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/findings.h"

/* "instance 2, geometry 0" */
static const char *name_geometry(const struct ws_row *row, struct ws_findings *findings)
{
    return ws_findings_text(findings, "most at instance %" PRIu64 ", geometry %" PRIu64,
                            row->keys[WS_RAY_EVENTS_INSTANCE] >> 24, row->keys[WS_RAY_EVENTS_GEOMETRY]);
}

/* Any-hit runs that ignored, or intersection runs that reported nothing, of a row. An intersection run may report
 * several times, so the latter is the least that it can be. */
static uint64_t wasted(const struct ws_ray_events_counts *counts, bool any_hit)
{
    if (any_hit)
        return counts->ignored;
    return counts->intersections > counts->reports ? counts->intersections - counts->reports : 0;
}

static const char *find_worst(const struct ws_ray_events *results, bool any_hit, struct ws_findings *findings)
{
    struct ws_row row;
    struct ws_row worst;
    uint64_t most = 0;
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_RAY_EVENTS_BY_GEOMETRY); ++i) {
        ws_groups_row(results->groups, WS_RAY_EVENTS_BY_GEOMETRY, i, &row);
        if (row.keys[WS_RAY_EVENTS_INSTANCE] == WS_KEY_OTHERS || wasted(row.sums, any_hit) <= most)
            continue;
        most = wasted(row.sums, any_hit);
        worst = row;
    }
    return most > 0 ? name_geometry(&worst, findings) : NULL;
}

static bool add_wasted(const struct ws_ray_events *results, const struct ws_ray_events_counts *all,
                       bool any_hit, struct ws_findings *findings)
{
    const uint64_t runs = any_hit ? all->any_hits : all->intersections;
    const uint64_t lost = wasted(all, any_hit);
    if (lost == 0)
        return true;
    const struct ws_finding finding = {
        .kind = WS_FINDING_LOSS,
        .of = any_hit ? WS_FINDING_OF_ANY_HIT : WS_FINDING_OF_INTERSECTION,
        .size = (double)lost / (double)runs,
        .cause = any_hit ? WS_CAUSE_ANY_HIT : WS_CAUSE_INTERSECTION,
        .title =
            any_hit ? "Any-hit runs that ignore what the ray met" : "Intersection runs that report nothing",
        .place = find_worst(results, any_hit, findings),
        .text =
            ws_findings_text(findings, "%" PRIu64 " of %" PRIu64 " run%s (%.0f %%): %s", lost, runs,
                             ws_plural(runs, "s"), 100 * (double)lost / (double)runs,
                             any_hit ? "the shader is called, and the ray goes on as if nothing were there."
                                     : "the ray meets a box, and nothing in it."),
    };
    return ws_findings_add(findings, &finding);
}

/* The call site with most rays. */
static bool add_site(const struct ws_ray_events *results, uint64_t all, struct ws_findings *findings)
{
    uint64_t most = 0;
    uint64_t site = 0;
    char name[256];
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_RAY_EVENTS_BY_SITE); ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_RAY_EVENTS_BY_SITE, i, &row);
        const uint64_t rays = ((const struct ws_ray_events_counts *)row.sums)->rays;
        if (row.keys[WS_RAY_EVENTS_SITE] == WS_KEY_OTHERS || rays <= most)
            continue;
        most = rays;
        site = row.keys[WS_RAY_EVENTS_SITE];
    }
    if (most == 0)
        return true;
    const uint32_t shader = (uint32_t)(site >> 32);
    ws_call_name(results->catalog, shader, ws_site_offset(results->catalog, shader, (uint32_t)site), name,
                 sizeof(name));
    const struct ws_finding finding = {
        .kind = WS_FINDING_SPENT,
        .of = WS_FINDING_OF_RAYS,
        .size = (double)most / (double)all,
        .title = "most rays at",
        .place = ws_findings_text(findings, "%s", name),
        .text = ws_findings_text(findings, "%" PRIu64 " of %" PRIu64 " ray%s (%.0f %%).", most, all,
                                 ws_plural(all, "s"), 100 * (double)most / (double)all),
    };
    return ws_findings_add(findings, &finding);
}

bool ws_ray_events_findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_ray_events *results = pointer;
    const struct ws_ray_events_counts *all = ws_groups_find(results->groups, WS_RAY_EVENTS_BY_ALL, NULL);
    findings->totals.rays = all->rays;
    return all->rays == 0 ||
           (add_wasted(results, all, true, findings) && add_wasted(results, all, false, findings) &&
            add_site(results, all->rays, findings));
}
