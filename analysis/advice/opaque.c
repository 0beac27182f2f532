/* Advice `opaque`: an any-hit shader runs for nothing.
 *
 * Evidence, by content of the bottom-level structure, geometry index and instance (index and custom index):
 * an opaque candidate is a geometry of an instance whose any-hit shader ran, accepted every
 * intersection, and does nothing else that can be seen (effects.h). Marked opaque, the same hits are found
 * without it. Where every instance of a content whose any-hit shader ran agrees, the flag of the geometry is
 * advised; else that of the instance, if all of its geometries whose any-hit shader ran agree. Without
 * captured geometry each instance stands for itself.
 *
 * Candidates of ray queries count in the same way: a triangle that a query confirmed is as if an any-hit shader had
 * accepted it, and one that it did not confirm as if that had ignored it. Marked opaque, the query would commit it by
 * itself, and its loop runs less often. Where no any-hit shader ran, the candidates are what is saved.
 *
 * Geometries of one structure of which the same is true are one piece of advice, and so are instances.
 *
 * Where nothing was ignored but the any-hit shader has effects, the advice says which, and is POSSIBLE: moving them
 * elsewhere is the application's decision. It saves the runs at most.
 *
 * CERTAIN where the shader has no ignoreIntersection at all. LIKELY
 *
 *   - where it has one that never ran;
 *   - where ray queries met it: with other views they may not confirm everything;
 *   - where a record of the hit table that rays of the capture could select for it (any SBT offset and stride
 *     that was traced with) has an any-hit shader with effects, or that could ignore, but no such ray met it;
 *   - where geometry was not captured: what else shares the structure is not known.
 *
 * A geometry may have opacity micromaps, which say where its triangles are opaque, where they are not there, and where
 * the any-hit shader is asked: where they are unknown, and nowhere else. So where triangles or parts of them are
 * transparent, marked opaque they would be hit where they are not there: the advice is to make opaque in the micromap what is
 * unknown. It is as certain as without micromaps where it is captured what they hold, and else POSSIBLE. Where all
 * triangles and their parts are opaque or unknown opaque, the advice is as without. The evidence tells how many are what.
 *
 * POSSIBLE where the loop of a query does more than to confirm (effects.h, `query_offset`), which would no longer be
 * done; and where rays of the capture cull by opacity, so that the flag would change what they meet. There is no
 * threshold: one run that always does the same, because it cannot do anything else, is evidence enough.
 *
 * Saving: its any-hit runs; without any, its candidates. But those of rays with gl_RayFlagsNoOpaqueEXT go on.
 *
 * Example: a statue without holes has the material of leaves, whose any-hit shader tests a texture that is
 * opaque there. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/advice/rule.h"
#include "warpscope/base/text.h"
#include "warpscope/model/catalog.h"

#define FORCE_NO_OPAQUE 8u /* VkGeometryInstanceFlagsKHR */

/* Words of the subject: one geometry of one instance. */
enum { CONTENT, GEOMETRY, INSTANCE, CUSTOM_INDEX };

struct entry {
    uint64_t runs;
    uint64_t accepted;
    uint64_t ignored;
    uint64_t saved;                         /* of the accepted, by rays that heed the flag */
    uint32_t mask;                          /* effects of the shaders that ran */
    uint32_t shader;                        /* the last that ran */
    bool unknown;                           /* what one of them does is not known */
    bool forced;                            /* the instance has FORCE_NO_OPAQUE */
    uint64_t candidates;                    /* triangles that ray queries met, of rays that heed the flag */
    uint32_t queries;                       /* the shader of the last such query */
    bool unclear;                           /* the loop of one of them may do more than confirm */
    bool others;                            /* other any-hit shaders than those that ran may run for it */
    bool micromap;                          /* the geometry has opacity micromaps that may let rays pass */
    bool uncaptured;                        /* and what they hold is not known everywhere */
    const struct ws_scene_geometry *mapped; /* it, where it has opacity micromaps; NULL = none */
    bool found;                             /* the instance is known */
    uint32_t sbt_offset;                    /* its */
    uint64_t launch;                        /* of the last run, + 1 */
    uint32_t group;                         /* number of its geometry among the sums */
    uint32_t instance;                      /* ... of its instance */
    struct ws_advice_example example;
};

/* What several entries have in common: a geometry of all instances, or an instance of all geometries. */
struct sum {
    uint64_t runs;
    uint64_t saved;
    uint64_t candidates;
    uint32_t entries;
    uint32_t clean;   /* entries that agree */
    uint32_t ignored; /* entries that ignored something */
    bool may_ignore;
    bool forced;
    bool unclear;
    bool others;
    bool micromap;
    bool uncaptured;
    bool told;        /* it is in a piece */
    uint32_t example; /* number of an entry */
};

