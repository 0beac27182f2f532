/* Advice `opaque`: geometry whose any-hit shader ran for nothing.
 *
 * An opaque candidate (DESIGN.md) is a geometry of an instance whose any-hit shader ran, accepted every
 * intersection, and does nothing else that can be seen (effects.h): marked opaque, the same hits are found
 * without it. Evidence is summed by the content of the bottom-level structure, geometry index and instance
 * (index and custom index). Where every instance of a content whose any-hit shader ran agrees, the flag of
 * the geometry is advised; else that of the instance, if all of its geometries whose any-hit shader ran
 * agree. Without captured geometry each instance stands for itself.
 *
 * Saving: its any-hit runs, but those of rays with gl_RayFlagsNoOpaqueEXT, which run on. CERTAIN where the
 * shader has no ignoreIntersection at all; LIKELY where it has one that never ran; POSSIBLE where rays of the
 * capture cull by opacity, so that the flag would change what they meet. Where nothing was ignored but the
 * shader has effects, the advice says which, is POSSIBLE and saves nothing: removing them is the application's
 * decision.
 *
 * Ray queries meet the same geometry, and would meet no candidate of it any more: where one did not confirm a
 * candidate, that is as if the any-hit shader had ignored it; where all were confirmed, the advice is LIKELY at
 * best, since what their loops do besides is not told apart from the rest of their shader. LIKELY too where a
 * record of the hit table that rays of the capture could select for it (any SBT offset and stride that was
 * traced with) has an any-hit shader with effects, or could ignore, but none such ray met it.
 *
 * No threshold: one run that always does the same for want of an alternative is evidence enough. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"
#include "analysis/scene/scene_sbt.h"

#define FORCE_OPAQUE    4u /* VkGeometryInstanceFlagsKHR */
#define FORCE_NO_OPAQUE 8u

/* One geometry of one instance. Subject: content, geometry, instance, custom index. */
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
    bool has_place;
    float place[3];
    uint32_t thread[3];
    uint32_t group;
    uint32_t instance;
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
    uint32_t example; /* an entry */
};

struct opaque {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    struct ws_subjects records; /* SBT offset and stride of the rays of the launch under way */
    uint64_t runs;
    bool culling; /* rays of the capture cull by opacity */
};

static void *create(const struct ws_advice_input *input)
{
    struct opaque *opaque = calloc(1, sizeof(*opaque));
    if (opaque != NULL)
        opaque->input = input;
    return opaque;
}

static void destroy(void *rule)
{
    struct opaque *opaque = rule;
    ws_subjects_finish(&opaque->subjects);
    ws_subjects_finish(&opaque->records);
    free(opaque->entries);
    free(opaque);
}

/* Takes in what the shader does. */
static void add_effects(const struct opaque *opaque, struct entry *entry, uint32_t shader)
{
    const struct ws_shader_effects *effects =
        ws_effects_of(opaque->input->effects, opaque->input->catalog->shaders[shader].id);
    entry->mask |= effects != NULL ? effects->mask : 0;
    entry->unknown = entry->unknown || effects == NULL;
    entry->shader = shader;
}

/* The entry of what was met; NULL when there is no memory. */
static struct entry *entry_of(struct opaque *opaque, const struct ws_advice_launch *launch,
                              const struct ws_ray *ray, const struct ws_ray_hit *hit)
{
    struct ws_target target;
    const bool found = ws_target_find(opaque->input, launch, ray, hit, &target);
    const struct ws_subject subject = {
        {found ? target.content : WS_NONE, hit->geometry, hit->instance, hit->custom_index}};
    const uint32_t index = ws_subjects_add(&opaque->subjects, &subject);
    if (index == WS_NONE || !ws_subjects_follow(&opaque->subjects, (void **)&opaque->entries,
                                                &opaque->capacity, sizeof(struct entry)))
        return NULL;
    struct entry *entry = &opaque->entries[index];
    entry->found = found;
    entry->sbt_offset = found ? target.instance.sbt_offset : 0;
    entry->forced = entry->forced || (found && (target.instance.flags & FORCE_NO_OPAQUE) != 0);
    entry->launch = launch->threads->launch->index + 1;
    return entry;
}

