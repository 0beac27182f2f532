/* Advice `aabb`: boxes of procedural geometry are much larger than what is hit in them.
 *
 * Evidence, by content of the bottom-level structure and geometry index: intersection runs, and what they
 * reported. For each primitive with at least 16 reports, the TIGHT BOX is the box around all points that were
 * reported in it, in object space; for the others it is the captured box. The captured boxes are much larger
 * where the surface of the tight boxes is less than a quarter of theirs, each weighted by its runs: the
 * chance that a ray meets a convex body goes by its surface. It is a quarter, because rays from one side see
 * half of a body, which leaves two thirds of a cube's surface, and a ball that few rays meet may leave a
 * third of its box's. At least 64 runs must have reported something.
 *
 * LIKELY from 1000 reporting runs on, else POSSIBLE: what was hit shows at least how large the boxes must be.
 * Where nothing was reported in 64 runs or more, the advice says so and saves nothing: what is in the boxes
 * is not known.
 *
 * Saving: the intersection runs that reported nothing that was accepted, and whose ray misses the tight box
 * of its primitive between tmin and where it hit (tmax where it is not known to have hit). Each run is tested
 * again; of more than 2^20 runs, so many taken at random, and the result is scaled. Tight boxes are grown by
 * 1e-5 of their size, so that rounding does not count. The saving is exact where a device meets boxes from
 * near to far, and close where it does so roughly. It must be at least a quarter of the runs.
 *
 * Example: spheres of radius 0.1 stand in boxes of side 1. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"

#define LEAST_REPORTS   16
#define LIKELY_REPORTS  1000
#define LEAST_RUNS      64
#define GROWTH          1e-5f
#define SAMPLES         (1u << 20)
#define LEAST_REPORTING 64
#define LARGEST_SURFACE 0.25
#define LEAST_SAVING    0.25

/* Words of the subjects: a geometry, and a primitive. */
enum { CONTENT, GEOMETRY, PRIMITIVE };

/* A geometry. */
struct entry {
    uint64_t runs;
    uint64_t reporting; /* runs that reported */
    uint64_t sampled;
    uint64_t saved;     /* of those sampled */
    double surface;     /* of captured boxes, weighted by runs */
    double tight;       /* of tight ones */
    uint32_t examples;  /* primitives with a tight box */
    uint32_t primitive; /* of them, number of the one with the most runs */
    uint32_t instance;  /* in which it was met first */
    struct ws_advice_example example;
};

struct primitive {
    uint64_t runs;
    uint64_t reports;
    uint32_t entry; /* number of its geometry */
    bool has_box;
    float box[6];  /* captured */
    float hits[6]; /* of what was reported */
};

/* One intersection run, in object space. */
struct sample {
    uint32_t primitive; /* number */
    float origin[3];
    float direction[3];
    float tmin;
    float tmax;    /* or where it hit */
    bool accepted; /* what it reported */
};

struct aabb {
    struct ws_advice_state base;
    struct ws_evidence primitives;
    struct sample *samples;
    uint32_t sample_count;
    uint32_t sample_capacity;
    uint32_t last; /* the sample of the last run; WS_NONE = it was not kept */
    uint64_t runs; /* of which nothing is missing here */
    uint64_t random;
};

static bool init(void *user)
{
    struct aabb *aabb = user;
    aabb->primitives.entry_size = sizeof(struct primitive);
    aabb->random = 88172645463325252u;
    return true;
}

static void finish(void *user)
{
    struct aabb *aabb = user;
    ws_evidence_finish(&aabb->primitives);
    free(aabb->samples);
}

