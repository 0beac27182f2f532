#include "analysis/rays/ray_paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_BACK   64   /* rays */
#define NEAR        1e-3 /* of the scene's size */
#define SAME        1e-6 /* of it, for rays from one origin */
#define WAY_TO_SIZE 10   /* where the geometry is not known */

bool ws_ray_is_visibility(const struct ws_ray *ray)
{
    return (ray->flags & (WS_RAY_FLAG_TERMINATE_FIRST | WS_RAY_FLAG_SKIP_CLOSEST_HIT)) != 0;
}

static bool have_same_origin(const struct ws_ray *a, const struct ws_ray *b)
{
    return memcmp(a->origin, b->origin, sizeof(a->origin)) == 0;
}

bool ws_ray_starts_at(const struct ws_ray *ray, const struct ws_ray *other, double size)
{
    double place[3];
    double apart = 0;
    double way = 0;
    double largest = 0;
    if (other->end != WS_RAY_HIT || !other->has_hit || ws_ray_is_visibility(other))
        return false;
    ws_ray_position(other, other->hit.t, place);
    for (int i = 0; i < 3; ++i) {
        apart += pow((double)ray->origin[i] - place[i], 2);
        way += pow(place[i] - (double)other->origin[i], 2);
        largest = fmax(largest, fabs(place[i]));
    }
    if (!(size > 0))
        size = WAY_TO_SIZE * fmax(largest, sqrt(way));
    return isfinite(apart) && sqrt(apart) <= (have_same_origin(ray, other) ? SAME : NEAR) * size;
}

/* The start of a ray; those before it have theirs. `last`: the ray that began the last path; WS_NONE. */
static uint32_t find_start(const struct ws_ray_thread *thread, const struct ws_ray_step *steps,
                           uint32_t number, uint32_t last, double size)
{
    const struct ws_ray *ray = &thread->rays[number];
    if (last != WS_NONE && have_same_origin(ray, &thread->rays[last]))
        return WS_NONE;
    for (uint32_t i = 1; i <= number && i <= LOOK_BACK; ++i) {
        const struct ws_ray *before = &thread->rays[number - i];
        if (ws_ray_starts_at(ray, before, size))
            return number - i;
        if (have_same_origin(ray, before))
            return steps[number - i].start;
    }
    return WS_NONE;
}

/* Sets the step of a ray. What it follows comes before it. */
static void take_step(const struct ws_ray *ray, struct ws_ray_step *steps, uint32_t number, uint32_t *last)
{
    struct ws_ray_step *step = &steps[number];
    const uint32_t before = ray->parent != WS_NONE ? ray->parent : step->start;
    if (before != WS_NONE) {
        step->path = steps[before].path;
        step->bounces = steps[before].bounces;
    }
    if (ws_ray_is_visibility(ray))
        return;
    if (step->path == WS_NONE) {
        step->path = number;
        *last = number;
        return;
    }
    step->bounces++;
    if (steps[step->path].longest < step->bounces)
        steps[step->path].longest = step->bounces;
}

bool ws_ray_paths_find(struct ws_ray_paths *paths, const struct ws_ray_thread *thread,
                       const struct ws_ray_scene_size *size)
{
    uint32_t last = WS_NONE;
    if (thread->ray_count > paths->capacity) {
        struct ws_ray_step *steps = realloc(paths->steps, thread->ray_count * sizeof(*steps));
        if (steps == NULL)
            return false;
        paths->steps = steps;
        paths->capacity = thread->ray_count;
    }
    for (uint32_t i = 0; i < thread->ray_count; ++i) {
        const struct ws_ray *ray = &thread->rays[i];
        const uint32_t start =
            find_start(thread, paths->steps, i, last, size != NULL ? size->of(size->user, ray) : 0);
        paths->steps[i] = (struct ws_ray_step){.start = start, .path = WS_NONE};
        take_step(ray, paths->steps, i, &last);
    }
    return true;
}

void ws_ray_paths_finish(struct ws_ray_paths *paths)
{
    free(paths->steps);
    *paths = (struct ws_ray_paths){.steps = NULL};
}