/* A candidate of a ray query, which the flag would hide from it: a triangle's. Boxes always are candidates.
 */
static bool add_query(struct opaque *opaque, const struct ws_advice_launch *launch, const struct ws_ray *ray,
                      const struct ws_ray_candidate *candidate)
{
    if ((ray->flags & WS_RAY_FLAG_NO_OPAQUE) != 0 || !ws_ray_hit_is_triangle(&candidate->hit))
        return true;
    struct entry *entry = entry_of(opaque, launch, ray, &candidate->hit);
    if (entry == NULL)
        return false;
    entry->ignored += candidate->result == WS_CANDIDATE_IGNORED;
    entry->queried = true;
    return true;
}

static bool add_run(struct opaque *opaque, const struct ws_advice_launch *launch,
                    const struct ws_ray_thread *thread, const struct ws_ray *ray,
                    const struct ws_ray_candidate *candidate)
{
    const struct ws_ray_hit *hit = &candidate->hit;
    struct entry *entry = entry_of(opaque, launch, ray, hit);
    if (entry == NULL)
        return false;
    if (entry->runs == 0 || entry->shader != candidate->shader)
        add_effects(opaque, entry, candidate->shader);
    const bool accepted =
        candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED;
    entry->runs++;
    entry->accepted += accepted;
    entry->ignored += candidate->result == WS_CANDIDATE_IGNORED;
    entry->saved += accepted && (ray->flags & WS_RAY_FLAG_NO_OPAQUE) == 0;
    if (!entry->has_place) {
        ws_ray_point(ray, hit->t, entry->place);
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
        entry->has_place = true;
    }
    opaque->runs++;
    return true;
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct opaque *opaque = rule;
    for (uint32_t r = 0; r < thread->ray_count; ++r) {
        const struct ws_ray *ray = &thread->rays[r];
        opaque->culling =
            opaque->culling || (ray->flags & (WS_RAY_FLAG_CULL_OPAQUE | WS_RAY_FLAG_CULL_NO_OPAQUE)) != 0;
        const struct ws_subject record = {{ray->sbt_offset, ray->sbt_stride}};
        if (!ray->query && (ray->flags & (WS_RAY_FLAG_OPAQUE | WS_RAY_FLAG_NO_OPAQUE)) == 0 &&
            ws_subjects_add(&opaque->records, &record) == WS_NONE)
            return false;
        for (uint32_t c = 0; c < ray->candidate_count; ++c) {
            const struct ws_ray_candidate *candidate = &thread->candidates[ray->candidate_first + c];
            if ((candidate->kind == WS_CANDIDATE_ANY_HIT &&
                 !add_run(opaque, launch, thread, ray, candidate)) ||
                (candidate->kind == WS_CANDIDATE_QUERY && !add_query(opaque, launch, ray, candidate)))
                return false;
        }
    }
    return true;
}

/* Whether a record that may be selected for the geometry has an any-hit shader that does anything. */
static bool has_others(const struct opaque *opaque, const struct ws_advice_launch *launch,
                       const struct entry *entry, uint32_t geometry)
{
    for (uint32_t i = 0; i < opaque->records.count; ++i) {
        const uint32_t *words = opaque->records.subjects[i].words;
        const uint64_t index = (uint64_t)entry->sbt_offset + words[0] + (uint64_t)geometry * words[1];
        struct ws_sbt_record record;
        if (index > UINT32_MAX || opaque->input->tables == NULL ||
            !ws_scene_sbt_get(opaque->input->tables, launch->threads->launch->index, WS_SBT_HIT,
                              (uint32_t)index, &record) ||
            !record.known || record.info.any_hit == WS_NONE)
            continue;
        const struct ws_shader_effects *effects = ws_effects_of(opaque->input->effects, record.info.any_hit);
        if (effects == NULL || (effects->mask & ~entry->mask) != 0)
            return true;
    }
    return false;
}

