/* Advice `shadow_flags`: calls of traceRay whose rays only ask whether there is something.
 *
 * By call site, with the flags, candidates and ends of all its rays:
 *
 *   first hit: no ray has TerminateOnFirstHit, some hit something, and each runs no closest hit shader
 * (SkipClosestHitShader), or one that does the same whatever was hit: without effect, or only storing
 * constants to the payload (effects.h, `constant`). The any-hit shaders that ran have no effect but ignoring,
 * and the intersection shaders none but reporting. Where what ran stores, it is one shader, and every hit ran
 * it. Then the first hit that is found is as good as the closest. Saving: any-hit and intersection runs that
 * came after the ray's first accepted candidate; counted as any-hit runs if there are any, else as
 * intersection runs, both in the evidence. Hits of opaque triangles leave no candidate, so more may be saved.
 * CERTAIN where no hit group of the pipeline could do more, else LIKELY.
 *
 *   no shader: some rays ran a closest hit shader, and all those that ran have no effect: with
 * SkipClosestHitShader nothing changes. Saving: these runs. CERTAIN where no closest hit shader of the
 * pipeline has an effect, else LIKELY: rays of the call may hit others in other views.
 *
 *   asks: some rays ran a closest hit shader that stores to the payload and does nothing else, but all that
 * the tracing shader reads of that payload it compares with constants (effects.h, "asks"): whether there is a
 * hit can be told from what the payload held before the call, which the miss shader changes. Saving: the
 * closest hit runs. LIKELY where all that ran is one shader that stores constants, so that all hits answer
 * alike; else POSSIBLE: that they do is not proved.
 *
 * No threshold: all follow from what the shaders are. Ray queries have no shaders to skip, and whether their
 * loops go on after the first hit is their own; they are left out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"

/* One call. Subject: the site's four words. */
struct entry {
    uint64_t rays;
    uint64_t hits;
    uint64_t first;          /* rays with TerminateOnFirstHit */
    uint64_t skips;          /* rays with SkipClosestHitShader */
    uint64_t closest;        /* closest hit runs */
    uint64_t holes;          /* hits whose record has no closest hit shader */
    uint64_t any_hits_after; /* the first accepted candidate */
    uint64_t intersections_after;
    bool differs;         /* a closest hit shader ran whose effect may depend on the hit */
    bool seen;            /* a closest hit shader ran that has an effect */
    bool acts;            /* ... other than storing to the payload */
    bool effects;         /* an any-hit shader ran that has an effect but ignoring, or an intersection shader
                             one but reporting */
    bool others_hit;      /* a hit group of the pipeline may do more before the closest hit is known */
    bool others_closest;  /* ... as a closest hit */
    uint64_t launch;      /* whose pipeline was looked at last, + 1 */
    uint32_t closest_hit; /* the last closest hit shader that ran */
    uint32_t stores;      /* the one that has an effect; WS_NONE */
    uint32_t any_hit;
    uint32_t intersection;
    uint32_t shader;
    uint32_t site;
    bool has_thread;
    float place[3];
    uint32_t thread[3];
};

struct shadow_flags {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    uint64_t any_hits;
    uint64_t intersections;
    uint64_t closest;
};

static void *create(const struct ws_advice_input *input)
{
    struct shadow_flags *flags = calloc(1, sizeof(*flags));
    if (flags != NULL)
        flags->input = input;
    return flags;
}

static void destroy(void *rule)
{
    struct shadow_flags *flags = rule;
    ws_subjects_finish(&flags->subjects);
    free(flags->entries);
    free(flags);
}

static const struct ws_shader_effects *effects_of(const struct shadow_flags *flags, uint32_t shader)
{
    return ws_effects_of(flags->input->effects, flags->input->catalog->shaders[shader].id);
}

static void add_closest_hit(const struct shadow_flags *flags, struct entry *entry, uint32_t shader)
{
    entry->closest++;
    if (entry->closest > 1 && entry->closest_hit == shader)
        return;
    const struct ws_shader_effects *effects = effects_of(flags, shader);
    entry->closest_hit = shader;
    entry->seen = entry->seen || effects == NULL || effects->mask != 0;
    if (effects == NULL || effects->mask != 0) {
        entry->differs = entry->differs || effects == NULL || !effects->constant ||
                         (entry->stores != WS_NONE && entry->stores != shader);
        entry->acts = entry->acts || effects == NULL || effects->mask != WS_EFFECT_PAYLOAD;
        entry->stores = shader;
    }
}

