/* Advice `trapped`: rays bounce on and on in a small space.
 *
 * Evidence, by call site: a CHAIN is what one thread traces there, ray after ray, as long as each ray hits
 * and the next one starts at that hit (ray_paths.h). Rays of other calls in between, such as those to lights,
 * do not matter. A ray that misses is the last of its chain. A chain is TRAPPED where
 *
 *   - all its rays hit, and there are at least 16 of them: more bounces than most applications let a path
 *   have;
 *   - it has at least three quarters of the rays of the longest chain of that call in the capture, so that
 *     only the application's limit ended it;
 *   - the box around the hits of its second half has a diagonal of at most 1/20 of the scene's: eight bounces
 *     or more that went nowhere.
 *
 * A chain with a self-hit (ray_source.h) is not: that is what keeps it there, and tmin_low says so.
 *
 * Saving: the rays of trapped chains beyond the LIMIT, which is half as many rays as the longest trapped chain has.
 * To limit all paths of the call to that would end rays of other paths, too; the evidence says how many. POSSIBLE:
 * what the rays add to the picture is not known. There is no other threshold. (What other calls trace from where
 * these hit is saved besides.)
 *
 * Example: a path enters the gap between a cupboard and the wall, and bounces there 24 times until the
 * limit. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"

#define LEAST_LENGTH 16
#define SMALL        0.05

/* The chains of one call site and length. Subject: number of the call site, length. */
struct chains {
    uint64_t count;
    uint64_t trapped;      /* those whose second half is in a small space */
    uint64_t thread_count; /* threads with a trapped one */
    uint32_t length;
    uint32_t site;           /* number of its entry */
    uint64_t last_thread[2]; /* launch and thread, of the last trapped */
    struct ws_advice_example example;
};

/* A call site, and its chain under way. */
struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint32_t longest;
    uint32_t length; /* rays of the chain under way */
    uint32_t last;   /* of them, its number in the thread */
    double size;     /* of the scene */
    uint32_t *rays;  /* their numbers in the thread */
    uint32_t ray_capacity;
    float (*points)[3];   /* where its rays hit */
    uint32_t point_count; /* fewer than rays where one missed */
    uint32_t point_capacity;
    bool self_hit; /* one of them is */
    bool touched;  /* by the thread under way */
};

struct trapped {
    struct ws_advice_state base;
    struct ws_evidence chains;
    uint32_t *touched; /* entries of the thread under way */
    uint32_t touched_count;
    uint32_t touched_capacity;
};

static bool init(void *user)
{
    struct trapped *trapped = user;
    trapped->chains.entry_size = sizeof(struct chains);
    return true;
}

static void finish(void *user)
{
    struct trapped *trapped = user;
    for (uint32_t i = 0; i < trapped->base.evidence.count; ++i) {
        const struct entry *entry = ws_evidence_at(&trapped->base.evidence, i);
        free(entry->points);
        free(entry->rays);
    }
    ws_evidence_finish(&trapped->chains);
    free(trapped->touched);
}

/* Whether the second half of the chain under way stayed in a small space. */
static bool is_small(const struct entry *entry)
{
    float low[3];
    float high[3];
    const uint32_t first = entry->length / 2;
    memcpy(low, entry->points[first], sizeof(low));
    memcpy(high, low, sizeof(high));
    for (uint32_t p = first; p < entry->length; ++p)
        for (int i = 0; i < 3; ++i) {
            low[i] = fminf(low[i], entry->points[p][i]);
            high[i] = fmaxf(high[i], entry->points[p][i]);
        }
    return ws_vector_distance(low, high) <= SMALL * entry->size;
}

static void add_trapped(struct chains *chains, const struct entry *entry,
                        const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    const uint64_t owner[2] = {launch->threads->launch->index, thread->index};
    chains->trapped++;
    if (!chains->example.given || memcmp(owner, chains->last_thread, sizeof(owner)) != 0)
        chains->thread_count++;
    memcpy(chains->last_thread, owner, sizeof(owner));
    ws_advice_example_give(&chains->example, entry->points[entry->length - 1], launch, thread);
}

