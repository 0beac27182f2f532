/* Advice `cull_mask`: instances that the rays of a call meet only to ignore them.
 *
 * By call site and instance (index and custom index): the any-hit shader ran, ignored every intersection and
 * has no other effect (effects.h), and no ray of the site hit the instance in another way. Then the rays need
 * not meet it: instance mask and cull mask are per ray, so only this call changes.
 *
 * Saving: its any-hit runs by rays of the site; where it is procedural its intersection runs go too, and the
 * evidence says how many. LIKELY from 64 runs on, or where the any-hit shader cannot but ignore (effects.h,
 * `ignores_always`), else POSSIBLE: fewer may have been ignored by chance, as of a texture with holes.
 * POSSIBLE too where rays of the site hit something of which nothing is known (implicit hits) and which may
 * be of this instance: it has opaque geometry, or geometry whose any-hit shader did not run (it may have
 * none), or such rays force opacity.
 *
 * The bit to leave out of the cull mask, and to give the instance alone: the highest whose loss still lets
 * the rays of the call meet every other instance that they may meet now. Cull masks of other calls must keep
 * it. Where no bit will do, or the other instances are not known, the change names none. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"

#define LIKELY_RUNS     64
#define OPAQUE          1u /* VkGeometryFlagsKHR */
#define FORCE_OPAQUE    4u /* VkGeometryInstanceFlagsKHR */
#define FORCE_NO_OPAQUE 8u

/* An instance and a call. Subject: the site's four words, instance, custom index. */
struct entry {
    uint64_t runs; /* any-hit */
    uint64_t ignored;
    uint64_t intersections;
    uint64_t hits;
    uint32_t mask; /* effects of the any-hit shaders that ran */
    bool unknown;
    bool may_accept;         /* an any-hit shader that ran has another end than ignoring */
    bool maybe_opaque;       /* there is geometry that rays hit without an any-hit shader */
    uint64_t geometries;     /* whose any-hit shader ran, a bit for each */
    uint32_t geometry_count; /* 0 = not known */
    uint32_t top;            /* build; WS_NONE = not known */
    bool has_instance;
    uint32_t instance_mask;
    uint32_t cull_mask;
    uint32_t content;
    uint32_t any_hit; /* the shader */
    uint32_t shader;  /* that traced, and where */
    uint32_t site;
    float place[3];
    uint32_t thread[3];
};

struct site {
    uint64_t unknown_hits; /* rays that hit nobody knows what */
    bool forced;           /* ... with gl_RayFlagsOpaqueEXT */
};

struct cull_mask {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    struct ws_subjects sites;
    struct site *of_site;
    uint32_t site_capacity;
    uint64_t runs;
};

static void *create(const struct ws_advice_input *input)
{
    struct cull_mask *cull_mask = calloc(1, sizeof(*cull_mask));
    if (cull_mask != NULL)
        cull_mask->input = input;
    return cull_mask;
}

static void destroy(void *rule)
{
    struct cull_mask *cull_mask = rule;
    ws_subjects_finish(&cull_mask->subjects);
    ws_subjects_finish(&cull_mask->sites);
    free(cull_mask->entries);
    free(cull_mask->of_site);
    free(cull_mask);
}

/* Whether rays may hit the instance without an any-hit shader. */
static bool is_maybe_opaque(const struct ws_advice_input *input, const struct ws_target *target)
{
    const struct ws_scene_build *build = &input->scene->builds[target->instance.build];
    if ((target->instance.flags & FORCE_OPAQUE) != 0)
        return true;
    for (uint32_t i = 0; i < build->geometry_count; ++i)
        if ((build->geometries[i].info.flags & OPAQUE) != 0)
            return (target->instance.flags & FORCE_NO_OPAQUE) == 0;
    return false;
}

static void describe(const struct cull_mask *cull_mask, const struct ws_advice_launch *launch,
                     const struct ws_ray *ray, const struct ws_ray_hit *hit, struct entry *entry)
{
    struct ws_target target;
    entry->shader = ray->shader;
    entry->site = ray->site;
    entry->cull_mask = ray->cull_mask;
    entry->any_hit = WS_NONE;
    entry->content = WS_NONE;
    entry->maybe_opaque = true;
    entry->top = WS_NONE;
    if (!ws_target_find(cull_mask->input, launch, ray, hit, &target))
        return;
    entry->has_instance = true;
    entry->instance_mask = target.instance.mask;
    entry->content = target.content;
    entry->maybe_opaque = is_maybe_opaque(cull_mask->input, &target);
    entry->geometry_count = cull_mask->input->scene->builds[target.instance.build].geometry_count;
    entry->top = target.top;
}