static bool end_launch(void *rule, const struct ws_advice_launch *launch)
{
    struct opaque *opaque = rule;
    for (uint32_t i = 0; i < opaque->subjects.count; ++i) {
        struct entry *entry = &opaque->entries[i];
        if (entry->launch == launch->threads->launch->index + 1 && entry->found)
            entry->others =
                entry->others || has_others(opaque, launch, entry, opaque->subjects.subjects[i].words[1]);
    }
    ws_subjects_finish(&opaque->records);
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
 * instance 3 (custom index 7)". */
static void name_entry(const struct opaque *opaque, uint32_t index, bool instance, char *text, size_t size)
{
    const uint32_t *words = opaque->subjects.subjects[index].words;
    char name[256];
    ws_subject_name_content(opaque->input->scene, words[0], name, sizeof(name));
    const char *of = name[0] != '\0' ? " of " : "";
    if (instance)
        snprintf(text, size, "instance %" PRIu32 " (custom index %" PRIu32 ")%s%s", words[2], words[3], of,
                 name);
    else if (words[0] != WS_NONE)
        snprintf(text, size,
                 "geometry %" PRIu32 "%s%s (met in instance %" PRIu32 ", custom index %" PRIu32 ")", words[1],
                 of, name, words[2], words[3]);
    else
        snprintf(text, size, "geometry %" PRIu32 " of instance %" PRIu32 " (custom index %" PRIu32 ")",
                 words[1], words[2], words[3]);
}

static void set_example(struct ws_advice *advice, const struct entry *entry)
{
    ws_advice_set_place(advice, entry->place);
    ws_advice_set_thread(advice, entry->thread);
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
        advice->doubt = "ray queries would meet no candidate of it any more, all of which they confirmed";
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
        advice->doubt =
            "rays of the capture cull opaque or non-opaque geometry: they would meet other things";
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

static bool advise(const struct opaque *opaque, struct ws_advice_list *list, const struct sum *sum,
                   bool instance)
{
    const struct entry *entry = &opaque->entries[sum->example];
    const bool captured = opaque->subjects.subjects[sum->example].words[0] != WS_NONE;
    char subject[512];
    char evidence[1024];
    char shader[256];
    name_entry(opaque, sum->example, instance, subject, sizeof(subject));
    ws_catalog_shader_name(opaque->input->catalog, entry->shader, shader, sizeof(shader));
    snprintf(evidence, sizeof(evidence),
             "The any-hit shader (%s) ran %" PRIu64
             " %s for it, accepted every intersection, and does nothing else that can be seen.%s",
             shader, sum->runs, ws_times(sum->runs),
             sum->saved < sum->runs ? " Some of these runs are of rays that ask for them (NoOpaque)." : "");
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = change_of(sum, instance, captured),
        .saves = WS_SAVES_ANY_HIT,
        .saving = sum->saved,
        .of = opaque->runs,
        .doubt = "",
    };
    set_certainty(opaque, sum, captured, &advice);
    set_example(&advice, entry);
    return sum->saved == 0 || ws_advice_add(list, &advice);
}

/* Nothing was ignored, but the shader does something. */
static bool tell_effects(const struct opaque *opaque, struct ws_advice_list *list, const struct sum *sum,
                         uint32_t index)
{
    const struct entry *entry = &opaque->entries[index];
    const struct ws_shader_effects *effects =
        ws_effects_of(opaque->input->effects, opaque->input->catalog->shaders[entry->shader].id);
    char subject[512];
    char evidence[1024];
    char shader[256];
    char what[256] = "is of a module that could not be read";
    name_entry(opaque, index, false, subject, sizeof(subject));
    ws_catalog_shader_name(opaque->input->catalog, entry->shader, shader, sizeof(shader));
    if (effects != NULL) {
        /* It could ignore, but did not. */
        struct ws_shader_effects others = *effects;
        others.mask &= ~(uint32_t)WS_EFFECT_IGNORE;
        ws_effects_describe(&others, what, sizeof(what));
    }
    snprintf(evidence, sizeof(evidence),
             "The any-hit shader (%s) ran %" PRIu64 " %s for it and ignored nothing, but it %s%s.", shader,
             sum->runs, ws_times(sum->runs), what, effects != NULL ? ", in these runs or in others" : "");
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = "If what the shader does can be done elsewhere (in the closest hit shader), do so, and set "
                  "VK_GEOMETRY_OPAQUE_BIT_KHR in VkAccelerationStructureGeometryKHR::flags",
        .saves = WS_SAVES_ANY_HIT,
        .of = opaque->runs,
        .certainty = WS_POSSIBLE,
        .doubt = "whether the effect is needed for every intersection is not known",
    };
    set_example(&advice, entry);
    return ws_advice_add(list, &advice);
}

