/* Advice `leaks`: rays leave a closed place through a gap.
 *
 * Evidence: rays that start on a surface and go up from it (ray_source.h), that missed, and that miss as well
 * when they are traced on the CPU from 1e-5 of the scene's diagonal on with nothing culled, so that neither
 * tmin nor masks are the cause. Of each call site the first 1024 such rays are looked at, then every 16th,
 * until 4096 have left in all; where others were not looked at, the doubt says how many, and counts are lower
 * bounds.
 *
 * A place is ENCLOSED where at least 98 % of the directions above its surface, of 288 that are spread evenly, meet a
 * triangle. Outdoors, and in a room near a window, they do not. Where a ray COMES OUT is found by halving the way from
 * its origin to where it leaves the box of the scene: it is the first point from which a quarter of all directions are
 * free. Rays that come out within 1/20 of the diagonal of each other have found the same GAP. So have those between
 * which a ray can be moved: all along the way from where the one comes out to where the other does, a ray in the
 * direction of one of them passes from 1/50 of the diagonal before that point to the outside. That makes one gap of a
 * long slit that few rays find. Those that start at an enclosed place are the evidence. Those that start nearer to the
 * gap, where the place is no longer enclosed but not free either, are counted with it. Boxes of procedural geometry
 * block nothing here.
 *
 * One piece of advice is given for each gap where at least half of the rays start at enclosed places: what
 * most rays find from places that are not is an opening, which is meant. LIKELY where two or more start at
 * enclosed places, else POSSIBLE.
 *
 * Wrong are those rays. Saving: their miss runs. What they hit instead may cost as much.
 *
 * Example: the walls of a room end 1 mm above its floor, and some bounce rays leave under them into the
 * sky. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"

#define DIRECTIONS 288
#define ENCLOSED   0.98
#define FREE       0.25
#define LIFT       1e-4 /* of the scene's diagonal: off a surface */
#define LEAST      1e-5 /* of the scene's diagonal: where rays begin */
#define LEAST_UP   1e-3 /* cosine */
#define SAME_GAP   0.05 /* of the scene's diagonal */
#define BEFORE     0.02 /* of it: where a ray begins that is moved along a gap */
#define MOVES      16   /* ways of moving it that are tried */
#define GAPS       64   /* most that are looked at in pairs */
#define HALVINGS   14
#define DENSE      1024
#define SPARSE     16
#define SAMPLES    4096 /* most that are kept */

/* A ray that left. */
struct sample {
    float out[3];
    float direction[3];
    uint32_t top; /* the top-level build */
    double size;
    bool enclosed; /* where it starts */
    bool ran;      /* a miss shader */
    uint32_t gap;  /* index of the sample that stands for its gap */
    struct ws_call_site site;
    uint64_t launch;
    uint32_t thread[3];
};

struct entry {
    struct ws_call_site site; /* first: ws_evidence_add_site */
    uint64_t missed;
};

struct leaks {
    struct ws_advice_state base;
    struct sample *samples;
    uint32_t sample_count;
    uint32_t sample_capacity;
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

static bool init(void *user)
{
    struct leaks *leaks = user;
    spread(leaks->directions);
    return true;
}

static void finish(void *user)
{
    struct leaks *leaks = user;
    free(leaks->samples);
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
        free_ones += !ws_scene_trace_is_occluded(leaks->base.input->trace, &ray);
    }
    return tried > 0 ? (double)free_ones / tried : 1;
}

