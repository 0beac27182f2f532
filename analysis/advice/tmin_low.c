/* Advice `tmin_low`: rays that hit the surface that they start on.
 *
 * A SELF-HIT is a ray whose closest hit is the triangle that it starts on (ray_source.h), or one in the same
 * plane beside it, at most 1e-3 of the scene's diagonal away, and whose origin is at most 1e-5 of it off the
 * plane: what was moved off farther meets the triangle where it is directed at it, which is no matter of
 * tmin. Triangles are flat: a ray that starts on one cannot meet it again, but by rounding. So one is enough.
 * Procedural primitives may be met again with good reason, and are not looked at; nor is what is hit by rays
 * that run no closest hit shader, which is not recorded.
 *
 * By call site. The suggested tmin lies between the largest t of its self-hits and the smallest of its other
 * rays that start on surfaces and hit something, farther than 1e-6 of the diagonal (nearer, an edge's other
 * side is as good as the same place), at their geometric mean: as many times above the one as below the
 * other. Where they overlap no tmin is right. LIKELY: other places of the scene may need another
 * value.
 *
 * Saving: the closest hit runs of self-hits whose rays, traced on on the CPU, meet no other triangle: of the
 * others what they meet instead runs one. What is in boxes that they pass is not known. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/ray_source.h"
#include "analysis/model/catalog.h"

#define TINY  1e-3 /* of the scene's diagonal */
#define OFF   1e-5 /* of it, from the plane */
#define NEAR  1e-6 /* of it, at edges */
#define BINS  8    /* of distances in it: below 1e-7, then by tens, from 0.1 on */
#define FIRST -7   /* exponent that ends the first bin */

struct entry {
    uint64_t rays; /* that start on a surface */
    uint64_t self;
    uint64_t runs;  /* of closest hit shaders by self-hits, behind which there is nothing */
    float largest;  /* t of self-hits */
    float smallest; /* t of other hits */
    uint64_t self_bins[BINS];
    uint64_t other_bins[BINS];
    float tmin; /* of self-hits: the largest */
    uint32_t shader;
    uint32_t site;
    float place[3];
    uint32_t thread[3];
};

struct tmin_low {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    uint64_t closest;
};

static void *create(const struct ws_advice_input *input)
{
    struct tmin_low *low = calloc(1, sizeof(*low));
    if (low != NULL)
        low->input = input;
    return low;
}

static void destroy(void *rule)
{
    struct tmin_low *low = rule;
    ws_subjects_finish(&low->subjects);
    free(low->entries);
    free(low);
}

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

/* Whether the ray's closest hit shader would not run without the self-hit; false also where geometry to trace
 * it through is not known. Returns false when there is no memory. */
static bool find_saved(const struct tmin_low *low, const struct ws_ray *ray,
                       const struct ws_ray_source *source, bool *saved)
{
    struct search search = {.input = low->input, .source = source};
    struct ws_ray on = *ray;
    *saved = false;
    if (ray->query || low->input->trace == NULL)
        return true;
    if (!ws_scene_trace_use(low->input->trace, source->target.top))
        return false;
    on.tmin = ray->hit.t;
    ws_scene_trace_visit(low->input->trace, &on, look, &search);
    *saved = !search.found;
    return true;
}

static bool add_hit(struct tmin_low *low, struct entry *entry, const struct ws_ray_thread *thread,
                    const struct ws_ray *ray, const struct ws_ray_source *source)
{
    double square = 0;
    for (int i = 0; i < 3; ++i)
        square += (double)ray->direction[i] * (double)ray->direction[i];
    const double share = (double)ray->hit.t * sqrt(square) / source->size;
    double off = 0;
    for (int i = 0; i < 3; ++i)
        off += ((double)ray->origin[i] - source->place[i]) * source->normal[i];
    const bool self =
        share <= TINY && fabs(off) <= OFF * source->size &&
        ws_ray_source_is_same(low->input, source, ray->hit.instance, ray->hit.geometry, ray->hit.primitive);
    if (!self) {
        entry->other_bins[bin_of(share)]++;
        if (share > NEAR)
            entry->smallest = fminf(entry->smallest, ray->hit.t);
        return true;
    }
    if (entry->self++ == 0) {
        memcpy(entry->place, ray->origin, sizeof(entry->place));
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
    }
    bool saved;
    if (!find_saved(low, ray, source, &saved))
        return false;
    entry->runs += saved;
    entry->self_bins[bin_of(share)]++;
    entry->largest = fmaxf(entry->largest, ray->hit.t);
    entry->tmin = fmaxf(entry->tmin, ray->tmin);
    return true;
}