/* The primitive that was met; NULL when there is no memory. */
static struct primitive *primitive_of(struct aabb *aabb, const struct ws_target *target,
                                      const struct ws_ray_hit *hit)
{
    const struct ws_subject geometry = {{target->content, hit->geometry}};
    const struct ws_subject subject = {{target->content, hit->geometry, hit->primitive}};
    bool added = false;
    bool first = false;
    struct entry *entry = ws_evidence_add(&aabb->base.evidence, &geometry, &first);
    struct primitive *primitive = ws_evidence_add(&aabb->primitives, &subject, &added);
    if (entry == NULL || primitive == NULL)
        return NULL;
    if (first)
        entry->instance = hit->instance;
    if (added) {
        primitive->entry = ws_evidence_number(&aabb->base.evidence, entry);
        primitive->has_box = ws_scene_aabb(aabb->base.input->scene, target->instance.build, hit->geometry,
                                           hit->primitive, primitive->box) &&
                             ws_all_finite(primitive->box, 6);
    }
    return primitive;
}

/* xorshift64: the same in every run. */
static uint64_t next_random(struct aabb *aabb)
{
    aabb->random ^= aabb->random << 13;
    aabb->random ^= aabb->random >> 7;
    aabb->random ^= aabb->random << 17;
    return aabb->random;
}

/* Keeps the sample, or not: each run has the same chance (reservoir sampling). */
static bool keep(struct aabb *aabb, const struct sample *sample)
{
    aabb->runs++;
    aabb->last = WS_NONE;
    if (aabb->sample_count < SAMPLES) {
        struct sample *samples =
            ws_array_grow(aabb->samples, &aabb->sample_capacity, aabb->sample_count + 1, sizeof(*samples));
        if (samples == NULL)
            return false;
        aabb->samples = samples;
        aabb->last = aabb->sample_count++;
        samples[aabb->last] = *sample;
        return true;
    }
    const uint64_t place = next_random(aabb) % aabb->runs;
    if (place < SAMPLES) {
        aabb->last = (uint32_t)place;
        aabb->samples[place] = *sample;
    }
    return true;
}

static bool add_run(struct aabb *aabb, const struct ws_advice_ray *shown, struct primitive *primitive,
                    const float inverse[12])
{
    const struct ws_ray *ray = shown->ray;
    struct entry *entry = ws_evidence_at(&aabb->base.evidence, primitive->entry);
    struct sample sample = {.primitive = ws_evidence_number(&aabb->primitives, primitive),
                            .tmin = ray->tmin,
                            .tmax = ray->has_hit ? fminf(ray->tmax, ray->hit.t) : ray->tmax};
    ws_transform_point(inverse, ray->origin, sample.origin);
    ws_transform_vector(inverse, ray->direction, sample.direction);
    ws_advice_example_give(&entry->example, ray->origin, shown->launch, shown->thread);
    entry->runs++;
    primitive->runs++;
    return keep(aabb, &sample);
}

static void add_report(const struct ws_ray *ray, const struct ws_ray_hit *hit, struct primitive *primitive,
                       const float inverse[12])
{
    float world[3];
    float point[3];
    ws_ray_point(ray, hit->t, world);
    ws_transform_point(inverse, world, point);
    if (!ws_all_finite(point, 3))
        return;
    if (primitive->reports++ == 0)
        ws_bounds_init(primitive->hits);
    ws_bounds_add_point(primitive->hits, point);
}

/* A run's reports follow it; several of one run are one that reported. */
static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct aabb *aabb = user;
    const struct ws_ray *ray = shown->ray;
    bool reported = true;
    uint32_t empty = WS_NONE; /* number of the geometry of the last run, which has reported nothing so far */
    aabb->last = WS_NONE;
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &shown->thread->candidates[ray->candidate_first + c];
        struct ws_target target;
        float inverse[12];
        const bool run = candidate->kind == WS_CANDIDATE_INTERSECTION;
        aabb->base.all += run;
        if ((!run && candidate->kind != WS_CANDIDATE_REPORT) ||
            !ws_target_find(aabb->base.input, shown->launch, ray, &candidate->hit, &target) ||
            !ws_transform_invert(target.instance.transform, inverse))
            continue;
        struct primitive *primitive = primitive_of(aabb, &target, &candidate->hit);
        if (primitive == NULL || (run && !add_run(aabb, shown, primitive, inverse)))
            return false;
        if (run && empty != WS_NONE)
            ws_advice_mark(&aabb->base, shown->number, empty);
        empty = run ? primitive->entry : WS_NONE;
        if (!run) {
            struct entry *entry = ws_evidence_at(&aabb->base.evidence, primitive->entry);
            entry->reporting += !reported;
            add_report(ray, &candidate->hit, primitive, inverse);
            if (aabb->last != WS_NONE &&
                (candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED))
                aabb->samples[aabb->last].accepted = true;
        }
        reported = !run;
    }
    if (empty != WS_NONE)
        ws_advice_mark(&aabb->base, shown->number, empty);
    return true;
}