/* Where the ray leaves the box of the top-level build; false = it is not in it, or ends before. */
static bool leave(const struct leaks *leaks, const struct ws_ray *ray, uint32_t top, double *t)
{
    float bounds[6];
    *t = INFINITY;
    if (!ws_scene_bounds(leaks->base.input->scene, top, bounds))
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

static bool add_sample(struct leaks *leaks, const struct ws_advice_ray *shown, struct ws_call_site site)
{
    const struct ws_ray_source *source = shown->source;
    struct ws_scene_trace *trace = leaks->base.input->trace;
    struct ws_ray flown = *shown->ray;
    float lifted[3];
    double exit = 0;
    for (int i = 0; i < 3; ++i)
        lifted[i] = (float)((double)source->place[i] + LIFT * source->size * source->normal[i]);
    flown.flags = 0;
    flown.cull_mask = 0xff;
    flown.tmin = (float)(LEAST * source->size / ws_vector_length(flown.direction));
    flown.tmax = INFINITY;
    if (!leave(leaks, shown->ray, source->target.top, &exit))
        return true;
    if (!ws_scene_trace_use(trace, source->target.top))
        return false;
    const double here = free_share(leaks, lifted, source->normal, source->size, FREE);
    if (here >= FREE || ws_scene_trace_is_occluded(trace, &flown))
        return true;
    struct sample *samples =
        ws_array_grow(leaks->samples, &leaks->sample_capacity, leaks->sample_count + 1, sizeof(*samples));
    if (samples == NULL)
        return false;
    leaks->samples = samples;
    struct sample *sample = &samples[leaks->sample_count];
    *sample = (struct sample){.size = source->size,
                              .top = source->target.top,
                              .enclosed = here <= 1 - ENCLOSED,
                              .ran = shown->ray->first_hit_shader != WS_NONE,
                              .gap = leaks->sample_count,
                              .site = site};
    sample->launch = shown->thread->launch;
    memcpy(sample->thread, shown->thread->thread->work, sizeof(sample->thread));
    memcpy(sample->direction, flown.direction, sizeof(sample->direction));
    ws_advice_mark(&leaks->base, shown->number, leaks->sample_count);
    come_out(leaks, &flown, source->size, exit, sample->out);
    leaks->sample_count++;
    return true;
}

static bool add_ray(void *user, const struct ws_advice_ray *shown)
{
    struct leaks *leaks = user;
    const struct ws_advice_input *input = leaks->base.input;
    const struct ws_ray *ray = shown->ray;
    if (ray->end != WS_RAY_MISSED)
        return true;
    leaks->base.all += ray->first_hit_shader != WS_NONE;
    if (input->trace == NULL || shown->source == NULL || !shown->source->triangle ||
        ws_ray_source_cosine(shown->source, ray) < LEAST_UP)
        return true;
    struct entry *entry = ws_evidence_add_site(&leaks->base.evidence, input->catalog, ray, NULL, NULL);
    if (entry == NULL)
        return false;
    const uint64_t missed = entry->missed++;
    if (leaks->sample_count < SAMPLES && (missed < DENSE || missed % SPARSE == 0))
        return add_sample(leaks, shown, entry->site);
    leaks->passed_over++;
    return true;
}

static uint32_t gap_of(struct leaks *leaks, uint32_t sample)
{
    while (leaks->samples[sample].gap != sample)
        sample = leaks->samples[sample].gap;
    return sample;
}

/* The first of two gaps stands for both. */
static void unite(struct leaks *leaks, uint32_t a, uint32_t b)
{
    const uint32_t first = gap_of(leaks, a);
    const uint32_t second = gap_of(leaks, b);
    leaks->samples[first > second ? first : second].gap = first > second ? second : first;
}

/* Whether a ray in that direction passes by the point: from before it to the outside. */
static bool passes(const struct leaks *leaks, const float point[3], const float direction[3], double size)
{
    const double length = ws_vector_length(direction);
    struct ws_ray ray = {.tmax = INFINITY, .cull_mask = 0xff};
    memcpy(ray.direction, direction, sizeof(ray.direction));
    for (int i = 0; i < 3; ++i)
        ray.origin[i] = (float)((double)point[i] - BEFORE * size * (double)direction[i] / length);
    return !ws_scene_trace_is_occluded(leaks->base.input->trace, &ray);
}

/* Whether a ray can be moved from the one to the other. */
static bool is_open_between(const struct leaks *leaks, const struct sample *a, const struct sample *b)
{
    bool open = a->top == b->top;
    for (int move = 1; move < MOVES && open; ++move) {
        float point[3];
        for (int i = 0; i < 3; ++i)
            point[i] = a->out[i] + (float)move / MOVES * (b->out[i] - a->out[i]);
        open = passes(leaks, point, a->direction, a->size) || passes(leaks, point, b->direction, a->size);
    }
    return open;
}

/* The samples of two gaps that are nearest to each other. */
struct pair {
    uint32_t samples[2];
    double distance;
};

/* Of each two of the first gaps. */
static void find_pairs(struct leaks *leaks, struct pair (*pairs)[GAPS], const uint32_t *places)
{
    for (uint32_t i = 0; i < leaks->sample_count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            const uint32_t a = places[gap_of(leaks, i)];
            const uint32_t b = places[gap_of(leaks, j)];
            if (a == b || a >= GAPS || b >= GAPS)
                continue;
            struct pair *pair = &pairs[a < b ? a : b][a < b ? b : a];
            const double distance = ws_vector_distance(leaks->samples[i].out, leaks->samples[j].out);
            if (pair->distance == 0 || distance < pair->distance)
                *pair = (struct pair){{i, j}, distance};
        }
}

/* Unites gaps between which a ray can be moved. False when there is no memory. */
static bool unite_slits(struct leaks *leaks)
{
    struct pair(*pairs)[GAPS] = calloc(GAPS, sizeof(*pairs));
    uint32_t *places =
        malloc(((size_t)leaks->sample_count + 1) * sizeof(*places)); /* of samples that stand for gaps */
    bool united = pairs != NULL && places != NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < leaks->sample_count && united; ++i)
        places[i] = leaks->samples[i].gap == i ? count++ : WS_NONE;
    if (united)
        find_pairs(leaks, pairs, places);
    for (uint32_t a = 0; a < GAPS && united; ++a)
        for (uint32_t b = a + 1; b < GAPS && united; ++b) {
            const struct pair *pair = &pairs[a][b];
            const struct sample *first = &leaks->samples[pair->samples[0]];
            if (pair->distance == 0 || gap_of(leaks, pair->samples[0]) == gap_of(leaks, pair->samples[1]))
                continue;
            united = ws_scene_trace_use(leaks->base.input->trace, first->top);
            if (united && is_open_between(leaks, first, &leaks->samples[pair->samples[1]]))
                unite(leaks, pair->samples[0], pair->samples[1]);
        }
    free(pairs);
    free(places);
    return united;
}