static bool add_ray(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread,
                    uint32_t number)
{
    struct tmin_low *low = rule;
    const struct ws_ray *ray = &thread->rays[number];
    struct ws_subject subject = {{0}};
    struct ws_ray_source source;
    low->closest += ray->end == WS_RAY_HIT && !ray->query;
    if (!ws_ray_source_find(low->input, launch, thread, number, &source) || !source.triangle)
        return true;
    ws_subject_site(low->input->catalog, ray, &subject);
    const uint32_t before = low->subjects.count;
    const uint32_t index = ws_subjects_add(&low->subjects, &subject);
    if (index == WS_NONE ||
        !ws_subjects_follow(&low->subjects, (void **)&low->entries, &low->capacity, sizeof(struct entry)))
        return false;
    struct entry *entry = &low->entries[index];
    if (index == before) {
        entry->smallest = INFINITY;
        entry->shader = ray->shader;
        entry->site = ray->site;
    }
    entry->rays++;
    return ray->end != WS_RAY_HIT || !ray->has_hit || add_hit(low, entry, thread, ray, &source);
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

static bool advise(const struct tmin_low *low, const struct entry *entry, struct ws_advice_list *list)
{
    char subject[512];
    char evidence[1024];
    char bins[512];
    char change[512];
    const bool apart = entry->largest < entry->smallest;
    /* No self-hit is at t = 0 exactly below a mean that is above 0. */
    const double from = fmax((double)entry->largest, 1e-9 * (isinf(entry->smallest) ? 1 : entry->smallest));
    const double to = isinf(entry->smallest) ? 100 * from : (double)entry->smallest;
    ws_catalog_trace_name(low->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    describe_bins(entry, bins, sizeof(bins));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " of %" PRIu64
             " rays that start on a surface hit the triangle they start on, at t up to %.3g; the nearest "
             "other hit is at %.3g. Distances in scene diagonals (self-hits + others): %s.",
             entry->self, entry->rays, (double)entry->largest, (double)entry->smallest, bins);
    if (apart)
        snprintf(change, sizeof(change), "set tmin of this call to %.2g (now %.3g): between %.3g and %.3g",
                 sqrt(from * to), (double)entry->tmin, (double)entry->largest, (double)entry->smallest);
    else
        snprintf(change, sizeof(change),
                 "no tmin is right, for other hits are as near as %.3g: move the origins of these rays off "
                 "the surface along its normal (tmin is now %.3g)",
                 (double)entry->smallest, (double)entry->tmin);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = change,
        .saves = entry->runs > 0 ? WS_SAVES_CLOSEST_HIT : WS_SAVES_NOTHING,
        .saving = entry->runs,
        .of = entry->runs > 0 ? low->closest : 0,
        .certainty = WS_LIKELY,
        .doubt = "other places may need another value; what rays then find in procedural boxes is not known",
    };
    ws_advice_set_place(&advice, entry->place);
    ws_advice_set_thread(&advice, entry->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct tmin_low *low = rule;
    for (uint32_t i = 0; i < low->subjects.count; ++i)
        if (low->entries[i].self > 0 && !advise(low, &low->entries[i], list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_tmin_low;

const struct ws_advice_rule ws_advice_rule_tmin_low = {
    .name = "tmin_low",
    .title = "Keep rays from hitting the surface they start on",
    .summary = "rays whose closest hit is the triangle that they start on",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .ray = add_ray,
    .end = end,
};
