/* Advice `back_face`: rays go on from the back of the surface that was hit.
 *
 * A ray that starts on a surface (ray_source.h) and goes THROUGH it leaves from its back, as if light passed
 * what is opaque. Rays that only ask whether there is a hit (terminate on first hit, skip closest hit) are
 * for the rule into_surface. Through is what is more than 1e-5 below the surface, so that rounding does not
 * count. Rays that go straight on, in the direction of the one that hit, do not count either: cut-outs and
 * thin glass send them. Nor do rays that start at a self-hit (ray_source.h): their cause is that of tmin_low.
 *
 * Evidence is summed by call site and MATERIAL: content of the bottom-level structure, geometry, and the
 * instance's offset in the binding table, which chooses the shaders, in ray queries often too. A material is
 * TRANSMISSIVE if at least a third of the rays go through that start on it at this call. (Glass refracts
 * nearly all, leaves let half pass. Lobes and normals that are not clipped send a few per cent below the
 * surface.) The rule is silent about these, and where less than one in a hundred goes through: where normals
 * are interpolated, a few do at outlines. LIKELY: it may be meant.
 *
 * All other materials of a call are one piece of advice, for one change at the call is enough. Saving: the
 * LOST rays. These are the rays that go through such a material and all that follow from them: those traced
 * in their hit and miss shaders, and those that start where a lost ray hit.
 *
 * Example: a path tracer bends its normals with a normal map, and 5 % of its bounce rays end up inside the
 * wall that they start on. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"

#define LEAST_BELOW  1e-5
#define STRAIGHT     1e-6 /* 1 - cosine */
#define LEAST_SHARE  100  /* one in so many */
#define TRANSMISSIVE 3    /* one in so many */

/* Further words of the subject. */
enum { CONTENT = 4, GEOMETRY, OFFSET };

#define LONGEST 16 /* chain of materials */
#define NAMED   4  /* materials in the texts */

/* A material at a call site. */
struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t rays;
    uint64_t through;
    bool told;         /* it is neither transmissive, nor do too few go through */
    uint32_t instance; /* that was met first */
    uint32_t custom_index;
    struct ws_advice_example example;
};

/* A chain of different materials that a ray and those that it follows from went through, the last one first.
 * Subject: number of the chain without the last + 1, number of the last one's entry. */
struct chain {
    uint32_t before; /* number; WS_NONE = it was the first */
    uint32_t entry;
    uint32_t length;
    uint64_t rays; /* with this chain */
};

struct back_face {
    struct ws_advice_state base;
    struct ws_evidence chains;
    uint32_t
        *chain_of; /* of each ray of the thread: number of its chain; WS_NONE = it went through nothing */
    uint32_t ray_capacity;
    uint32_t next_ray; /* those of the thread before it have their chains */
};

static bool init(void *user)
{
    struct back_face *faces = user;
    faces->chains.entry_size = sizeof(struct chain);
    return true;
}

static void finish(void *user)
{
    struct back_face *faces = user;
    ws_evidence_finish(&faces->chains);
    free(faces->chain_of);
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

static bool has(const struct back_face *faces, uint32_t number, uint32_t entry)
{
    while (number != WS_NONE) {
        const struct chain *chain = ws_evidence_at(&faces->chains, number);
        if (chain->entry == entry)
            return true;
        number = chain->before;
    }
    return false;
}

/* Adds a material to the chain, where it is not in it. */
static bool extend(struct back_face *faces, uint32_t entry, uint32_t *number)
{
    const struct ws_subject subject = {{*number + 1, entry}};
    const struct chain *before = *number != WS_NONE ? ws_evidence_at(&faces->chains, *number) : NULL;
    const uint32_t length = before != NULL ? before->length + 1 : 1;
    bool added = false;
    if (has(faces, *number, entry) || length > LONGEST)
        return true;
    struct chain *chain = ws_evidence_add(&faces->chains, &subject, &added);
    if (chain == NULL)
        return false;
    if (added)
        *chain = (struct chain){.before = *number, .entry = entry, .length = length};
    *number = ws_evidence_number(&faces->chains, chain);
    return true;
}

/* Counts a ray that starts on a triangle. */
static bool add_start(struct back_face *faces, const struct ws_advice_ray *shown, uint32_t *chain)
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
    ws_advice_mark(&faces->base, shown->number, ws_evidence_number(&faces->base.evidence, entry));
    ws_advice_example_give(&entry->example, shown->ray->origin, shown->launch, shown->thread);
    return extend(faces, ws_evidence_number(&faces->base.evidence, entry), chain);
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct back_face *faces = user;
    const struct ws_ray_source *source = shown->source;
    const uint32_t parent = shown->ray->parent;
    uint32_t *chain_of =
        ws_array_grow(faces->chain_of, &faces->ray_capacity, shown->number + 1, sizeof(*chain_of));
    if (chain_of == NULL)
        return false;
    faces->chain_of = chain_of;
    uint32_t *chain = &chain_of[shown->number];
    /* Rays that were not chosen are in no chain. */
    for (; faces->next_ray < shown->number; ++faces->next_ray)
        chain_of[faces->next_ray] = WS_NONE;
    faces->next_ray = shown->number + 1;
    faces->base.all++;
    *chain = parent != WS_NONE && parent < shown->number ? chain_of[parent] : WS_NONE;
    if (*chain == WS_NONE && source != NULL)
        *chain = chain_of[source->ray];
    if (source != NULL && source->triangle && !source->self && !only_asks(shown->ray) &&
        !add_start(faces, shown, chain))
        return false;
    if (*chain != WS_NONE)
        ((struct chain *)ws_evidence_at(&faces->chains, *chain))->rays++;
    return true;
}