/* What one piece is about: sums of which the same is true. Subject: content, instance and custom index (without
 * captured geometry), enum about, truths, shader. */
enum about { GEOMETRIES, INSTANCES, EFFECTS };

struct piece {
    uint32_t about;
    struct sum sum;
    uint32_t count;      /* of sums */
    bool several;        /* any-hit shaders */
    const char *numbers; /* of the geometries or instances: "0, 1 and 2" */
};

#define NAMED 8 /* of them */

struct opaque {
    struct ws_advice_state base;
    struct ws_evidence records; /* SBT offset and stride of the rays of the launch under way */
    bool culling;               /* rays of the capture cull by opacity */
    uint64_t candidates;        /* triangles that ray queries met */
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
    entry->micromap = found && ws_target_has_holes(opaque->base.input, &target, hit->geometry);
    entry->uncaptured = found && ws_target_lacks_opacities(opaque->base.input, &target, hit->geometry);
    entry->mapped = found && ws_target_has_micromap(opaque->base.input, &target, hit->geometry)
                        ? ws_target_geometry(opaque->base.input, &target, hit->geometry)
                        : NULL;
    entry->launch = shown->launch->threads->launch->index + 1;
    return entry;
}

/* A candidate of a ray query, which the flag would hide from it: that of a triangle. Boxes always are
 * candidates. */
static bool add_query(struct opaque *opaque, const struct ws_advice_ray *shown,
                      const struct ws_ray_candidate *candidate)
{
    float place[3];
    if (!ws_ray_hit_is_triangle(&candidate->hit))
        return true;
    opaque->candidates++;
    if ((shown->ray->flags & WS_RAY_FLAG_NO_OPAQUE) != 0)
        return true;
    struct entry *entry = entry_of(opaque, shown, &candidate->hit);
    if (entry == NULL)
        return false;
    if (entry->candidates++ == 0 || entry->queries != candidate->shader) {
        const struct ws_shader_effects *effects = ws_advice_effects(opaque->base.input, candidate->shader);
        entry->queries = candidate->shader;
        entry->unclear = entry->unclear || effects == NULL || effects->query_offset != WS_NONE;
    }
    ws_advice_mark(&opaque->base, shown->number, ws_evidence_number(&opaque->base.evidence, entry));
    entry->ignored += candidate->result == WS_CANDIDATE_IGNORED || candidate->result == WS_CANDIDATE_OPEN;
    ws_ray_point(shown->ray, candidate->hit.t, place);
    ws_advice_example_give(&entry->example, place, shown->launch, shown->thread);
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
    if (accepted && (shown->ray->flags & WS_RAY_FLAG_NO_OPAQUE) == 0) {
        entry->saved++;
        ws_advice_mark(&opaque->base, shown->number, ws_evidence_number(&opaque->base.evidence, entry));
    }
    ws_ray_point(shown->ray, candidate->hit.t, place);
    ws_advice_example_give(&entry->example, place, shown->launch, shown->thread);
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
    sum->unclear = sum->unclear || entry->unclear;
    sum->clean += is_clean(entry);
    sum->ignored += entry->ignored > 0;
    sum->runs += entry->runs;
    sum->may_ignore = sum->may_ignore || (entry->mask & WS_EFFECT_IGNORE) != 0;
    sum->forced = sum->forced || entry->forced;
    sum->others = sum->others || entry->others;
    sum->micromap = sum->micromap || entry->micromap;
    sum->uncaptured = sum->uncaptured || entry->uncaptured;
}

/* "geometries 0 and 2 of 'leaves' (met in instance 3, custom index 7)", and without captured geometry "geometry 0 of
 * instance 3 (custom index 7)". Of instances: "instances 3 and 5 of 'leaves'"; a single one with its custom index. */
