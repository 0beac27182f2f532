/* Advice `opaque`: an any-hit shader runs for nothing.
 *
 * Evidence, by content of the bottom-level structure, geometry index and instance (index and custom index):
 * an opaque candidate is a geometry of an instance whose any-hit shader ran, accepted every
 * intersection, and does nothing else that can be seen (effects.h). Marked opaque, the same hits are found
 * without it. Where every instance of a content whose any-hit shader ran agrees, the flag of the geometry is
 * advised; else that of the instance, if all of its geometries whose any-hit shader ran agree. Without
 * captured geometry each instance stands for itself.
 *
 * Where nothing was ignored but the shader has effects, the advice says which, is POSSIBLE and saves nothing:
 * removing them is the application's decision.
 *
 * CERTAIN where the shader has no ignoreIntersection at all. LIKELY
 *
 *   - where it has one that never ran;
 *   - where a ray query met it, and confirmed every candidate: it would meet none of them any more, and what
 *     its loop does besides is not told apart from the rest of its shader. (Where a query did not confirm a
 *     candidate, that is as if the any-hit shader had ignored it.);
 *   - where a record of the hit table that rays of the capture could select for it (any SBT offset and stride
 *     that was traced with) has an any-hit shader with effects, or that could ignore, but no such ray met it;
 *   - where geometry was not captured: what else shares the structure is not known.
 *
 * POSSIBLE where rays of the capture cull by opacity, so that the flag would change what they meet. There is
 * no threshold: one run that always does the same, because it cannot do anything else, is evidence enough.
 *
 * Saving: its any-hit runs, but those of rays with gl_RayFlagsNoOpaqueEXT, which run on.
 *
 * Example: a statue without holes has the material of leaves, whose any-hit shader tests a texture that is
 * opaque there. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/advice/rule.h"
#include "analysis/model/catalog.h"

#define FORCE_NO_OPAQUE 8u /* VkGeometryInstanceFlagsKHR */

/* Words of the subject: one geometry of one instance. */
enum { CONTENT, GEOMETRY, INSTANCE, CUSTOM_INDEX };

struct entry {
    uint64_t runs;
    uint64_t accepted;
    uint64_t ignored;
    uint64_t saved;      /* of the accepted, by rays that heed the flag */
    uint32_t mask;       /* effects of the shaders that ran */
    uint32_t shader;     /* the last that ran */
    bool unknown;        /* what one of them does is not known */
    bool forced;         /* the instance has FORCE_NO_OPAQUE */
    bool queried;        /* candidates of ray queries, all confirmed */
    bool others;         /* other any-hit shaders than those that ran may run for it */
    bool found;          /* the instance is known */
    uint32_t sbt_offset; /* its */
    uint64_t launch;     /* of the last run, + 1 */
    uint32_t group;      /* number of its geometry among the sums */
    uint32_t instance;   /* ... of its instance */
    struct ws_advice_example example;
};

/* What several entries have in common: a geometry of all instances, or an instance of all geometries. */
struct sum {
    uint64_t runs;
    uint64_t saved;
    uint32_t entries;
    uint32_t clean;   /* entries that agree */
    uint32_t ignored; /* entries that ignored something */
    bool may_ignore;
    bool forced;
    bool queried;
    bool others;
    uint32_t example; /* number of an entry */
};

struct opaque {
    struct ws_advice_state base;
    struct ws_evidence records; /* SBT offset and stride of the rays of the launch under way */
    bool culling;               /* rays of the capture cull by opacity */
};

static bool init(void *user)
{
    struct opaque *opaque = user;
    opaque->records.entry_size = sizeof(bool);
    return true;
}

static void finish(void *user)
{
    struct opaque *opaque = user;
    ws_evidence_finish(&opaque->records);
}

/* Takes in what the shader does. */
static void add_effects(const struct ws_advice_input *input, struct entry *entry, uint32_t shader)
{
    const struct ws_shader_effects *effects = ws_advice_effects(input, shader);
    entry->mask |= effects != NULL ? effects->mask : 0;
    entry->unknown = entry->unknown || effects == NULL;
    entry->shader = shader;
}

