/* Advice `short_rays`: rays that can hit nothing, or hardly anything.
 *
 * Evidence, by call site, ray queries included, in two parts; each ray counts in one of them:
 *
 *   no length  The interval is empty (tmax <= tmin), the direction is zero, or origin, direction, tmin or
 *              tmax is not a number, or is infinite where it must not be. What such a ray does is undefined,
 *              or it misses. Those that hit something all the same are not counted. CERTAIN, from one ray on.
 *   short      tmax times the direction's length is less than 1e-4 of the diagonal of the scene's box: of
 *              things that are many times larger, the ray can hardly find any. This part needs captured
 *              geometry. It is said where at least one ray of the call in a hundred is so short: a light that
 *              is sampled at its edge makes a few in any renderer. LIKELY where none of them hit anything,
 *              else POSSIBLE.
 *
 * Saving: those rays.
 *
 * Example: a shadow ray to a light sets tmax to its distance - 0.01, and is sent from nearer than that to the
 * light. */
#include <inttypes.h>
#include <math.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_transform.h"

#define SHORT_SHARE 1e-4 /* of the scene's diagonal */
#define LEAST_SHARE 100  /* one ray in so many */

enum why { EMPTY, ZERO, NOT_A_NUMBER, SHORT, WHYS };

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t rays;
    uint64_t counts[WHYS];
    uint64_t short_hits;
    double longest; /* of the short ones, as a share of the scene */
    struct ws_advice_example examples[WHYS];
};

/* WHYS = the ray is as it should be. `share`: its length, of the scene's. */
static enum why judge(const struct ws_advice_ray *shown, double *share)
{
    const struct ws_ray *ray = shown->ray;
    /* tmax may be infinite: applications write so, and devices take it for "as far as there is anything". */
    if (!ws_all_finite(ray->origin, 3) || !ws_all_finite(ray->direction, 3) || !isfinite(ray->tmin) ||
        isnan(ray->tmax))
        return NOT_A_NUMBER;
    const double length = ws_vector_length(ray->direction);
    if (length == 0)
        return ZERO;
    if (ray->tmax <= ray->tmin)
        return EMPTY;
    if (isinf(ray->tmax))
        return WHYS;
    const double size = ws_advice_scene_size(shown->launch, ray);
    *share = size > 0 ? ray->tmax * length / size : 1;
    return *share < SHORT_SHARE ? SHORT : WHYS;
}

/* What rays are marked for: each entry has two parts. */
static uint32_t part_of(const struct ws_advice_state *state, const struct entry *entry, bool is_short)
{
    return 2 * ws_evidence_number(&state->evidence, entry) + is_short;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct ws_advice_state *state = user;
    const struct ws_ray *ray = shown->ray;
    double share = 0;
    struct entry *entry = ws_evidence_add_site(&state->evidence, state->input->catalog, ray, NULL, NULL);
    if (entry == NULL)
        return false;
    const bool hit = ray->end == WS_RAY_HIT || ray->end == WS_RAY_IMPLICIT || ray->has_hit;
    enum why why = judge(shown, &share);
    if (hit && why != SHORT)
        why = WHYS;
    entry->rays++;
    state->all++;
    if (why == WHYS)
        return true;
    entry->counts[why]++;
    ws_advice_mark(state, shown->number, part_of(state, entry, why == SHORT));
    ws_advice_example_give(&entry->examples[why], ray->origin, shown->launch, shown->thread);
    if (why == SHORT) {
        entry->short_hits += hit;
        entry->longest = share > entry->longest ? share : entry->longest;
    }
    return true;
}

static bool advise_no_length(const struct ws_advice_state *state, const struct entry *entry,
                             struct ws_advice_list *list)
{
    const uint64_t count = entry->counts[EMPTY] + entry->counts[ZERO] + entry->counts[NOT_A_NUMBER];
    if (count == 0)
        return true;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, state->input->catalog, entry->site),
        .evidence = ws_advice_text(
            list,
            "Of %" PRIu64 " rays %" PRIu64 " have an empty interval (tmax <= tmin), %" PRIu64
            " a direction of length 0, and %" PRIu64 " numbers that are not finite.",
            entry->rays, entry->counts[EMPTY], entry->counts[ZERO], entry->counts[NOT_A_NUMBER]),
        .change = "test direction, tmin and tmax before this call; for such rays leave it out, and store "
                  "what their miss shader would store. The specification requires finite numbers and 0 <= "
                  "tmin <= tmax",
        .saves = WS_SAVES_RAYS,
        .saving = count,
        .of = state->all,
        .certainty = WS_CERTAIN,
    };
    const enum why shown = entry->counts[NOT_A_NUMBER] > 0 ? NOT_A_NUMBER
                           : entry->counts[ZERO] > 0       ? ZERO
                                                           : EMPTY;
    ws_advice_set_example(&advice, &entry->examples[shown]);
    ws_advice_tell(state, part_of(state, entry, false));
    return ws_advice_add(list, &advice);
}

static bool advise_short(const struct ws_advice_state *state, const struct entry *entry,
                         struct ws_advice_list *list)
{
    if (entry->counts[SHORT] == 0 || entry->counts[SHORT] * LEAST_SHARE < entry->rays)
        return true;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, state->input->catalog, entry->site),
        .evidence = ws_advice_text(list,
                                   "%" PRIu64 " of %" PRIu64
                                   " rays are at most %.1e of the scene's diagonal long; %" PRIu64
                                   " of them hit something.",
                                   entry->counts[SHORT], entry->rays, entry->longest, entry->short_hits),
        .change = "check how tmax is computed; if it is intended, leave this call out where tmax is so "
                  "small, and store what its miss shader would store",
        .saves = WS_SAVES_RAYS,
        .saving = entry->counts[SHORT],
        .of = state->all,
        .certainty = entry->short_hits == 0 ? WS_LIKELY : WS_POSSIBLE,
        .doubt = entry->short_hits == 0 ? "other places may have geometry that small"
                                        : "some of these rays hit something",
    };
    ws_advice_set_example(&advice, &entry->examples[SHORT]);
    ws_advice_tell(state, part_of(state, entry, true));
    return ws_advice_add(list, &advice);
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    return advise_no_length(state, entry, list) && advise_short(state, entry, list);
}

extern const struct ws_advice_rule ws_advice_rule_short_rays;

const struct ws_advice_rule ws_advice_rule_short_rays = {
    .name = "short_rays",
    .title = "Do not trace rays that cannot hit anything",
    .summary = "rays without length, and rays shorter than 1e-4 of the scene",
    .evidence = WS_EVIDENCE_RAYS,
    .state_size = sizeof(struct ws_advice_state),
    .entry_size = sizeof(struct entry),
    .ray = add_ray,
    .advise = advise,
};
