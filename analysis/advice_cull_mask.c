/* Adviser `cull_mask`: instances that the rays of a call meet only to ignore them.
 *
 * By call site and instance (index and custom index): the any-hit shader ran, ignored every intersection and
 * has no other effect (effects.h), and no ray of the site hit the instance in another way. Then the rays need
 * not meet it: instance mask and cull mask are per ray, so only this call changes.
 *
 * Saving: its any-hit runs by rays of the site; where it is procedural its intersection runs go too, and the
 * evidence says how many. LIKELY from 64 runs on, else POSSIBLE: fewer may have been ignored by chance, as of
 * a texture with holes. POSSIBLE too where rays of the site hit something of which nothing is known (implicit
 * hits) and the instance may have opaque geometry, which they may have hit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice_subject.h"
#include "catalog.h"

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
    bool maybe_opaque;
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

struct cull_mask {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    struct ws_subjects sites;
    uint64_t *unknown_hits; /* per site: rays that hit nobody knows what */
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

static void destroy(void *adviser)
{
    struct cull_mask *cull_mask = adviser;
    ws_subjects_finish(&cull_mask->subjects);
    ws_subjects_finish(&cull_mask->sites);
    free(cull_mask->entries);
    free(cull_mask->unknown_hits);
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

static void describe(const struct cull_mask *cull_mask, const struct ws_advice_invocation *invocation,
                     const struct ws_ray *ray, const struct ws_ray_hit *hit, struct entry *entry)
{
    struct ws_target target;
    entry->shader = ray->shader;
    entry->site = ray->site;
    entry->cull_mask = ray->cull_mask;
    entry->any_hit = WS_NONE;
    entry->content = WS_NONE;
    entry->maybe_opaque = true;
    if (!ws_target_find(cull_mask->input, invocation, ray, hit, &target))
        return;
    entry->has_instance = true;
    entry->instance_mask = target.instance.mask;
    entry->content = target.content;
    entry->maybe_opaque = is_maybe_opaque(cull_mask->input, &target);
}

/* The entry of what was hit; NULL when there is no memory. */
static struct entry *entry_of(struct cull_mask *cull_mask, const struct ws_advice_invocation *invocation,
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
        describe(cull_mask, invocation, ray, hit, &cull_mask->entries[index]);
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
        entry->any_hit = candidate->shader;
    }
    if (entry->runs++ == 0) {
        ws_ray_point(ray, candidate->hit.t, entry->place);
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
    }
    entry->ignored += candidate->result == WS_CANDIDATE_IGNORED;
}

static bool add_candidates(struct cull_mask *cull_mask, const struct ws_advice_invocation *invocation,
                           const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &thread->candidates[ray->candidate_first + c];
        struct entry *entry = entry_of(cull_mask, invocation, ray, &candidate->hit);
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

static bool add_ray(struct cull_mask *cull_mask, const struct ws_advice_invocation *invocation,
                    const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    struct ws_subject site = {{0}};
    ws_subject_site(cull_mask->input->catalog, ray, &site);
    const uint32_t index = ws_subjects_add(&cull_mask->sites, &site);
    if (index == WS_NONE || !ws_subjects_follow(&cull_mask->sites, (void **)&cull_mask->unknown_hits,
                                                &cull_mask->site_capacity, sizeof(uint64_t)))
        return false;
    /* The last accepted candidate is not always what was hit: something opaque may have been nearer. */
    cull_mask->unknown_hits[index] += ray->end == WS_RAY_IMPLICIT || ray->end == WS_RAY_NO_SHADER;
    if (ray->has_hit) {
        struct entry *entry = entry_of(cull_mask, invocation, ray, &ray->hit);
        if (entry == NULL)
            return false;
        entry->hits++;
    }
    return add_candidates(cull_mask, invocation, thread, ray);
}

static bool add_thread(void *adviser, const struct ws_advice_invocation *invocation,
                       const struct ws_ray_thread *thread)
{
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!thread->rays[r].query && !add_ray(adviser, invocation, thread, &thread->rays[r]))
            return false;
    return true;
}

static bool is_wasted(const struct entry *entry)
{
    return entry->runs > 0 && entry->ignored == entry->runs && entry->hits == 0 && !entry->unknown &&
           (entry->mask & ~(uint32_t)WS_EFFECT_IGNORE) == 0;
}

static void name_change(const struct cull_mask *cull_mask, const struct entry *entry, char *text, size_t size)
{
    char site[512];
    char instance[64] = "";
    ws_subject_name_site(cull_mask->input->catalog, entry->shader, entry->site, site, sizeof(site));
    if (entry->has_instance)
        snprintf(instance, sizeof(instance), " (now 0x%02" PRIx32 ")", entry->instance_mask);
    snprintf(text, size,
             "VkAccelerationStructureInstanceKHR::mask%s: give the instance a bit that the others lack, such "
             "as 0x80 alone, and leave that bit out of the cull mask (now 0x%02" PRIx32 ") of the %s",
             instance, entry->cull_mask, site);
}

static void set_certainty(const struct cull_mask *cull_mask, uint32_t index, struct ws_advice *advice)
{
    const struct entry *entry = &cull_mask->entries[index];
    struct ws_subject site = cull_mask->subjects.subjects[index];
    site.words[4] = 0;
    site.words[5] = 0;
    const uint32_t found = ws_subjects_find(&cull_mask->sites, &site);
    advice->certainty = WS_LIKELY;
    advice->doubt = "that the any-hit shader ignored everything does not mean that it always will";
    if (entry->maybe_opaque && found != WS_NONE && cull_mask->unknown_hits[found] > 0) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt =
            "some rays of this call hit something that is not known: it may be opaque geometry of "
            "this instance";
    } else if (entry->runs < LIKELY_RUNS) {
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
    ws_subject_name_site(cull_mask->input->catalog, entry->shader, entry->site, site, sizeof(site));
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
    name_change(cull_mask, entry, change, sizeof(change));
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

static bool end(void *adviser, struct ws_advice_list *list)
{
    const struct cull_mask *cull_mask = adviser;
    for (uint32_t i = 0; i < cull_mask->subjects.count; ++i)
        if (is_wasted(&cull_mask->entries[i]) && !advise(cull_mask, i, list))
            return false;
    return true;
}

extern const struct ws_adviser ws_adviser_cull_mask;

const struct ws_adviser ws_adviser_cull_mask = {
    .name = "cull_mask",
    .title = "Let rays pass by cull mask",
    .summary = "instances whose any-hit shader ignored every ray of a call, and has no other effect",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
