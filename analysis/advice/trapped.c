/* Advice `trapped`: rays that bounce on and on in a small space.
 *
 * A CHAIN is what one thread traced at one call site, ray after ray, as long as each ray hits and the next
 * one starts at that hit (ray_paths.h); rays of other calls in between (to lights) do not matter; a ray that
 * misses is its last. A chain is TRAPPED where all its rays hit and it has at least
 * 16 (more bounces than most applications let a path have) and three quarters or more of the longest chain of
 * that call in the capture, so that only the application's limit ended it, and the box of the hits of its
 * second half has a diagonal of at most 1/20 of the scene's: eight bounces or more that went nowhere.
 *
 * Advised, where there are trapped chains, is a LIMIT of half as many rays as the longest trapped chain has.
 * Saving: the rays of all chains of the call beyond it, and the evidence says how many of them are of trapped
 * ones. (What other calls trace from where these hit is saved besides.) POSSIBLE: what they add to the
 * picture is not known. No threshold besides. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"
#include "passes/base/array.h"

#define LEAST_LENGTH 16
#define SMALL        0.05

/* Chains of one call and length. Subject: the site's four words, length. */
struct entry {
    uint64_t chains;
    uint64_t trapped;      /* those whose second half is in a small space */
    uint64_t thread_count; /* threads with a trapped one */
    uint32_t length;
    uint32_t site;           /* index of the call in sites */
    uint64_t last_thread[2]; /* launch and thread, of the last trapped */
    bool any_thread;
    float place[3];
    uint32_t thread[3];
};

/* A call. Subject: the site's four words. And its chain under way. */
struct site {
    uint32_t shader;
    uint32_t site;
    uint32_t longest;
    uint32_t length;      /* rays of the chain under way */
    uint32_t last;        /* of them, its number in the thread */
    double size;          /* of the scene */
    float *points;        /* where its rays hit, 3 each */
    uint32_t point_count; /* fewer than rays where one missed */
    uint32_t point_capacity;
    bool touched; /* by the thread under way */
};

struct trapped {
    const struct ws_advice_input *input;
    struct ws_subjects sites;
    struct site *of_site;
    uint32_t site_capacity;
    struct ws_subjects lengths;
    struct entry *entries;
    uint32_t capacity;
    uint32_t *touched; /* calls of the thread under way */
    uint32_t touched_count;
    uint32_t touched_capacity;
    uint64_t rays;
};

static void *create(const struct ws_advice_input *input)
{
    struct trapped *trapped = calloc(1, sizeof(*trapped));
    if (trapped != NULL)
        trapped->input = input;
    return trapped;
}

static void destroy(void *rule)
{
    struct trapped *trapped = rule;
    for (uint32_t i = 0; i < trapped->sites.count && i < trapped->site_capacity; ++i)
        free(trapped->of_site[i].points);
    ws_subjects_finish(&trapped->sites);
    ws_subjects_finish(&trapped->lengths);
    free(trapped->of_site);
    free(trapped->entries);
    free(trapped->touched);
    free(trapped);
}

static double distance(const float a[3], const float b[3])
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum);
}

/* Whether the second half of the chain stayed in a small space. */
static bool is_small(const struct site *site)
{
    float low[3];
    float high[3];
    const uint32_t first = site->length / 2;
    memcpy(low, site->points + 3 * (size_t)first, sizeof(low));
    memcpy(high, low, sizeof(high));
    for (uint32_t p = first; p < site->length; ++p)
        for (int i = 0; i < 3; ++i) {
            low[i] = fminf(low[i], site->points[3 * (size_t)p + (size_t)i]);
            high[i] = fmaxf(high[i], site->points[3 * (size_t)p + (size_t)i]);
        }
    return distance(low, high) <= SMALL * site->size;
}

