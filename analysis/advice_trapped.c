/* Adviser `trapped`: rays that bounce on and on in a small space.
 *
 * A CHAIN is what one thread traced at one call site, ray after ray, as long as each ray hits and the next
 * one begins where it hit (within 1e-3 of the scene's diagonal); rays of other calls in between (to lights)
 * do not matter. A chain is TRAPPED where it has at least 16 rays (more bounces than most applications
 * let a path have) and three quarters or more of the longest
 * chain of that call in the capture, so that only the application's limit ended it, and the box of the hits
 * of its second half has a diagonal of at most 1/20 of the scene's: eight bounces or more that went nowhere.
 *
 * Saving: the rays of the second halves of trapped chains, which a limit that heeds what they can still add
 * would not trace. POSSIBLE: what they add to the picture is not known. No threshold besides. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice_subject.h"
#include "catalog.h"

#define LEAST_LENGTH 16
#define NEAR         1e-3
#define SMALL        0.05

/* Chains of one call and length. Subject: the site's four words, length. */
struct entry {
    uint64_t chains;
    uint64_t trapped;      /* those whose second half is in a small space */
    uint64_t thread_count; /* threads with a trapped one */
    uint32_t length;
    uint32_t site;           /* index of the call in sites */
    uint64_t last_thread[2]; /* invocation and thread, of the last trapped */
    bool any_thread;
    float place[3];
    uint32_t thread[3];
};

/* A call. Subject: the site's four words. And its chain under way. */
struct site {
    uint32_t shader;
    uint32_t site;
    uint32_t longest;
    uint32_t length; /* rays of the chain under way */
    double size;     /* of the scene */
    float *points;   /* where its rays hit, 3 each */
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

static void destroy(void *adviser)
{
    struct trapped *trapped = adviser;
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

static void add_trapped(struct entry *entry, const struct site *site,
                        const struct ws_advice_invocation *invocation, const struct ws_ray_thread *thread)
{
    const uint64_t owner[2] = {invocation->threads->invocation->index, thread->index};
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
static bool end_chain(struct trapped *trapped, uint32_t index, const struct ws_advice_invocation *invocation,
                      const struct ws_ray_thread *thread)
{
    struct site *site = &trapped->of_site[index];
    struct ws_subject subject = trapped->sites.subjects[index];
    subject.words[4] = site->length;
    site->longest = site->length > site->longest ? site->length : site->longest;
    if (site->length >= LEAST_LENGTH) {
        const uint32_t number = ws_subjects_add(&trapped->lengths, &subject);
        if (number == WS_NONE || !ws_subjects_follow(&trapped->lengths, (void **)&trapped->entries,
                                                     &trapped->capacity, sizeof(struct entry)))
            return false;
        struct entry *entry = &trapped->entries[number];
        entry->length = site->length;
        entry->site = index;
        entry->chains++;
        if (is_small(site))
            add_trapped(entry, site, invocation, thread);
    }
    site->length = 0;
    return true;
}

static bool add_point(struct site *site, const float point[3])
{
    /* Three numbers each: ws_grow counts points. */
    float *points = ws_grow(site->points, site->length, &site->point_capacity, 3 * sizeof(*points));
    if (points == NULL)
        return false;
    site->points = points;
    memcpy(points + 3 * (size_t)site->length, point, 3 * sizeof(*points));
    site->length++;
    return true;
}

/* Notes that the thread under way traces there. */
static bool touch(struct trapped *trapped, uint32_t index)
{
    if (trapped->of_site[index].touched)
        return true;
    uint32_t *touched =
        ws_grow(trapped->touched, trapped->touched_count, &trapped->touched_capacity, sizeof(*touched));
    if (touched == NULL)
        return false;
    trapped->touched = touched;
    touched[trapped->touched_count++] = index;
    trapped->of_site[index].touched = true;
    return true;
}

static bool add_ray(struct trapped *trapped, const struct ws_advice_invocation *invocation,
                    const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
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
    const bool follows = site->length > 0 && distance(site->points + 3 * (size_t)(site->length - 1),
                                                      ray->origin) <= NEAR * site->size;
    if (!follows && !end_chain(trapped, index, invocation, thread))
        return false;
    if (ray->end != WS_RAY_HIT || !ray->has_hit)
        return end_chain(trapped, index, invocation, thread);
    if (site->length == 0)
        site->size = ws_ray_scene_size(trapped->input, invocation, ray);
    ws_ray_point(ray, ray->hit.t, point);
    return !ws_are_finite(point, 3) || site->size == 0 || add_point(site, point);
}

static bool add_thread(void *adviser, const struct ws_advice_invocation *invocation,
                       const struct ws_ray_thread *thread)
{
    struct trapped *trapped = adviser;
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!add_ray(trapped, invocation, thread, &thread->rays[r]))
            return false;
    for (uint32_t i = 0; i < trapped->touched_count; ++i) {
        trapped->of_site[trapped->touched[i]].touched = false;
        if (!end_chain(trapped, trapped->touched[i], invocation, thread))
            return false;
    }
    trapped->touched_count = 0;
    return true;
}

/* All trapped chains of one call. */
static bool advise(const struct trapped *trapped, uint32_t index, struct ws_advice_list *list)
{
    const struct site *site = &trapped->of_site[index];
    const struct entry *longest = NULL;
    uint64_t chains = 0;
    uint64_t threads = 0;
    uint64_t rays = 0;
    for (uint32_t i = 0; i < trapped->lengths.count; ++i) {
        const struct entry *entry = &trapped->entries[i];
        if (entry->site != index || entry->trapped == 0 ||
            4 * (uint64_t)entry->length < 3 * (uint64_t)site->longest)
            continue;
        chains += entry->trapped;
        threads += entry->thread_count;
        rays += entry->trapped * (entry->length - entry->length / 2);
        longest = longest == NULL || entry->length > longest->length ? entry : longest;
    }
    if (longest == NULL)
        return true;
    char subject[512];
    char evidence[512];
    ws_subject_name_site(trapped->input->catalog, site->shader, site->site, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " chain%s of up to %" PRIu32 " bounces (the longest of this call has %" PRIu32
             "), of %" PRIu64 " thread%s, spent the second half in less than %.0f %% of the scene's size.",
             chains, chains == 1 ? "" : "s", longest->length, site->longest, threads, threads == 1 ? "" : "s",
             100 * SMALL);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change =
            "end a path where what it can still add is small (Russian roulette by throughput), lower the "
            "limit of bounces, or close the gap in which they are caught",
        .saves = WS_SAVES_RAYS,
        .saving = rays,
        .of = trapped->rays,
        .certainty = WS_POSSIBLE,
        .doubt = "what these rays add to the picture is not known",
    };
    ws_advice_set_place(&advice, longest->place);
    ws_advice_set_thread(&advice, longest->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *adviser, struct ws_advice_list *list)
{
    const struct trapped *trapped = adviser;
    for (uint32_t i = 0; i < trapped->sites.count; ++i)
        if (!advise(trapped, i, list))
            return false;
    return true;
}

extern const struct ws_adviser ws_adviser_trapped;

const struct ws_adviser ws_adviser_trapped = {
    .name = "trapped",
    .title = "Rays trapped in a small space",
    .summary = "chains of bounces that reach the limit while they stay in a small part of the scene",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
