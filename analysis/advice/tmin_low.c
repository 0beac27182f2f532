/* Advice `tmin_low`: rays hit the surface that they start on.
 *
 * Evidence, by call site, of the rays that start on a surface: the self-hits (ray_source.h). One is enough.
 * Procedural primitives may be met again with good reason, and are not looked at. Nor are rays that run no
 * closest hit shader: what they hit is not recorded.
 *
 * The suggested tmin lies between the largest t of the self-hits and the smallest t of the other hits, at
 * their geometric mean: as many times above the one as below the other. Of the other hits only those farther
 * than 1e-6 of the diagonal count: nearer, the other side of an edge is the same place. Where the two
 * overlap, no tmin is right. LIKELY: other places of the scene may need another value.
 *
 * Wrong are the self-hits. Saving: the closest hit runs of those behind which the ray, traced on on the CPU, meets no
 * other triangle. The others would run a closest hit shader there. What is in the boxes that they pass is not
 * known.
 *
 * Example: tmin is 0 and a bounce ray hits its own triangle at t = 3e-7. The nearest other hit of the call is
 * at 0.02. Advised is a tmin of 7.7e-05. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_transform.h"

#define NEAR  1e-6 /* of the scene's diagonal, at edges */
#define BINS  8    /* of distances in it: below 1e-7, then by tens, from 0.1 on */
#define FIRST -7   /* exponent that ends the first bin */

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t rays;            /* that start on a surface */
    uint64_t self;
    uint64_t runs;  /* of closest hit shaders by self-hits, behind which there is nothing */
    float largest;  /* t of self-hits */
    float smallest; /* t of other hits */
    uint64_t self_bins[BINS];
    uint64_t other_bins[BINS];
    float tmin; /* of self-hits: the largest */
    struct ws_advice_example example;
};

static uint32_t bin_of(double share)
{
    const double exponent = share > 0 ? floor(log10(share)) : FIRST - 1;
    const double bin = fmin(fmax(exponent - (FIRST - 1), 0), BINS - 1);
    return (uint32_t)bin;
}

/* What lies behind a self-hit. */
struct search {
    const struct ws_advice_input *input;
    const struct ws_ray_source *source;
    bool found;
};

static enum ws_trace_answer look(void *user, const struct ws_trace_hit *hit)
{
    struct search *search = user;
    if (hit->box ||
        ws_ray_source_is_same(search->input, search->source, hit->instance, hit->geometry, hit->primitive))
        return WS_TRACE_IGNORE;
    search->found = true;
    return WS_TRACE_STOP;
}

/* Whether the ray's closest hit shader would not run without the self-hit. It is false, too, where the
 * geometry to trace it through is not known. Returns false when there is no memory. */
static bool find_saved(const struct ws_advice_state *state, const struct ws_advice_ray *shown, bool *saved)
{
    struct search search = {.input = state->input, .source = shown->source};
    struct ws_ray on = *shown->ray;
    *saved = false;
    if (shown->ray->query || state->input->trace == NULL)
        return true;
    if (!ws_scene_trace_use(state->input->trace, shown->source->target.top))
        return false;
    on.tmin = shown->ray->hit.t;
    ws_scene_trace_visit(state->input->trace, &on, look, &search);
    *saved = !search.found;
    return true;
}

static bool add_hit(const struct ws_advice_state *state, struct entry *entry,
                    const struct ws_advice_ray *shown)
{
    const struct ws_ray *ray = shown->ray;
    const double share = (double)ray->hit.t * ws_vector_length(ray->direction) / shown->source->size;
    bool saved;
    if (!shown->self_hit) {
        entry->other_bins[bin_of(share)]++;
        if (share > NEAR)
            entry->smallest = fminf(entry->smallest, ray->hit.t);
        return true;
    }
    if (!find_saved(state, shown, &saved))
        return false;
    ws_advice_example_give(&entry->example, ray->origin, shown->launch, shown->thread);
    ws_advice_mark(state, shown->number, ws_evidence_number(&state->evidence, entry));
    entry->self++;
    entry->runs += saved;
    entry->self_bins[bin_of(share)]++;
    entry->largest = fmaxf(entry->largest, ray->hit.t);
    entry->tmin = fmaxf(entry->tmin, ray->tmin);
    return true;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct ws_advice_state *state = user;
    const struct ws_ray *ray = shown->ray;
    bool added = false;
    state->all += ray->end == WS_RAY_HIT && !ray->query;
    if (shown->source == NULL || !shown->source->triangle)
        return true;
    struct entry *entry = ws_evidence_add_site(&state->evidence, state->input->catalog, ray, NULL, &added);
    if (entry == NULL)
        return false;
    if (added)
        entry->smallest = INFINITY;
    entry->rays++;
    return ray->end != WS_RAY_HIT || !ray->has_hit || add_hit(state, entry, shown);
}