/* Ends the chain under way at a call site. */
static bool end_chain(struct trapped *trapped, struct entry *entry, const struct ws_advice_launch *launch,
                      const struct ws_ray_thread *thread)
{
    entry->longest = entry->length > entry->longest ? entry->length : entry->longest;
    if (entry->length > 0) {
        const uint32_t site = ws_evidence_number(&trapped->base.evidence, entry);
        const struct ws_subject subject = {{site, entry->length}};
        struct chains *chains = ws_evidence_add(&trapped->chains, &subject, NULL);
        if (chains == NULL)
            return false;
        chains->length = entry->length;
        chains->site = site;
        chains->count++;
        if (entry->length >= LEAST_LENGTH && entry->point_count == entry->length && !entry->self_hit &&
            is_small(entry)) {
            add_trapped(chains, entry, launch, thread);
            for (uint32_t i = 0; i < entry->length; ++i)
                ws_advice_mark(&trapped->base, entry->rays[i], ws_evidence_number(&trapped->chains, chains));
        }
    }
    entry->length = 0;
    entry->point_count = 0;
    entry->self_hit = false;
    return true;
}

static bool add_point(struct entry *entry, const float point[3])
{
    float(*points)[3] =
        ws_array_grow(entry->points, &entry->point_capacity, entry->point_count + 1, sizeof(*points));
    if (points == NULL)
        return false;
    entry->points = points;
    memcpy(points[entry->point_count++], point, sizeof(*points));
    return true;
}

/* Adds a ray to the chain. */
static bool lengthen(struct entry *entry, uint32_t ray)
{
    uint32_t *rays = ws_array_grow(entry->rays, &entry->ray_capacity, entry->length + 1, sizeof(*rays));
    if (rays == NULL)
        return false;
    entry->rays = rays;
    rays[entry->length++] = ray;
    return true;
}

/* Notes that the thread under way traces there. */
static bool touch(struct trapped *trapped, struct entry *entry)
{
    if (entry->touched)
        return true;
    uint32_t *touched = ws_array_grow(trapped->touched, &trapped->touched_capacity,
                                      trapped->touched_count + 1, sizeof(*touched));
    if (touched == NULL)
        return false;
    trapped->touched = touched;
    touched[trapped->touched_count++] = ws_evidence_number(&trapped->base.evidence, entry);
    entry->touched = true;
    return true;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct trapped *trapped = user;
    const struct ws_ray *ray = shown->ray;
    float point[3];
    struct entry *entry =
        ws_evidence_add_site(&trapped->base.evidence, trapped->base.input->catalog, ray, NULL, NULL);
    if (entry == NULL || !touch(trapped, entry))
        return false;
    trapped->base.all++;
    /* A chain whose last ray missed is over already, so it has as many points as rays. */
    const bool follows =
        entry->length > 0 && ws_ray_starts_at(ray, &shown->thread->rays[entry->last], entry->size);
    if (!follows && !end_chain(trapped, entry, shown->launch, shown->thread))
        return false;
    entry->last = shown->number;
    entry->self_hit = entry->self_hit || shown->self_hit;
    if (entry->length == 0)
        entry->size = ws_advice_scene_size(shown->launch, ray);
    if (!lengthen(entry, shown->number))
        return false;
    if (ray->end != WS_RAY_HIT || !ray->has_hit || entry->size == 0)
        return end_chain(trapped, entry, shown->launch, shown->thread);
    ws_ray_point(ray, ray->hit.t, point);
    return ws_all_finite(point, 3) ? add_point(entry, point)
                                   : end_chain(trapped, entry, shown->launch, shown->thread);
}