/* Numbers the entries' geometries and instances, and sums over each. */
struct sums {
    struct ws_subjects groups;
    struct ws_subjects instances;
    struct sum *of_group;
    struct sum *of_instance;
};

static bool sum_up(struct opaque *opaque, struct sums *sums)
{
    const uint32_t count = opaque->subjects.count;
    sums->of_group = calloc((size_t)count + 1, sizeof(*sums->of_group));
    sums->of_instance = calloc((size_t)count + 1, sizeof(*sums->of_instance));
    if (sums->of_group == NULL || sums->of_instance == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t *words = opaque->subjects.subjects[i].words;
        const bool captured = words[0] != WS_NONE;
        const struct ws_subject group = {
            {words[0], words[1], captured ? 0 : words[2], captured ? 0 : words[3]}};
        const struct ws_subject instance = {{words[0], words[2], words[3]}};
        struct entry *entry = &opaque->entries[i];
        entry->group = ws_subjects_add(&sums->groups, &group);
        entry->instance = ws_subjects_add(&sums->instances, &instance);
        if (entry->group == WS_NONE || entry->instance == WS_NONE)
            return false;
        add_to(&sums->of_group[entry->group], entry, i);
        add_to(&sums->of_instance[entry->instance], entry, i);
        sums->of_group[entry->group].saved += entry->saved;
    }
    /* What the flag of a geometry saves, that of an instance does not save again. */
    for (uint32_t i = 0; i < count; ++i) {
        const struct entry *entry = &opaque->entries[i];
        const struct sum *group = &sums->of_group[entry->group];
        if (group->clean < group->entries)
            sums->of_instance[entry->instance].saved += entry->saved;
    }
    return true;
}

static bool end(void *rule, struct ws_advice_list *list)
{
    struct opaque *opaque = rule;
    struct sums sums = {.of_group = NULL};
    bool added = sum_up(opaque, &sums);
    for (uint32_t i = 0; i < sums.groups.count && added; ++i) {
        const struct sum *group = &sums.of_group[i];
        if (group->clean == group->entries)
            added = advise(opaque, list, group, false);
        else if (group->ignored == 0 && group->clean == 0 && has_effects(&opaque->entries[group->example]))
            added = tell_effects(opaque, list, group, group->example);
    }
    for (uint32_t i = 0; i < sums.instances.count && added; ++i)
        if (sums.of_instance[i].clean == sums.of_instance[i].entries && sums.of_instance[i].saved > 0)
            added = advise(opaque, list, &sums.of_instance[i], true);
    ws_subjects_finish(&sums.groups);
    ws_subjects_finish(&sums.instances);
    free(sums.of_group);
    free(sums.of_instance);
    return added;
}

extern const struct ws_advice_rule ws_advice_rule_opaque;

const struct ws_advice_rule ws_advice_rule_opaque = {
    .name = "opaque",
    .title = "Mark geometry opaque",
    .summary = "geometry whose any-hit shader ran, never ignored an intersection and has no effect",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end_launch = end_launch,
    .end = end,
};