/* The entry of what was hit; NULL when there is no memory. */
static struct entry *entry_of(struct cull_mask *cull_mask, const struct ws_advice_launch *launch,
                              const struct ws_ray *ray, const struct ws_ray_hit *hit)
{
    struct ws_subject subject = {{0}};
    const uint32_t before = cull_mask->subjects.count;
    ws_subject_site(cull_mask->input->catalog, ray, &subject);
    subject.words[4] = hit->instance;
    subject.words[5] = hit->custom_index;
    const uint32_t index = ws_subjects_add(&cull_mask->subjects, &subject);
    if (index == WS_NONE || !ws_subjects_follow(&cull_mask->subjects, (void **)&cull_mask->entries,
                                                &cull_mask->capacity, sizeof(struct entry)))
        return NULL;
    if (index == before)
        describe(cull_mask, launch, ray, hit, &cull_mask->entries[index]);
    return &cull_mask->entries[index];
}

static void add_any_hit(const struct cull_mask *cull_mask, const struct ws_ray_thread *thread,
                        const struct ws_ray *ray, const struct ws_ray_candidate *candidate,
                        struct entry *entry)
{
    if (entry->any_hit != candidate->shader) {
        const struct ws_shader_effects *effects = ws_effects_of(
            cull_mask->input->effects, cull_mask->input->catalog->shaders[candidate->shader].id);
        entry->mask |= effects != NULL ? effects->mask : 0;
        entry->unknown = entry->unknown || effects == NULL;
        entry->may_accept = entry->may_accept || effects == NULL || !effects->ignores_always;
        entry->any_hit = candidate->shader;
    }
    if (entry->runs++ == 0) {
        ws_ray_point(ray, candidate->hit.t, entry->place);
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
    }
    if (candidate->hit.geometry < 64)
        entry->geometries |= UINT64_C(1) << candidate->hit.geometry;
    entry->ignored += candidate->result == WS_CANDIDATE_IGNORED;
}

static bool add_candidates(struct cull_mask *cull_mask, const struct ws_advice_launch *launch,
                           const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &thread->candidates[ray->candidate_first + c];
        struct entry *entry = entry_of(cull_mask, launch, ray, &candidate->hit);
        if (entry == NULL)
            return false;
        if (candidate->kind == WS_CANDIDATE_ANY_HIT) {
            add_any_hit(cull_mask, thread, ray, candidate, entry);
            cull_mask->runs++;
        }
        entry->intersections += candidate->kind == WS_CANDIDATE_INTERSECTION;
        entry->hits += candidate->kind == WS_CANDIDATE_REPORT && candidate->result == WS_CANDIDATE_ACCEPTED;
    }
    return true;
}

static bool add_ray(struct cull_mask *cull_mask, const struct ws_advice_launch *launch,
                    const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    struct ws_subject site = {{0}};
    ws_subject_site(cull_mask->input->catalog, ray, &site);
    const uint32_t index = ws_subjects_add(&cull_mask->sites, &site);
    if (index == WS_NONE || !ws_subjects_follow(&cull_mask->sites, (void **)&cull_mask->of_site,
                                                &cull_mask->site_capacity, sizeof(struct site)))
        return false;
    /* The last accepted candidate is not always what was hit: something opaque may have been nearer. */
    if (ray->end == WS_RAY_IMPLICIT || ray->end == WS_RAY_NO_SHADER) {
        cull_mask->of_site[index].unknown_hits++;
        cull_mask->of_site[index].forced |= (ray->flags & WS_RAY_FLAG_OPAQUE) != 0;
    }
    if (ray->has_hit) {
        struct entry *entry = entry_of(cull_mask, launch, ray, &ray->hit);
        if (entry == NULL)
            return false;
        entry->hits++;
    }
    return add_candidates(cull_mask, launch, thread, ray);
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!thread->rays[r].query && !add_ray(rule, launch, thread, &thread->rays[r]))
            return false;
    return true;
}

static bool is_wasted(const struct entry *entry)
{
    return entry->runs > 0 && entry->ignored == entry->runs && entry->hits == 0 && !entry->unknown &&
           (entry->mask & ~(uint32_t)WS_EFFECT_IGNORE) == 0;
}

/* Whether the rays of the call, without the bit, still meet all other instances that they may meet now. */
static bool is_free(const struct ws_scene *scene, const struct entry *entry, uint32_t own, uint32_t bit)
{
    struct ws_scene_instance instance;
    for (uint32_t i = 0; ws_scene_instance(scene, entry->top, i, &instance); ++i)
        if (i != own && (instance.mask & entry->cull_mask) != 0 &&
            (instance.mask & entry->cull_mask & ~bit) == 0)
            return false;
    return true;
}

