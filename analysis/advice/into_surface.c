/* Advice `into_surface`: occlusion and shadow rays directed into the surface that they start on.
 *
 * By call site, of rays that only ask (terminate on first hit, or skip closest hit) and start on a surface
 * (ray_source.h): those that point below it by more than 1e-3 and END ON IT: the triangle that they meet
 * first, by what is recorded or else by tracing them again on the CPU, is of the same instance, or at most
 * 1e-3 of the scene's diagonal away. What they find is known before: the surface itself. Silent where they
 * are less than one in a hundred of the call's rays that start on surfaces: where normals are interpolated a
 * few rays at outlines lie below the triangle.
 *
 * Saving: those rays. LIKELY; where they are rays of ambient occlusion their direction is wrong, and they
 * are not saved but go elsewhere, which the doubt says. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/ray_source.h"
#include "analysis/model/catalog.h"

#define LEAST_BELOW 1e-3
#define TINY        1e-3 /* of the scene's diagonal */
#define LEAST_SHARE 100  /* one ray in so many */

struct entry {
    uint64_t rays; /* that start on a surface */
    uint64_t below;
    uint64_t ending; /* of these, on it */
    uint32_t instance;
    uint32_t custom_index;
    uint32_t shader;
    uint32_t site;
    float place[3];
    uint32_t thread[3];
};

struct into_surface {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    uint64_t rays;
};

static void *create(const struct ws_advice_input *input)
{
    struct into_surface *into = calloc(1, sizeof(*into));
    if (into != NULL)
        into->input = input;
    return into;
}

static void destroy(void *rule)
{
    struct into_surface *into = rule;
    ws_subjects_finish(&into->subjects);
    free(into->entries);
    free(into);
}

/* Whether the ray ends on what it starts on. `ends` is false also where that is not known. */
static bool find_end(const struct into_surface *into, const struct ws_ray *ray,
                     const struct ws_ray_source *source, bool *ends)
{
    struct ws_trace_hit hit = {.instance = ray->hit.instance, .t = ray->hit.t};
    double square = 0;
    *ends = false;
    if (ray->end != WS_RAY_HIT && ray->end != WS_RAY_IMPLICIT)
        return true;
    if (!ray->has_hit) {
        if (into->input->trace == NULL)
            return true;
        if (!ws_scene_trace_use(into->input->trace, source->target.top))
            return false;
        if (!ws_scene_trace_closest(into->input->trace, ray, &hit))
            return true;
    }
    for (int i = 0; i < 3; ++i)
        square += (double)ray->direction[i] * (double)ray->direction[i];
    *ends = hit.instance == source->hit.instance || (double)hit.t * sqrt(square) <= TINY * source->size;
    return true;
}

static bool add_ray(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread,
                    uint32_t number)
{
    struct into_surface *into = rule;
    const struct ws_ray *ray = &thread->rays[number];
    const uint32_t before = into->subjects.count;
    struct ws_subject subject = {{0}};
    struct ws_ray_source source;
    bool ends = false;
    into->rays++;
    if ((ray->flags & (WS_RAY_FLAG_SKIP_CLOSEST_HIT | WS_RAY_FLAG_TERMINATE_FIRST)) == 0 ||
        !ws_ray_source_find(into->input, launch, thread, number, &source) || !source.triangle)
        return true;
    ws_subject_site(into->input->catalog, ray, &subject);
    const uint32_t index = ws_subjects_add(&into->subjects, &subject);
    if (index == WS_NONE ||
        !ws_subjects_follow(&into->subjects, (void **)&into->entries, &into->capacity, sizeof(struct entry)))
        return false;
    struct entry *entry = &into->entries[index];
    if (index == before) {
        entry->shader = ray->shader;
        entry->site = ray->site;
    }
    entry->rays++;
    if (ws_ray_source_cosine(&source, ray) >= -LEAST_BELOW)
        return true;
    entry->below++;
    if (!find_end(into, ray, &source, &ends))
        return false;
    if (ends && entry->ending++ == 0) {
        entry->instance = source.hit.instance;
        entry->custom_index = source.hit.custom_index;
        memcpy(entry->place, ray->origin, sizeof(entry->place));
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
    }
    return true;
}

static bool advise(const struct into_surface *into, const struct entry *entry, struct ws_advice_list *list)
{
    char subject[512];
    char evidence[512];
    ws_catalog_trace_name(into->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " of %" PRIu64 " rays that start on a surface point into it (%.1f %%); %" PRIu64
             " of them end on the very object they start on, the first on instance %" PRIu32
             " (custom index %" PRIu32 ").",
             entry->below, entry->rays, ws_percent(entry->below, entry->rays), entry->ending, entry->instance,
             entry->custom_index);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = "choose directions around the surface normal on the side that was hit (not a normal turned "
                  "by anything but the ray that hit it); rays to a light: leave this call out where "
                  "dot(direction, normal) <= 0, which is in shadow",
        .saves = WS_SAVES_RAYS,
        .saving = entry->ending,
        .of = into->rays,
        .certainty = WS_LIKELY,
        .doubt = "rays of ambient occlusion will go elsewhere, and be as many",
    };
    ws_advice_set_place(&advice, entry->place);
    ws_advice_set_thread(&advice, entry->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct into_surface *into = rule;
    for (uint32_t i = 0; i < into->subjects.count; ++i) {
        const struct entry *entry = &into->entries[i];
        if (entry->ending > 0 && entry->ending * LEAST_SHARE >= entry->rays && !advise(into, entry, list))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_into_surface;

const struct ws_advice_rule ws_advice_rule_into_surface = {
    .name = "into_surface",
    .title = "Do not ask for occlusion below the surface",
    .summary = "shadow and occlusion rays that point into the surface they start on, and end there",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .ray = add_ray,
    .end = end,
};