static bool end_thread(void *user, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct trapped *trapped = user;
    for (uint32_t i = 0; i < trapped->touched_count; ++i) {
        struct entry *entry = ws_evidence_at(&trapped->base.evidence, trapped->touched[i]);
        entry->touched = false;
        if (!end_chain(trapped, entry, launch, thread))
            return false;
    }
    trapped->touched_count = 0;
    return true;
}

/* The chains of a call site together. */
struct sum {
    const struct chains *longest; /* trapped; NULL = none is */
    uint64_t chains;              /* trapped */
    uint64_t threads;
    uint64_t own;  /* rays of trapped chains beyond the limit */
    uint64_t rays; /* of all chains beyond the limit */
    uint32_t limit;
};

static bool is_trapped(const struct chains *chains, const struct entry *entry)
{
    return chains->trapped > 0 && 4 * (uint64_t)chains->length >= 3 * (uint64_t)entry->longest;
}

static struct sum sum_up(const struct trapped *trapped, uint32_t number)
{
    const struct entry *entry = ws_evidence_at(&trapped->base.evidence, number);
    struct sum sum = {.longest = NULL};
    for (uint32_t i = 0; i < trapped->chains.count; ++i) {
        const struct chains *chains = ws_evidence_at(&trapped->chains, i);
        if (chains->site != number || !is_trapped(chains, entry))
            continue;
        sum.chains += chains->trapped;
        sum.threads += chains->thread_count;
        sum.longest = sum.longest == NULL || chains->length > sum.longest->length ? chains : sum.longest;
    }
    sum.limit = sum.longest != NULL ? sum.longest->length / 2 : 0;
    for (uint32_t i = 0; i < trapped->chains.count; ++i) {
        const struct chains *chains = ws_evidence_at(&trapped->chains, i);
        if (chains->site != number || chains->length <= sum.limit)
            continue;
        sum.rays += chains->count * (chains->length - sum.limit);
        sum.own += is_trapped(chains, entry) ? chains->trapped * (chains->length - sum.limit) : 0;
    }
    return sum;
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct trapped *trapped = user;
    const struct entry *entry = ws_evidence_at(&trapped->base.evidence, number);
    const struct sum sum = sum_up(trapped, number);
    if (sum.longest == NULL)
        return true;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, trapped->base.input->catalog, entry->site),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " path%s of up to %" PRIu32 " rays (the longest of this call has %" PRIu32 "), of "
            "%" PRIu64 " thread%s, stayed within %.0f %% of the scene's size in their second half. They have "
            "%" PRIu64 " rays beyond the first %" PRIu32 " of each; other paths of this call have %" PRIu64
            ".",
            sum.chains, sum.chains == 1 ? "" : "s", sum.longest->length, entry->longest, sum.threads,
            sum.threads == 1 ? "" : "s", 100 * SMALL, sum.own, sum.limit, sum.rays - sum.own),
        .change =
            ws_advice_text(list,
                           "close the gap in which they are caught, or end paths that can add little at "
                           "random (Russian roulette); a limit of %" PRIu32
                           " rays at this call ends them, but other paths of that length, too",
                           sum.limit),
        .saves = WS_SAVES_RAYS,
        .saving = sum.own,
        .of = trapped->base.all,
        .certainty = WS_POSSIBLE,
        .doubt = "what these rays add to the picture is not known",
    };
    ws_advice_set_example(&advice, &sum.longest->example);
    for (uint32_t i = 0; i < trapped->chains.count; ++i) {
        const struct chains *chains = ws_evidence_at(&trapped->chains, i);
        if (chains->site == number && is_trapped(chains, entry))
            ws_advice_tell(&trapped->base, i);
    }
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_trapped;

const struct ws_advice_rule ws_advice_rule_trapped = {
    .name = "trapped",
    .title = "Rays trapped in a small space",
    .summary = "chains of bounces that reach the limit while they stay in a small part of the scene",
    .evidence = WS_EVIDENCE_RAYS,
    .needs_geometry = true,
    .state_size = sizeof(struct trapped),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .thread = end_thread,
    .advise = advise,
};
