/* Advice `aabb`: boxes of procedural geometry that are much larger than what is hit in them.
 *
 * By content of the bottom-level structure and geometry index: intersection runs, and reports (a run that
 * reports at all is useful). For each primitive with at least 16 reports, the TIGHT BOX is the box of all
 * points reported in it, in object space; for the others the captured box is kept. The captured boxes are
 * much larger where the surface of the tight boxes is less than a quarter of theirs (each weighted by its
 * runs): the chance that a ray meets a convex body goes by its surface. A quarter, because rays from one side
 * see half of a body, which leaves two thirds of a cube's surface, and a ball that few rays meet may leave a
 * third of its box's; and only of 64 runs or more that reported.
 *
 * Saving: the intersection runs that reported nothing that was accepted, and whose ray, from tmin to where it
 * hit (tmax where it is not known to have hit), misses the tight box of its primitive, found by testing each
 * of them again (of more than 2^20 runs so many taken at random, and scaled). Grown by 1e-5 of its size, so
 * that rounding does not count. That is exact where boxes are met from near to far, and a device that does so
 * roughly comes close. Advised where it is at least a quarter of the runs.
 *
 * The tight box of what was hit is a lower bound of what is there, hence LIKELY at best (1000 reports or
 * more), else POSSIBLE. Where nothing was reported in 64 runs or more, advice says so and saves nothing:
 * what is in the boxes is not known. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"
#include "analysis/scene/scene_transform.h"
#include "passes/base/array.h"

#define LEAST_REPORTS   16
#define LIKELY_REPORTS  1000
#define LEAST_RUNS      64
#define GROWTH          1e-5f
#define SAMPLES         (1u << 20)
#define LEAST_REPORTING 64
#define LARGEST_SURFACE 0.25
#define LEAST_SAVING    0.25

/* Subject: content, geometry. */
struct entry {
    uint64_t runs;
    uint64_t reporting; /* runs that reported */
    uint64_t sampled;
    uint64_t saved;     /* of those sampled */
    double surface;     /* of captured boxes, weighted by runs */
    double tight;       /* of tight ones */
    uint32_t examples;  /* primitives with a tight box */
    uint32_t primitive; /* of them, the one with the most runs */
    float place[3];
    uint32_t thread[3];
};

/* Subject: content, geometry, primitive. */
struct primitive {
    uint64_t runs;
    uint64_t reports;
    uint32_t entry;
    bool has_box;
    float box[6];  /* captured */
    float hits[6]; /* of what was reported */
};

/* One intersection run, in object space. */
struct sample {
    uint32_t primitive;
    float origin[3];
    float direction[3];
    float tmin;
    float tmax;    /* or where it hit */
    bool accepted; /* what it reported */
};

struct aabb {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    struct ws_subjects boxes;
    struct primitive *primitives;
    uint32_t primitive_capacity;
    struct sample *samples;
    uint32_t sample_count;
    uint32_t last; /* the sample of the last run; WS_NONE = it was not kept */
    uint32_t sample_capacity;
    uint64_t runs; /* of which nothing is missing here */
    uint64_t all;  /* runs in the capture */
    uint64_t random;
};

static void *create(const struct ws_advice_input *input)
{
    struct aabb *aabb = calloc(1, sizeof(*aabb));
    if (aabb != NULL) {
        aabb->input = input;
        aabb->random = 88172645463325252u;
    }
    return aabb;
}

static void destroy(void *rule)
{
    struct aabb *aabb = rule;
    ws_subjects_finish(&aabb->subjects);
    ws_subjects_finish(&aabb->boxes);
    free(aabb->entries);
    free(aabb->primitives);
    free(aabb->samples);
    free(aabb);
}

