/* Advice `cull_mask`: rays of a call meet an instance only to ignore it.
 *
 * Evidence, by call site and instance (index and custom index): the any-hit shader ran, ignored every
 * intersection and has no other effect (effects.h), and no ray of the site hit the instance in another way.
 * Then the rays need not meet it: instance mask and cull mask are per ray, so only this call changes.
 *
 * LIKELY from 64 runs on, or where the any-hit shader always ignores (effects.h, `ignores_always`), else
 * POSSIBLE: fewer runs may have ignored by chance, as with a texture with holes. POSSIBLE, too, where rays of
 * the site hit something that is not recorded (implicit hits) and that may be of this instance: it has opaque
 * geometry, or geometry whose any-hit shader did not run (it may have none), or such rays force opacity.
 *
 * The bit to leave out of the cull mask, and to give the instance alone, is the highest whose loss still lets
 * the rays of the call meet every other instance that they may meet now. Cull masks of other calls must keep
 * it. Where no bit will do, or the other instances are not known, the change names none.
 *
 * Saving: the instance's any-hit runs by rays of the site. Where it is procedural its intersection runs go
 * too; the evidence says how many.
 *
 * Example: shadow rays run the any-hit shader of a lamp, which ignores all: if (light)
 * ignoreIntersectionEXT. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/advice/rule.h"
#include "warpscope/model/catalog.h"

#define LIKELY_RUNS     64
#define OPAQUE          1u /* VkGeometryFlagsKHR */
#define FORCE_OPAQUE    4u /* VkGeometryInstanceFlagsKHR */
#define FORCE_NO_OPAQUE 8u

/* Further words of the subject. */
enum { INSTANCE = 4, CUSTOM_INDEX };

/* An instance and a call site. */
struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t runs;            /* any-hit */
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
    struct ws_advice_example example;
};

/* A call site. */
struct site {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t unknown_hits;    /* rays that hit something that is not recorded */
    bool forced;              /* ... with gl_RayFlagsOpaqueEXT */
};

struct cull_mask {
    struct ws_advice_state base;
    struct ws_evidence sites;
};

static bool init(void *user)
{
    struct cull_mask *cull_mask = user;
    cull_mask->sites.entry_size = sizeof(struct site);
    return true;
}

static void finish(void *user)
{
    struct cull_mask *cull_mask = user;
    ws_evidence_finish(&cull_mask->sites);
}

/* Whether rays may hit the instance without an any-hit shader. */
static bool is_maybe_opaque(const struct ws_advice_input *input, const struct ws_target *target)
{
    const struct ws_scene_build *build = &input->scene->builds[target->instance.build];
    if ((target->instance.flags & FORCE_OPAQUE) != 0)
        return true;
    for (uint32_t i = 0; i < build->geometry_count; ++i)
        if ((build->geometries[i].info.flags & OPAQUE) != 0 || ws_target_has_opaque_parts(input, target, i))
            return (target->instance.flags & FORCE_NO_OPAQUE) == 0;
    return false;
}

static void describe(const struct ws_advice_input *input, const struct ws_advice_ray *shown,
                     const struct ws_ray_hit *hit, struct entry *entry)
{
    struct ws_target target;
    entry->cull_mask = shown->ray->cull_mask;
    entry->any_hit = WS_NONE;
    entry->content = WS_NONE;
    entry->maybe_opaque = true;
    entry->top = WS_NONE;
    if (!ws_target_find(input, shown->launch, shown->ray, hit, &target))
        return;
    entry->has_instance = true;
    entry->instance_mask = target.instance.mask;
    entry->content = target.content;
    entry->maybe_opaque = is_maybe_opaque(input, &target);
    entry->geometry_count = input->scene->builds[target.instance.build].geometry_count;
    entry->top = target.top;
}