/* The entry of what was met; NULL when there is no memory. */
static struct entry *entry_of(struct opaque *opaque, const struct ws_advice_ray *shown,
                              const struct ws_ray_hit *hit)
{
    struct ws_target target;
    const bool found = ws_target_find(opaque->base.input, shown->launch, shown->ray, hit, &target);
    const struct ws_subject subject = {
        {found ? target.content : WS_NONE, hit->geometry, hit->instance, hit->custom_index}};
    struct entry *entry = ws_evidence_add(&opaque->base.evidence, &subject, NULL);
    if (entry == NULL)
        return NULL;
    entry->found = found;
    entry->sbt_offset = found ? target.instance.sbt_offset : 0;
    entry->forced = entry->forced || (found && (target.instance.flags & FORCE_NO_OPAQUE) != 0);
    entry->launch = shown->launch->threads->launch->index + 1;
    return entry;
}

/* A candidate of a ray query, which the flag would hide from it: that of a triangle. Boxes always are
 * candidates. */
static bool add_query(struct opaque *opaque, const struct ws_advice_ray *shown,
                      const struct ws_ray_candidate *candidate)
{
    if ((shown->ray->flags & WS_RAY_FLAG_NO_OPAQUE) != 0 || !ws_ray_hit_is_triangle(&candidate->hit))
        return true;
    struct entry *entry = entry_of(opaque, shown, &candidate->hit);
    if (entry == NULL)
        return false;
    entry->ignored += candidate->result == WS_CANDIDATE_IGNORED;
    entry->queried = true;
    return true;
}

static bool add_run(struct opaque *opaque, const struct ws_advice_ray *shown,
                    const struct ws_ray_candidate *candidate)
{
    struct entry *entry = entry_of(opaque, shown, &candidate->hit);
    float place[3];
    if (entry == NULL)
        return false;
    if (entry->runs == 0 || entry->shader != candidate->shader)
        add_effects(opaque->base.input, entry, candidate->shader);
    const bool accepted =
        candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED;
    entry->runs++;
    entry->accepted += accepted;
    entry->ignored += candidate->result == WS_CANDIDATE_IGNORED;
    entry->saved += accepted && (shown->ray->flags & WS_RAY_FLAG_NO_OPAQUE) == 0;
    ws_ray_point(shown->ray, candidate->hit.t, place);
    ws_advice_example_give(&entry->example, place, shown->thread);
    opaque->base.all++;
    return true;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct opaque *opaque = user;
    const struct ws_ray *ray = shown->ray;
    const struct ws_subject record = {{ray->sbt_offset, ray->sbt_stride}};
    opaque->culling =
        opaque->culling || (ray->flags & (WS_RAY_FLAG_CULL_OPAQUE | WS_RAY_FLAG_CULL_NO_OPAQUE)) != 0;
    if (!ray->query && (ray->flags & (WS_RAY_FLAG_OPAQUE | WS_RAY_FLAG_NO_OPAQUE)) == 0 &&
        ws_evidence_add(&opaque->records, &record, NULL) == NULL)
        return false;
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &shown->thread->candidates[ray->candidate_first + c];
        if ((candidate->kind == WS_CANDIDATE_ANY_HIT && !add_run(opaque, shown, candidate)) ||
            (candidate->kind == WS_CANDIDATE_QUERY && !add_query(opaque, shown, candidate)))
            return false;
    }
    return true;
}

