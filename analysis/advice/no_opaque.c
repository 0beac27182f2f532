/* Advice `no_opaque`: rays have gl_RayFlagsNoOpaqueEXT for nothing.
 *
 * With that flag rays take opaque geometry for geometry that is not: its any-hit shader runs, and ray queries meet
 * its triangles as candidates. Evidence, by call site, of rays with the flag: what they met that is OPAQUE without it,
 * by the flags of its geometry and instance. The flag is for nothing where every such any-hit shader accepted the
 * intersection and does nothing else that can be seen (effects.h), and every such candidate was confirmed. The rule is
 * silent about a call whose rays met something that is not in the captured geometry.
 *
 * LIKELY: rays of the call may meet other geometry in other views. POSSIBLE where the loop of a query does more than
 * to confirm (effects.h, `query_offset`), and where rays of the call cull by opacity, for they would cull others.
 * There is no threshold.
 *
 * Saving: these any-hit runs; without any, these candidates.
 *
 * Example: all materials share one hit group, whose any-hit shader tests a texture. Shadow rays have the flag so that
 * leaves are tested, but those are not opaque anyway: it only makes the walls run the test. */
#include <inttypes.h>

#include "analysis/advice/rule.h"
#include "warpscope/model/catalog.h"

#define OPAQUE          1u /* VkGeometryFlagsKHR */
#define FORCE_OPAQUE    4u /* VkGeometryInstanceFlagsKHR */
#define FORCE_NO_OPAQUE 8u

#define CULLS (WS_RAY_FLAG_CULL_OPAQUE | WS_RAY_FLAG_CULL_NO_OPAQUE)

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t rays;            /* with the flag */
    uint64_t runs;            /* any-hit, on what is opaque */
    uint64_t candidates;      /* of queries, likewise */
    uint32_t any_hit;         /* the last shader that ran */
    bool needed;              /* one of them ignored, or has effects */
    bool unknown;             /* something was met that is not in the captured geometry */
    bool unclear;             /* the loop of a query may do more than confirm */
    bool culls;
    struct ws_advice_example example;
};

struct no_opaque {
    struct ws_advice_state base;
    uint64_t candidates; /* triangles that ray queries met */
};

/* Whether what was met is opaque where rays do not say otherwise. False and `*unknown` where that is not known. */
static bool is_opaque(const struct ws_advice_input *input, const struct ws_advice_ray *shown,
                      const struct ws_ray_hit *hit, bool *unknown)
{
    struct ws_target target;
    const bool found = ws_target_find(input, shown->launch, shown->ray, hit, &target);
    const struct ws_scene_geometry *geometry =
        found ? ws_target_geometry(input, &target, hit->geometry) : NULL;
    *unknown = *unknown || geometry == NULL;
    if (geometry == NULL)
        return false;
    if ((target.instance.flags & (FORCE_OPAQUE | FORCE_NO_OPAQUE)) != 0)
        return (target.instance.flags & FORCE_OPAQUE) != 0;
    if (ws_target_has_micromap(input, &target, hit->geometry)) {
        enum ws_micromap_state state = WS_MICROMAP_NOT_KNOWN;
        uint32_t number = 0;
        ws_scene_micromap(input->scene, target.instance.build, hit->geometry, hit->primitive, &state,
                          &number);
        *unknown = *unknown || state != WS_MICROMAP_OPAQUE;
        return state == WS_MICROMAP_OPAQUE;
    }
    return (geometry->info.flags & OPAQUE) != 0;
}

/* Whether nothing would change if it was opaque to the ray. */
static bool is_for_nothing(const struct ws_advice_input *input, const struct ws_ray_candidate *candidate)
{
    const bool accepted =
        candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED;
    const struct ws_shader_effects *effects = ws_advice_effects(input, candidate->shader);
    if (candidate->kind == WS_CANDIDATE_QUERY)
        return accepted;
    return accepted && effects != NULL && (effects->mask & ~(uint32_t)WS_EFFECT_IGNORE) == 0;
}

