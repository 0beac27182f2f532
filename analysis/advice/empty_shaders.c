/* Advice `empty_shaders`: shaders that ran and do nothing that can be seen.
 *
 * By shader, of any-hit, closest hit and miss shaders (which of the others ran for a ray is not told, and an
 * intersection shader that does nothing makes its geometry invisible, which is no waste by itself): those
 * whose effects (effects.h) are none. A device calls them for nothing: groups can have VK_SHADER_UNUSED_KHR
 * instead, and a record of zeros is a miss shader that is not called. An any-hit shader without effects
 * accepts every intersection, as if it was not there. (Whether its geometry can be marked opaque, which
 * other rays and ray queries may see, is for the rule opaque to say.)
 *
 * Saving: their runs. CERTAIN: it follows from what they are. No threshold. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/subject.h"
#include "analysis/model/catalog.h"

struct entry {
    uint64_t runs;
    uint32_t shader;
    bool empty;
    float place[3];
    uint32_t thread[3];
};

enum stage { ANY_HIT, CLOSEST_HIT, MISS, STAGES };

struct empty {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct entry *entries;
    uint32_t capacity;
    uint64_t runs[STAGES];
};

static void *create(const struct ws_advice_input *input)
{
    struct empty *empty = calloc(1, sizeof(*empty));
    if (empty != NULL)
        empty->input = input;
    return empty;
}

static void destroy(void *rule)
{
    struct empty *empty = rule;
    ws_subjects_finish(&empty->subjects);
    free(empty->entries);
    free(empty);
}

static bool add_run(struct empty *empty, const struct ws_ray_thread *thread, const struct ws_ray *ray,
                    uint32_t shader, float t)
{
    struct ws_subject subject = {{0}};
    const uint32_t before = empty->subjects.count;
    ws_subject_shader(empty->input->catalog, shader, &subject);
    const uint32_t index = ws_subjects_add(&empty->subjects, &subject);
    if (index == WS_NONE || !ws_subjects_follow(&empty->subjects, (void **)&empty->entries, &empty->capacity,
                                                sizeof(struct entry)))
        return false;
    struct entry *entry = &empty->entries[index];
    if (index == before) {
        const struct ws_shader_effects *effects =
            ws_effects_of(empty->input->effects, empty->input->catalog->shaders[shader].id);
        entry->shader = shader;
        entry->empty = effects != NULL && effects->mask == 0;
        ws_ray_point(ray, t, entry->place);
        memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
    }
    entry->runs++;
    return true;
}

static bool add_ray(struct empty *empty, const struct ws_ray_thread *thread, const struct ws_ray *ray)
{
    const bool hit = ray->end == WS_RAY_HIT;
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &thread->candidates[ray->candidate_first + c];
        if (candidate->kind != WS_CANDIDATE_ANY_HIT)
            continue;
        empty->runs[ANY_HIT]++;
        if (!add_run(empty, thread, ray, candidate->shader, candidate->hit.t))
            return false;
    }
    if (ray->first_hit_shader == WS_NONE || (!hit && ray->end != WS_RAY_MISSED))
        return true;
    empty->runs[hit ? CLOSEST_HIT : MISS]++;
    return add_run(empty, thread, ray, ray->first_hit_shader, hit ? ray->hit.t : 0);
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    (void)launch;
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!thread->rays[r].query && !add_ray(rule, thread, &thread->rays[r]))
            return false;
    return true;
}

static bool advise(const struct empty *empty, const struct entry *entry, struct ws_advice_list *list)
{
    static const struct {
        uint32_t saves;
        const char *change;
    } stages[STAGES] = {
        {WS_SAVES_ANY_HIT, "VkRayTracingShaderGroupCreateInfoKHR::anyHitShader: VK_SHADER_UNUSED_KHR"},
        {WS_SAVES_CLOSEST_HIT,
         "VkRayTracingShaderGroupCreateInfoKHR::closestHitShader: VK_SHADER_UNUSED_KHR"},
        {WS_SAVES_MISS, "fill its records of the miss table with zeros instead of its handle: a ray that "
                        "misses then calls nothing"},
    };
    char subject[256];
    char evidence[256];
    const struct ws_shader_record *shader = &empty->input->catalog->shaders[entry->shader];
    const enum stage stage = shader->stage == WS_STAGE_ANY_HIT       ? ANY_HIT
                             : shader->stage == WS_STAGE_CLOSEST_HIT ? CLOSEST_HIT
                                                                     : MISS;
    const struct ws_shader_effects *effects = ws_effects_of(empty->input->effects, shader->id);
    ws_catalog_shader_name(empty->input->catalog, entry->shader, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence), "This %s shader ran %" PRIu64 " %s and %s.",
             ws_stage_name(shader->stage), entry->runs, ws_times(entry->runs),
             effects != NULL && effects->instructions == 0 ? "is empty" : "does nothing that can be seen");
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = stages[stage].change,
        .saves = stages[stage].saves,
        .saving = entry->runs,
        .of = empty->runs[stage],
        .certainty = WS_CERTAIN,
        .doubt = "",
    };
    ws_advice_set_place(&advice, entry->place);
    ws_advice_set_thread(&advice, entry->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct empty *empty = rule;
    for (uint32_t i = 0; i < empty->subjects.count; ++i)
        if (empty->entries[i].empty && !advise(empty, &empty->entries[i], list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_empty_shaders;

const struct ws_advice_rule ws_advice_rule_empty_shaders = {
    .name = "empty_shaders",
    .title = "Leave out an empty shader",
    .summary = "any-hit, closest hit and miss shaders that ran and have no effect",
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
