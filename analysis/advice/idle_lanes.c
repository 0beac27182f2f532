/* Advice `idle_lanes`: warps trace with few lanes while the other lanes wait.
 *
 * Evidence, by call site: a warp CALLS it as often as that of its threads which traced there most often. (Its
 * lanes trace side by side as long as they have rays left. If a device lets them drift apart, the warp calls
 * more often.) Its UTILISATION is the rays that its threads traced there, per call, of the lanes that entered
 * the launch. A warp is BAD where it calls at least 4 times and its utilisation is less than half of that of
 * all warps of the launch together: then it stands out, not the whole call. Its WASTE is the calls beyond
 * those that full warps would need for as many rays, rounded up.
 *
 * It is said where the waste of bad warps is at least one in twelve of the calls by warps at that site: less
 * is found at the outlines of things, and where paths end by chance, in any picture. POSSIBLE: whether rays
 * can be regrouped depends on the application.
 *
 * Saving: nothing that can be counted in runs, since every ray is still traced. What becomes less are calls
 * by warps, which the evidence has.
 *
 * Example: one lane of 32 looks at a mirror and traces 12 bounces; the others miss. The warp calls 12 times
 * for 43 rays, where 2 full calls would do. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"

#define LEAST_CALLS 4
#define LEAST_WASTE 12 /* one call in so many */

/* One warp at one call site, in the launch under way. Subject: number of the call site, warp. */
struct warp {
    uint64_t rays;
    uint32_t calls;
    uint32_t lanes;
    uint32_t site;      /* number of its entry */
    uint32_t thread[3]; /* that called most often */
    float place[3];
};

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t calls;           /* by warps */
    uint64_t rays;
    uint64_t bad; /* warps */
    uint64_t bad_calls;
    uint64_t bad_rays;
    uint64_t waste;
    uint64_t launch_rays; /* of the launch under way */
    uint64_t launch_lanes;
    uint32_t visits; /* of the thread under way */
    float first[3];  /* where its first ray there began */
    struct warp worst;
    uint32_t worst_index;
    uint64_t worst_launch;
};

struct idle_lanes {
    struct ws_advice_state base;
    struct ws_evidence warps; /* of the launch under way */
    uint32_t *touched;        /* entries of the thread under way */
    uint32_t touched_count;
    uint32_t touched_capacity;
};

static bool init(void *user)
{
    struct idle_lanes *idle = user;
    idle->warps.entry_size = sizeof(struct warp);
    return true;
}

static void finish(void *user)
{
    struct idle_lanes *idle = user;
    ws_evidence_finish(&idle->warps);
    free(idle->touched);
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct idle_lanes *idle = user;
    if (shown->thread->thread->warp >= shown->launch->threads->warp_count)
        return true;
    struct entry *entry =
        ws_evidence_add_site(&idle->base.evidence, idle->base.input->catalog, shown->ray, NULL, NULL);
    if (entry == NULL)
        return false;
    if (entry->visits++ > 0)
        return true;
    memcpy(entry->first, shown->ray->origin, sizeof(entry->first));
    uint32_t *touched =
        ws_array_grow(idle->touched, &idle->touched_capacity, idle->touched_count + 1, sizeof(*touched));
    if (touched == NULL)
        return false;
    idle->touched = touched;
    touched[idle->touched_count++] = ws_evidence_number(&idle->base.evidence, entry);
    return true;
}

/* Adds what the thread did at a call site to its warp. */
static bool add_visits(struct idle_lanes *idle, const struct ws_advice_launch *launch,
                       const struct ws_ray_thread *thread, uint32_t number)
{
    struct entry *entry = ws_evidence_at(&idle->base.evidence, number);
    const struct ws_subject subject = {{number, thread->thread->warp}};
    struct warp *warp = ws_evidence_add(&idle->warps, &subject, NULL);
    if (warp == NULL)
        return false;
    warp->site = number;
    warp->lanes = launch->threads->warp_lanes[thread->thread->warp];
    warp->rays += entry->visits;
    if (entry->visits > warp->calls) {
        warp->calls = entry->visits;
        memcpy(warp->thread, thread->thread->work, sizeof(warp->thread));
        memcpy(warp->place, entry->first, sizeof(warp->place));
    }
    entry->visits = 0;
    return true;
}

static bool end_thread(void *user, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct idle_lanes *idle = user;
    for (uint32_t i = 0; i < idle->touched_count; ++i)
        if (!add_visits(idle, launch, thread, idle->touched[i]))
            return false;
    idle->touched_count = 0;
    return true;
}