static void add_any_hit(const struct shadow_flags *flags, struct entry *entry, uint32_t shader)
{
    if (entry->any_hit == shader)
        return;
    const struct ws_shader_effects *effects = effects_of(flags, shader);
    entry->any_hit = shader;
    entry->effects = entry->effects || effects == NULL || (effects->mask & ~(uint32_t)WS_EFFECT_IGNORE) != 0;
}

static void add_intersection(const struct shadow_flags *flags, struct entry *entry, uint32_t shader)
{
    if (entry->intersection == shader)
        return;
    const struct ws_shader_effects *effects = effects_of(flags, shader);
    entry->intersection = shader;
    entry->effects = entry->effects || effects == NULL || (effects->mask & ~(uint32_t)WS_EFFECT_REPORT) != 0;
}

/* What else rays of the call may run in other views. */
static void add_groups(const struct shadow_flags *flags, struct entry *entry, uint64_t launch)
{
    struct ws_group_effects groups;
    if (entry->launch == launch + 1)
        return;
    entry->launch = launch + 1;
    const bool known = ws_group_effects_find(flags->input, launch, &groups);
    entry->others_hit = entry->others_hit || !known || (groups.any_hit & ~(uint32_t)WS_EFFECT_IGNORE) != 0 ||
                        (groups.intersection & ~(uint32_t)WS_EFFECT_REPORT) != 0;
    entry->others_closest = entry->others_closest || !known || groups.closest_hit != 0;
}

static void add_candidates(struct shadow_flags *flags, struct entry *entry,
                           const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    bool accepted = false;
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &thread->candidates[ray->candidate_first + c];
        const bool any_hit = candidate->kind == WS_CANDIDATE_ANY_HIT;
        const bool intersection = candidate->kind == WS_CANDIDATE_INTERSECTION;
        if (any_hit)
            add_any_hit(flags, entry, candidate->shader);
        if (intersection)
            add_intersection(flags, entry, candidate->shader);
        flags->any_hits += any_hit;
        flags->intersections += intersection;
        entry->any_hits_after += any_hit && accepted;
        entry->intersections_after += intersection && accepted;
        accepted = accepted || candidate->result == WS_CANDIDATE_ACCEPTED ||
                   candidate->result == WS_CANDIDATE_TERMINATED;
    }
}

