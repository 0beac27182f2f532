/* Advice `short_rays`: rays that cannot hit anything, or next to nothing.
 *
 * By call site, ray queries included, two kinds of evidence:
 *
 *   no length: the interval is empty (tmax <= tmin), the direction is zero, or origin, direction, tmin or
 * tmax is not a number (or infinite where it must not be). What such a ray does is undefined, or it misses.
 * Those that hit something all the same are not counted. CERTAIN, from one ray on.
 *
 *   short: tmax times the direction's length is less than 1e-4 of the diagonal of
 * the scene's box: of things that many times larger it can hardly find any. Needs the captured geometry.
 * LIKELY where none of them hit anything, else POSSIBLE; and only where at least one ray of the call in a
 *              hundred is so short, since a light sampled at its edge makes a few in any renderer.
 *
 * Saving: those rays. Each ray is counted in one of the two. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"

#define SHORT_SHARE 1e-4 /* of the scene's diagonal */
#define LEAST_SHARE 100  /* one ray in so many */

enum why { EMPTY, ZERO, NOT_A_NUMBER, SHORT, WHYS };

struct entry {
    uint64_t rays;
    uint64_t counts[WHYS];
    uint64_t short_hits;
    double longest; /* of the short ones, as a share of the scene */
    uint32_t shader;
    uint32_t site;
    struct {
        float place[3];
        uint32_t thread[3];
    } examples[WHYS];
};

struct short_rays {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    uint64_t rays;
};

static void *create(const struct ws_advice_input *input)
{
    struct short_rays *rays = calloc(1, sizeof(*rays));
    if (rays != NULL)
        rays->input = input;
    return rays;
}

static void destroy(void *rule)
{
    struct short_rays *rays = rule;
    ws_subjects_finish(&rays->subjects);
    free(rays->entries);
    free(rays);
}

static double length_of(const float vector[3])
{
    return sqrt((double)vector[0] * vector[0] + (double)vector[1] * vector[1] +
                (double)vector[2] * vector[2]);
}

/* WHYS = the ray is as it should be. */
static enum why judge(const struct short_rays *rays, const struct ws_advice_launch *launch,
                      const struct ws_ray *ray, double *share)
{
    /* tmax may be infinite: applications write so, and devices take it for "as far as there is anything". */
    if (!ws_are_finite(ray->origin, 3) || !ws_are_finite(ray->direction, 3) || !isfinite(ray->tmin) ||
        isnan(ray->tmax))
        return NOT_A_NUMBER;
    const double length = length_of(ray->direction);
    if (length == 0)
        return ZERO;
    if (ray->tmax <= ray->tmin)
        return EMPTY;
    if (isinf(ray->tmax))
        return WHYS;
    const double size = ws_ray_scene_size(rays->input, launch, ray);
    *share = size > 0 ? ray->tmax * length / size : 1;
    return *share < SHORT_SHARE ? SHORT : WHYS;
}

static bool add_ray(struct short_rays *rays, const struct ws_advice_launch *launch,
                    const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    struct ws_subject subject = {{0}};
    double share = 0;
    ws_subject_site(rays->input->catalog, ray, &subject);
    const uint32_t index = ws_subjects_add(&rays->subjects, &subject);
    if (index == WS_NONE ||
        !ws_subjects_follow(&rays->subjects, (void **)&rays->entries, &rays->capacity, sizeof(struct entry)))
        return false;
    struct entry *entry = &rays->entries[index];
    const bool hit = ray->end == WS_RAY_HIT || ray->end == WS_RAY_IMPLICIT || ray->has_hit;
    enum why why = judge(rays, launch, ray, &share);
    if (hit && why != SHORT)
        why = WHYS;
    entry->shader = ray->shader;
    entry->site = ray->site;
    entry->rays++;
    rays->rays++;
    if (why == WHYS)
        return true;
    if (entry->counts[why]++ == 0) {
        memcpy(entry->examples[why].place, ray->origin, sizeof(ray->origin));
        memcpy(entry->examples[why].thread, thread->thread->work, sizeof(thread->thread->work));
    }
    if (why == SHORT) {
        entry->short_hits += hit;
        entry->longest = share > entry->longest ? share : entry->longest;
    }
    return true;
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!add_ray(rule, launch, thread, &thread->rays[r]))
            return false;
    return true;
}

static void set_example(struct ws_advice *advice, const struct entry *entry, enum why why)
{
    ws_advice_set_place(advice, entry->examples[why].place);
    ws_advice_set_thread(advice, entry->examples[why].thread);
}

static bool advise_none(const struct short_rays *rays, const struct entry *entry, struct ws_advice_list *list)
{
    char subject[512];
    char evidence[512];
    const uint64_t count = entry->counts[EMPTY] + entry->counts[ZERO] + entry->counts[NOT_A_NUMBER];
    ws_catalog_trace_name(rays->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "Of %" PRIu64 " rays %" PRIu64 " have an empty interval (tmax <= tmin), %" PRIu64
             " a direction of length 0, and %" PRIu64 " numbers that are not finite.",
             entry->rays, entry->counts[EMPTY], entry->counts[ZERO], entry->counts[NOT_A_NUMBER]);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = "test direction, tmin and tmax before this call, and leave it out for such rays, with "
                  "what their miss shader would have stored: the specification wants finite numbers and 0 <= "
                  "tmin <= tmax",
        .saves = WS_SAVES_RAYS,
        .saving = count,
        .of = rays->rays,
        .certainty = WS_CERTAIN,
        .doubt = "",
    };
    set_example(&advice, entry,
                entry->counts[NOT_A_NUMBER] > 0 ? NOT_A_NUMBER
                : entry->counts[ZERO] > 0       ? ZERO
                                                : EMPTY);
    return ws_advice_add(list, &advice);
}

static bool advise_short(const struct short_rays *rays, const struct entry *entry,
                         struct ws_advice_list *list)
{
    char subject[512];
    char evidence[512];
    ws_catalog_trace_name(rays->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " of %" PRIu64 " rays are at most %.1e of the scene's diagonal long; %" PRIu64
             " of them hit something.",
             entry->counts[SHORT], entry->rays, entry->longest, entry->short_hits);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change =
            "check how tmax is computed; if it is meant, leave this call out where tmax is so small, with "
            "what its miss shader would have stored",
        .saves = WS_SAVES_RAYS,
        .saving = entry->counts[SHORT],
        .of = rays->rays,
        .certainty = entry->short_hits == 0 ? WS_LIKELY : WS_POSSIBLE,
        .doubt = entry->short_hits == 0 ? "there may be things that small elsewhere"
                                        : "some of these rays hit something",
    };
    set_example(&advice, entry, SHORT);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct short_rays *rays = rule;
    for (uint32_t i = 0; i < rays->subjects.count; ++i) {
        const struct entry *entry = &rays->entries[i];
        if (entry->counts[EMPTY] + entry->counts[ZERO] + entry->counts[NOT_A_NUMBER] > 0 &&
            !advise_none(rays, entry, list))
            return false;
        if (entry->counts[SHORT] > 0 && entry->counts[SHORT] * LEAST_SHARE >= entry->rays &&
            !advise_short(rays, entry, list))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_short_rays;

const struct ws_advice_rule ws_advice_rule_short_rays = {
    .name = "short_rays",
    .title = "Do not trace rays that cannot hit anything",
    .summary = "rays without length, and rays shorter than 1e-4 of the scene",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