/* The entry of what was hit; NULL when there is no memory. */
static struct entry *entry_of(struct cull_mask *cull_mask, const struct ws_advice_ray *shown,
                              const struct ws_ray_hit *hit)
{
    const uint32_t words[3] = {hit->instance, hit->custom_index, 0};
    bool added = false;
    struct entry *entry = ws_evidence_add_site(&cull_mask->base.evidence, cull_mask->base.input->catalog,
                                               shown->ray, words, &added);
    if (entry != NULL && added)
        describe(cull_mask->base.input, shown, hit, entry);
    return entry;
}

static void add_any_hit(const struct ws_advice_input *input, const struct ws_advice_ray *shown,
                        const struct ws_ray_candidate *candidate, struct entry *entry)
{
    if (entry->any_hit != candidate->shader) {
        const struct ws_shader_effects *effects = ws_advice_effects(input, candidate->shader);
        entry->mask |= effects != NULL ? effects->mask : 0;
        entry->unknown = entry->unknown || effects == NULL;
        entry->may_accept = entry->may_accept || effects == NULL || !effects->ignores_always;
        entry->any_hit = candidate->shader;
    }
    float place[3];
    ws_ray_point(shown->ray, candidate->hit.t, place);
    ws_advice_example_give(&entry->example, place, shown->launch, shown->thread);
    entry->runs++;
    if (candidate->hit.geometry < 64)
        entry->geometries |= UINT64_C(1) << candidate->hit.geometry;
    entry->ignored += candidate->result == WS_CANDIDATE_IGNORED;
}

