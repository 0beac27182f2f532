/* Advice `back_face`: rays go on from the back of the surface that was hit.
 *
 * A ray that starts on a surface (ray_source.h) and goes THROUGH it leaves from its back, as if light passed
 * what is opaque. Rays that only ask whether there is a hit (terminate on first hit, skip closest hit) are
 * for the rule into_surface. Evidence is summed by call site, content of the bottom-level structure,
 * geometry, and the instance's offset in the binding table: that offset chooses the shaders, that is the
 * material, in ray queries often too. Through is what is more than 1e-5 below the surface, so that rounding
 * does not count. Rays that go straight on, in the direction of the one that hit, do not count either:
 * cut-outs and thin glass send them.
 *
 * The rule is silent about what is TRANSMISSIVE: a geometry through which at least a third of the rays go
 * that start on it at this call. (Glass refracts nearly all, leaves let half pass. Lobes and normals that are
 * not clipped send a few per cent below the surface.) It is silent, too, where less than one in a hundred
 * goes through: where normals are interpolated, a few do at outlines. LIKELY: it may be meant.
 *
 * Saving: the LOST rays. These are the rays that go through and all that follow from them: those traced in
 * their hit and miss shaders, and those that start where a lost ray hit. Each is counted with the first that
 * went through.
 *
 * Example: a path tracer bends its normals with a normal map, and 5 % of its bounce rays end up inside the
 * wall that they start on. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/advice/rule.h"
#include "analysis/model/catalog.h"
#include "passes/base/array.h"

#define LEAST_BELOW  1e-5
#define STRAIGHT     1e-6 /* 1 - cosine */
#define LEAST_SHARE  100  /* one in so many */
#define TRANSMISSIVE 3    /* one in so many */

/* Further words of the subject. */
enum { CONTENT = 4, GEOMETRY, OFFSET };

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t rays;
    uint64_t through;
    uint64_t lost;
    uint32_t instance; /* that was met first */
    uint32_t custom_index;
    struct ws_advice_example example;
};

struct back_face {
    struct ws_advice_state base;
    uint32_t *roots; /* of the thread's rays: number of the entry with which a lost one is counted; WS_NONE */
    uint32_t root_capacity;
};

static void finish(void *user)
{
    struct back_face *faces = user;
    free(faces->roots);
}

static bool only_asks(const struct ws_ray *ray)
{
    return (ray->flags & (WS_RAY_FLAG_SKIP_CLOSEST_HIT | WS_RAY_FLAG_TERMINATE_FIRST)) != 0;
}

/* Whether a ray has the direction of another. */
static bool goes_straight_on(const struct ws_ray *ray, const struct ws_ray *before)
{
    double product = 0;
    double lengths[2] = {0, 0};
    for (int i = 0; i < 3; ++i) {
        product += (double)ray->direction[i] * before->direction[i];
        lengths[0] += (double)ray->direction[i] * ray->direction[i];
        lengths[1] += (double)before->direction[i] * before->direction[i];
    }
    return product > (1 - STRAIGHT) * sqrt(lengths[0] * lengths[1]);
}

/* Counts a ray that starts on a triangle. */
static bool add_start(struct back_face *faces, const struct ws_advice_ray *shown, uint32_t *root)
{
    const struct ws_ray_source *source = shown->source;
    const uint32_t words[3] = {source->target.content, source->hit.geometry,
                               source->target.instance.sbt_offset};
    bool added = false;
    struct entry *entry =
        ws_evidence_add_site(&faces->base.evidence, faces->base.input->catalog, shown->ray, words, &added);
    if (entry == NULL)
        return false;
    if (added) {
        entry->instance = source->hit.instance;
        entry->custom_index = source->hit.custom_index;
    }
    entry->rays++;
    if (ws_ray_source_cosine(source, shown->ray) >= -LEAST_BELOW ||
        goes_straight_on(shown->ray, &shown->thread->rays[source->ray]))
        return true;
    entry->through++;
    ws_advice_example_give(&entry->example, shown->ray->origin, shown->thread);
    if (*root == WS_NONE)
        *root = ws_evidence_number(&faces->base.evidence, entry);
    return true;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct back_face *faces = user;
    const uint32_t parent = shown->ray->parent;
    uint32_t *roots = ws_array_grow(faces->roots, &faces->root_capacity, shown->number + 1, sizeof(*roots));
    if (roots == NULL)
        return false;
    faces->roots = roots;
    uint32_t *root = &roots[shown->number];
    faces->base.all++;
    *root = parent != WS_NONE && parent < shown->number ? roots[parent] : WS_NONE;
    if (*root == WS_NONE && shown->source != NULL)
        *root = roots[shown->source->ray];
    if (shown->source != NULL && shown->source->triangle && !only_asks(shown->ray) &&
        !add_start(faces, shown, root))
        return false;
    if (*root != WS_NONE)
        ((struct entry *)ws_evidence_at(&faces->base.evidence, *root))->lost++;
    return true;
}

static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    const uint32_t *words = state->evidence.subjects[number].words;
    if (entry->through == 0 || entry->through * LEAST_SHARE < entry->rays ||
        entry->through >= (entry->rays + TRANSMISSIVE - 1) / TRANSMISSIVE)
        return true;
    struct ws_advice advice = {
        .subject =
            ws_advice_text(list, "%s that start on geometry %" PRIu32 " of %s",
                           ws_advice_site_name(list, state->input->catalog, entry->site), words[GEOMETRY],
                           ws_advice_content_name(list, state->input->scene, words[CONTENT])),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " of %" PRIu64 " rays (%.1f %%) that start on it (instance %" PRIu32
            ", custom index %" PRIu32
            ") leave on the other side of the surface than the one that was hit: too "
            "few for a material that lets light pass. With the rays that follow from them they are %" PRIu64
            " rays.",
            entry->through, entry->rays, ws_percent(entry->through, entry->rays), entry->instance,
            entry->custom_index, entry->lost),
        .change = "before this call, end the path where dot(direction, normal) <= 0, with the geometric "
                  "normal turned to the side that was hit",
        .saves = WS_SAVES_RAYS,
        .saving = entry->lost,
        .of = state->all,
        .certainty = WS_LIKELY,
        .doubt = "a material that lets little light pass looks the same",
    };
    ws_advice_set_example(&advice, &entry->example);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_back_face;

const struct ws_advice_rule ws_advice_rule_back_face = {
    .name = "back_face",
    .title = "Do not continue paths from the back of a surface",
    .summary = "rays that go on from the back of a surface that lets no light pass",
    .needs_geometry = true,
    .state_size = sizeof(struct back_face),
    .entry_size = sizeof(struct entry),
    .finish = finish,
    .ray = add_ray,
    .advise = advise,
};