static double surface_of(const float box[6])
{
    const double x = (double)box[3] - box[0];
    const double y = (double)box[4] - box[1];
    const double z = (double)box[5] - box[2];
    return 2 * (x * y + y * z + z * x);
}

static bool is_tight(const struct primitive *primitive)
{
    return primitive->has_box && primitive->reports >= LEAST_REPORTS;
}

/* Whether the sample's ray meets the box of what was hit, grown. */
static bool meets(const struct sample *sample, const struct primitive *primitive)
{
    const float *box = primitive->hits;
    float size = 0;
    double first = sample->tmin;
    double last = sample->tmax;
    for (int i = 0; i < 3; ++i)
        size = fmaxf(size, box[3 + i] - box[i]);
    for (int i = 0; i < 3; ++i) {
        const double low = (double)box[i] - GROWTH * size - sample->origin[i];
        const double high = (double)box[3 + i] + GROWTH * size - sample->origin[i];
        if (sample->direction[i] == 0) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        const double a = low / sample->direction[i];
        const double b = high / sample->direction[i];
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    }
    return first <= last;
}

static void judge_primitive(struct aabb *aabb, uint32_t number)
{
    const struct primitive *primitive = ws_evidence_at(&aabb->primitives, number);
    struct entry *entry = ws_evidence_at(&aabb->base.evidence, primitive->entry);
    if (!primitive->has_box)
        return;
    const double surface = surface_of(primitive->box);
    entry->surface += (double)primitive->runs * surface;
    entry->tight += (double)primitive->runs * (is_tight(primitive) ? surface_of(primitive->hits) : surface);
    if (!is_tight(primitive))
        return;
    const struct primitive *most = ws_evidence_at(&aabb->primitives, entry->primitive);
    if (entry->examples++ == 0 || most->runs < primitive->runs)
        entry->primitive = number;
}

/* Works out the surfaces and what would be saved. */
static bool end(void *user, struct ws_advice_list *list)
{
    struct aabb *aabb = user;
    (void)list;
    for (uint32_t i = 0; i < aabb->primitives.count; ++i)
        judge_primitive(aabb, i);
    for (uint32_t i = 0; i < aabb->sample_count; ++i) {
        const struct sample *sample = &aabb->samples[i];
        const struct primitive *primitive = ws_evidence_at(&aabb->primitives, sample->primitive);
        struct entry *entry = ws_evidence_at(&aabb->base.evidence, primitive->entry);
        entry->sampled++;
        entry->saved += is_tight(primitive) && !sample->accepted && !meets(sample, primitive);
    }
    return true;
}

/* Runs that would be saved: exact where all are sampled. */
static uint64_t saving_of(const struct entry *entry)
{
    return entry->sampled > 0
               ? (uint64_t)((double)entry->saved * ((double)entry->runs / (double)entry->sampled) + 0.5)
               : 0;
}

static const char *name_of(const struct aabb *aabb, uint32_t number, struct ws_advice_list *list)
{
    const uint32_t *words = aabb->base.evidence.subjects[number].words;
    return ws_advice_text(list, "procedural geometry %" PRIu32 " of %s", words[GEOMETRY],
                          ws_advice_content_name(list, aabb->base.input->scene, words[CONTENT]));
}

