/* Advice `duplicate`: equal geometry in several bottom-level structures that are used side by side.
 *
 * By content (scene.h: equal in every byte that was built): the structures, of at least one primitive, that
 * are instanced in the same build of a top-level structure through which rays flew. So copies that wait for
 * another frame, or that were compacted, are none. Of all such top-level builds the one with the most of them
 * counts. One structure, instanced as often, would do: custom index, transform, mask, flags and hit group
 * offset are each instance's own.
 *
 * Saving: the bytes of all but the largest of them. CERTAIN; LIKELY where they were built to be updated, for
 * they may move apart later. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"

#define ALLOW_UPDATE 1u /* VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR */

struct entry {
    uint32_t structures;
    uint64_t bytes;
    uint64_t largest;
    uint64_t primitives; /* of one */
    bool updates;
    float place[3]; /* of an instance */
};

struct duplicate {
    const struct ws_advice_input *input;
    struct ws_subjects tops; /* builds that have been looked at */
    struct entry *entries;   /* of each content: that with the most structures */
    struct entry *counts;    /* of the top-level build under way */
    bool *seen;              /* of each structure: met in it */
    uint32_t last;           /* build that was looked at last */
    uint64_t bytes;          /* of all structures that are instanced: the most of any top-level build */
};

static void destroy(void *rule)
{
    struct duplicate *duplicate = rule;
    ws_subjects_finish(&duplicate->tops);
    free(duplicate->entries);
    free(duplicate->counts);
    free(duplicate->seen);
    free(duplicate);
}

static void *create(const struct ws_advice_input *input)
{
    struct duplicate *duplicate = calloc(1, sizeof(*duplicate));
    if (duplicate == NULL)
        return NULL;
    duplicate->input = input;
    duplicate->last = WS_NONE;
    duplicate->entries = calloc((size_t)input->scene->content_count + 1, sizeof(struct entry));
    duplicate->counts = calloc((size_t)input->scene->content_count + 1, sizeof(struct entry));
    duplicate->seen = calloc((size_t)input->scene->structure_count + 1, sizeof(bool));
    if (duplicate->entries != NULL && duplicate->counts != NULL && duplicate->seen != NULL)
        return duplicate;
    destroy(duplicate);
    return NULL;
}

/* An instance of a structure that has not been met in this build. */
static void add_structure(struct duplicate *duplicate, const struct ws_scene_instance *instance)
{
    const struct ws_scene *scene = duplicate->input->scene;
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

static void add_top(struct duplicate *duplicate, uint32_t top)
{
    const struct ws_scene *scene = duplicate->input->scene;
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
    duplicate->bytes = bytes > duplicate->bytes ? bytes : duplicate->bytes;
    for (uint32_t i = 0; i < scene->content_count; ++i)
        if (duplicate->counts[i].structures > duplicate->entries[i].structures)
            duplicate->entries[i] = duplicate->counts[i];
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct duplicate *duplicate = rule;
    for (uint32_t r = 0; r < thread->ray_count; ++r) {
        const struct ws_ray *ray = &thread->rays[r];
        struct ws_target target;
        if (!ray->has_hit || !ws_target_find(duplicate->input, launch, ray, &ray->hit, &target) ||
            target.top == duplicate->last)
            continue;
        const struct ws_subject subject = {{target.top}};
        const uint32_t before = duplicate->tops.count;
        const uint32_t index = ws_subjects_add(&duplicate->tops, &subject);
        if (index == WS_NONE)
            return false;
        if (index == before)
            add_top(duplicate, target.top);
        duplicate->last = target.top;
    }
    return true;
}

static bool advise(const struct duplicate *duplicate, uint32_t content, struct ws_advice_list *list)
{
    const struct entry *entry = &duplicate->entries[content];
    char name[128];
    char subject[256];
    char evidence[512];
    ws_subject_name_content(duplicate->input->scene, content, name, sizeof(name));
    snprintf(subject, sizeof(subject), "%" PRIu32 " bottom-level structures equal to %s", entry->structures,
             name);
    snprintf(evidence, sizeof(evidence),
             "%" PRIu32 " structures that rays can meet side by side were built of the same bytes, %" PRIu64
             " primitives each; together they take %" PRIu64 " bytes.",
             entry->structures, entry->primitives, entry->bytes);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change =
            "build one of them, and let the accelerationStructureReference of all their instances refer "
            "to it",
        .saves = WS_SAVES_BYTES,
        .saving = entry->bytes - entry->largest,
        .of = duplicate->bytes,
        .certainty = entry->updates ? WS_LIKELY : WS_CERTAIN,
        .doubt = entry->updates ? "they were built to be updated, and may differ later" : "",
    };
    ws_advice_set_place(&advice, entry->place);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct duplicate *duplicate = rule;
    for (uint32_t i = 0; i < duplicate->input->scene->content_count; ++i)
        if (duplicate->entries[i].structures > 1 && !advise(duplicate, i, list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_duplicate;

const struct ws_advice_rule ws_advice_rule_duplicate = {
    .name = "duplicate",
    .title = "Share equal geometry by instancing",
    .summary = "bottom-level structures with the same content that are used side by side",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
