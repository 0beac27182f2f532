/* Advice `leaks`: rays that leave a closed place through a gap.
 *
 * Looked at are rays that start on a surface, go up from it (ray_source.h), and missed, and miss as well when
 * traced on the CPU from 1e-5 of the scene's diagonal on with nothing culled: so it is no matter of tmin or
 * masks. (Of each call the first 1024 such rays, then every 16th, and 4096 that left in all: where others
 * were not looked at, the doubt says how many, and counts are lower bounds.) A place is ENCLOSED where of the
 * directions above its surface, of 288 spread evenly, at least 98 % meet a triangle: outdoors, and in a room
 * with a window near by, they do not.
 *
 * Where a ray COMES OUT is found by halving the way from its origin to where it leaves the box of the scene:
 * the first point from which a quarter of all directions are free. Rays that come out within 1/20 of the
 * diagonal of each other have found the same GAP. Those that start at an enclosed place bear the evidence;
 * those that start nearer to the gap, where the place is no longer enclosed but not free either, are counted
 * with it. Boxes of procedural geometry block nothing here.
 *
 * One piece of advice for each gap where at least half of the rays start at enclosed places: what most rays find from
 * places that are not is an opening, which is meant. Saving: the miss runs of those rays; what they hit
 * instead may cost as much. LIKELY where two or more start at enclosed places, else POSSIBLE. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/ray_source.h"
#include "analysis/model/catalog.h"
#include "passes/base/array.h"

#define DIRECTIONS 288
#define ENCLOSED   0.98
#define FREE       0.25
#define LIFT       1e-4 /* of the scene's diagonal: off a surface */
#define LEAST      1e-5 /* of the scene's diagonal: where rays begin */
#define LEAST_UP   1e-3 /* cosine */
#define SAME_GAP   0.05 /* of the scene's diagonal */
#define HALVINGS   14
#define DENSE      1024
#define SPARSE     16
#define SAMPLES    4096 /* most that are kept */

/* A ray that left. */
struct sample {
    float out[3];
    double size;
    bool enclosed; /* where it starts */
    bool ran;      /* a miss shader */
    uint32_t gap;  /* index of the sample that stands for its gap */
    uint32_t site; /* index in subjects */
    uint32_t thread[3];
};

struct site {
    uint64_t missed;
    uint32_t shader;
    uint32_t site;
};

struct leaks {
    const struct ws_advice_input *input;
    struct ws_subjects subjects;
    struct site *sites;
    uint32_t capacity;
    struct sample *samples;
    uint32_t sample_count;
    uint32_t sample_capacity;
    uint64_t misses;      /* runs */
    uint64_t passed_over; /* missed rays that were not looked at */
    float directions[DIRECTIONS][3];
};

/* Points of a Fibonacci lattice on the unit sphere. */
static void spread(float directions[DIRECTIONS][3])
{
    const double turn = 3.14159265358979323846 * (3 - sqrt(5));
    for (int i = 0; i < DIRECTIONS; ++i) {
        const double z = 1 - (2 * i + 1) / (double)DIRECTIONS;
        const double radius = sqrt(1 - z * z);
        directions[i][0] = (float)(radius * cos(turn * i));
        directions[i][1] = (float)(radius * sin(turn * i));
        directions[i][2] = (float)z;
    }
}

static void *create(const struct ws_advice_input *input)
{
    struct leaks *leaks = calloc(1, sizeof(*leaks));
    if (leaks == NULL)
        return NULL;
    leaks->input = input;
    spread(leaks->directions);
    return leaks;
}

static void destroy(void *rule)
{
    struct leaks *leaks = rule;
    ws_subjects_finish(&leaks->subjects);
    free(leaks->sites);
    free(leaks->samples);
    free(leaks);
}

/* The share of directions that are free; `normal` NULL: of all, else of those above that surface. Stops
 * counting where it is `enough`. */
static double free_share(const struct leaks *leaks, const float point[3], const double *normal, double size,
                         double enough)
{
    struct ws_ray ray = {.tmin = (float)(LEAST * size), .tmax = INFINITY, .cull_mask = 0xff};
    uint32_t tried = 0;
    uint32_t free_ones = 0;
    for (int i = 0; i < DIRECTIONS && free_ones <= enough * DIRECTIONS; ++i) {
        const float *direction = leaks->directions[i];
        if (normal != NULL && (double)direction[0] * normal[0] + (double)direction[1] * normal[1] +
                                      (double)direction[2] * normal[2] <=
                                  0.02)
            continue;
        memcpy(ray.origin, point, sizeof(ray.origin));
        memcpy(ray.direction, direction, sizeof(ray.direction));
        tried++;
        free_ones += !ws_scene_trace_is_occluded(leaks->input->trace, &ray);
    }
    return tried > 0 ? (double)free_ones / tried : 1;
}