static uint64_t waste_of(const struct warp *warp)
{
    const uint64_t needed = warp->lanes > 0 ? (warp->rays + warp->lanes - 1) / warp->lanes : warp->calls;
    return warp->calls > needed ? warp->calls - needed : 0;
}

/* Whether it stands out: rays / (calls lanes) < 1/2 of the same of all. */
static bool is_bad(const struct entry *entry, const struct warp *warp)
{
    const double own = (double)warp->rays / ((double)warp->calls * warp->lanes);
    const double all = (double)entry->launch_rays / (double)entry->launch_lanes;
    return warp->lanes > 0 && warp->calls >= LEAST_CALLS && 2 * own < all && waste_of(warp) > 0;
}

static void add_bad(struct entry *entry, const struct warp *warp, const struct ws_advice_launch *launch,
                    uint32_t number)
{
    entry->bad++;
    entry->bad_calls += warp->calls;
    entry->bad_rays += warp->rays;
    entry->waste += waste_of(warp);
    if (waste_of(warp) > waste_of(&entry->worst)) {
        entry->worst = *warp;
        entry->worst_index = launch->threads->warp_index[number];
        entry->worst_launch = launch->threads->launch->index;
    }
}

static bool end_launch(void *user, const struct ws_advice_launch *launch)
{
    struct idle_lanes *idle = user;
    const struct ws_evidence *evidence = &idle->base.evidence;
    for (uint32_t i = 0; i < idle->warps.count; ++i) {
        const struct warp *warp = ws_evidence_at(&idle->warps, i);
        struct entry *entry = ws_evidence_at(evidence, warp->site);
        entry->launch_rays += warp->rays;
        entry->launch_lanes += (uint64_t)warp->calls * warp->lanes;
        entry->calls += warp->calls;
        entry->rays += warp->rays;
    }
    for (uint32_t i = 0; i < idle->warps.count; ++i) {
        const struct warp *warp = ws_evidence_at(&idle->warps, i);
        struct entry *entry = ws_evidence_at(evidence, warp->site);
        if (is_bad(entry, warp))
            add_bad(entry, warp, launch, idle->warps.subjects[i].words[1]);
    }
    for (uint32_t i = 0; i < evidence->count; ++i) {
        struct entry *entry = ws_evidence_at(evidence, i);
        entry->launch_rays = 0;
        entry->launch_lanes = 0;
    }
    ws_evidence_finish(&idle->warps);
    return true;
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    const struct warp *worst = &entry->worst;
    if (entry->waste == 0 || entry->waste * LEAST_WASTE < entry->calls)
        return true;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, state->input->catalog, entry->site),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " warp%s it %" PRIu64 " time%s with %.1f rays each, while all warps together "
            "have %.1f. %" PRIu64 " of %" PRIu64 " calls by warps (%.1f %%) would not be needed if these "
            "warps were full. The worst: warp %" PRIu32 " of launch %" PRIu64 " calls %" PRIu32 " time%s "
            "for %" PRIu64 " ray%s of %" PRIu32 " lane%s.",
            entry->bad, entry->bad == 1 ? " calls" : "s call", entry->bad_calls,
            ws_plural(entry->bad_calls, "s"), (double)entry->bad_rays / (double)entry->bad_calls,
            (double)entry->rays / (double)entry->calls, entry->waste, entry->calls,
            ws_percent(entry->waste, entry->calls), entry->worst_index, entry->worst_launch, worst->calls,
            ws_plural(worst->calls, "s"), worst->rays, ws_plural(worst->rays, "s"), worst->lanes,
            ws_plural(worst->lanes, "s")),
        .change = "limit the bounces of single threads, or collect the rays that go on and trace them in a "
                  "launch of their own (wavefront), so that warps are full again",
        .certainty = WS_POSSIBLE,
        .doubt = "the cost of regrouping rays is not counted",
    };
    ws_advice_set_place(&advice, worst->place);
    ws_advice_set_thread(&advice, entry->worst_launch, worst->thread);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_idle_lanes;

const struct ws_advice_rule ws_advice_rule_idle_lanes = {
    .name = "idle_lanes",
    .title = "Warps that trace with few lanes",
    .summary = "calls that some warps repeat with few active lanes",
    .evidence = WS_EVIDENCE_THREADS,
    .state_size = sizeof(struct idle_lanes),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .thread = end_thread,
    .end_launch = end_launch,
    .advise = advise,
};
