/* Advice `shadow_flags`: rays that only ask whether there is a hit are not traced as such.
 *
 * Evidence, by call site of traceRay: the flags, candidates and ends of all its rays. There are three kinds
 * of advice:
 *
 *   first hit  No ray has TerminateOnFirstHit, and some hit something. Each runs no closest hit shader
 *              (SkipClosestHitShader), or one that does the same whatever was hit: it has no effect, or it
 *              only stores constants to the payload (effects.h, `constant`). The any-hit shaders that ran
 *              have no effect but ignoring, and the intersection shaders none but reporting. Where what ran
 *              stores, it is one shader, and every hit ran it. Then the first hit that is found is as good as
 *              the closest. CERTAIN where no hit group of the pipeline could do more, else LIKELY. Saving:
 *              any-hit and intersection runs that came after the ray's first accepted candidate. They are
 *              counted as any-hit runs if there are any, else as intersection runs; the evidence has both.
 *              Hits of opaque triangles leave no candidate, so more may be saved.
 *   no shader  Some rays ran a closest hit shader, and all those that ran have no effect: with
 *              SkipClosestHitShader nothing changes. CERTAIN where no closest hit shader of the pipeline has
 *              an effect, else LIKELY: rays of the call may hit others in other views. Saving: these runs.
 *   asks       Some rays ran a closest hit shader that stores to the payload and does nothing else, and all hits
 *              answer alike: either every hit ran the same shader, which stores constants. Then it does not matter
 *              what is done with them (`colour * lit`). Or all that the tracing shader reads of that payload are
 *              booleans, or numbers that it compares with constants (effects.h, ws_effects_asks). Whether there is
 *              a hit can be told from what the payload held before the call, which the miss shader changes. LIKELY
 *              where all that ran is one shader that stores constants; else POSSIBLE: that all hits answer alike is
 *              not proved. No any-hit shader that ran stores to the payload, and no such shader has an effect where
 *              the first hit is advised besides. Saving: the closest hit runs.
 *
 * There is no threshold: all follow from what the shaders are. Ray queries have no shaders to skip, and
 * whether their loops go on after the first hit is their own affair: they are left out. So are rays
 * that are traced into hit objects: what they hit can be read without a closest hit shader.
 *
 * Pieces about the flags of one call are joined.
 *
 * Example: lit = 1.0; traceRayEXT(scene, gl_RayFlagsNoneEXT, ...); colour *= lit, where the closest hit shader stores
 * 0.0. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/advice/rule.h"
#include "warpscope/base/text.h"
#include "warpscope/model/catalog.h"

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t rays;
    uint64_t hits;
    uint64_t first;          /* rays with TerminateOnFirstHit */
    uint64_t skips;          /* rays with SkipClosestHitShader */
    uint64_t closest;        /* closest hit runs */
    uint64_t holes;          /* hits whose record has no closest hit shader */
    uint64_t any_hits_after; /* the first accepted candidate */
    uint64_t intersections_after;
    bool differs;     /* a closest hit shader ran whose effect may depend on the hit */
    bool seen;        /* a closest hit shader ran that has an effect */
    bool acts;        /* ... other than storing to the payload */
    bool leaves;      /* a closest hit shader ran that has none, and leaves the payload as it is */
    uint32_t effects; /* of the any-hit shaders that ran, but ignoring, and of the intersection shaders, but
                             reporting; OTHER stands for what is not known */
    bool others_hit;  /* a hit group of the pipeline may do more before the closest hit is known */
    bool others_closest;  /* ... as a closest hit */
    uint64_t launch;      /* whose pipeline was looked at last, + 1 */
    uint32_t closest_hit; /* the last closest hit shader that ran */
    uint32_t stores;      /* the one that has an effect; WS_NONE */
    uint32_t any_hit;
    uint32_t intersection;
    struct ws_advice_example example;
};

struct shadow_flags {
    struct ws_advice_state base;
    uint64_t any_hits;
    uint64_t intersections;
    uint64_t closest;
};

