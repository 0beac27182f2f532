/* Tracing rays in a build without Embree: it cannot be done. */
#include "analysis/scene/scene_trace.h"

const char *ws_scene_trace_missing(void)
{
    return "this build of Warpscope lacks Embree, which traces rays on the CPU";
}

struct ws_scene_trace *ws_scene_trace_create(const struct ws_scene *scene)
{
    (void)scene;
    return NULL;
}

void ws_scene_trace_destroy(struct ws_scene_trace *trace)
{
    (void)trace;
}

bool ws_scene_trace_use(struct ws_scene_trace *trace, uint32_t top_build)
{
    (void)trace, (void)top_build;
    return false;
}

struct ws_trace_left_out ws_scene_trace_left_out(const struct ws_scene_trace *trace)
{
    (void)trace;
    return (struct ws_trace_left_out){0};
}

void ws_scene_trace_visit(struct ws_scene_trace *trace, const struct ws_ray *ray,
                          enum ws_trace_answer (*visit)(void *user, const struct ws_trace_hit *hit),
                          void *user)
{
    (void)trace, (void)ray, (void)visit, (void)user;
}

bool ws_scene_trace_closest(struct ws_scene_trace *trace, const struct ws_ray *ray, struct ws_trace_hit *hit)
{
    (void)trace, (void)ray, (void)hit;
    return false;
}

bool ws_scene_trace_is_occluded(struct ws_scene_trace *trace, const struct ws_ray *ray)
{
    (void)trace, (void)ray;
    return false;
}