static bool end_thread(void *user, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct back_face *faces = user;
    (void)launch;
    (void)thread;
    faces->next_ray = 0;
    return true;
}

/* Finds out of which materials something is told. */
static bool end(void *user, struct ws_advice_list *list)
{
    struct back_face *faces = user;
    (void)list;
    for (uint32_t i = 0; i < faces->base.evidence.count; ++i) {
        struct entry *entry = ws_evidence_at(&faces->base.evidence, i);
        entry->told = entry->through > 0 && entry->through * LEAST_SHARE >= entry->rays &&
                      entry->through < (entry->rays + TRANSMISSIVE - 1) / TRANSMISSIVE;
        if (entry->told)
            ws_advice_tell(&faces->base, i);
    }
    return true;
}

/* Whether two materials are of one call site. */
static bool is_same_site(const struct ws_evidence *evidence, uint32_t one, uint32_t other)
{
    return memcmp(evidence->subjects[one].words, evidence->subjects[other].words,
                  CONTENT * sizeof(uint32_t)) == 0;
}

/* The rays of all chains with a material of the call site that something is told of. */
static uint64_t lost_rays(const struct back_face *faces, uint32_t site)
{
    const struct ws_evidence *evidence = &faces->base.evidence;
    uint64_t lost = 0;
    for (uint32_t i = 0; i < faces->chains.count; ++i) {
        const struct chain *chain = ws_evidence_at(&faces->chains, i);
        const uint64_t rays = chain->rays;
        while (!(((const struct entry *)ws_evidence_at(evidence, chain->entry))->told &&
                 is_same_site(evidence, chain->entry, site)) &&
               chain->before != WS_NONE)
            chain = ws_evidence_at(&faces->chains, chain->before);
        if (((const struct entry *)ws_evidence_at(evidence, chain->entry))->told &&
            is_same_site(evidence, chain->entry, site))
            lost += rays;
    }
    return lost;
}

/* What is told of a call site. */
struct sum {
    uint64_t rays;
    uint64_t through;
    uint32_t materials;
    const char *names; /* "geometry 0 of 'room' (first met in instance 3, custom index 7), ..." */
};

static struct sum sum_up(const struct ws_advice_state *state, uint32_t site, struct ws_advice_list *list)
{
    struct sum sum = {.names = ""};
    for (uint32_t i = site; i < state->evidence.count; ++i) {
        const struct entry *entry = ws_evidence_at(&state->evidence, i);
        const uint32_t *words = state->evidence.subjects[i].words;
        if (!entry->told || !is_same_site(&state->evidence, i, site))
            continue;
        sum.rays += entry->rays;
        sum.through += entry->through;
        if (sum.materials++ < NAMED)
            sum.names = ws_advice_text(
                list, "%s%sgeometry %" PRIu32 " of %s (instance %" PRIu32 ", custom index %" PRIu32 ")",
                sum.names, sum.materials > 1 ? ", " : "", words[GEOMETRY],
                ws_advice_content_name(list, state->input->scene, words[CONTENT]), entry->instance,
                entry->custom_index);
    }
    if (sum.materials > NAMED)
        sum.names = ws_advice_text(list, "%s and %" PRIu32 " more", sum.names, sum.materials - NAMED);
    return sum;
}

/* One piece for each call site, given with the first material that something is told of. */
static bool advise(void *user, uint32_t number, struct ws_advice_list *list)
{
    const struct back_face *faces = user;
    const struct ws_advice_state *state = &faces->base;
    const struct entry *entry = ws_evidence_at(&state->evidence, number);
    for (uint32_t i = 0; i < number && entry->told; ++i)
        if (((const struct entry *)ws_evidence_at(&state->evidence, i))->told &&
            is_same_site(&state->evidence, i, number))
            return true;
    if (!entry->told)
        return true;
    const struct sum sum = sum_up(state, number, list);
    const uint64_t lost = lost_rays(faces, number);
    struct ws_advice advice = {
        .subject = ws_advice_text(list, "%s that start on %s",
                                  ws_advice_site_name(list, state->input->catalog, entry->site), sum.names),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " of %" PRIu64 " rays (%.1f %%) that start there leave on the other side of the "
            "surface than the one that was hit: too few for a material that lets light pass. %" PRIu64
            " more rays follow from these.",
            sum.through, sum.rays, ws_percent(sum.through, sum.rays),
            lost > sum.through ? lost - sum.through : 0),
        .change = "before this call, end the path where dot(direction, normal) <= 0, with the geometric "
                  "normal turned to the side that was hit",
        .saves = WS_SAVES_RAYS,
        .saving = lost,
        .of = state->all,
        .certainty = WS_LIKELY,
        .doubt = "a material that lets little light pass looks the same",
    };
    ws_advice_set_example(&advice, &entry->example);
    ws_advice_set_geometry(&advice, entry->instance, state->evidence.subjects[number].words[GEOMETRY]);
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_back_face;

const struct ws_advice_rule ws_advice_rule_back_face = {
    .name = "back_face",
    .title = "Do not continue paths from the back of a surface",
    .summary = "rays that go on from the back of a surface that lets no light pass",
    .evidence = WS_EVIDENCE_RAYS,
    .needs_geometry = true,
    .state_size = sizeof(struct back_face),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .thread = end_thread,
    .end = end,
    .advise = advise,
};