/* Whether a record that may be selected for the geometry has an any-hit shader that does anything. */
static bool has_others(const struct opaque *opaque, uint64_t launch, const struct entry *entry,
                       uint32_t geometry)
{
    const struct ws_advice_input *input = opaque->base.input;
    for (uint32_t i = 0; i < opaque->records.count; ++i) {
        const uint32_t *words = opaque->records.subjects[i].words;
        const uint64_t index = (uint64_t)entry->sbt_offset + words[0] + (uint64_t)geometry * words[1];
        struct ws_sbt_record record;
        if (index > UINT32_MAX || input->tables == NULL ||
            !ws_scene_sbt_get(input->tables, launch, WS_SBT_HIT, (uint32_t)index, &record) || !record.known ||
            record.info.any_hit == WS_NONE)
            continue;
        const struct ws_shader_effects *effects = ws_effects_of(input->effects, record.info.any_hit);
        if (effects == NULL || (effects->mask & ~entry->mask) != 0)
            return true;
    }
    return false;
}

static bool end_launch(void *user, const struct ws_advice_launch *launch)
{
    struct opaque *opaque = user;
    const struct ws_evidence *evidence = &opaque->base.evidence;
    const uint64_t index = launch->threads->launch->index;
    for (uint32_t i = 0; i < evidence->count; ++i) {
        struct entry *entry = ws_evidence_at(evidence, i);
        if (entry->launch == index + 1 && entry->found)
            entry->others =
                entry->others || has_others(opaque, index, entry, evidence->subjects[i].words[GEOMETRY]);
    }
    ws_evidence_finish(&opaque->records);
    return true;
}

static bool has_effects(const struct entry *entry)
{
    return entry->unknown || (entry->mask & ~(uint32_t)WS_EFFECT_IGNORE) != 0;
}

static bool is_clean(const struct entry *entry)
{
    return entry->ignored == 0 && (entry->accepted > 0 || entry->runs == 0) && !has_effects(entry);
}

static void add_to(struct sum *sum, const struct entry *entry, uint32_t index)
{
    if (sum->entries++ == 0 || (sum->runs == 0 && entry->runs > 0))
        sum->example = index;
    sum->clean += is_clean(entry);
    sum->ignored += entry->ignored > 0;
    sum->runs += entry->runs;
    sum->may_ignore = sum->may_ignore || (entry->mask & WS_EFFECT_IGNORE) != 0;
    sum->forced = sum->forced || entry->forced;
    sum->queried = sum->queried || entry->queried;
    sum->others = sum->others || entry->others;
}

/* "geometry 0 of 'leaves' (met in instance 3, custom index 7)", and without captured geometry "geometry 0 of
 * instance 3 (custom index 7)". `instance`: "instance 3 (custom index 7) of 'leaves'". */
static const char *name_of(const struct ws_advice_state *state, uint32_t number, bool instance,
                           struct ws_advice_list *list)
{
    const uint32_t *words = state->evidence.subjects[number].words;
    const char *name = ws_advice_content_name(list, state->input->scene, words[CONTENT]);
    const char *of = name[0] != '\0' ? " of " : "";
    if (instance)
        return ws_advice_text(list, "instance %" PRIu32 " (custom index %" PRIu32 ")%s%s", words[INSTANCE],
                              words[CUSTOM_INDEX], of, name);
    if (words[CONTENT] != WS_NONE)
        return ws_advice_text(
            list, "geometry %" PRIu32 "%s%s (met in instance %" PRIu32 ", custom index %" PRIu32 ")",
            words[GEOMETRY], of, name, words[INSTANCE], words[CUSTOM_INDEX]);
    return ws_advice_text(list, "geometry %" PRIu32 " of instance %" PRIu32 " (custom index %" PRIu32 ")",
                          words[GEOMETRY], words[INSTANCE], words[CUSTOM_INDEX]);
}

/* The certainty by what is against it. */
static void set_certainty(const struct opaque *opaque, const struct sum *sum, bool captured,
                          struct ws_advice *advice)
{
    advice->certainty = WS_CERTAIN;
    if (sum->may_ignore) {
        advice->certainty = WS_LIKELY;
        advice->doubt = "the shader can ignore intersections: with other views or textures it may";
    }
    if (sum->queried) {
        advice->certainty = WS_LIKELY;
        advice->doubt = "ray queries met it too: they confirmed every candidate of it, and would meet "
                        "none any more";
    }
    if (sum->others) {
        advice->certainty = WS_LIKELY;
        advice->doubt = "rays with another SBT offset may meet it in other views, and the any-hit shader of "
                        "their record does more";
    }
    if (!captured) {
        advice->certainty = WS_LIKELY;
        advice->doubt = sum->may_ignore
                            ? "the shader can ignore intersections, and what else shares the structure of "
                              "this instance is not known"
                            : "what else shares the structure of this instance is not known";
    }
    if (opaque->culling) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt = "rays of the capture cull by opacity, so they would meet other geometry";
    }
}

