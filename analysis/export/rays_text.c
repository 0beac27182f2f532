/* The ray file of RayScope. */
#include <inttypes.h>
#include <math.h>

#include "analysis/export/rays.h"

/* A file that is being written: the thread's next event. */
struct text {
    FILE *stream;
    bool first;
};

/* Six decimals, as in the figure; numbers that are far beyond them (tmax) with nine digits. */
static void put_number(FILE *stream, double value)
{
    if (isnan(value))
        fputs(" nan", stream);
    else
        fprintf(stream, fabs(value) < 1e9 ? " %.6f" : " %.9g", value);
}

static void put_event(struct text *text, const char *name, const struct ws_ray *ray, float t)
{
    double position[3];
    ws_ray_position(ray, t, position);
    fprintf(text->stream, "%s%s", text->first ? "" : ",\n", name);
    for (uint32_t i = 0; i < 3; ++i)
        put_number(text->stream, isnan(t) ? NAN : position[i]);
    text->first = false;
}

static void put_candidate(struct text *text, const struct ws_ray *ray,
                          const struct ws_ray_candidate *candidate)
{
    const float t = candidate->hit.t;
    const bool accepted =
        candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED;
    switch (candidate->kind) {
    case WS_CANDIDATE_ANY_HIT:
        put_event(text, "ahit", ray, t);
        if (candidate->result == WS_CANDIDATE_IGNORED)
            put_event(text, "ignore", ray, t);
        else if (candidate->result == WS_CANDIDATE_TERMINATED)
            put_event(text, "terminate", ray, t);
        break;
    case WS_CANDIDATE_REPORT: put_event(text, "intersection", ray, t); break;
    case WS_CANDIDATE_QUERY:
        put_event(text, "candidate", ray, t > 0 || t < 0 ? t : NAN);
        if (accepted)
            put_event(text, "confirm", ray, t);
        break;
    default: break; /* an intersection run is nowhere until it reports */
    }
}

static void put_end(struct text *text, const struct ws_ray *ray)
{
    const float t = ray->has_hit ? ray->hit.t : NAN;
    switch (ray->end) {
    case WS_RAY_HIT: put_event(text, ray->query ? "query_hit" : "chit", ray, t); break;
    case WS_RAY_MISSED: put_event(text, ray->query ? "query_miss" : "miss", ray, ray->tmax); break;
    default: put_event(text, ws_ray_end_name(ray->end), ray, t); break;
    }
}

/* Its flat id, where the size of its launch is known and it is within: vkCmdDispatchBase begins elsewhere. */
static void put_thread(const struct ws_rays_export_place *place, FILE *stream)
{
    const struct ws_launch_record *launch = place->launch;
    uint32_t at[3];
    const uint32_t *local = place->catalog->shaders[place->thread->rays[0].shader].local_size;
    uint64_t width = launch->size[0];
    uint64_t height = launch->size[1];
    ws_ray_thread_place(place->catalog, place->thread, at);
    if (launch->kind == WS_LAUNCH_DISPATCH) {
        width *= local[0];
        height *= local[1];
    }
    if (launch->kind == WS_LAUNCH_RENDER_PASS || at[0] >= width || at[1] >= height)
        fprintf(stream, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, at[0], at[1], at[2]);
    else
        fprintf(stream, "%" PRIu64, (at[2] * height + at[1]) * width + at[0]);
    fprintf(stream, ":%" PRIu32 ":", place->thread->warp);
}

void ws_rays_export_text(const struct ws_rays_export_place *place, FILE *stream)
{
    const struct ws_ray_thread *thread = place->thread;
    struct text text = {stream, true};
    put_thread(place, stream);
    for (uint32_t i = 0; i < thread->ray_count; ++i) {
        const struct ws_ray *ray = &thread->rays[i];
        const bool miss_only = (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
        put_event(&text, ray->query ? "query" : miss_only ? "trace_miss_only" : "trace", ray, 0);
        for (uint32_t j = 0; j < ray->candidate_count; ++j)
            put_candidate(&text, ray, &thread->candidates[ray->candidate_first + j]);
        put_end(&text, ray);
    }
    fputc('\n', stream);
}
