/* Advice `empty_shaders`: shaders run that do nothing that can be seen.
 *
 * Evidence, by shader, of any-hit, closest hit and miss shaders that ran: those whose effects (effects.h) are
 * none. A device calls them for nothing. Groups can have VK_SHADER_UNUSED_KHR instead, and a record of zeros
 * is a miss shader that is not called. (Which shaders of other stages ran for a ray is not recorded. An
 * intersection shader that does nothing makes its geometry invisible, which is no waste by itself.) An
 * any-hit shader without effects accepts every intersection, as if it was not there. Whether its geometry can
 * be marked opaque is for the rule opaque to say: other rays and ray queries may notice that.
 *
 * Saving: their runs. CERTAIN: it follows from what the shaders are. There is no threshold.
 *
 * Example: void main() {} as the miss shader of shadow rays. */
#include <inttypes.h>

#include "analysis/advice/rule.h"
#include "warpscope/model/catalog.h"

enum stage { ANY_HIT, CLOSEST_HIT, MISS, STAGES };

/* A shader. */
struct entry {
    uint64_t runs;
    uint32_t shader; /* index in the catalog */
    bool empty;
    struct ws_advice_example example;
};

struct empty {
    struct ws_advice_state base;
    uint64_t runs[STAGES];
};

static bool add_run(struct empty *empty, const struct ws_advice_ray *shown, uint32_t shader, float t)
{
    struct ws_subject subject = {{0}};
    bool added = false;
    ws_subject_shader(empty->base.input->catalog, shader, &subject);
    struct entry *entry = ws_evidence_add(&empty->base.evidence, &subject, &added);
    if (entry == NULL)
        return false;
    if (added) {
        const struct ws_shader_effects *effects = ws_advice_effects(empty->base.input, shader);
        entry->shader = shader;
        entry->empty = effects != NULL && effects->mask == 0;
    }
    float place[3];
    ws_ray_point(shown->ray, t, place);
    ws_advice_example_give(&entry->example, place, shown->launch, shown->thread);
    entry->runs++;
    ws_advice_mark(&empty->base, shown->number, ws_evidence_number(&empty->base.evidence, entry));
    return true;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct empty *empty = user;
    const struct ws_ray *ray = shown->ray;
    const bool hit = ray->end == WS_RAY_HIT;
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &shown->thread->candidates[ray->candidate_first + c];
        if (candidate->kind != WS_CANDIDATE_ANY_HIT)
            continue;
        empty->runs[ANY_HIT]++;
        if (!add_run(empty, shown, candidate->shader, candidate->hit.t))
            return false;
    }
    if (ray->first_hit_shader == WS_NONE || (!hit && ray->end != WS_RAY_MISSED))
        return true;
    empty->runs[hit ? CLOSEST_HIT : MISS]++;
    return add_run(empty, shown, ray->first_hit_shader, hit ? ray->hit.t : 0);
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    static const struct {
        uint32_t saves;
        const char *change;
    } stages[STAGES] = {
        {WS_SAVES_ANY_HIT, "set VkRayTracingShaderGroupCreateInfoKHR::anyHitShader to VK_SHADER_UNUSED_KHR"},
        {WS_SAVES_CLOSEST_HIT,
         "set VkRayTracingShaderGroupCreateInfoKHR::closestHitShader to VK_SHADER_UNUSED_KHR"},
        {WS_SAVES_MISS, "fill its records of the miss table with zeros instead of its handle: a ray that "
                        "misses then calls nothing"},
    };
    const struct empty *empty = user;
    const struct ws_advice_input *input = empty->base.input;
    const struct entry *entry = ws_evidence_at(&empty->base.evidence, number);
    if (!entry->empty)
        return true;
    const uint32_t vk_stage = input->catalog->shaders[entry->shader].stage;
    const enum stage stage = vk_stage == WS_STAGE_ANY_HIT       ? ANY_HIT
                             : vk_stage == WS_STAGE_CLOSEST_HIT ? CLOSEST_HIT
                                                                : MISS;
    const struct ws_shader_effects *effects = ws_advice_effects(input, entry->shader);
    struct ws_advice advice = {
        .subject = ws_advice_shader_name(list, input->catalog, entry->shader),
        .evidence = ws_advice_text(
            list, "This %s shader ran %" PRIu64 " %s and %s.", ws_stage_name(vk_stage), entry->runs,
            ws_times(entry->runs),
            effects != NULL && effects->instructions == 0 ? "is empty" : "does nothing that can be seen"),
        .change = stages[stage].change,
        .saves = stages[stage].saves,
        .saving = entry->runs,
        .of = empty->runs[stage],
        .cost = ws_advice_shader_cost(input, entry->shader),
        .certainty = WS_CERTAIN,
    };
    ws_advice_set_topic_shader(&advice, input->catalog, entry->shader);
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_tell(&empty->base, number);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_empty_shaders;

const struct ws_advice_rule ws_advice_rule_empty_shaders = {
    .name = "empty_shaders",
    .title = "Remove empty shaders",
    .summary = "any-hit, closest hit and miss shaders that ran and have no effect",
    .evidence = WS_EVIDENCE_RAYS,
    .skips_queries = true,
    .state_size = sizeof(struct empty),
    .entry_size = sizeof(struct entry),
    .ray = add_ray,
    .advise = advise,
};
