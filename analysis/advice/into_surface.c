/* Advice `into_surface`: occlusion and shadow rays are directed into the surface that they start on.
 *
 * Evidence, by call site, of the rays that only ask whether there is a hit (they terminate on the first hit, or skip
 * closest hit shaders) and start on a surface, but not at a self-hit (ray_source.h): those that point below it by more
 * than 1e-3 and END ON IT. A ray ends on it where the triangle that it meets first is of the same instance, or at most
 * 1e-3 of the scene's diagonal away. What it meets first is what is recorded, or else what it meets when it is traced
 * again on the CPU. What such a ray finds is known before: the surface itself.
 *
 * The rule is silent where these are less than one in a hundred of the call's rays that start on surfaces:
 * where normals are interpolated, a few rays at outlines lie below the triangle.
 *
 * Saving: none that can be counted: those rays are WRONG. Rays of ambient occlusion have the wrong direction: they go
 * elsewhere, as many as before. Rays to a light need not be traced, which the doubt says. LIKELY.
 *
 * Example: occlusion rays are spread around a normal that points into the wall. Half of them end on the
 * wall. */
#include <inttypes.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_transform.h"

#define LEAST_BELOW 1e-3
#define TINY        1e-3 /* of the scene's diagonal */
#define LEAST_SHARE 100  /* one ray in so many */

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t rays;            /* that start on a surface */
    uint64_t below;
    uint64_t ending; /* of these, on it */
    uint32_t instance;
    uint32_t custom_index;
    struct ws_advice_example example;
};

/* Whether the ray ends on what it starts on. `ends` is false, too, where that is not known. Returns false
 * when there is no memory. */
static bool find_end(const struct ws_advice_state *state, const struct ws_advice_ray *shown, bool *ends)
{
    const struct ws_ray *ray = shown->ray;
    const struct ws_ray_source *source = shown->source;
    struct ws_trace_hit hit = {.instance = ray->hit.instance, .t = ray->hit.t};
    *ends = false;
    if (ray->end != WS_RAY_HIT && ray->end != WS_RAY_IMPLICIT)
        return true;
    if (!ray->has_hit) {
        if (state->input->trace == NULL)
            return true;
        if (!ws_scene_trace_use(state->input->trace, source->target.top))
            return false;
        if (!ws_scene_trace_closest(state->input->trace, ray, &hit))
            return true;
    }
    *ends = hit.instance == source->hit.instance ||
            (double)hit.t * ws_vector_length(ray->direction) <= TINY * source->size;
    return true;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct ws_advice_state *state = user;
    const struct ws_ray *ray = shown->ray;
    const struct ws_ray_source *source = shown->source;
    bool ends = false;
    if ((ray->flags & (WS_RAY_FLAG_SKIP_CLOSEST_HIT | WS_RAY_FLAG_TERMINATE_FIRST)) == 0 || source == NULL ||
        !source->triangle || source->self)
        return true;
    struct entry *entry = ws_evidence_add_site(&state->evidence, state->input->catalog, ray, NULL, NULL);
    if (entry == NULL)
        return false;
    entry->rays++;
    if (ws_ray_source_cosine(source, ray) >= -LEAST_BELOW)
        return true;
    entry->below++;
    if (!find_end(state, shown, &ends))
        return false;
    if (!ends)
        return true;
    ws_advice_mark(state, shown->number, ws_evidence_number(&state->evidence, entry));
    ws_advice_example_give(&entry->example, ray->origin, shown->launch, shown->thread);
    if (entry->ending++ == 0) {
        entry->instance = source->hit.instance;
        entry->custom_index = source->hit.custom_index;
    }
    return true;
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    if (entry->ending == 0 || entry->ending * LEAST_SHARE < entry->rays)
        return true;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, state->input->catalog, entry->site),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " of %" PRIu64 " rays that start on a surface point into it (%.1f %%); %" PRIu64
            " of them end on the very object they start on, the first on instance %" PRIu32
            " (custom index %" PRIu32 ").",
            entry->below, entry->rays, ws_percent(entry->below, entry->rays), entry->ending, entry->instance,
            entry->custom_index),
        .change = "for ambient occlusion, choose directions around the geometric normal, turned to the side "
                  "that was hit; for rays to a light, leave this call out where dot(direction, normal) <= 0: "
                  "the place is in shadow",
        .wrong_rays = entry->ending,
        .certainty = WS_LIKELY,
        .doubt = "rays to a light are not wrong, but not needed: leaving them out saves them",
    };
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_tell(state, number);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_into_surface;

const struct ws_advice_rule ws_advice_rule_into_surface = {
    .name = "into_surface",
    .title = "Do not send occlusion rays into the surface",
    .summary = "shadow and occlusion rays that point into the surface they start on, and end there",
    .evidence = WS_EVIDENCE_RAYS,
    .needs_geometry = true,
    .traces_rays = true,
    .state_size = sizeof(struct ws_advice_state),
    .entry_size = sizeof(struct entry),
    .ray = add_ray,
    .advise = advise,
};
