/* Advice `tmin_high`: rays that pass through a surface because it is nearer than their tmin.
 *
 * By call site, of rays that start on a surface (ray_source.h): traced on the CPU from 1e-5 of the scene's
 * diagonal (nearer, rounding cannot tell a surface from the one that the ray starts on) to tmin, they PASS
 * THROUGH the first triangle they meet, if that is not the one they start on or one beside it in the same
 * plane, and is opaque: of others an any-hit shader may ignore it.
 *
 * Said where at least one ray in a thousand of the call passes through something: near a corner any tmin
 * above 0 lets some. LIKELY where it is one in a hundred, else POSSIBLE. The suggested tmin is half the
 * smallest distance of such a triangle, but not below what rounding takes.
 *
 * Saves nothing that can be counted: what is wrong is what these rays find. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/ray_source.h"
#include "analysis/model/catalog.h"

#define LEAST        1e-5 /* of the scene's diagonal */
#define LEAST_SHARE  1000 /* one ray in so many */
#define LIKELY_SHARE 100

struct entry {
    uint64_t rays; /* that start on a surface */
    uint64_t through;
    uint64_t missed; /* of these, that then hit nothing at all */
    double smallest; /* t of what they pass through */
    float tmin;      /* the largest */
    uint32_t instance;
    uint32_t shader;
    uint32_t site;
    float place[3];
    uint32_t thread[3];
};

struct tmin_high {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
};

static void *create(const struct ws_advice_input *input)
{
    struct tmin_high *high = calloc(1, sizeof(*high));
    if (high != NULL)
        high->input = input;
    return high;
}

static void destroy(void *rule)
{
    struct tmin_high *high = rule;
    ws_subjects_finish(&high->subjects);
    free(high->entries);
    free(high);
}

/* What lies before tmin. */
struct search {
    const struct ws_advice_input *input;
    const struct ws_ray_source *source;
    struct ws_trace_hit hit;
    bool found;
};

static enum ws_trace_answer look(void *user, const struct ws_trace_hit *hit)
{
    struct search *search = user;
    if (hit->box || !hit->opaque ||
        ws_ray_source_is_same(search->input, search->source, hit->instance, hit->geometry, hit->primitive))
        return WS_TRACE_IGNORE;
    search->hit = *hit;
    search->found = true;
    return WS_TRACE_ACCEPT;
}

static void add_through(struct entry *entry, const struct ws_ray_thread *thread, const struct ws_ray *ray,
                        const struct ws_trace_hit *hit)
{
    if (entry->through++ == 0) {
        ws_ray_point(ray, hit->t, entry->place);
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
        entry->instance = hit->instance;
        entry->smallest = (double)hit->t;
    }
    entry->missed += ray->end == WS_RAY_MISSED;
    entry->smallest = fmin(entry->smallest, (double)hit->t);
    entry->tmin = fmaxf(entry->tmin, ray->tmin);
}

static bool add_ray(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread,
                    uint32_t number)
{
    struct tmin_high *high = rule;
    const struct ws_ray *ray = &thread->rays[number];
    const uint32_t before = high->subjects.count;
    struct ws_subject subject = {{0}};
    struct ws_ray_source source;
    double square = 0;
    if (ray->end == WS_RAY_UNKNOWN || high->input->trace == NULL ||
        !ws_ray_source_find(high->input, launch, thread, number, &source) || !source.triangle)
        return true;
    ws_subject_site(high->input->catalog, ray, &subject);
    const uint32_t index = ws_subjects_add(&high->subjects, &subject);
    if (index == WS_NONE ||
        !ws_subjects_follow(&high->subjects, (void **)&high->entries, &high->capacity, sizeof(struct entry)))
        return false;
    struct entry *entry = &high->entries[index];
    if (index == before) {
        entry->shader = ray->shader;
        entry->site = ray->site;
    }
    entry->rays++;
    for (int i = 0; i < 3; ++i)
        square += (double)ray->direction[i] * (double)ray->direction[i];
    struct ws_ray near = *ray;
    near.tmin = (float)(LEAST * source.size / sqrt(square));
    near.tmax = fminf(ray->tmin, ray->tmax);
    if (!(near.tmin < near.tmax))
        return true;
    struct search search = {.input = high->input, .source = &source};
    if (!ws_scene_trace_use(high->input->trace, source.target.top))
        return false;
    ws_scene_trace_visit(high->input->trace, &near, look, &search);
    if (search.found)
        add_through(entry, thread, ray, &search.hit);
    return true;
}

static bool advise(const struct tmin_high *high, const struct entry *entry, struct ws_advice_list *list)
{
    char subject[512];
    char evidence[512];
    char change[256];
    const bool likely = entry->through * LIKELY_SHARE >= entry->rays;
    ws_catalog_trace_name(high->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " of %" PRIu64
             " rays that start on a surface pass through another one before their tmin of %.3g (the first "
             "through instance %" PRIu32 "), the nearest at t = %.3g; %" PRIu64
             " of them then hit nothing at all.",
             entry->through, entry->rays, (double)entry->tmin, entry->instance, entry->smallest,
             entry->missed);
    snprintf(change, sizeof(change),
             "set tmin of this call below %.2g (now %.3g), and move origins off the surface along its normal "
             "where rays then hit what they start on",
             entry->smallest / 2, (double)entry->tmin);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = change,
        .saves = WS_SAVES_NOTHING,
        .certainty = likely ? WS_LIKELY : WS_POSSIBLE,
        .doubt = likely ? "tmin may be meant to leave out what is near"
                        : "they are few: near corners any tmin above 0 lets some pass",
    };
    ws_advice_set_place(&advice, entry->place);
    ws_advice_set_thread(&advice, entry->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct tmin_high *high = rule;
    for (uint32_t i = 0; i < high->subjects.count; ++i) {
        const struct entry *entry = &high->entries[i];
        if (entry->through > 0 && entry->through * LEAST_SHARE >= entry->rays && !advise(high, entry, list))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_tmin_high;

const struct ws_advice_rule ws_advice_rule_tmin_high = {
    .name = "tmin_high",
    .title = "Look for what is nearer",
    .summary = "rays that pass through a surface nearer than their tmin",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .ray = add_ray,
    .end = end,
};