static bool add_ray(struct shadow_flags *flags, const struct ws_advice_launch *launch,
                    const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    struct ws_subject subject = {{0}};
    const uint32_t before = flags->subjects.count;
    ws_subject_site(flags->input->catalog, ray, &subject);
    const uint32_t index = ws_subjects_add(&flags->subjects, &subject);
    if (index == WS_NONE || !ws_subjects_follow(&flags->subjects, (void **)&flags->entries, &flags->capacity,
                                                sizeof(struct entry)))
        return false;
    struct entry *entry = &flags->entries[index];
    if (index == before) {
        entry->shader = ray->shader;
        entry->site = ray->site;
        entry->any_hit = WS_NONE;
        entry->intersection = WS_NONE;
        entry->stores = WS_NONE;
    }
    add_groups(flags, entry, launch->threads->launch->index);
    const bool hit = ray->end == WS_RAY_HIT || ray->end == WS_RAY_IMPLICIT || ray->end == WS_RAY_NO_SHADER;
    entry->rays++;
    entry->hits += hit;
    entry->holes += ray->end == WS_RAY_NO_SHADER;
    entry->first += (ray->flags & WS_RAY_FLAG_TERMINATE_FIRST) != 0;
    entry->skips += (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
    if (ray->end == WS_RAY_HIT && ray->first_hit_shader != WS_NONE) {
        add_closest_hit(flags, entry, ray->first_hit_shader);
        flags->closest++;
    }
    add_candidates(flags, entry, thread, ray);
    if (hit && !entry->has_thread) {
        memcpy(entry->place, ray->origin, sizeof(entry->place));
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
        entry->has_thread = true;
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

static void set_example(struct ws_advice *advice, const struct entry *entry)
{
    ws_advice_set_place(advice, entry->place);
    ws_advice_set_thread(advice, entry->thread);
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
    char subject[512];
    char evidence[1024];
    char shader[256];
    char closest[512] = "run no closest hit shader";
    const bool any_hit = entry->any_hits_after > 0;
    const bool counted = any_hit || entry->intersections_after > 0;
    ws_catalog_trace_name(flags->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    if (entry->closest > 0) {
        ws_catalog_shader_name(flags->input->catalog, entry->closest_hit, shader, sizeof(shader));
        snprintf(closest, sizeof(closest),
                 "run a closest hit shader that does the same whatever was hit (%s)", shader);
    }
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " of its %" PRIu64
             " rays hit something; they %s, but look for the closest hit. After the first that was accepted "
             "they ran %" PRIu64 " any-hit and %" PRIu64 " intersection shaders, or more (hits of opaque "
             "triangles are not seen).",
             entry->hits, entry->rays, closest, entry->any_hits_after, entry->intersections_after);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
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
    set_example(&advice, entry);
    return ws_advice_add(list, &advice);
}

static bool advise_no_shader(const struct shadow_flags *flags, const struct entry *entry,
                             struct ws_advice_list *list)
{
    char subject[512];
    char evidence[1024];
    char shader[256];
    ws_catalog_trace_name(flags->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    ws_catalog_shader_name(flags->input->catalog, entry->closest_hit, shader, sizeof(shader));
    snprintf(evidence, sizeof(evidence),
             "Its rays ran a closest hit shader %" PRIu64 " times that does nothing that can be seen (%s).",
             entry->closest, shader);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = "add gl_RayFlagsSkipClosestHitShaderEXT to the ray flags of this call",
        .saves = WS_SAVES_CLOSEST_HIT,
        .saving = entry->closest,
        .of = flags->closest,
    };
    set_certainty(&advice, entry->others_closest);
    set_example(&advice, entry);
    return ws_advice_add(list, &advice);
}

/* Whether the call only compares what it gets with constants. */
static bool only_asks(const struct shadow_flags *flags, const struct entry *entry)
{
    const struct ws_catalog *catalog = flags->input->catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[entry->shader].module];
    return entry->site < module->site_count &&
           ws_effects_asks(flags->input->effects, module->id, module->sites[entry->site].info.offset);
}

static bool advise_asking(const struct shadow_flags *flags, const struct entry *entry,
                          struct ws_advice_list *list)
{
    char subject[512];
    char evidence[1024];
    char shader[256];
    ws_catalog_trace_name(flags->input->catalog, entry->shader, entry->site, subject, sizeof(subject));
    ws_catalog_shader_name(flags->input->catalog, entry->closest_hit, shader, sizeof(shader));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " of its %" PRIu64
             " rays ran a closest hit shader (%s), but all that is read of their "
             "payload is compared with constants.",
             entry->closest, entry->rays, shader);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change =
            entry->effects || entry->first > 0
                ? "add gl_RayFlagsSkipClosestHitShaderEXT to the ray flags of this call; set the payload "
                  "before it to what means a hit, and have the miss shader set it to what means none"
                : "add gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT to the ray "
                  "flags of this call; set the payload before it to what means a hit, and have the miss "
                  "shader set it to what means none",
        .saves = WS_SAVES_CLOSEST_HIT,
        .saving = entry->closest,
        .of = flags->closest,
        .certainty = entry->differs ? WS_POSSIBLE : WS_LIKELY,
        .doubt = entry->differs ? "that every hit answers these comparisons alike is not proved"
                                : "in other views these rays may run other hit shaders, which do more",
    };
    set_example(&advice, entry);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct shadow_flags *flags = rule;
    for (uint32_t i = 0; i < flags->subjects.count; ++i) {
        const struct entry *entry = &flags->entries[i];
        if (entry->closest > 0 && !entry->seen && !advise_no_shader(flags, entry, list))
            return false;
        if (entry->closest > 0 && entry->seen && !entry->acts && only_asks(flags, entry) &&
            !advise_asking(flags, entry, list))
            return false;
        /* Rays without the flag and without a shader that ran: what their records hold is not known. */
        const bool same = !entry->differs && (!entry->seen || entry->holes == 0);
        const bool asks = entry->skips == entry->rays || (entry->closest > 0 && same);
        if (asks && entry->first == 0 && entry->hits > 0 && !entry->effects &&
            !advise_first_hit(flags, entry, list))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_shadow_flags;

const struct ws_advice_rule ws_advice_rule_shadow_flags = {
    .name = "shadow_flags",
    .title = "Trace rays that only ask whether there is a hit as such",
    .summary = "calls whose rays need no closest hit, or run a closest hit shader for nothing",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