static void add_trapped(struct entry *entry, const struct site *site, const struct ws_advice_launch *launch,
                        const struct ws_ray_thread *thread)
{
    const uint64_t owner[2] = {launch->threads->launch->index, thread->index};
    entry->trapped++;
    if (!entry->any_thread || memcmp(owner, entry->last_thread, sizeof(owner)) != 0)
        entry->thread_count++;
    memcpy(entry->last_thread, owner, sizeof(owner));
    if (!entry->any_thread) {
        memcpy(entry->place, site->points + 3 * (size_t)(site->length - 1), sizeof(entry->place));
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
    }
    entry->any_thread = true;
}

/* Ends the chain under way at a call. */
static bool end_chain(struct trapped *trapped, uint32_t index, const struct ws_advice_launch *launch,
                      const struct ws_ray_thread *thread)
{
    struct site *site = &trapped->of_site[index];
    struct ws_subject subject = trapped->sites.subjects[index];
    subject.words[4] = site->length;
    site->longest = site->length > site->longest ? site->length : site->longest;
    if (site->length > 0) {
        const uint32_t number = ws_subjects_add(&trapped->lengths, &subject);
        if (number == WS_NONE || !ws_subjects_follow(&trapped->lengths, (void **)&trapped->entries,
                                                     &trapped->capacity, sizeof(struct entry)))
            return false;
        struct entry *entry = &trapped->entries[number];
        entry->length = site->length;
        entry->site = index;
        entry->chains++;
        if (site->length >= LEAST_LENGTH && site->point_count == site->length && is_small(site))
            add_trapped(entry, site, launch, thread);
    }
    site->length = 0;
    site->point_count = 0;
    return true;
}

static bool add_point(struct site *site, const float point[3])
{
    /* Three numbers each: ws_grow counts points. */
    float *points =
        ws_array_grow(site->points, &site->point_capacity, site->point_count + 1, 3 * sizeof(*points));
    if (points == NULL)
        return false;
    site->points = points;
    memcpy(points + 3 * (size_t)site->point_count, point, 3 * sizeof(*points));
    site->point_count++;
    return true;
}

/* Notes that the thread under way traces there. */
static bool touch(struct trapped *trapped, uint32_t index)
{
    if (trapped->of_site[index].touched)
        return true;
    uint32_t *touched = ws_array_grow(trapped->touched, &trapped->touched_capacity,
                                      trapped->touched_count + 1, sizeof(*touched));
    if (touched == NULL)
        return false;
    trapped->touched = touched;
    touched[trapped->touched_count++] = index;
    trapped->of_site[index].touched = true;
    return true;
}

static bool add_ray(struct trapped *trapped, const struct ws_advice_launch *launch,
                    const struct ws_ray_thread *thread, uint32_t number)
{
    const struct ws_ray *ray = &thread->rays[number];
    struct ws_subject subject = {{0}};
    float point[3];
    ws_subject_site(trapped->input->catalog, ray, &subject);
    const uint32_t index = ws_subjects_add(&trapped->sites, &subject);
    if (index == WS_NONE ||
        !ws_subjects_follow(&trapped->sites, (void **)&trapped->of_site, &trapped->site_capacity,
                            sizeof(struct site)) ||
        !touch(trapped, index))
        return false;
    struct site *site = &trapped->of_site[index];
    site->shader = ray->shader;
    site->site = ray->site;
    trapped->rays++;
    /* A chain whose last ray missed is over already, so it has as many points as rays. */
    const bool follows = site->length > 0 && ws_ray_starts_at(ray, &thread->rays[site->last], site->size);
    if (!follows && !end_chain(trapped, index, launch, thread))
        return false;
    site->last = number;
    if (site->length++ == 0)
        site->size = ws_ray_scene_size(trapped->input, launch, ray);
    if (ray->end != WS_RAY_HIT || !ray->has_hit || site->size == 0)
        return end_chain(trapped, index, launch, thread);
    ws_ray_point(ray, ray->hit.t, point);
    return ws_are_finite(point, 3) ? add_point(site, point) : end_chain(trapped, index, launch, thread);
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct trapped *trapped = rule;
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!add_ray(trapped, launch, thread, r))
            return false;
    for (uint32_t i = 0; i < trapped->touched_count; ++i) {
        trapped->of_site[trapped->touched[i]].touched = false;
        if (!end_chain(trapped, trapped->touched[i], launch, thread))
            return false;
    }
    trapped->touched_count = 0;
    return true;
}