/* "below 1e-7: 12 self-hits, 0 others; ..." of bins that have any. */
static void describe_bins(const struct entry *entry, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < BINS && used < size; ++i) {
        char range[32];
        if (entry->self_bins[i] + entry->other_bins[i] == 0)
            continue;
        if (i == 0)
            snprintf(range, sizeof(range), "below 1e%d", FIRST);
        else if (i == BINS - 1)
            snprintf(range, sizeof(range), "from 1e%d on", FIRST + BINS - 2);
        else
            snprintf(range, sizeof(range), "1e%d to 1e%d", FIRST + (int)i - 1, FIRST + (int)i);
        used += (size_t)snprintf(text + used, size - used, "%s%s %" PRIu64 " + %" PRIu64,
                                 used > 0 ? ", " : "", range, entry->self_bins[i], entry->other_bins[i]);
    }
}

static const char *change_of(const struct entry *entry, struct ws_advice_list *list)
{
    /* A mean that is above 0 although a self-hit is at t = 0 exactly. */
    const double from = fmax((double)entry->largest, 1e-9 * (isinf(entry->smallest) ? 1 : entry->smallest));
    const double to = isinf(entry->smallest) ? 100 * from : (double)entry->smallest;
    if (entry->largest < entry->smallest)
        return ws_advice_text(list, "set tmin of this call to %.2g (now %.3g): between %.3g and %.3g",
                              sqrt(from * to), (double)entry->tmin, (double)entry->largest,
                              (double)entry->smallest);
    return ws_advice_text(list,
                          "no tmin is right, for other hits are as near as %.3g: move the origins of these "
                          "rays off the surface along its normal (tmin is now %.3g)",
                          (double)entry->smallest, (double)entry->tmin);
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    char bins[512];
    if (entry->self == 0)
        return true;
    describe_bins(entry, bins, sizeof(bins));
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, state->input->catalog, entry->site),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " of %" PRIu64
            " rays that start on a surface hit the triangle they start on, at t up to %.3g; the nearest "
            "other hit is at %.3g. Distances in scene diagonals (self-hits + others): %s.",
            entry->self, entry->rays, (double)entry->largest, (double)entry->smallest, bins),
        .change = change_of(entry, list),
        .saves = entry->runs > 0 ? WS_SAVES_CLOSEST_HIT : WS_SAVES_NOTHING,
        .saving = entry->runs,
        .of = entry->runs > 0 ? state->all : 0,
        .wrong_rays = entry->self,
        .certainty = WS_LIKELY,
        .doubt = "other places may need another value; what these rays would find in procedural boxes is "
                 "not known",
        .pull = WS_PULL_UP,
    };
    ws_advice_set_topic_site(&advice, state->input->catalog, entry->site, WS_TOPIC_TMIN);
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_tell(state, number);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_tmin_low;

const struct ws_advice_rule ws_advice_rule_tmin_low = {
    .name = "tmin_low",
    .title = "Keep rays from hitting the surface they start on",
    .summary = "rays whose closest hit is the triangle that they start on",
    .evidence = WS_EVIDENCE_RAYS,
    .needs_geometry = true,
    .traces_rays = true,
    .state_size = sizeof(struct ws_advice_state),
    .entry_size = sizeof(struct entry),
    .ray = add_ray,
    .advise = advise,
};