static void add_candidate(struct no_opaque *state, const struct ws_advice_ray *shown, struct entry *entry,
                          const struct ws_ray_candidate *candidate)
{
    const struct ws_advice_input *input = state->base.input;
    const bool query = candidate->kind == WS_CANDIDATE_QUERY;
    float place[3];
    if (!is_opaque(input, shown, &candidate->hit, &entry->unknown))
        return;
    entry->needed = entry->needed || !is_for_nothing(input, candidate);
    ws_advice_mark(&state->base, shown->number, ws_evidence_number(&state->base.evidence, entry));
    if (query) {
        const struct ws_shader_effects *effects = ws_advice_effects(input, candidate->shader);
        entry->unclear = entry->unclear || effects == NULL || effects->query_offset != WS_NONE;
        entry->candidates++;
    } else {
        entry->any_hit = candidate->shader;
        entry->runs++;
    }
    ws_ray_point(shown->ray, candidate->hit.t, place);
    ws_advice_example_give(&entry->example, place, shown->launch, shown->thread);
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct no_opaque *state = user;
    const struct ws_ray *ray = shown->ray;
    const bool flagged = (ray->flags & WS_RAY_FLAG_NO_OPAQUE) != 0;
    struct entry *entry = NULL;
    if (flagged) {
        entry = ws_evidence_add_site(&state->base.evidence, state->base.input->catalog, ray, NULL, NULL);
        if (entry == NULL)
            return false;
        entry->rays++;
        entry->culls = entry->culls || (ray->flags & CULLS) != 0;
    }
    for (uint32_t c = 0; c < ray->candidate_count; ++c) {
        const struct ws_ray_candidate *candidate = &shown->thread->candidates[ray->candidate_first + c];
        const bool any_hit = candidate->kind == WS_CANDIDATE_ANY_HIT;
        const bool query = candidate->kind == WS_CANDIDATE_QUERY && ws_ray_hit_is_triangle(&candidate->hit);
        state->base.all += any_hit;
        state->candidates += query;
        if (entry != NULL && (any_hit || query))
            add_candidate(state, shown, entry, candidate);
    }
    return true;
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct no_opaque *state = user;
    const struct ws_catalog *catalog = state->base.input->catalog;
    const struct entry *entry = ws_evidence_at(&state->base.evidence, number);
    const bool runs = entry->runs > 0;
    if (entry->needed || entry->unknown || (entry->runs == 0 && entry->candidates == 0))
        return true;
    const char *met =
        runs ? ws_advice_text(list,
                              "It makes opaque geometry run its any-hit shader (%s) %" PRIu64
                              " %s, which accepts everything and does nothing else that can be seen.",
                              ws_advice_shader_name(list, catalog, entry->any_hit), entry->runs,
                              ws_times(entry->runs))
             : ws_advice_text(list,
                              "It makes triangles of opaque geometry candidates %" PRIu64
                              " %s, and all of them are confirmed.",
                              entry->candidates, ws_times(entry->candidates));
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, catalog, entry->site),
        .evidence =
            ws_advice_text(list, "%" PRIu64 " of its rays have gl_RayFlagsNoOpaqueEXT. %s", entry->rays, met),
        .change = "leave gl_RayFlagsNoOpaqueEXT out of the ray flags of this call",
        .saves = runs ? WS_SAVES_ANY_HIT : WS_SAVES_CANDIDATES,
        .saving = runs ? entry->runs : entry->candidates,
        .of = runs ? state->base.all : state->candidates,
        .cost = runs ? ws_advice_shader_cost(state->base.input, entry->any_hit) : 0,
        .certainty = entry->unclear || entry->culls ? WS_POSSIBLE : WS_LIKELY,
        .doubt = entry->culls     ? "rays of this call cull by opacity, so they would meet other geometry"
                 : entry->unclear ? "the loop of the ray query does more than to confirm, which it would no "
                                    "longer do for this geometry"
                                  : "in other views these rays may meet opaque geometry that must be asked",
    };
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_tell(&state->base, number);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_no_opaque;

const struct ws_advice_rule ws_advice_rule_no_opaque = {
    .name = "no_opaque",
    .title = "Let opaque geometry be opaque",
    .summary = "calls with gl_RayFlagsNoOpaqueEXT whose rays accept all opaque geometry that they meet",
    .evidence = WS_EVIDENCE_RAYS,
    .needs_geometry = true,
    .state_size = sizeof(struct no_opaque),
    .entry_size = sizeof(struct entry),
    .ray = add_ray,
    .advise = advise,
};