static const char *name_of(const struct ws_advice_state *state, const struct piece *piece,
                           struct ws_advice_list *list)
{
    const uint32_t *words = state->evidence.subjects[piece->sum.example].words;
    const char *name = ws_advice_content_name(list, state->input->scene, words[CONTENT]);
    const char *of = name[0] != '\0' ? " of " : "";
    const char *what = piece->about == INSTANCES ? (piece->count > 1 ? "instances" : "instance")
                       : piece->count > 1        ? "geometries"
                                                 : "geometry";
    if (piece->about == INSTANCES && piece->count > 1)
        return ws_advice_text(list, "%s %s%s%s", what, piece->numbers, of, name);
    if (piece->about == INSTANCES)
        return ws_advice_text(list, "%s %s (custom index %" PRIu32 ")%s%s", what, piece->numbers,
                              words[CUSTOM_INDEX], of, name);
    if (words[CONTENT] != WS_NONE)
        return ws_advice_text(list, "%s %s%s%s (met in instance %" PRIu32 ", custom index %" PRIu32 ")", what,
                              piece->numbers, of, name, words[INSTANCE], words[CUSTOM_INDEX]);
    return ws_advice_text(list, "%s %s of instance %" PRIu32 " (custom index %" PRIu32 ")", what,
                          piece->numbers, words[INSTANCE], words[CUSTOM_INDEX]);
}

/* The first of the geometries or instances, as the name has it. */
static void set_place_in_scene(const struct ws_advice_state *state, const struct piece *piece,
                               struct ws_advice *advice)
{
    const uint32_t *words = state->evidence.subjects[piece->sum.example].words;
    if (piece->about == INSTANCES)
        ws_advice_set_instance(advice, words[INSTANCE]);
    else
        ws_advice_set_geometry(advice, words[INSTANCE], words[GEOMETRY]);
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
    if (sum->candidates > 0) {
        advice->certainty = WS_LIKELY;
        advice->doubt = "with other views or textures ray queries may not confirm every candidate of it";
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
    if (sum->unclear) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt =
            "the loop of the ray query does more than to confirm, which it would no longer do for it";
    }
    if (sum->micromap && sum->uncaptured) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt = "what the opacity micromap holds is not captured: it may ask the shader where other "
                        "views need it";
    }
    if (opaque->culling) {
        advice->certainty = WS_POSSIBLE;
        advice->doubt = "rays of the capture cull by opacity, so they would meet other geometry";
    }
}