static bool advise_tighter(const struct aabb *aabb, uint32_t number, struct ws_advice_list *list)
{
    const struct entry *entry = ws_evidence_at(&aabb->base.evidence, number);
    const struct primitive *example = ws_evidence_at(&aabb->primitives, entry->primitive);
    struct ws_advice advice = {
        .subject = name_of(aabb, number, list),
        .evidence = ws_advice_text(
            list,
            "Of %" PRIu64 " intersection runs %" PRIu64 " (%.1f %%) reported something. The boxes around "
            "what they reported have %.0f %% of the surface of the AABBs.%s",
            entry->runs, entry->reporting, ws_percent(entry->reporting, entry->runs),
            100 * entry->tight / entry->surface,
            entry->sampled < entry->runs ? " The saving is estimated from a random part of the runs." : ""),
        .change = ws_advice_text(
            list,
            "VkAabbPositionsKHR: make the boxes tighter. In primitive %" PRIu32 " hits lie from (%g, %g, "
            "%g) to (%g, %g, %g), while its box reaches from (%g, %g, %g) to (%g, %g, %g)",
            aabb->primitives.subjects[entry->primitive].words[PRIMITIVE], (double)example->hits[0],
            (double)example->hits[1], (double)example->hits[2], (double)example->hits[3],
            (double)example->hits[4], (double)example->hits[5], (double)example->box[0],
            (double)example->box[1], (double)example->box[2], (double)example->box[3],
            (double)example->box[4], (double)example->box[5]),
        .saves = WS_SAVES_INTERSECTION,
        .saving = saving_of(entry),
        .of = aabb->base.all,
        .certainty = entry->reporting >= LIKELY_REPORTS ? WS_LIKELY : WS_POSSIBLE,
        .doubt = "hits show how large the boxes must be at least; what is in them may be larger",
    };
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_set_geometry(&advice, entry->instance, aabb->base.evidence.subjects[number].words[GEOMETRY]);
    ws_advice_tell(&aabb->base, number);
    return ws_advice_add(list, &advice);
}

static bool tell_never_hit(const struct aabb *aabb, uint32_t number, struct ws_advice_list *list)
{
    const struct entry *entry = ws_evidence_at(&aabb->base.evidence, number);
    struct ws_advice advice = {
        .subject = name_of(aabb, number, list),
        .evidence =
            ws_advice_text(list, "None of %" PRIu64 " intersection runs reported anything.", entry->runs),
        .change = "VkAabbPositionsKHR: check whether the boxes are where the geometry is, and how large",
        .saves = WS_SAVES_INTERSECTION,
        .of = aabb->base.all,
        .certainty = WS_POSSIBLE,
        .doubt = "what is in the boxes is not known",
    };
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_set_geometry(&advice, entry->instance, aabb->base.evidence.subjects[number].words[GEOMETRY]);
    ws_advice_tell(&aabb->base, number);
    return ws_advice_add(list, &advice);
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct aabb *aabb = user;
    const struct entry *entry = ws_evidence_at(&aabb->base.evidence, number);
    if (entry->reporting == 0 && entry->runs >= LEAST_RUNS && !tell_never_hit(aabb, number, list))
        return false;
    return entry->examples == 0 || entry->reporting < LEAST_REPORTING ||
           entry->tight >= LARGEST_SURFACE * entry->surface ||
           (double)saving_of(entry) < LEAST_SAVING * (double)entry->runs ||
           advise_tighter(aabb, number, list);
}

extern const struct ws_advice_rule ws_advice_rule_aabb;

const struct ws_advice_rule ws_advice_rule_aabb = {
    .name = "aabb",
    .cause = WS_CAUSE_INTERSECTION,
    .title = "Tighten bounding boxes",
    .summary = "AABBs of procedural geometry that are much larger than what is hit in them",
    .evidence = WS_EVIDENCE_RAYS,
    .needs_geometry = true,
    .skips_queries = true,
    .state_size = sizeof(struct aabb),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .end = end,
    .advise = advise,
};