/* ", 0x80", the highest that is free; "" where none is, or it is not known. */
static void name_bit(const struct cull_mask *cull_mask, const struct entry *entry, uint32_t own, char *text,
                     size_t size)
{
    text[0] = '\0';
    for (uint32_t bit = 0x80; bit != 0 && entry->top != WS_NONE; bit >>= 1)
        if ((entry->cull_mask & bit) != 0 && is_free(cull_mask->input->scene, entry, own, bit)) {
            snprintf(text, size, ", 0x%02" PRIx32 " alone", bit);
            return;
        }
}

static void name_change(const struct cull_mask *cull_mask, const struct entry *entry, uint32_t own,
                        char *text, size_t size)
{
    char bit[32];
    char site[512];
    char instance[64] = "";
    ws_catalog_trace_name(cull_mask->input->catalog, entry->shader, entry->site, site, sizeof(site));
    name_bit(cull_mask, entry, own, bit, sizeof(bit));
    if (entry->has_instance)
        snprintf(instance, sizeof(instance), " (now 0x%02" PRIx32 ")", entry->instance_mask);
    snprintf(
        text, size,
        "VkAccelerationStructureInstanceKHR::mask%s: give the instance a bit of its own%s, and leave that "
        "bit out of the cull mask (now 0x%02" PRIx32 ") of the %s; cull masks of other calls must have it",
        instance, bit, entry->cull_mask, site);
}

/* Whether the instance has, or may have, geometry that rays hit without an any-hit run. */
static bool may_be_hit_unseen(const struct entry *entry)
{
    const uint32_t count = entry->geometry_count;
    return entry->maybe_opaque || count == 0 || count > 64 || entry->geometries != UINT64_MAX >> (64 - count);
}

static void set_certainty(const struct cull_mask *cull_mask, uint32_t index, struct ws_advice *advice)
{
    const struct entry *entry = &cull_mask->entries[index];
    struct ws_subject site = cull_mask->subjects.subjects[index];
    site.words[4] = 0;
    site.words[5] = 0;
    const uint32_t found = ws_subjects_find(&cull_mask->sites, &site);
    advice->certainty = WS_LIKELY;
    advice->doubt = entry->may_accept
                        ? "that the any-hit shader ignored everything does not mean that it always will"
                        : "other hit shaders may be selected for this instance in other views";
    if (found != WS_NONE && cull_mask->of_site[found].unknown_hits > 0 &&
        (cull_mask->of_site[found].forced || may_be_hit_unseen(entry))) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt =
            "some rays of this call hit something that is not known: it may be geometry of this instance "
            "that has no any-hit shader, or is opaque";
    } else if (entry->may_accept && entry->runs < LIKELY_RUNS) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt = "the any-hit shader ran only a few times";
    }
}

static bool advise(const struct cull_mask *cull_mask, uint32_t index, struct ws_advice_list *list)
{
    const struct entry *entry = &cull_mask->entries[index];
    const uint32_t *words = cull_mask->subjects.subjects[index].words;
    char name[128];
    char site[512];
    char subject[1024];
    char evidence[1024];
    char shader[256];
    char procedural[96] = "";
    char change[1024];
    ws_subject_name_content(cull_mask->input->scene, entry->content, name, sizeof(name));
    ws_catalog_trace_name(cull_mask->input->catalog, entry->shader, entry->site, site, sizeof(site));
    ws_catalog_shader_name(cull_mask->input->catalog, entry->any_hit, shader, sizeof(shader));
    snprintf(subject, sizeof(subject), "instance %" PRIu32 " (custom index %" PRIu32 ")%s%s, for %s",
             words[4], words[5], name[0] != '\0' ? " of " : "", name, site);
    if (entry->intersections > 0)
        snprintf(procedural, sizeof(procedural), " after %" PRIu64 " runs of its intersection shader",
                 entry->intersections);
    snprintf(evidence, sizeof(evidence),
             "The any-hit shader (%s) ran %" PRIu64 " %s for it%s, ignored every intersection and does "
             "nothing else that can be seen; none of these rays hit it.",
             shader, entry->runs, ws_times(entry->runs), procedural);
    name_change(cull_mask, entry, words[4], change, sizeof(change));
    struct ws_advice advice = {.subject = subject,
                               .evidence = evidence,
                               .change = change,
                               .saves = WS_SAVES_ANY_HIT,
                               .saving = entry->runs,
                               .of = cull_mask->runs};
    set_certainty(cull_mask, index, &advice);
    ws_advice_set_place(&advice, entry->place);
    ws_advice_set_thread(&advice, entry->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct cull_mask *cull_mask = rule;
    for (uint32_t i = 0; i < cull_mask->subjects.count; ++i)
        if (is_wasted(&cull_mask->entries[i]) && !advise(cull_mask, i, list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_cull_mask;

const struct ws_advice_rule ws_advice_rule_cull_mask = {
    .name = "cull_mask",
    .title = "Let rays pass by cull mask",
    .summary = "instances whose any-hit shader ignored every ray of a call, and has no other effect",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