/* The chains of a call together. */
struct sum {
    const struct entry *longest; /* trapped; NULL = none is */
    uint64_t chains;             /* trapped */
    uint64_t threads;
    uint64_t own;  /* rays of trapped chains beyond the limit */
    uint64_t rays; /* of all chains */
    uint32_t limit;
};

static bool is_trapped(const struct entry *entry, const struct site *site)
{
    return entry->trapped > 0 && 4 * (uint64_t)entry->length >= 3 * (uint64_t)site->longest;
}

static struct sum sum_up(const struct trapped *trapped, uint32_t index)
{
    const struct site *site = &trapped->of_site[index];
    struct sum sum = {.longest = NULL};
    for (uint32_t i = 0; i < trapped->lengths.count; ++i) {
        const struct entry *entry = &trapped->entries[i];
        if (entry->site != index || !is_trapped(entry, site))
            continue;
        sum.chains += entry->trapped;
        sum.threads += entry->thread_count;
        sum.longest = sum.longest == NULL || entry->length > sum.longest->length ? entry : sum.longest;
    }
    sum.limit = sum.longest != NULL ? sum.longest->length / 2 : 0;
    for (uint32_t i = 0; i < trapped->lengths.count; ++i) {
        const struct entry *entry = &trapped->entries[i];
        if (entry->site != index || entry->length <= sum.limit)
            continue;
        sum.rays += entry->chains * (entry->length - sum.limit);
        sum.own += is_trapped(entry, site) ? entry->trapped * (entry->length - sum.limit) : 0;
    }
    return sum;
}

static bool advise(const struct trapped *trapped, uint32_t index, struct ws_advice_list *list)
{
    const struct site *site = &trapped->of_site[index];
    const struct sum sum = sum_up(trapped, index);
    if (sum.longest == NULL)
        return true;
    char subject[512];
    char evidence[512];
    char change[256];
    ws_catalog_trace_name(trapped->input->catalog, site->shader, site->site, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " path%s of up to %" PRIu32 " rays (the longest of this call has %" PRIu32
             "), of %" PRIu64 " thread%s, stayed in less than %.0f %% of the scene's size for their second "
             "half. Of %" PRIu64 " rays beyond a path's first %" PRIu32 ", %" PRIu64 " are of these.",
             sum.chains, sum.chains == 1 ? "" : "s", sum.longest->length, site->longest, sum.threads,
             sum.threads == 1 ? "" : "s", 100 * SMALL, sum.rays, sum.limit, sum.own);
    snprintf(change, sizeof(change),
             "let paths have %" PRIu32 " rays at this call (a lower limit of bounces); or end those that can "
             "still add little by chance (Russian roulette), or close the gap in which they are caught",
             sum.limit);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = change,
        .saves = WS_SAVES_RAYS,
        .saving = sum.rays,
        .of = trapped->rays,
        .certainty = WS_POSSIBLE,
        .doubt = "what these rays add to the picture is not known",
    };
    ws_advice_set_place(&advice, sum.longest->place);
    ws_advice_set_thread(&advice, sum.longest->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct trapped *trapped = rule;
    for (uint32_t i = 0; i < trapped->sites.count; ++i)
        if (!advise(trapped, i, list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_trapped;

const struct ws_advice_rule ws_advice_rule_trapped = {
    .name = "trapped",
    .title = "Rays trapped in a small space",
    .summary = "chains of bounces that reach the limit while they stay in a small part of the scene",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