static const char *change_of(const struct sum *sum, bool instance, bool captured)
{
    if (sum->forced && !instance)
        return "VkAccelerationStructureInstanceKHR::flags: leave out "
               "VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR, and set VK_GEOMETRY_OPAQUE_BIT_KHR in "
               "VkAccelerationStructureGeometryKHR::flags";
    if (instance)
        return sum->forced ? "VkAccelerationStructureInstanceKHR::flags: for this instance, "
                             "VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR in place of "
                             "VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR"
                           : "VkAccelerationStructureInstanceKHR::flags: set "
                             "VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR for this instance";
    if (!captured)
        return "VkAccelerationStructureGeometryKHR::flags: set VK_GEOMETRY_OPAQUE_BIT_KHR; or, if other "
               "instances of the structure need its any-hit shader, "
               "VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR in VkAccelerationStructureInstanceKHR::flags";
    return "VkAccelerationStructureGeometryKHR::flags: set VK_GEOMETRY_OPAQUE_BIT_KHR";
}

static bool advise_sum(const struct opaque *opaque, struct ws_advice_list *list, const struct sum *sum,
                       bool instance)
{
    const struct ws_advice_state *state = &opaque->base;
    const struct entry *entry = ws_evidence_at(&state->evidence, sum->example);
    const bool captured = state->evidence.subjects[sum->example].words[CONTENT] != WS_NONE;
    if (sum->saved == 0)
        return true;
    struct ws_advice advice = {
        .subject = name_of(state, sum->example, instance, list),
        .evidence = ws_advice_text(
            list,
            "The any-hit shader (%s) ran %" PRIu64
            " %s for it, accepted every intersection, and does nothing else that can be seen.%s",
            ws_advice_shader_name(list, state->input->catalog, entry->shader), sum->runs, ws_times(sum->runs),
            sum->saved < sum->runs ? " Some of these runs belong to rays with gl_RayFlagsNoOpaqueEXT, "
                                     "which keep them."
                                   : ""),
        .change = change_of(sum, instance, captured),
        .saves = WS_SAVES_ANY_HIT,
        .saving = sum->saved,
        .of = state->all,
        .cost = ws_advice_shader_cost(state->input, entry->shader),
    };
    set_certainty(opaque, sum, captured, &advice);
    if (!sum->may_ignore) /* it does nothing at all: the rule empty_shaders says so, too */
        ws_advice_set_topic_shader(&advice, state->input->catalog, entry->shader);
    ws_advice_set_example(&advice, &entry->example);
    return ws_advice_add(list, &advice);
}

/* Nothing was ignored, but the shader does something. */
static bool tell_effects(const struct ws_advice_state *state, struct ws_advice_list *list,
                         const struct sum *sum)
{
    const struct entry *entry = ws_evidence_at(&state->evidence, sum->example);
    const struct ws_shader_effects *effects = ws_advice_effects(state->input, entry->shader);
    char what[256] = "is of a module that could not be read";
    if (effects != NULL) {
        /* It could ignore, but did not. */
        struct ws_shader_effects others = *effects;
        others.mask &= ~(uint32_t)WS_EFFECT_IGNORE;
        ws_effects_describe(&others, what, sizeof(what));
    }
    struct ws_advice advice = {
        .subject = name_of(state, sum->example, false, list),
        .evidence = ws_advice_text(
            list, "The any-hit shader (%s) ran %" PRIu64 " %s for it and ignored nothing, but it %s%s.",
            ws_advice_shader_name(list, state->input->catalog, entry->shader), sum->runs, ws_times(sum->runs),
            what, effects != NULL ? ", in these runs or in others" : ""),
        .change = "if what the shader does can be done elsewhere (in the closest hit shader), move it "
                  "there and set VK_GEOMETRY_OPAQUE_BIT_KHR in VkAccelerationStructureGeometryKHR::flags",
        .saves = WS_SAVES_ANY_HIT,
        .of = state->all,
        .certainty = WS_POSSIBLE,
        .doubt = "whether the effect is needed for every intersection is not known",
    };
    ws_advice_set_example(&advice, &entry->example);
    return ws_advice_add(list, &advice);
}

