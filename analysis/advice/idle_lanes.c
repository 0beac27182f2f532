/* Advice `idle_lanes`: warps that trace with few lanes while the others wait.
 *
 * By call site: a warp CALLS it as often as the thread of it that traced there most often (its lanes trace
 * side by side as long as they have rays left; if a device lets them drift apart, it calls more often). Its
 * UTILISATION is the rays that its threads traced there, per call, of the lanes that entered the launch. A
 * warp is BAD where it calls at least 4 times and its utilisation is less than half of that of all warps of
 * the launch together: it stands out, not the whole call. Its WASTE: calls beyond those that full warps
 * would need for as many rays, rounded up.
 *
 * Advised where the waste of bad warps is at least one in twelve of the calls by warps at that site: less is
 * at the outlines of things, and where paths end by chance, in any picture. Saves nothing that can be counted
 * in runs, since every ray is still traced: what becomes less are calls by warps, which the evidence has.
 * POSSIBLE: whether rays can be regrouped depends on the application. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"
#include "passes/base/array.h"

#define LEAST_CALLS 4
#define LEAST_WASTE 12 /* one call in so many */

/* One warp at one call, in the launch under way. Subject: call, warp number. */
struct warp {
    uint64_t rays;
    uint32_t calls;
    uint32_t lanes;
    uint32_t site;
    uint32_t thread[3]; /* that called most often */
    float place[3];
};

/* A call. Subject: the site's four words. */
struct entry {
    uint64_t calls; /* by warps */
    uint64_t rays;
    uint64_t lanes; /* calls times lanes */
    uint64_t bad;   /* warps */
    uint64_t bad_calls;
    uint64_t bad_rays;
    uint64_t waste;
    uint64_t launch_rays; /* of the launch under way */
    uint64_t launch_lanes;
    uint32_t shader;
    uint32_t site;
    uint32_t visits; /* of the thread under way */
    float first[3];  /* where its first ray there began */
    struct warp worst;
    uint32_t worst_index;
    uint64_t worst_launch;
};

struct idle_lanes {
    const struct ws_advice_input *input;
    struct ws_subjects sites;
    struct entry *entries;
    uint32_t capacity;
    struct ws_subjects keys;
    struct warp *warps;
    uint32_t warp_capacity;
    uint32_t *touched; /* calls of the thread under way */
    uint32_t touched_count;
    uint32_t touched_capacity;
};

static void *create(const struct ws_advice_input *input)
{
    struct idle_lanes *idle = calloc(1, sizeof(*idle));
    if (idle != NULL)
        idle->input = input;
    return idle;
}

static void forget_warps(struct idle_lanes *idle)
{
    ws_subjects_finish(&idle->keys);
    free(idle->warps);
    idle->warps = NULL;
    idle->warp_capacity = 0;
}

static void destroy(void *rule)
{
    struct idle_lanes *idle = rule;
    forget_warps(idle);
    ws_subjects_finish(&idle->sites);
    free(idle->entries);
    free(idle->touched);
    free(idle);
}