static const char *change_of(const struct sum *sum, bool instance, bool captured)
{
    if (sum->micromap)
        return "opacity micromap of the geometry: make opaque what is unknown in it, where the any-hit "
               "shader accepts "
               "everything; without transparent parts the geometry needs no micromap, only "
               "VK_GEOMETRY_OPAQUE_BIT_KHR in "
               "VkAccelerationStructureGeometryKHR::flags";
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

/* What the triangles of a geometry are by their micromaps, as a sentence; "" without. */
static const char *micromaps_of(const struct ws_scene_geometry *geometry, struct ws_advice_list *list)
{
    if (geometry == NULL ||
        geometry->micromap_counts.states[WS_MICROMAP_NOT_KNOWN] == geometry->info.primitive_count)
        return "";
    const uint64_t *states = geometry->micromap_counts.states;
    const uint64_t *parts = geometry->micromap_counts.parts;
    const uint64_t unknown = parts[WS_MICROMAP_UNKNOWN_TRANSPARENT] + parts[WS_MICROMAP_UNKNOWN_OPAQUE];
    const uint64_t all = parts[WS_MICROMAP_TRANSPARENT] + parts[WS_MICROMAP_OPAQUE] + unknown;
    const char *captured =
        all == 0 ? ""
                 : ws_advice_text(list,
                                  " Of the %" PRIu64 " parts that micromaps tell apart, %" PRIu64
                                  " are unknown: the shader is asked there alone.",
                                  all, unknown);
    return ws_advice_text(list,
                          " By opacity micromaps, of its %" PRIu32 " triangle%s %" PRIu64
                          " are fully opaque, %" PRIu64 " fully transparent, %" PRIu64 " unknown, %" PRIu64
                          " partly, and %" PRIu64
                          " have a micromap, which asks the shader only where it says unknown.%s",
                          geometry->info.primitive_count, ws_plural(geometry->info.primitive_count, "s"),
                          states[WS_MICROMAP_OPAQUE], states[WS_MICROMAP_TRANSPARENT],
                          states[WS_MICROMAP_UNKNOWN_TRANSPARENT] + states[WS_MICROMAP_UNKNOWN_OPAQUE],
                          states[WS_MICROMAP_MIXED], states[WS_MICROMAP_MAPPED], captured);
}

/* What accepted everything: any-hit runs, candidates of queries, or both. */
static const char *evidence_of(const struct ws_advice_state *state, const struct piece *piece,
                               struct ws_advice_list *list)
{
    const struct sum *sum = &piece->sum;
    const struct ws_catalog *catalog = state->input->catalog;
    const struct entry *entry = ws_evidence_at(&state->evidence, sum->example);
    const char *runs = "";
    const char *candidates = "";
    if (sum->runs > 0)
        runs = ws_advice_text(list,
                              "The any-hit shader (%s%s) ran %" PRIu64
                              " %s for it, accepted every intersection, and does nothing else that can be "
                              "seen.%s%s",
                              ws_advice_shader_name(list, catalog, entry->shader),
                              piece->several ? " and others" : "", sum->runs, ws_times(sum->runs),
                              sum->saved < sum->runs ? " Some of these runs belong to rays with "
                                                       "gl_RayFlagsNoOpaqueEXT, which keep them."
                                                     : "",
                              sum->candidates > 0 ? " " : "");
    if (sum->candidates > 0)
        candidates = ws_advice_text(
            list, "Ray queries (of %s) met it as a candidate %" PRIu64 " %s, and confirmed it every time.",
            ws_advice_shader_name(list, catalog, entry->queries), sum->candidates, ws_times(sum->candidates));
    return ws_advice_text(list, "%s%s%s", runs, candidates,
                          piece->about == INSTANCES ? "" : micromaps_of(entry->mapped, list));
}

static bool advise_piece(const struct opaque *opaque, struct ws_advice_list *list, const struct piece *piece)
{
    const struct ws_advice_state *state = &opaque->base;
    const struct sum *sum = &piece->sum;
    const struct entry *entry = ws_evidence_at(&state->evidence, sum->example);
    const bool captured = state->evidence.subjects[sum->example].words[CONTENT] != WS_NONE;
    const bool runs = sum->saved > 0;
    struct ws_advice advice = {
        .subject = name_of(state, piece, list),
        .evidence = evidence_of(state, piece, list),
        .change = change_of(sum, piece->about == INSTANCES, captured),
        .saves = runs ? WS_SAVES_ANY_HIT : WS_SAVES_CANDIDATES,
        .saving = runs ? sum->saved : sum->candidates,
        .of = runs ? state->all : opaque->candidates,
        .cost = runs ? ws_advice_shader_cost(state->input, entry->shader) : 0,
    };
    set_certainty(opaque, sum, captured, &advice);
    if (!sum->may_ignore && runs &&
        !piece->several) /* it does nothing at all: the rule empty_shaders says so, too */
        ws_advice_set_topic_shader(&advice, state->input->catalog, entry->shader);
    ws_advice_set_example(&advice, &entry->example);
    set_place_in_scene(state, piece, &advice);
    return ws_advice_add(list, &advice);
}

/* Nothing was ignored, but the shader does something. */
static bool tell_effects(const struct ws_advice_state *state, struct ws_advice_list *list,
                         const struct piece *piece)
{
    const struct sum *sum = &piece->sum;
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
        .subject = name_of(state, piece, list),
        .evidence = ws_advice_text(
            list, "The any-hit shader (%s) ran %" PRIu64 " %s for it and ignored nothing, but it %s%s.",
            ws_advice_shader_name(list, state->input->catalog, entry->shader), sum->runs, ws_times(sum->runs),
            what, effects != NULL ? ", in these runs or in others" : ""),
        .change = "if what the shader does can be done elsewhere (in the closest hit shader), move it "
                  "there and set VK_GEOMETRY_OPAQUE_BIT_KHR in VkAccelerationStructureGeometryKHR::flags",
        .saves = WS_SAVES_ANY_HIT,
        .saving = sum->saved,
        .of = state->all,
        .cost = ws_advice_shader_cost(state->input, entry->shader),
        .at_most = true,
        .certainty = WS_POSSIBLE,
        .doubt = "whether the effect is needed for every intersection is not known",
    };
    ws_advice_set_example(&advice, &entry->example);
    set_place_in_scene(state, piece, &advice);
    return ws_advice_add(list, &advice);
}

/* Sums of the entries by geometry and by instance, and the pieces that they make. */
struct sums {
    struct ws_evidence groups;
    struct ws_evidence instances;
    struct ws_evidence pieces;
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
        of_group->candidates += entry->candidates;
    }
    /* What the flag of a geometry saves, that of an instance does not save again. */
    for (uint32_t i = 0; i < evidence->count; ++i) {
        const struct entry *entry = ws_evidence_at(evidence, i);
        const struct sum *group = ws_evidence_at(&sums->groups, entry->group);
        struct sum *instance = ws_evidence_at(&sums->instances, entry->instance);
        if (group->clean < group->entries) {
            instance->saved += entry->saved;
            instance->candidates += entry->candidates;
        }
    }
    return true;
}