/* Where the ray leaves the box of the top-level build; false = it is not in it, or ends before. */
static bool leave(const struct leaks *leaks, const struct ws_ray *ray, uint32_t top, double *t)
{
    float bounds[6];
    *t = INFINITY;
    if (!ws_scene_bounds(leaks->input->scene, top, bounds))
        return false;
    for (int i = 0; i < 3; ++i) {
        const double side = ray->direction[i] > 0 ? (double)bounds[3 + i] : (double)bounds[i];
        if (ray->direction[i] != 0)
            *t = fmin(*t, (side - (double)ray->origin[i]) / (double)ray->direction[i]);
    }
    return *t > 0 && isfinite(*t) && *t <= (double)ray->tmax;
}

/* Where it comes out: between the origin, which is not free, and where it leaves the box, which is. */
static void come_out(const struct leaks *leaks, const struct ws_ray *ray, double size, double last,
                     float out[3])
{
    double first = 0;
    for (int i = 0; i < HALVINGS; ++i) {
        const double middle = (first + last) / 2;
        ws_ray_point(ray, (float)middle, out);
        if (free_share(leaks, out, NULL, size, FREE) >= FREE)
            last = middle;
        else
            first = middle;
    }
    ws_ray_point(ray, (float)last, out);
}

/* Whether a missed ray is worth a look, by how many of its call there were; WS_NONE = no memory. */
static uint32_t site_of(struct leaks *leaks, const struct ws_ray *ray)
{
    struct ws_subject subject = {{0}};
    const uint32_t before = leaks->subjects.count;
    ws_subject_site(leaks->input->catalog, ray, &subject);
    const uint32_t index = ws_subjects_add(&leaks->subjects, &subject);
    if (index == WS_NONE ||
        !ws_subjects_follow(&leaks->subjects, (void **)&leaks->sites, &leaks->capacity, sizeof(struct site)))
        return WS_NONE;
    if (index == before)
        leaks->sites[index] = (struct site){.shader = ray->shader, .site = ray->site};
    return index;
}

static bool add_sample(struct leaks *leaks, const struct ws_ray_thread *thread, const struct ws_ray *ray,
                       const struct ws_ray_source *source, uint32_t site)
{
    struct ws_ray flown = *ray;
    float lifted[3];
    double exit = 0;
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        square += (double)ray->direction[i] * (double)ray->direction[i];
        lifted[i] = (float)((double)source->place[i] + LIFT * source->size * source->normal[i]);
    }
    flown.flags = 0;
    flown.cull_mask = 0xff;
    flown.tmin = (float)(LEAST * source->size / sqrt(square));
    flown.tmax = INFINITY;
    if (!leave(leaks, ray, source->target.top, &exit))
        return true;
    if (!ws_scene_trace_use(leaks->input->trace, source->target.top))
        return false;
    const double here = free_share(leaks, lifted, source->normal, source->size, FREE);
    if (here >= FREE || ws_scene_trace_is_occluded(leaks->input->trace, &flown))
        return true;
    struct sample *samples =
        ws_array_grow(leaks->samples, &leaks->sample_capacity, leaks->sample_count + 1, sizeof(*samples));
    if (samples == NULL)
        return false;
    leaks->samples = samples;
    struct sample *sample = &samples[leaks->sample_count];
    *sample = (struct sample){.size = source->size,
                              .enclosed = here <= 1 - ENCLOSED,
                              .ran = ray->first_hit_shader != WS_NONE,
                              .gap = leaks->sample_count,
                              .site = site};
    memcpy(sample->thread, thread->thread->work, sizeof(sample->thread));
    come_out(leaks, &flown, source->size, exit, sample->out);
    leaks->sample_count++;
    return true;
}

static bool add_ray(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread,
                    uint32_t number)
{
    struct leaks *leaks = rule;
    const struct ws_ray *ray = &thread->rays[number];
    struct ws_ray_source source;
    if (ray->end != WS_RAY_MISSED)
        return true;
    leaks->misses += ray->first_hit_shader != WS_NONE;
    if (leaks->input->trace == NULL || !ws_ray_source_find(leaks->input, launch, thread, number, &source) ||
        !source.triangle || ws_ray_source_cosine(&source, ray) < LEAST_UP)
        return true;
    const uint32_t site = site_of(leaks, ray);
    if (site == WS_NONE)
        return false;
    const uint64_t missed = leaks->sites[site].missed++;
    if (leaks->sample_count < SAMPLES && (missed < DENSE || missed % SPARSE == 0))
        return add_sample(leaks, thread, ray, &source, site);
    leaks->passed_over++;
    return true;
}