/* Number of the primitive that was met; WS_NONE when there is no memory. */
static uint32_t primitive_of(struct aabb *aabb, const struct ws_target *target, const struct ws_ray_hit *hit)
{
    const struct ws_subject geometry = {{target->content, hit->geometry}};
    const struct ws_subject box = {{target->content, hit->geometry, hit->primitive}};
    const uint32_t before = aabb->boxes.count;
    const uint32_t entry = ws_subjects_add(&aabb->subjects, &geometry);
    const uint32_t index = ws_subjects_add(&aabb->boxes, &box);
    if (entry == WS_NONE || index == WS_NONE ||
        !ws_subjects_follow(&aabb->subjects, (void **)&aabb->entries, &aabb->capacity,
                            sizeof(struct entry)) ||
        !ws_subjects_follow(&aabb->boxes, (void **)&aabb->primitives, &aabb->primitive_capacity,
                            sizeof(struct primitive)))
        return WS_NONE;
    struct primitive *primitive = &aabb->primitives[index];
    if (index == before) {
        primitive->entry = entry;
        primitive->has_box = ws_scene_aabb(aabb->input->scene, target->instance.build, hit->geometry,
                                           hit->primitive, primitive->box) &&
                             ws_are_finite(primitive->box, 6);
    }
    return index;
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

static bool add_run(struct aabb *aabb, const struct ws_ray_thread *thread, const struct ws_ray *ray,
                    uint32_t index, const float inverse[12])
{
    struct primitive *primitive = &aabb->primitives[index];
    struct entry *entry = &aabb->entries[primitive->entry];
    struct sample sample = {.primitive = index,
                            .tmin = ray->tmin,
                            .tmax = ray->has_hit ? fminf(ray->tmax, ray->hit.t) : ray->tmax};
    ws_transform_point(inverse, ray->origin, sample.origin);
    ws_transform_vector(inverse, ray->direction, sample.direction);
    if (entry->runs++ == 0) {
        memcpy(entry->place, ray->origin, sizeof(entry->place));
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
    }
    primitive->runs++;
    return keep(aabb, &sample);
}

static void add_report(struct aabb *aabb, const struct ws_ray *ray, const struct ws_ray_hit *hit,
                       uint32_t index, const float inverse[12])
{
    struct primitive *primitive = &aabb->primitives[index];
    float world[3];
    float point[3];
    ws_ray_point(ray, hit->t, world);
    ws_transform_point(inverse, world, point);
    if (!ws_are_finite(point, 3))
        return;
    for (int i = 0; i < 3; ++i) {
        primitive->hits[i] =
            primitive->reports == 0 || point[i] < primitive->hits[i] ? point[i] : primitive->hits[i];
        primitive->hits[3 + i] =
            primitive->reports == 0 || point[i] > primitive->hits[3 + i] ? point[i] : primitive->hits[3 + i];
    }
    primitive->reports++;
}

/* A run's reports follow it; several of one run are one that reported. */
static bool add_ray(struct aabb *aabb, const struct ws_advice_launch *launch,
                    const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    bool reported = true;
    aabb->last = WS_NONE;
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &thread->candidates[ray->candidate_first + c];
        struct ws_target target;
        float inverse[12];
        const bool run = candidate->kind == WS_CANDIDATE_INTERSECTION;
        aabb->all += run;
        if ((!run && candidate->kind != WS_CANDIDATE_REPORT) ||
            !ws_target_find(aabb->input, launch, ray, &candidate->hit, &target) ||
            !ws_transform_invert(target.instance.transform, inverse))
            continue;
        const uint32_t index = primitive_of(aabb, &target, &candidate->hit);
        if (index == WS_NONE || (run && !add_run(aabb, thread, ray, index, inverse)))
            return false;
        if (!run) {
            aabb->entries[aabb->primitives[index].entry].reporting += !reported;
            add_report(aabb, ray, &candidate->hit, index, inverse);
            if (aabb->last != WS_NONE &&
                (candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED))
                aabb->samples[aabb->last].accepted = true;
        }
        reported = !run;
    }
    return true;
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!thread->rays[r].query && !add_ray(rule, launch, thread, &thread->rays[r]))
            return false;
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

static void judge(struct aabb *aabb)
{
    for (uint32_t i = 0; i < aabb->boxes.count; ++i) {
        const struct primitive *primitive = &aabb->primitives[i];
        struct entry *entry = &aabb->entries[primitive->entry];
        if (!primitive->has_box)
            continue;
        const double surface = surface_of(primitive->box);
        entry->surface += (double)primitive->runs * surface;
        entry->tight +=
            (double)primitive->runs * (is_tight(primitive) ? surface_of(primitive->hits) : surface);
        if (!is_tight(primitive))
            continue;
        const struct ws_subject example = {
            {aabb->boxes.subjects[i].words[0], aabb->boxes.subjects[i].words[1], entry->primitive}};
        const uint32_t best = entry->examples > 0 ? ws_subjects_find(&aabb->boxes, &example) : WS_NONE;
        if (best == WS_NONE || aabb->primitives[best].runs < primitive->runs)
            entry->primitive = aabb->boxes.subjects[i].words[2];
        entry->examples++;
    }
    for (uint32_t i = 0; i < aabb->sample_count; ++i) {
        const struct sample *sample = &aabb->samples[i];
        const struct primitive *primitive = &aabb->primitives[sample->primitive];
        aabb->entries[primitive->entry].sampled++;
        aabb->entries[primitive->entry].saved +=
            is_tight(primitive) && !sample->accepted && !meets(sample, primitive);
    }
}