/* Adds a sum to the piece of which the same is true. */
static bool add_piece(const struct opaque *opaque, struct sums *sums, struct sum *sum, enum about about,
                      struct ws_advice_list *list)
{
    const struct ws_evidence *evidence = &opaque->base.evidence;
    const uint32_t *words = evidence->subjects[sum->example].words;
    const struct entry *entry = ws_evidence_at(evidence, sum->example);
    const bool captured = words[CONTENT] != WS_NONE;
    const uint32_t truths = (uint32_t)sum->may_ignore | (uint32_t)sum->forced << 1 |
                            (uint32_t)sum->unclear << 2 | (uint32_t)sum->others << 3 |
                            (uint32_t)(sum->candidates > 0) << 4 | (uint32_t)(sum->saved > 0) << 5 |
                            (uint32_t)sum->micromap << 6 | (uint32_t)sum->uncaptured << 7;
    const struct ws_subject subject = {{words[CONTENT], captured ? 0 : words[INSTANCE],
                                        captured ? 0 : words[CUSTOM_INDEX], about, truths,
                                        about == EFFECTS ? entry->shader : 0}};
    bool added = false;
    if (sum->saved == 0 && sum->candidates == 0)
        return true;
    struct piece *piece = ws_evidence_add(&sums->pieces, &subject, &added);
    if (piece == NULL)
        return false;
    const uint32_t number = about == INSTANCES ? words[INSTANCE] : words[GEOMETRY];
    if (added)
        *piece = (struct piece){.about = about, .sum = *sum, .numbers = ""};
    if (!added) {
        const struct entry *first = ws_evidence_at(evidence, piece->sum.example);
        piece->several = piece->several || first->shader != entry->shader;
        piece->sum.runs += sum->runs;
        piece->sum.saved += sum->saved;
        piece->sum.candidates += sum->candidates;
    }
    if (piece->count < NAMED)
        piece->numbers = ws_advice_text(list, "%s%s%" PRIu32, piece->numbers, added ? "" : ", ", number);
    else if (piece->count == NAMED)
        piece->numbers = ws_advice_text(list, "%s, ...", piece->numbers);
    piece->count++;
    sum->told = true;
    return true;
}

static bool add_group(const struct opaque *opaque, struct sums *sums, struct sum *group,
                      struct ws_advice_list *list)
{
    const struct entry *entry = ws_evidence_at(&opaque->base.evidence, group->example);
    if (group->clean == group->entries)
        return add_piece(opaque, sums, group, GEOMETRIES, list);
    return group->ignored > 0 || group->clean > 0 || !has_effects(entry) ||
           add_piece(opaque, sums, group, EFFECTS, list);
}

static bool end(void *user, struct ws_advice_list *list)
{
    struct opaque *opaque = user;
    struct sums sums = {{.entry_size = sizeof(struct sum)},
                        {.entry_size = sizeof(struct sum)},
                        {.entry_size = sizeof(struct piece)}};
    bool added = sum_up(opaque, &sums);
    for (uint32_t i = 0; i < sums.groups.count && added; ++i)
        added = add_group(opaque, &sums, ws_evidence_at(&sums.groups, i), list);
    for (uint32_t i = 0; i < sums.instances.count && added; ++i) {
        struct sum *instance = ws_evidence_at(&sums.instances, i);
        if (instance->clean == instance->entries)
            added = add_piece(opaque, &sums, instance, INSTANCES, list);
    }
    for (uint32_t i = 0; i < sums.pieces.count && added; ++i) {
        const struct piece *piece = ws_evidence_at(&sums.pieces, i);
        added = piece->about == EFFECTS ? tell_effects(&opaque->base, list, piece)
                                        : advise_piece(opaque, list, piece);
    }
    for (uint32_t i = 0; i < opaque->base.evidence.count && added; ++i) {
        const struct entry *entry = ws_evidence_at(&opaque->base.evidence, i);
        const struct sum *group = ws_evidence_at(&sums.groups, entry->group);
        const struct sum *instance = ws_evidence_at(&sums.instances, entry->instance);
        if (group->told || instance->told)
            ws_advice_tell(&opaque->base, i);
    }
    ws_evidence_finish(&sums.groups);
    ws_evidence_finish(&sums.instances);
    ws_evidence_finish(&sums.pieces);
    return added;
}

extern const struct ws_advice_rule ws_advice_rule_opaque;

const struct ws_advice_rule ws_advice_rule_opaque = {
    .name = "opaque",
    .title = "Mark geometry opaque",
    .summary =
        "geometry whose any-hit shader, or loop of a ray query, accepts everything and does nothing else",
    .evidence = WS_EVIDENCE_RAYS,
    .state_size = sizeof(struct opaque),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .end_launch = end_launch,
    .end = end,
};