static void add_closest_hit(const struct ws_advice_input *input, struct entry *entry, uint32_t shader)
{
    entry->closest++;
    if (entry->closest > 1 && entry->closest_hit == shader)
        return;
    const struct ws_shader_effects *effects = ws_advice_effects(input, shader);
    entry->closest_hit = shader;
    entry->seen = entry->seen || effects == NULL || effects->mask != 0;
    entry->leaves = entry->leaves || (effects != NULL && effects->mask == 0);
    if (effects == NULL || effects->mask != 0) {
        entry->differs = entry->differs || effects == NULL || !effects->constant ||
                         (entry->stores != WS_NONE && entry->stores != shader);
        entry->acts = entry->acts || effects == NULL || effects->mask != WS_EFFECT_PAYLOAD;
        entry->stores = shader;
    }
}

/* Takes in a shader that ran for a candidate: `last` is the last such, `own` the effect that it may have. */
static void add_shader(const struct ws_advice_input *input, struct entry *entry, uint32_t *last,
                       uint32_t shader, uint32_t own)
{
    if (*last == shader)
        return;
    const struct ws_shader_effects *effects = ws_advice_effects(input, shader);
    *last = shader;
    entry->effects |= effects != NULL ? effects->mask & ~own : WS_EFFECT_OTHER | WS_EFFECT_PAYLOAD;
}

/* What else rays of the call may run in other views. */
static void add_groups(const struct ws_advice_input *input, struct entry *entry, uint64_t launch)
{
    struct ws_group_effects groups;
    if (entry->launch == launch + 1)
        return;
    entry->launch = launch + 1;
    const bool known = ws_group_effects_find(input, launch, &groups);
    entry->others_hit = entry->others_hit || !known || (groups.any_hit & ~(uint32_t)WS_EFFECT_IGNORE) != 0 ||
                        (groups.intersection & ~(uint32_t)WS_EFFECT_REPORT) != 0;
    entry->others_closest = entry->others_closest || !known || groups.closest_hit != 0;
}

