/* Advice `duplicate`: equal geometry stands in several bottom-level structures that are used side by side.
 *
 * Evidence, by content (scene.h: equal in every byte that was built): the structures, of at least one
 * primitive, that are instanced in the same build of a top-level structure through which rays flew. So copies
 * that wait for another frame, or that were compacted, do not count. Of all such top-level builds the one
 * with the most of them counts. One structure, instanced as often, would do: custom index, transform, mask,
 * flags and hit group offset are each instance's own.
 *
 * Saving: the bytes of all but the largest of them. CERTAIN; LIKELY where they were built to be updated, for
 * then they may differ later.
 *
 * Example: each of 40 chairs has a bottom-level structure of its own, built of the same vertices. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "warpscope/model/catalog.h"

#define ALLOW_UPDATE 1u /* VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR */

/* A content. */
struct entry {
    uint32_t structures;
    uint64_t bytes;
    uint64_t largest;
    uint64_t primitives; /* of one */
    bool updates;
    float place[3]; /* of an instance */
};

struct duplicate {
    struct ws_advice_state
        base;                /* its evidence: of each content, the top-level build with the most structures */
    struct ws_evidence tops; /* builds that have been looked at */
    struct entry *counts;    /* of each content, in the top-level build under way */
    bool *seen;              /* of each structure: met in it */
    uint32_t last;           /* build that was looked at last */
};

static bool init(void *user)
{
    struct duplicate *duplicate = user;
    const struct ws_scene *scene = duplicate->base.input->scene;
    duplicate->last = WS_NONE;
    duplicate->tops.entry_size = sizeof(bool);
    duplicate->counts = calloc((size_t)scene->content_count + 1, sizeof(struct entry));
    duplicate->seen = calloc((size_t)scene->structure_count + 1, sizeof(bool));
    return duplicate->counts != NULL && duplicate->seen != NULL;
}

static void finish(void *user)
{
    struct duplicate *duplicate = user;
    ws_evidence_finish(&duplicate->tops);
    free(duplicate->counts);
    free(duplicate->seen);
}

/* An instance of a structure that has not been met in this build. */
static void add_structure(struct duplicate *duplicate, const struct ws_scene_instance *instance)
{
    const struct ws_scene *scene = duplicate->base.input->scene;
    const struct ws_scene_build *build = &scene->builds[instance->build];
    const struct ws_scene_structure *structure = &scene->structures[instance->structure];
    struct entry *entry = &duplicate->counts[build->content];
    if (entry->structures++ == 0)
        for (int i = 0; i < 3; ++i)
            entry->place[i] = instance->transform[4 * i + 3];
    entry->bytes += structure->size;
    entry->largest = structure->size > entry->largest ? structure->size : entry->largest;
    entry->primitives = build->primitives;
    entry->updates = entry->updates || structure->updates > 0 || (build->build_flags & ALLOW_UPDATE) != 0;
}

/* Keeps what was counted in a build, where it is more than in those before. */
static bool keep(struct duplicate *duplicate)
{
    for (uint32_t i = 0; i < duplicate->base.input->scene->content_count; ++i) {
        if (duplicate->counts[i].structures < 2)
            continue;
        const struct ws_subject subject = {{i}};
        struct entry *most = ws_evidence_add(&duplicate->base.evidence, &subject, NULL);
        if (most == NULL)
            return false;
        if (duplicate->counts[i].structures > most->structures)
            *most = duplicate->counts[i];
    }
    return true;
}

static bool add_top(struct duplicate *duplicate, uint32_t top)
{
    const struct ws_scene *scene = duplicate->base.input->scene;
    const uint32_t count = ws_scene_instance_count(scene, top);
    uint64_t bytes = 0;
    memset(duplicate->counts, 0, scene->content_count * sizeof(struct entry));
    memset(duplicate->seen, 0, scene->structure_count * sizeof(bool));
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_scene_instance instance;
        if (!ws_scene_instance(scene, top, i, &instance) || instance.structure == WS_NONE ||
            instance.build == WS_NONE || scene->builds[instance.build].top ||
            duplicate->seen[instance.structure])
            continue;
        duplicate->seen[instance.structure] = true;
        bytes += scene->structures[instance.structure].size;
        if (scene->builds[instance.build].primitives > 0)
            add_structure(duplicate, &instance);
    }
    duplicate->base.all = bytes > duplicate->base.all ? bytes : duplicate->base.all;
    return keep(duplicate);
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct duplicate *duplicate = user;
    struct ws_target target;
    bool added = false;
    if (!shown->ray->has_hit ||
        !ws_target_find(duplicate->base.input, shown->launch, shown->ray, &shown->ray->hit, &target) ||
        target.top == duplicate->last)
        return true;
    const struct ws_subject subject = {{target.top}};
    if (ws_evidence_add(&duplicate->tops, &subject, &added) == NULL)
        return false;
    duplicate->last = target.top;
    return !added || add_top(duplicate, target.top);
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    const uint32_t content = state->evidence.subjects[number].words[0];
    struct ws_advice advice = {
        .subject = ws_advice_text(list, "%" PRIu32 " bottom-level structures equal to %s", entry->structures,
                                  ws_advice_content_name(list, state->input->scene, content)),
        .evidence = ws_advice_text(
            list,
            "%" PRIu32 " structures that rays can meet side by side were built of the same bytes, %" PRIu64
            " primitives each; together they take %" PRIu64 " bytes.",
            entry->structures, entry->primitives, entry->bytes),
        .change =
            "build one of them, and let the accelerationStructureReference of all their instances refer "
            "to it",
        .saves = WS_SAVES_BYTES,
        .saving = entry->bytes - entry->largest,
        .of = state->all,
        .certainty = entry->updates ? WS_LIKELY : WS_CERTAIN,
        .doubt = entry->updates ? "they were built to be updated, and may differ later" : "",
    };
    ws_advice_set_place(&advice, entry->place);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_duplicate;

const struct ws_advice_rule ws_advice_rule_duplicate = {
    .name = "duplicate",
    .cause = WS_CAUSE_EQUAL,
    .title = "Share equal geometry by instancing",
    .summary = "bottom-level structures with the same content that are used side by side",
    .evidence = WS_EVIDENCE_GEOMETRY,
    .needs_geometry = true,
    .state_size = sizeof(struct duplicate),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .advise = advise,
};
