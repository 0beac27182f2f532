/* Advice `tmin_high`: rays pass through a surface because it is nearer than their tmin.
 *
 * Evidence, by call site: the rays that start on a surface (ray_source.h). Each is traced on the CPU from
 * 1e-5 of the scene's diagonal to its tmin. (Nearer than that, rounding cannot tell a surface from the one
 * that the ray starts on.) A ray PASSES THROUGH the first triangle that it meets there. Triangles do not
 * count that are the one it starts on, or lie beside it in the same plane, or are not opaque: an any-hit
 * shader may ignore those.
 *
 * It is said where at least one ray in a thousand of the call passes through something: near a corner, any
 * tmin above 0 lets some pass. It is LIKELY from one in a hundred on, else POSSIBLE. The suggested tmin is
 * below half the smallest distance of such a triangle.
 *
 * Saving: nothing that can be counted. Wrong are the rays that pass through something.
 *
 * Example: a bounce ray in the corner of a room starts 0.01 before a wall and has a tmin of 0.05. It leaves
 * the room. */
#include <inttypes.h>
#include <math.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_transform.h"

#define LEAST        1e-5 /* of the scene's diagonal */
#define LEAST_SHARE  1000 /* one ray in so many */
#define LIKELY_SHARE 100

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t rays;            /* that start on a surface */
    uint64_t through;
    uint64_t missed; /* of these, that then hit nothing at all */
    double smallest; /* t of what they pass through */
    float tmin;      /* the largest */
    uint32_t instance;
    struct ws_advice_example example;
};

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

static void add_through(struct entry *entry, const struct ws_advice_ray *shown,
                        const struct ws_trace_hit *hit)
{
    if (entry->through++ == 0)
        entry->instance = hit->instance;
    entry->missed += shown->ray->end == WS_RAY_MISSED;
    if (entry->through == 1 || (double)hit->t < entry->smallest) {
        float place[3];
        ws_ray_point(shown->ray, hit->t, place);
        entry->example = (struct ws_advice_example){0}; /* the nearest is the worst */
        ws_advice_example_give(&entry->example, place, shown->launch, shown->thread);
        entry->smallest = (double)hit->t;
    }
    entry->tmin = fmaxf(entry->tmin, shown->ray->tmin);
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct ws_advice_state *state = user;
    const struct ws_ray_source *source = shown->source;
    if (shown->ray->end == WS_RAY_UNKNOWN || state->input->trace == NULL || source == NULL ||
        !source->triangle)
        return true;
    struct entry *entry =
        ws_evidence_add_site(&state->evidence, state->input->catalog, shown->ray, NULL, NULL);
    if (entry == NULL)
        return false;
    entry->rays++;
    struct ws_ray near = *shown->ray;
    near.tmin = (float)(LEAST * source->size / ws_vector_length(shown->ray->direction));
    near.tmax = fminf(shown->ray->tmin, shown->ray->tmax);
    if (!(near.tmin < near.tmax))
        return true;
    struct search search = {.input = state->input, .source = source};
    if (!ws_scene_trace_use(state->input->trace, source->target.top))
        return false;
    ws_scene_trace_visit(state->input->trace, &near, look, &search);
    if (search.found) {
        add_through(entry, shown, &search.hit);
        ws_advice_mark(state, shown->number, ws_evidence_number(&state->evidence, entry));
    }
    return true;
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    const bool likely = entry->through * LIKELY_SHARE >= entry->rays;
    if (entry->through == 0 || entry->through * LEAST_SHARE < entry->rays)
        return true;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, state->input->catalog, entry->site),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " of %" PRIu64
            " rays that start on a surface pass through another one before their tmin of %.3g (the first "
            "through instance %" PRIu32 "), the nearest at t = %.3g; %" PRIu64
            " of them then hit nothing at all.",
            entry->through, entry->rays, (double)entry->tmin, entry->instance, entry->smallest,
            entry->missed),
        .change = ws_advice_text(list,
                                 "set tmin of this call below %.2g (now %.3g), and move origins off the "
                                 "surface along its normal where rays then hit what they start on",
                                 entry->smallest / 2, (double)entry->tmin),
        .saves = WS_SAVES_NOTHING,
        .wrong_rays = entry->through,
        .certainty = likely ? WS_LIKELY : WS_POSSIBLE,
        .doubt = likely ? "tmin may be intended to leave out what is near"
                        : "they are few: near corners any tmin above 0 lets some pass",
        .pull = WS_PULL_DOWN,
    };
    ws_advice_set_topic_site(&advice, state->input->catalog, entry->site, WS_TOPIC_TMIN);
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_tell(state, number);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_tmin_high;

const struct ws_advice_rule ws_advice_rule_tmin_high = {
    .name = "tmin_high",
    .title = "Lower tmin where rays pass through near surfaces",
    .summary = "rays that pass through a surface nearer than their tmin",
    .evidence = WS_EVIDENCE_RAYS,
    .needs_geometry = true,
    .traces_rays = true,
    .state_size = sizeof(struct ws_advice_state),
    .entry_size = sizeof(struct entry),
    .ray = add_ray,
    .advise = advise,
};
