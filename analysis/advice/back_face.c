/* Advice `back_face`: rays that are generated from the back of the surface that was hit.
 *
 * A ray that starts on a surface (ray_source.h) and goes through it, leaves from its back: as if light went
 * through what is opaque. By call site, content of the bottom-level structure, geometry, and the instance's
 * offset in the binding table: it chooses the shaders, that is the material, in ray queries often too. Rays
 * that only ask (terminate on first hit, skip closest hit) are for the rule `into_surface`.
 *
 * What is TRANSMISSIVE is meant to be gone through: a geometry of whose rays at this call at least a third
 * go through (glass refracts nearly all, leaves let half pass; lobes and normals that are not clipped send a
 * few per cent below the surface). Silent about it. Silent, too, where less than one in a hundred goes
 * through: where normals are interpolated, a few do at outlines. Rays that go straight on, in the direction
 * of the one that hit, are no fault: cut-outs and thin glass send them. Rounding of directions is no fault:
 * through is what is more than 1e-5 below the surface.
 *
 * LOST by it are the rays that go through, and all that follow: those traced in their hit and miss shaders,
 * and those that start where a lost ray hit. Each belongs to the first that went through. Saving: the lost
 * rays. LIKELY: it may be meant. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/ray_source.h"
#include "analysis/model/catalog.h"
#include "passes/base/array.h"

#define LEAST_BELOW  1e-5
#define STRAIGHT     1e-6 /* 1 - cosine */
#define LEAST_SHARE  100  /* one in so many */
#define TRANSMISSIVE 3    /* one in so many */

struct entry {
    uint64_t rays;
    uint64_t through;
    uint64_t lost;
    uint32_t instance; /* an example */
    uint32_t custom_index;
    uint32_t shader;
    uint32_t site;
    float place[3];
    uint32_t thread[3];
};

struct back_face {
    const struct ws_advice_input *input;
    struct ws_subjects subjects; /* the site's four words, content, geometry, offset */
    struct entry *entries;
    uint32_t capacity;
    uint32_t *roots; /* of the thread's rays: the entry to which a lost one belongs; WS_NONE */
    uint32_t root_capacity;
    uint64_t rays;
};

static void *create(const struct ws_advice_input *input)
{
    struct back_face *faces = calloc(1, sizeof(*faces));
    if (faces != NULL)
        faces->input = input;
    return faces;
}

static void destroy(void *rule)
{
    struct back_face *faces = rule;
    ws_subjects_finish(&faces->subjects);
    free(faces->entries);
    free(faces->roots);
    free(faces);
}

/* The entry of what the ray starts on; WS_NONE = no memory. */
static uint32_t entry_of(struct back_face *faces, const struct ws_ray *ray,
                         const struct ws_ray_source *source)
{
    struct ws_subject subject = {{0}};
    const uint32_t before = faces->subjects.count;
    ws_subject_site(faces->input->catalog, ray, &subject);
    subject.words[4] = source->target.content;
    subject.words[5] = source->hit.geometry;
    subject.words[6] = source->target.instance.sbt_offset;
    const uint32_t index = ws_subjects_add(&faces->subjects, &subject);
    if (index == WS_NONE || !ws_subjects_follow(&faces->subjects, (void **)&faces->entries, &faces->capacity,
                                                sizeof(struct entry)))
        return WS_NONE;
    if (index == before) {
        faces->entries[index].shader = ray->shader;
        faces->entries[index].site = ray->site;
        faces->entries[index].instance = source->hit.instance;
        faces->entries[index].custom_index = source->hit.custom_index;
    }
    return index;
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

static bool add_ray(struct back_face *faces, const struct ws_advice_launch *launch,
                    const struct ws_ray_thread *thread, uint32_t number)
{
    const struct ws_ray *ray = &thread->rays[number];
    struct ws_ray_source source;
    uint32_t *root = &faces->roots[number];
    const bool found = ws_ray_source_find(faces->input, launch, thread, number, &source);
    faces->rays++;
    *root = ray->parent != WS_NONE && ray->parent < number ? faces->roots[ray->parent] : WS_NONE;
    if (*root == WS_NONE && found)
        *root = faces->roots[source.ray];
    if (found && source.triangle && !only_asks(ray)) {
        const uint32_t index = entry_of(faces, ray, &source);
        if (index == WS_NONE)
            return false;
        struct entry *entry = &faces->entries[index];
        const bool through = ws_ray_source_cosine(&source, ray) < -LEAST_BELOW &&
                             !goes_straight_on(ray, &thread->rays[source.ray]);
        entry->rays++;
        if (through && entry->through++ == 0) {
            memcpy(entry->place, ray->origin, sizeof(entry->place));
            memcpy(entry->thread, thread->thread->work, sizeof(entry->thread));
        }
        if (through && *root == WS_NONE)
            *root = index;
    }
    if (*root != WS_NONE)
        faces->entries[*root].lost++;
    return true;
}

static bool add_thread(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread)
{
    struct back_face *faces = rule;
    while (faces->root_capacity < thread->ray_count) {
        uint32_t *roots =
            ws_array_grow(faces->roots, &faces->root_capacity, faces->root_capacity + 1, sizeof(*roots));
        if (roots == NULL)
            return false;
        faces->roots = roots;
    }
    for (uint32_t r = 0; r < thread->ray_count; ++r)
        if (!add_ray(faces, launch, thread, r))
            return false;
    return true;
}

static bool advise(const struct back_face *faces, uint32_t index, struct ws_advice_list *list)
{
    const struct entry *entry = &faces->entries[index];
    const uint32_t *words = faces->subjects.subjects[index].words;
    char subject[768];
    char site[512];
    char content[128];
    char evidence[512];
    ws_catalog_trace_name(faces->input->catalog, entry->shader, entry->site, site, sizeof(site));
    ws_subject_name_content(faces->input->scene, words[4], content, sizeof(content));
    snprintf(subject, sizeof(subject), "%s that start on geometry %" PRIu32 " of %s", site, words[5],
             content);
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " of %" PRIu64 " rays that start on it (instance %" PRIu32 ", custom index %" PRIu32
             ") go to the other side of the surface than the one that was hit, %.1f %%: too few for a "
             "material that light passes. With those that follow they are %" PRIu64 " rays.",
             entry->through, entry->rays, entry->instance, entry->custom_index,
             ws_percent(entry->through, entry->rays), entry->lost);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = "end the path where dot(direction, normal) <= 0, with the geometric normal turned to the "
                  "side that was hit, before this call",
        .saves = WS_SAVES_RAYS,
        .saving = entry->lost,
        .of = faces->rays,
        .certainty = WS_LIKELY,
        .doubt = "a material that lets little light pass looks the same",
    };
    ws_advice_set_place(&advice, entry->place);
    ws_advice_set_thread(&advice, entry->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    const struct back_face *faces = rule;
    for (uint32_t i = 0; i < faces->subjects.count; ++i) {
        const struct entry *entry = &faces->entries[i];
        if (entry->through > 0 && entry->through * LEAST_SHARE >= entry->rays &&
            entry->through < (entry->rays + TRANSMISSIVE - 1) / TRANSMISSIVE && !advise(faces, i, list))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_back_face;

const struct ws_advice_rule ws_advice_rule_back_face = {
    .name = "back_face",
    .title = "Do not go on from the back of a surface",
    .summary = "rays that leave what was hit on its other side, though it lets no light pass",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .thread = add_thread,
    .end = end,
};
