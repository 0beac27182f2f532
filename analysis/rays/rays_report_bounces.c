/* Which rays follow from which, and so how far paths go on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rays/rays_report.h"

#define LOOK_BACK 64 /* rays */
#define NEAR      1e-2

static bool is_visibility_ray(const struct ws_ray *ray)
{
    return (ray->flags & (WS_RAY_FLAG_TERMINATE_FIRST | WS_RAY_FLAG_SKIP_CLOSEST_HIT)) != 0;
}

/* Whether the ray starts where the one before it hit. */
static bool starts_at_hit(const struct ws_ray *ray, const struct ws_ray *before)
{
    double place[3];
    double between = 0;
    double length = 0;
    double size = 0;
    if (before->end != WS_RAY_HIT || !before->has_hit || is_visibility_ray(before))
        return false;
    ws_ray_position(before, before->hit.t, place);
    for (int i = 0; i < 3; ++i) {
        const double apart = (double)ray->origin[i] - place[i];
        const double way = place[i] - (double)before->origin[i];
        between += apart * apart;
        length += way * way;
        size = fmax(size, fabs(place[i]));
    }
    return isfinite(between) && sqrt(between) <= NEAR * fmax(size, sqrt(length));
}

/* The ray that this one follows from; WS_NONE. `last`: the one that began the last path; WS_NONE. */
static uint32_t find_source(const struct ws_ray_thread *thread, uint32_t number, uint32_t last)
{
    const struct ws_ray *ray = &thread->rays[number];
    if (ray->parent != WS_NONE)
        return ray->parent;
    if (last != WS_NONE && memcmp(ray->origin, thread->rays[last].origin, sizeof(ray->origin)) == 0)
        return WS_NONE;
    for (uint32_t i = 1; i <= number && i <= LOOK_BACK; ++i)
        if (starts_at_hit(ray, &thread->rays[number - i]))
            return number - i;
    return WS_NONE;
}

/* The ray's place in its path. What it follows from comes before it. */
static void take_step(const struct ws_ray_thread *thread, struct ws_rays_step *steps, uint32_t number,
                      uint32_t *last)
{
    const uint32_t source = find_source(thread, number, *last);
    struct ws_rays_step *step = &steps[number];
    *step = (struct ws_rays_step){.path = WS_NONE};
    if (source != WS_NONE) {
        step->path = steps[source].path;
        step->bounces = steps[source].bounces;
    }
    if (is_visibility_ray(&thread->rays[number]))
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

bool ws_rays_report_bounces(struct ws_rays_results *results, const struct ws_ray_thread *thread)
{
    uint32_t last = WS_NONE;
    if (thread->ray_count > results->step_capacity) {
        struct ws_rays_step *steps = realloc(results->steps, thread->ray_count * sizeof(*steps));
        if (steps == NULL)
            return false;
        results->steps = steps;
        results->step_capacity = thread->ray_count;
    }
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        take_step(thread, results->steps, i, &last);
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (results->steps[i].path == i && !is_visibility_ray(&thread->rays[i]) &&
            !ws_trace_counts_add(&results->bounces, results->steps[i].longest, 1))
            return false;
    return true;
}