static double distance(const float a[3], const float b[3])
{
    double square = 0;
    for (int i = 0; i < 3; ++i)
        square += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(square);
}

static uint32_t gap_of(struct leaks *leaks, uint32_t sample)
{
    while (leaks->samples[sample].gap != sample)
        sample = leaks->samples[sample].gap;
    return sample;
}

/* Samples that come out near each other belong together, and so on; the first stands for all. */
static void join(struct leaks *leaks)
{
    for (uint32_t i = 0; i < leaks->sample_count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            const struct sample *a = &leaks->samples[i];
            const struct sample *b = &leaks->samples[j];
            if (distance(a->out, b->out) > SAME_GAP * fmin(a->size, b->size))
                continue;
            const uint32_t first = gap_of(leaks, i);
            const uint32_t second = gap_of(leaks, j);
            leaks->samples[first > second ? first : second].gap = first > second ? second : first;
        }
}

static bool advise(struct leaks *leaks, uint32_t gap, struct ws_advice_list *list)
{
    uint64_t rays = 0;
    uint64_t enclosed = 0;
    uint64_t runs = 0;
    float low[3] = {INFINITY, INFINITY, INFINITY};
    float high[3] = {-INFINITY, -INFINITY, -INFINITY};
    float middle[3];
    const struct sample *best = NULL;
    for (uint32_t i = 0; i < leaks->sample_count; ++i) {
        const struct sample *sample = &leaks->samples[i];
        if (gap_of(leaks, i) != gap)
            continue;
        rays++;
        enclosed += sample->enclosed;
        runs += sample->ran;
        best = best == NULL && sample->enclosed ? sample : best;
        for (int j = 0; j < 3; ++j) {
            low[j] = fminf(low[j], sample->out[j]);
            high[j] = fmaxf(high[j], sample->out[j]);
        }
    }
    if (best == NULL || 2 * enclosed < rays)
        return true;
    for (int j = 0; j < 3; ++j)
        middle[j] = (low[j] + high[j]) / 2;
    char subject[512];
    char evidence[512];
    char doubt[160];
    const struct site *site = &leaks->sites[best->site];
    ws_catalog_trace_name(leaks->input->catalog, site->shader, site->site, subject, sizeof(subject));
    snprintf(evidence, sizeof(evidence),
             "%" PRIu64 " rays come out near (%.4g, %.4g, %.4g), between (%.4g, %.4g, %.4g) and (%.4g, %.4g, "
             "%.4g), and hit nothing; %" PRIu64 " of them start where 98 %% of all directions hit something.",
             rays, (double)middle[0], (double)middle[1], (double)middle[2], (double)low[0], (double)low[1],
             (double)low[2], (double)high[0], (double)high[1], (double)high[2], enclosed);
    const bool likely = enclosed >= 2;
    const int said =
        snprintf(doubt, sizeof(doubt), "%sit may be a small window", likely ? "" : "there is only one: ");
    if (leaks->passed_over > 0)
        snprintf(doubt + said, sizeof(doubt) - (size_t)said,
                 "; %" PRIu64 " more missed rays were not looked at, of which some may leave here, too",
                 leaks->passed_over);
    struct ws_advice advice = {
        .subject = subject,
        .evidence = evidence,
        .change = "close the gap in the geometry there, or put something behind it",
        .saves = WS_SAVES_MISS,
        .saving = runs,
        .of = leaks->misses,
        .certainty = likely ? WS_LIKELY : WS_POSSIBLE,
        .doubt = doubt,
    };
    ws_advice_set_place(&advice, middle);
    ws_advice_set_thread(&advice, best->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *rule, struct ws_advice_list *list)
{
    struct leaks *leaks = rule;
    join(leaks);
    for (uint32_t i = 0; i < leaks->sample_count; ++i)
        if (leaks->samples[i].gap == i && !advise(leaks, i, list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_leaks;

const struct ws_advice_rule ws_advice_rule_leaks = {
    .name = "leaks",
    .title = "Close gaps that rays leave through",
    .summary = "rays that miss everything from places that are enclosed, and where they come out",
    .needs_geometry = true,
    .create = create,
    .destroy = destroy,
    .ray = add_ray,
    .end = end,
};