static void add_candidates(struct shadow_flags *flags, struct entry *entry, const struct ws_advice_ray *shown)
{
    const struct ws_advice_input *input = flags->base.input;
    bool accepted = false;
    for (uint32_t c = 0; c < shown->ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate =
            &shown->thread->candidates[shown->ray->candidate_first + c];
        const bool any_hit = candidate->kind == WS_CANDIDATE_ANY_HIT;
        const bool intersection = candidate->kind == WS_CANDIDATE_INTERSECTION;
        if (any_hit)
            add_shader(input, entry, &entry->any_hit, candidate->shader, WS_EFFECT_IGNORE);
        if (intersection)
            add_shader(input, entry, &entry->intersection, candidate->shader, WS_EFFECT_REPORT);
        flags->any_hits += any_hit;
        flags->intersections += intersection;
        entry->any_hits_after += any_hit && accepted;
        entry->intersections_after += intersection && accepted;
        accepted = accepted || candidate->result == WS_CANDIDATE_ACCEPTED ||
                   candidate->result == WS_CANDIDATE_TERMINATED;
    }
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct shadow_flags *flags = user;
    const struct ws_advice_input *input = flags->base.input;
    const struct ws_ray *ray = shown->ray;
    bool added = false;
    if (ray->object)
        return true;
    struct entry *entry = ws_evidence_add_site(&flags->base.evidence, input->catalog, ray, NULL, &added);
    if (entry == NULL)
        return false;
    if (added) {
        entry->any_hit = WS_NONE;
        entry->intersection = WS_NONE;
        entry->stores = WS_NONE;
    }
    add_groups(input, entry, shown->launch->threads->launch->index);
    const bool hit = ray->end == WS_RAY_HIT || ray->end == WS_RAY_IMPLICIT || ray->end == WS_RAY_NO_SHADER;
    entry->rays++;
    entry->hits += hit;
    entry->holes += ray->end == WS_RAY_NO_SHADER;
    entry->first += (ray->flags & WS_RAY_FLAG_TERMINATE_FIRST) != 0;
    entry->skips += (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
    if (ray->end == WS_RAY_HIT && ray->first_hit_shader != WS_NONE) {
        add_closest_hit(input, entry, ray->first_hit_shader);
        flags->closest++;
    }
    add_candidates(flags, entry, shown);
    if (hit) {
        ws_advice_example_give(&entry->example, ray->origin, shown->launch, shown->thread);
        ws_advice_mark(&flags->base, shown->number, ws_evidence_number(&flags->base.evidence, entry));
    }
    return true;
}

/* `others`: rays of the call may run what has other effects. */
static void set_certainty(struct ws_advice *advice, bool others)
{
    advice->certainty = others ? WS_LIKELY : WS_CERTAIN;
    advice->doubt = others ? "in other views these rays may run other hit shaders, which do more" : "";
}

static bool advise_first_hit(const struct shadow_flags *flags, const struct entry *entry,
                             struct ws_advice_list *list)
{
    const struct ws_catalog *catalog = flags->base.input->catalog;
    const bool any_hit = entry->any_hits_after > 0;
    const bool counted = any_hit || entry->intersections_after > 0;
    const char *closest =
        entry->closest > 0
            ? ws_advice_text(list, "run a closest hit shader that does the same whatever was hit (%s)",
                             ws_advice_shader_name(list, catalog, entry->closest_hit))
            : "run no closest hit shader";
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, catalog, entry->site),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " of its %" PRIu64
            " rays hit something. They %s, but search for the closest hit. After their first accepted "
            "candidate they ran %" PRIu64 " any-hit and %" PRIu64 " intersection shaders, or more: hits "
            "of opaque triangles are not recorded.",
            entry->hits, entry->rays, closest, entry->any_hits_after, entry->intersections_after),
        .change = "add gl_RayFlagsTerminateOnFirstHitEXT to the ray flags of this call",
        .saves = !counted  ? WS_SAVES_NOTHING
                 : any_hit ? WS_SAVES_ANY_HIT
                           : WS_SAVES_INTERSECTION,
        .saving = any_hit ? entry->any_hits_after : entry->intersections_after,
        .of = !counted  ? 0
              : any_hit ? flags->any_hits
                        : flags->intersections,
    };
    set_certainty(&advice, entry->others_hit || (entry->closest > 0 && entry->others_closest));
    ws_advice_set_topic_site(&advice, catalog, entry->site, WS_TOPIC_RAY_FLAGS);
    ws_advice_set_example(&advice, &entry->example);
    return ws_advice_add(list, &advice);
}

static bool advise_no_shader(const struct shadow_flags *flags, const struct entry *entry,
                             struct ws_advice_list *list)
{
    const struct ws_catalog *catalog = flags->base.input->catalog;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, catalog, entry->site),
        .evidence = ws_advice_text(list,
                                   "Its rays ran a closest hit shader %" PRIu64 " time%s, which does "
                                   "nothing that can be seen (%s).",
                                   entry->closest, ws_plural(entry->closest, "s"),
                                   ws_advice_shader_name(list, catalog, entry->closest_hit)),
        .change = "add gl_RayFlagsSkipClosestHitShaderEXT to the ray flags of this call",
        .saves = WS_SAVES_CLOSEST_HIT,
        .saving = entry->closest,
        .of = flags->closest,
        .cost = ws_advice_shader_cost(flags->base.input, entry->closest_hit),
    };
    set_certainty(&advice, entry->others_closest);
    ws_advice_set_topic_shader(&advice, catalog, entry->closest_hit);
    ws_advice_set_example(&advice, &entry->example);
    return ws_advice_add(list, &advice);
}