/* Adds what the thread did at a call to its warp. */
static bool add_visits(struct idle_lanes *idle, const struct ws_advice_launch *launch,
                       const struct ws_ray_thread *thread, uint32_t index)
{
    struct entry *entry = &idle->entries[index];
    const struct ws_subject key = {{index, thread->thread->warp}};
    const uint32_t number = ws_subjects_add(&idle->keys, &key);
    if (number == WS_NONE ||
        !ws_subjects_follow(&idle->keys, (void **)&idle->warps, &idle->warp_capacity, sizeof(struct warp)))
        return false;
    struct warp *warp = &idle->warps[number];
    warp->site = index;
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

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct idle_lanes *idle = rule;
    if (thread->thread->warp >= launch->threads->warp_count)
        return true;
    for (uint32_t r = 0; r < thread->ray_count; ++r) {
        const struct ws_ray *ray = &thread->rays[r];
        struct ws_subject subject = {{0}};
        ws_subject_site(idle->input->catalog, ray, &subject);
        const uint32_t index = ws_subjects_add(&idle->sites, &subject);
        if (index == WS_NONE ||
            !ws_subjects_follow(&idle->sites, (void **)&idle->entries, &idle->capacity, sizeof(struct entry)))
            return false;
        struct entry *entry = &idle->entries[index];
        entry->shader = ray->shader;
        entry->site = ray->site;
        if (entry->visits++ > 0)
            continue;
        memcpy(entry->first, ray->origin, sizeof(entry->first));
        uint32_t *touched =
            ws_array_grow(idle->touched, &idle->touched_capacity, idle->touched_count + 1, sizeof(*touched));
        if (touched == NULL)
            return false;
        idle->touched = touched;
        touched[idle->touched_count++] = index;
    }
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

static bool end_launch(void *rule, const struct ws_advice_launch *launch)
{
    struct idle_lanes *idle = rule;
    for (uint32_t i = 0; i < idle->keys.count; ++i) {
        const struct warp *warp = &idle->warps[i];
        struct entry *entry = &idle->entries[warp->site];
        entry->launch_rays += warp->rays;
        entry->launch_lanes += (uint64_t)warp->calls * warp->lanes;
        entry->calls += warp->calls;
        entry->rays += warp->rays;
        entry->lanes += (uint64_t)warp->calls * warp->lanes;
    }
    for (uint32_t i = 0; i < idle->keys.count; ++i)
        if (is_bad(&idle->entries[idle->warps[i].site], &idle->warps[i]))
            add_bad(&idle->entries[idle->warps[i].site], &idle->warps[i], launch,
                    idle->keys.subjects[i].words[1]);
    for (uint32_t i = 0; i < idle->sites.count; ++i) {
        idle->entries[i].launch_rays = 0;
        idle->entries[i].launch_lanes = 0;
    }
    forget_warps(idle);
    return true;
}

static bool advise(const struct idle_lanes *idle, const struct entry *entry, struct ws_advice_list *list)
{
    char subject[512];
    char evidence[1024];
    const struct warp *worst = &entry->worst;
    ws_catalog_trace_name(idle->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " warps call it %" PRIu64 " times with %.1f rays each, while all warps together have "
             "%.1f: %" PRIu64 " of %" PRIu64
             " calls by warps (%.1f %%) would not be needed if these were full. "
             "The worst: warp %" PRIu32 " of launch %" PRIu64 " calls %" PRIu32 " times for %" PRIu64
             " rays of %" PRIu32 " lanes.",
             entry->bad, entry->bad_calls, (double)entry->bad_rays / (double)entry->bad_calls,
             (double)entry->rays / (double)entry->calls, entry->waste, entry->calls,
             ws_percent(entry->waste, entry->calls), entry->worst_index, entry->worst_launch, worst->calls,
             worst->rays, worst->lanes);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = "limit the bounces of single threads, or collect the rays that go on and trace them in a "
                  "launch of their own (wavefront), so that warps are full again",
        .certainty = WS_POSSIBLE,
        .doubt = "what regrouping rays costs is not counted",
    };
    ws_advice_set_place(&advice, worst->place);
    ws_advice_set_thread(&advice, worst->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct idle_lanes *idle = rule;
    for (uint32_t i = 0; i < idle->sites.count; ++i)
        if (idle->entries[i].waste > 0 && idle->entries[i].waste * LEAST_WASTE >= idle->entries[i].calls &&
            !advise(idle, &idle->entries[i], list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_idle_lanes;

const struct ws_advice_rule ws_advice_rule_idle_lanes = {
    .name = "idle_lanes",
    .title = "Warps that trace with few lanes",
    .summary = "calls at which some warps go on with few lanes, by average active lanes",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end_launch = end_launch,
    .end = end,
};