static bool add_candidates(struct cull_mask *cull_mask, const struct ws_advice_ray *shown)
{
    for (uint32_t c = 0; c < shown->ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate =
            &shown->thread->candidates[shown->ray->candidate_first + c];
        struct entry *entry = entry_of(cull_mask, shown, &candidate->hit);
        if (entry == NULL)
            return false;
        if (candidate->kind == WS_CANDIDATE_ANY_HIT) {
            add_any_hit(cull_mask->base.input, shown, candidate, entry);
            ws_advice_mark(&cull_mask->base, shown->number,
                           ws_evidence_number(&cull_mask->base.evidence, entry));
            cull_mask->base.all++;
        }
        entry->intersections += candidate->kind == WS_CANDIDATE_INTERSECTION;
        entry->hits += candidate->kind == WS_CANDIDATE_REPORT && candidate->result == WS_CANDIDATE_ACCEPTED;
    }
    return true;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct cull_mask *cull_mask = user;
    const struct ws_ray *ray = shown->ray;
    struct site *site =
        ws_evidence_add_site(&cull_mask->sites, cull_mask->base.input->catalog, ray, NULL, NULL);
    if (site == NULL)
        return false;
    /* The last accepted candidate is not always what was hit: something opaque may have been nearer. */
    if (ray->end == WS_RAY_IMPLICIT || ray->end == WS_RAY_NO_SHADER) {
        site->unknown_hits++;
        site->forced |= (ray->flags & WS_RAY_FLAG_OPAQUE) != 0;
    }
    if (ray->has_hit) {
        struct entry *entry = entry_of(cull_mask, shown, &ray->hit);
        if (entry == NULL)
            return false;
        entry->hits++;
    }
    return add_candidates(cull_mask, shown);
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

/* ", 0x80 alone", the highest that is free; "" where none is, or it is not known. */
static const char *bit_name(const struct ws_scene *scene, const struct entry *entry, uint32_t own,
                            struct ws_advice_list *list)
{
    for (uint32_t bit = 0x80; bit != 0 && entry->top != WS_NONE; bit >>= 1)
        if ((entry->cull_mask & bit) != 0 && is_free(scene, entry, own, bit))
            return ws_advice_text(list, ", 0x%02" PRIx32 " alone", bit);
    return "";
}

/* Whether the instance has, or may have, geometry that rays hit without an any-hit run. */
static bool may_be_hit_unseen(const struct entry *entry)
{
    const uint32_t count = entry->geometry_count;
    return entry->maybe_opaque || count == 0 || count > 64 || entry->geometries != UINT64_MAX >> (64 - count);
}

static void set_certainty(const struct cull_mask *cull_mask, uint32_t number, struct ws_advice *advice)
{
    const struct entry *entry = ws_evidence_at(&cull_mask->base.evidence, number);
    struct ws_subject subject = cull_mask->base.evidence.subjects[number];
    subject.words[INSTANCE] = 0;
    subject.words[CUSTOM_INDEX] = 0;
    const struct site *site = ws_evidence_find(&cull_mask->sites, &subject);
    advice->certainty = WS_LIKELY;
    advice->doubt = entry->may_accept ? "the any-hit shader may not ignore everything in other views"
                                      : "other hit shaders may be selected for this instance in other views";
    if (site != NULL && site->unknown_hits > 0 && (site->forced || may_be_hit_unseen(entry))) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt =
            "some rays of this call hit something that is not recorded: it may be geometry of this "
            "instance that is opaque or has no any-hit shader";
    } else if (entry->may_accept && entry->runs < LIKELY_RUNS) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt = "the any-hit shader ran only a few times";
    }
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct cull_mask *cull_mask = user;
    const struct ws_advice_input *input = cull_mask->base.input;
    const struct entry *entry = ws_evidence_at(&cull_mask->base.evidence, number);
    const uint32_t *words = cull_mask->base.evidence.subjects[number].words;
    char procedural[96] = "";
    char mask[64] = "";
    if (!is_wasted(entry))
        return true;
    const char *content = ws_advice_content_name(list, input->scene, entry->content);
    const char *site = ws_advice_site_name(list, input->catalog, entry->site);
    if (entry->intersections > 0)
        snprintf(procedural, sizeof(procedural), " after %" PRIu64 " runs of its intersection shader",
                 entry->intersections);
    if (entry->has_instance)
        snprintf(mask, sizeof(mask), " (now 0x%02" PRIx32 ")", entry->instance_mask);
    struct ws_advice advice = {
        .subject = ws_advice_text(list, "instance %" PRIu32 " (custom index %" PRIu32 ")%s%s, for %s",
                                  words[INSTANCE], words[CUSTOM_INDEX], content[0] != '\0' ? " of " : "",
                                  content, site),
        .evidence = ws_advice_text(list,
                                   "The any-hit shader (%s) ran %" PRIu64
                                   " %s for it%s, ignored every intersection and does "
                                   "nothing else that can be seen; none of these rays hit it.",
                                   ws_advice_shader_name(list, input->catalog, entry->any_hit), entry->runs,
                                   ws_times(entry->runs), procedural),
        .change = ws_advice_text(list,
                                 "VkAccelerationStructureInstanceKHR::mask%s: give the instance a bit of its "
                                 "own%s, and leave that "
                                 "bit out of the cull mask (now 0x%02" PRIx32
                                 ") of the %s; cull masks of other calls must have it",
                                 mask, bit_name(input->scene, entry, words[INSTANCE], list), entry->cull_mask,
                                 site),
        .saves = WS_SAVES_ANY_HIT,
        .saving = entry->runs,
        .of = cull_mask->base.all,
        .cost = ws_advice_shader_cost(input, entry->any_hit),
    };
    set_certainty(cull_mask, number, &advice);
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_set_instance(&advice, words[INSTANCE]);
    ws_advice_tell(&cull_mask->base, number);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_cull_mask;

const struct ws_advice_rule ws_advice_rule_cull_mask = {
    .name = "cull_mask",
    .cause = WS_CAUSE_ANY_HIT,
    .title = "Cull instances that rays only ignore",
    .summary = "instances whose any-hit shader ignored every ray of a call, and has no other effect",
    .evidence = WS_EVIDENCE_RAYS,
    .skips_queries = true,
    .state_size = sizeof(struct cull_mask),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .advise = advise,
};