/* Whether the call only asks yes or no. */
static bool only_asks(const struct shadow_flags *flags, const struct entry *entry)
{
    const struct ws_catalog *catalog = flags->base.input->catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[entry->site.shader].module];
    return entry->site.site < module->site_count &&
           ws_effects_asks(flags->base.input->effects, module->id,
                           module->sites[entry->site.site].info.offset);
}

/* Whether every hit left the same in the payload. */
static bool is_constant(const struct entry *entry)
{
    return entry->seen && !entry->differs && !entry->leaves && entry->holes == 0;
}

static const char *change_of(struct ws_advice_list *list, const struct entry *entry, bool constant)
{
    const bool first = entry->effects == 0 && entry->first == 0;
    return ws_advice_text(
        list,
        "add %sgl_RayFlagsSkipClosestHitShaderEXT to the ray flags of this call; before it, set "
        "the payload to %s, and have the miss shader store the value that means none",
        first ? "gl_RayFlagsTerminateOnFirstHitEXT | " : "",
        constant ? "what this shader stores" : "the value that means a hit");
}

static bool advise_asking(const struct shadow_flags *flags, const struct entry *entry, bool constant,
                          struct ws_advice_list *list)
{
    const struct ws_catalog *catalog = flags->base.input->catalog;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, catalog, entry->site),
        .evidence = ws_advice_text(
            list, "%" PRIu64 " of its %" PRIu64 " rays ran a closest hit shader (%s), but %s.",
            entry->closest, entry->rays, ws_advice_shader_name(list, catalog, entry->closest_hit),
            constant ? "all that it does is to store the same to the payload, whatever was hit"
                     : "what is read of their payload only answers yes or no: booleans, or numbers that are "
                       "compared with constants"),
        .change = change_of(list, entry, constant),
        .saves = WS_SAVES_CLOSEST_HIT,
        .saving = entry->closest,
        .of = flags->closest,
        .cost = ws_advice_shader_cost(flags->base.input, entry->closest_hit),
        .certainty = entry->differs ? WS_POSSIBLE : WS_LIKELY,
        .doubt = entry->differs ? "that every hit gives the same answer is not proved"
                                : "in other views these rays may run other hit shaders, which do more",
    };
    ws_advice_set_topic_site(&advice, catalog, entry->site, WS_TOPIC_RAY_FLAGS);
    ws_advice_set_example(&advice, &entry->example);
    return ws_advice_add(list, &advice);
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct shadow_flags *flags = user;
    const struct entry *entry = ws_evidence_at(&flags->base.evidence, number);
    if (entry->closest > 0 && !entry->seen) {
        ws_advice_tell(&flags->base, number);
        if (!advise_no_shader(flags, entry, list))
            return false;
    }
    const bool constant = is_constant(entry);
    const bool asked = entry->closest > 0 && entry->seen && !entry->acts &&
                       (entry->effects & WS_EFFECT_PAYLOAD) == 0 && (constant || only_asks(flags, entry));
    if (asked) {
        ws_advice_tell(&flags->base, number);
        if (!advise_asking(flags, entry, constant, list))
            return false;
    }
    /* Rays without the flag and without a shader that ran: what their records hold is not known. */
    const bool same = constant || !entry->seen;
    const bool asks = entry->skips == entry->rays || (entry->closest > 0 && same);
    if (!asks || entry->first > 0 || entry->hits == 0 || entry->effects != 0)
        return true;
    ws_advice_tell(&flags->base, number);
    return advise_first_hit(flags, entry, list);
}

extern const struct ws_advice_rule ws_advice_rule_shadow_flags;

const struct ws_advice_rule ws_advice_rule_shadow_flags = {
    .name = "shadow_flags",
    .title = "Set the ray flags of rays that only ask for a hit",
    .summary = "calls whose rays need no closest hit, or run a closest hit shader for nothing",
    .evidence = WS_EVIDENCE_RAYS,
    .skips_queries = true,
    .state_size = sizeof(struct shadow_flags),
    .entry_size = sizeof(struct entry),
    .ray = add_ray,
    .advise = advise,
};