/* Runs that would be saved: exact where all are sampled. */
static uint64_t saving_of(const struct entry *entry)
{
    return entry->sampled > 0
               ? (uint64_t)((double)entry->saved * ((double)entry->runs / (double)entry->sampled) + 0.5)
               : 0;
}

static void name(const struct aabb *aabb, uint32_t index, char *text, size_t size)
{
    const uint32_t *words = aabb->subjects.subjects[index].words;
    char content[256];
    ws_subject_name_content(aabb->input->scene, words[0], content, sizeof(content));
    snprintf(text, size, "procedural geometry %" PRIu32 " of %s", words[1], content);
}

static bool add_advice(const struct entry *entry, struct ws_advice *advice, struct ws_advice_list *list)
{
    advice->saves = WS_SAVES_INTERSECTION;
    ws_advice_set_place(advice, entry->place);
    ws_advice_set_thread(advice, entry->thread);
    return ws_advice_add(list, advice);
}

static bool advise(const struct aabb *aabb, uint32_t index, struct ws_advice_list *list)
{
    const struct entry *entry = &aabb->entries[index];
    const uint32_t *words = aabb->subjects.subjects[index].words;
    const struct ws_subject box = {{words[0], words[1], entry->primitive}};
    const struct primitive *example = &aabb->primitives[ws_subjects_find(&aabb->boxes, &box)];
    char subject[512];
    char evidence[512];
    char change[512];
    name(aabb, index, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "Of %" PRIu64 " intersection runs %" PRIu64 " (%.1f %%) reported something. The boxes of what "
             "they reported have %.0f %% of the surface of the AABBs.%s",
             entry->runs, entry->reporting, ws_percent(entry->reporting, entry->runs),
             100 * entry->tight / entry->surface,
             entry->sampled < entry->runs ? " The saving is estimated from a random part of the runs." : "");
    snprintf(change, sizeof(change),
             "VkAabbPositionsKHR: make the boxes tighter. Of primitive %" PRIu32
             ", hits lie from (%g, %g, %g) to (%g, %g, %g); its box is from (%g, %g, %g) to (%g, %g, %g)",
             entry->primitive, (double)example->hits[0], (double)example->hits[1], (double)example->hits[2],
             (double)example->hits[3], (double)example->hits[4], (double)example->hits[5],
             (double)example->box[0], (double)example->box[1], (double)example->box[2],
             (double)example->box[3], (double)example->box[4], (double)example->box[5]);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = change,
        .saving = saving_of(entry),
        .of = aabb->all,
        .certainty = entry->reporting >= LIKELY_REPORTS ? WS_LIKELY : WS_POSSIBLE,
        .doubt = "what was hit shows at least how large the boxes must be, not how large at most",
    };
    return add_advice(entry, &advice, list);
}

static bool tell_never_hit(const struct aabb *aabb, uint32_t index, struct ws_advice_list *list)
{
    const struct entry *entry = &aabb->entries[index];
    char subject[512];
    char evidence[256];
    name(aabb, index, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence), "None of %" PRIu64 " intersection runs reported anything.",
             entry->runs);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = "VkAabbPositionsKHR: check whether the boxes are where the geometry is, and how large",
        .of = aabb->all,
        .certainty = WS_POSSIBLE,
        .doubt = "what is in the boxes is not known",
    };
    return add_advice(entry, &advice, list);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    struct aabb *aabb = rule;
    judge(aabb);
    for (uint32_t i = 0; i < aabb->subjects.count; ++i) {
        const struct entry *entry = &aabb->entries[i];
        if (entry->reporting == 0 && entry->runs >= LEAST_RUNS && !tell_never_hit(aabb, i, list))
            return false;
        if (entry->examples > 0 && entry->reporting >= LEAST_REPORTING &&
            entry->tight < LARGEST_SURFACE * entry->surface &&
            (double)saving_of(entry) >= LEAST_SAVING * (double)entry->runs && !advise(aabb, i, list))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_aabb;

const struct ws_advice_rule ws_advice_rule_aabb = {
    .name = "aabb",
    .title = "Tighten bounding boxes",
    .summary = "AABBs of procedural geometry that are much larger than what is hit in them",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