/* Sums of the entries by geometry and by instance. */
struct sums {
    struct ws_evidence groups;
    struct ws_evidence instances;
};

static bool sum_up(struct opaque *opaque, struct sums *sums)
{
    const struct ws_evidence *evidence = &opaque->base.evidence;
    for (uint32_t i = 0; i < evidence->count; ++i) {
        const uint32_t *words = evidence->subjects[i].words;
        const bool captured = words[CONTENT] != WS_NONE;
        const struct ws_subject group = {{words[CONTENT], words[GEOMETRY], captured ? 0 : words[INSTANCE],
                                          captured ? 0 : words[CUSTOM_INDEX]}};
        const struct ws_subject instance = {{words[CONTENT], words[INSTANCE], words[CUSTOM_INDEX]}};
        struct entry *entry = ws_evidence_at(evidence, i);
        struct sum *of_group = ws_evidence_add(&sums->groups, &group, NULL);
        struct sum *of_instance = ws_evidence_add(&sums->instances, &instance, NULL);
        if (of_group == NULL || of_instance == NULL)
            return false;
        entry->group = ws_evidence_number(&sums->groups, of_group);
        entry->instance = ws_evidence_number(&sums->instances, of_instance);
        add_to(of_group, entry, i);
        add_to(of_instance, entry, i);
        of_group->saved += entry->saved;
    }
    /* What the flag of a geometry saves, that of an instance does not save again. */
    for (uint32_t i = 0; i < evidence->count; ++i) {
        const struct entry *entry = ws_evidence_at(evidence, i);
        const struct sum *group = ws_evidence_at(&sums->groups, entry->group);
        struct sum *instance = ws_evidence_at(&sums->instances, entry->instance);
        if (group->clean < group->entries)
            instance->saved += entry->saved;
    }
    return true;
}

static bool advise_group(const struct opaque *opaque, const struct sum *group, struct ws_advice_list *list)
{
    if (group->clean == group->entries)
        return advise_sum(opaque, list, group, false);
    const struct entry *entry = ws_evidence_at(&opaque->base.evidence, group->example);
    if (group->ignored == 0 && group->clean == 0 && has_effects(entry))
        return tell_effects(&opaque->base, list, group);
    return true;
}

static bool end(void *user, struct ws_advice_list *list)
{
    struct opaque *opaque = user;
    struct sums sums = {{.entry_size = sizeof(struct sum)}, {.entry_size = sizeof(struct sum)}};
    bool added = sum_up(opaque, &sums);
    for (uint32_t i = 0; i < sums.groups.count && added; ++i)
        added = advise_group(opaque, ws_evidence_at(&sums.groups, i), list);
    for (uint32_t i = 0; i < sums.instances.count && added; ++i) {
        const struct sum *instance = ws_evidence_at(&sums.instances, i);
        if (instance->clean == instance->entries)
            added = advise_sum(opaque, list, instance, true);
    }
    ws_evidence_finish(&sums.groups);
    ws_evidence_finish(&sums.instances);
    return added;
}

extern const struct ws_advice_rule ws_advice_rule_opaque;

const struct ws_advice_rule ws_advice_rule_opaque = {
    .name = "opaque",
    .title = "Mark geometry opaque",
    .summary = "geometry whose any-hit shader ran, never ignored an intersection and has no effect",
    .state_size = sizeof(struct opaque),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .end_launch = end_launch,
    .end = end,
};