/* Samples that come out near each other belong together, and so on; the first stands for all. */
static void join(struct leaks *leaks)
{
    for (uint32_t i = 0; i < leaks->sample_count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            const struct sample *a = &leaks->samples[i];
            const struct sample *b = &leaks->samples[j];
            if (ws_vector_distance(a->out, b->out) <= SAME_GAP * fmin(a->size, b->size))
                unite(leaks, i, j);
        }
}

/* The rays of a gap together. */
struct gap {
    uint64_t rays;
    uint64_t enclosed; /* that start at enclosed places */
    uint64_t runs;     /* of miss shaders */
    float low[3];      /* of where they come out */
    float high[3];
    const struct sample *best; /* the first that starts at an enclosed place; NULL */
};

static struct gap sum_up(struct leaks *leaks, uint32_t number)
{
    struct gap gap = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < leaks->sample_count; ++i) {
        const struct sample *sample = &leaks->samples[i];
        if (gap_of(leaks, i) != number)
            continue;
        gap.rays++;
        gap.enclosed += sample->enclosed;
        gap.runs += sample->ran;
        gap.best = gap.best == NULL && sample->enclosed ? sample : gap.best;
        for (int j = 0; j < 3; ++j) {
            gap.low[j] = fminf(gap.low[j], sample->out[j]);
            gap.high[j] = fmaxf(gap.high[j], sample->out[j]);
        }
    }
    return gap;
}

static const char *doubt_of(const struct leaks *leaks, bool likely, struct ws_advice_list *list)
{
    char others[128] = "";
    if (leaks->passed_over > 0)
        snprintf(others, sizeof(others),
                 "; %" PRIu64 " more missed rays were not looked at, and some of them may leave here too",
                 leaks->passed_over);
    return ws_advice_text(list, "%sit may be a small window%s", likely ? "" : "there is only one: ", others);
}

static bool advise_gap(struct leaks *leaks, uint32_t number, struct ws_advice_list *list)
{
    const struct gap gap = sum_up(leaks, number);
    const bool likely = gap.enclosed >= 2;
    float middle[3];
    if (gap.best == NULL || 2 * gap.enclosed < gap.rays)
        return true;
    for (int j = 0; j < 3; ++j)
        middle[j] = (gap.low[j] + gap.high[j]) / 2;
    struct ws_advice advice = {
        .subject = ws_advice_site_name(list, leaks->base.input->catalog, gap.best->site),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " rays come out near (%.4g, %.4g, %.4g), between (%.4g, %.4g, %.4g) and (%.4g, %.4g, "
            "%.4g), and hit nothing; %" PRIu64 " of them start where 98 %% of all directions hit something.",
            gap.rays, (double)middle[0], (double)middle[1], (double)middle[2], (double)gap.low[0],
            (double)gap.low[1], (double)gap.low[2], (double)gap.high[0], (double)gap.high[1],
            (double)gap.high[2], gap.enclosed),
        .change = "close the gap in the geometry there, or put something behind it",
        .saves = WS_SAVES_MISS,
        .saving = gap.runs,
        .of = leaks->base.all,
        .wrong_rays = gap.rays,
        .certainty = likely ? WS_LIKELY : WS_POSSIBLE,
        .doubt = doubt_of(leaks, likely, list),
    };
    /* Rays are marked for their sample. */
    for (uint32_t i = 0; i < leaks->sample_count; ++i)
        if (gap_of(leaks, i) == number)
            ws_advice_tell(&leaks->base, i);
    ws_advice_set_place(&advice, middle);
    ws_advice_set_thread(&advice, gap.best->launch, gap.best->thread);
    return ws_advice_add(list, &advice);
}

static bool end(void *user, struct ws_advice_list *list)
{
    struct leaks *leaks = user;
    join(leaks);
    if (leaks->sample_count > 0 && !unite_slits(leaks))
        return false;
    for (uint32_t i = 0; i < leaks->sample_count; ++i)
        if (leaks->samples[i].gap == i && !advise_gap(leaks, i, list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_leaks;

const struct ws_advice_rule ws_advice_rule_leaks = {
    .name = "leaks",
    .title = "Close gaps that rays leave through",
    .summary = "rays that miss everything from places that are enclosed, and where they come out",
    .evidence = WS_EVIDENCE_RAYS,
    .needs_geometry = true,
    .traces_rays = true,
    .state_size = sizeof(struct leaks),
    .entry_size = sizeof(struct entry),
    .init = init,
    .finish = finish,
    .ray = add_ray,
    .end = end,
};
