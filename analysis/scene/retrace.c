#include "analysis/scene/retrace.h"

#include <math.h>
#include <string.h>

#include "analysis/model/catalog.h"

#define TOLERANCE    1e-5
#define LEAST_COSINE 1e-3 /* rays along a plane: t means little there */

struct check {
    const struct ws_scene *scene;
    uint32_t top;
    const struct ws_ray *ray;
    const struct ws_ray_candidate *candidates;
    const struct ws_ray_hit *hit; /* that the ray must have; NULL */
    bool any;                     /* something nearer may be there */
    bool exact;                   /* found: the same primitive at the same t */
    bool near;                    /* found: another one at the same t */
    bool border;                  /* met something that rounding decides about */
    bool nearer;                  /* met something that the device did not, for certain */
    bool box;                     /* passed a box */
    bool has_found;
    struct ws_trace_hit found;
};

/* Where a ray meets the plane of a triangle in the world. */
struct meeting {
    bool flat; /* it does not: it runs along the plane, or there is none */
    double t;
    double room;  /* how far inside of the nearest edge, across the ray; < 0 = outside */
    double slack; /* the tolerance, as a length */
    double slack_t;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* The tolerance at `t` in an instance. */
static double slack_at(const struct ws_ray *ray, const float transform[12], double t)
{
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        const double origin = (double)ray->origin[i];
        most = fmax(most, fabs(origin));
        most = fmax(most, fabs(origin + t * (double)ray->direction[i]));
        most = fmax(most, fabs((double)transform[4 * i + 3]));
    }
    return TOLERANCE * most;
}

/* How far inside of the nearest edge a point of the plane is, seen along the ray. */
static double room_of(const double v[3][3], const double normal[3], const double point[3], double cosine)
{
    double room = INFINITY;
    for (int i = 0; i < 3; ++i) {
        double edge[3], from[3], inward[3];
        for (int j = 0; j < 3; ++j) {
            edge[j] = v[(i + 1) % 3][j] - v[i][j];
            from[j] = point[j] - v[i][j];
        }
        cross(normal, edge, inward);
        const double length = sqrt(dot(inward, inward));
        room = fmin(room, length > 0 ? dot(inward, from) / length : 0);
    }
    return room * cosine;
}

static struct meeting meet(const struct check *check, uint32_t instance_index, uint32_t geometry,
                           uint32_t primitive)
{
    struct meeting meeting = {.flat = true};
    struct ws_scene_instance instance;
    float corners[3][3], moved[3];
    double v[3][3], edges[2][3], from[3], d[3], point[3], normal[3];
    if (!ws_scene_instance(check->scene, check->top, instance_index, &instance) ||
        instance.build == WS_NONE ||
        !ws_scene_triangle(check->scene, instance.build, geometry, primitive, corners))
        return meeting;
    for (int i = 0; i < 3; ++i) {
        ws_transform_point(instance.transform, corners[i], moved);
        for (int j = 0; j < 3; ++j)
            v[i][j] = (double)moved[j];
    }
    for (int i = 0; i < 3; ++i) {
        edges[0][i] = v[1][i] - v[0][i];
        edges[1][i] = v[2][i] - v[0][i];
        from[i] = v[0][i] - (double)check->ray->origin[i];
        d[i] = (double)check->ray->direction[i];
    }
    cross(edges[0], edges[1], normal);
    const double length = sqrt(dot(d, d));
    const double size = sqrt(dot(normal, normal));
    const double along = dot(d, normal);
    if (length == 0 || size == 0 || along == 0)
        return meeting;
    const double cosine = fabs(along) / (length * size);
    meeting.flat = false;
    meeting.t = dot(from, normal) / along;
    for (int i = 0; i < 3; ++i)
        point[i] = (double)check->ray->origin[i] + meeting.t * d[i];
    meeting.room = room_of((const double(*)[3])v, normal, point, cosine);
    meeting.slack = slack_at(check->ray, instance.transform, meeting.t);
    meeting.slack_t = meeting.slack / (length * fmax(cosine, LEAST_COSINE));
    return meeting;
}

/* Whether rounding decides that the ray meets it. */
static bool is_borderline(const struct check *check, const struct meeting *meeting)
{
    return meeting->flat || fabs(meeting->room) <= meeting->slack ||
           fabs(meeting->t - (double)check->ray->tmin) <= meeting->slack_t ||
           fabs(meeting->t - (double)check->ray->tmax) <= meeting->slack_t;
}

static bool is_same(const struct ws_ray_hit *hit, const struct ws_trace_hit *found)
{
    return hit->instance == found->instance && hit->geometry == found->geometry &&
           hit->primitive == found->primitive;
}

/* Whether the shaders ignored it when it was shown to them. */
static bool was_ignored(const struct check *check, const struct ws_trace_hit *found)
{
    for (uint32_t i = 0; i < check->ray->candidate_count && !found->opaque; ++i) {
        const struct ws_ray_candidate *candidate = &check->candidates[check->ray->candidate_first + i];
        if ((candidate->kind == WS_CANDIDATE_ANY_HIT || candidate->kind == WS_CANDIDATE_QUERY) &&
            candidate->result == WS_CANDIDATE_IGNORED && is_same(&candidate->hit, found))
            return true;
    }
    return false;
}

static enum ws_trace_answer look_at_triangle(struct check *check, const struct ws_trace_hit *found)
{
    const struct ws_ray_hit *hit = check->hit;
    const struct meeting meeting = meet(check, found->instance, found->geometry, found->primitive);
    const double apart = hit != NULL ? fabs((double)found->t - (double)hit->t) : INFINITY;
    if (hit != NULL && is_same(hit, found)) {
        check->exact = check->exact || apart <= meeting.slack_t;
        return WS_TRACE_IGNORE;
    }
    if (was_ignored(check, found))
        return WS_TRACE_IGNORE;
    if (apart <= meeting.slack_t) {
        check->near = true;
        return WS_TRACE_IGNORE;
    }
    if (hit != NULL && (check->any || found->t > hit->t))
        return WS_TRACE_IGNORE;
    if (!check->has_found || found->t < check->found.t)
        check->found = *found;
    check->has_found = true;
    if (is_borderline(check, &meeting))
        check->border = true;
    else
        check->nearer = true;
    return WS_TRACE_IGNORE;
}

static enum ws_trace_answer look(void *user, const struct ws_trace_hit *found)
{
    struct check *check = user;
    const struct ws_ray_hit *hit = check->hit;
    if (!found->box)
        return look_at_triangle(check, found);
    check->box = true;
    if (hit != NULL && is_same(hit, found)) {
        struct ws_scene_instance instance;
        const double size = sqrt((double)check->ray->direction[0] * check->ray->direction[0] +
                                 (double)check->ray->direction[1] * check->ray->direction[1] +
                                 (double)check->ray->direction[2] * check->ray->direction[2]);
        if (!ws_scene_instance(check->scene, check->top, found->instance, &instance))
            return WS_TRACE_IGNORE;
        const double slack = slack_at(check->ray, instance.transform, (double)hit->t) / size;
        check->exact = check->exact || ((double)hit->t >= (double)found->t - slack &&
                                        (double)hit->t <= (double)found->t_exit + slack);
    }
    return WS_TRACE_IGNORE;
}

/* Whether the ray meets the triangle it says it hit, but for roundings. */
static bool is_hit_at_border(const struct check *check)
{
    const struct meeting meeting =
        meet(check, check->hit->instance, check->hit->geometry, check->hit->primitive);
    return !meeting.flat && meeting.room >= -meeting.slack &&
           fabs(meeting.t - (double)check->hit->t) <= meeting.slack_t;
}

static bool ends_early(const struct check *check)
{
    const struct ws_ray *ray = check->ray;
    for (uint32_t i = 0; i < ray->candidate_count; ++i)
        if (check->candidates[ray->candidate_first + i].result == WS_CANDIDATE_TERMINATED)
            return true;
    return (ray->flags & WS_RAY_FLAG_TERMINATE_FIRST) != 0;
}

static bool is_in_box(const struct ws_scene *scene, uint32_t top, const struct ws_ray_hit *hit)
{
    struct ws_scene_instance instance;
    return ws_scene_instance(scene, top, hit->instance, &instance) && instance.build != WS_NONE &&
           hit->geometry < scene->builds[instance.build].geometry_count &&
           scene->builds[instance.build].geometries[hit->geometry].info.type == WS_GEOMETRY_AABBS;
}

static bool is_finite(const struct ws_ray *ray)
{
    for (int i = 0; i < 3; ++i)
        if (!isfinite(ray->origin[i]) || !isfinite(ray->direction[i]))
            return false;
    return isfinite(ray->tmin) && ray->tmin <= ray->tmax &&
           (ray->direction[0] != 0 || ray->direction[1] != 0 || ray->direction[2] != 0);
}

static enum ws_retrace_result judge(const struct check *check, enum ws_retrace_kind kind)
{
    if (check->nearer)
        return WS_RETRACE_DIFFERS;
    if (check->hit == NULL)
        return check->border ? WS_RETRACE_BORDERLINE : WS_RETRACE_AGREES;
    if (check->exact)
        return check->border ? WS_RETRACE_BORDERLINE : WS_RETRACE_AGREES;
    if (check->near && kind != WS_RETRACE_BOX)
        return WS_RETRACE_SAME_PLACE;
    if (kind != WS_RETRACE_BOX && is_hit_at_border(check))
        return WS_RETRACE_BORDERLINE;
    return WS_RETRACE_DIFFERS;
}

/* An implicit hit of nothing in particular: something must be there. */
static struct ws_retrace_check check_something(struct check *check)
{
    struct ws_retrace_check result = {.checked = true, .kind = WS_RETRACE_SOMETHING};
    if (check->nearer || check->border)
        result.result = check->nearer ? WS_RETRACE_AGREES : WS_RETRACE_BORDERLINE;
    else if (check->box)
        result = (struct ws_retrace_check){.why = WS_RETRACE_IN_BOX};
    else
        result.result = WS_RETRACE_DIFFERS;
    return result;
}

static struct ws_retrace_check unchecked(enum ws_retrace_why why)
{
    return (struct ws_retrace_check){.why = why};
}

struct ws_retrace_check ws_retrace_ray(struct ws_scene_trace *trace, const struct ws_scene *scene,
                                       uint32_t top_build, const struct ws_ray *ray,
                                       const struct ws_ray_candidate *candidates)
{
    struct check check = {.scene = scene, .top = top_build, .ray = ray, .candidates = candidates};
    struct ws_ray flown = *ray;
    struct ws_retrace_check result = {.checked = true, .kind = WS_RETRACE_MISS};
    const bool implicit = ray->end == WS_RAY_IMPLICIT || ray->end == WS_RAY_NO_SHADER;
    if (ray->end == WS_RAY_UNKNOWN ||
        (ray->end != WS_RAY_MISSED && ray->end != WS_RAY_IMPLICIT && !ray->has_hit))
        return unchecked(WS_RETRACE_END);
    if (top_build == WS_NONE)
        return unchecked(WS_RETRACE_STRUCTURE);
    if (!is_finite(ray))
        return unchecked(WS_RETRACE_NOT_FINITE);
    if (ray->end != WS_RAY_MISSED && ray->has_hit) {
        check.hit = &ray->hit;
        check.any = implicit || ends_early(&check);
        result.kind = implicit                                 ? WS_RETRACE_SOMETHING
                      : is_in_box(scene, top_build, &ray->hit) ? WS_RETRACE_BOX
                                                               : WS_RETRACE_TRIANGLE;
        /* Far enough to find it again. */
        const struct meeting meeting = meet(&check, ray->hit.instance, ray->hit.geometry, ray->hit.primitive);
        const double beyond = fmax(meeting.flat ? 0 : meeting.slack_t, TOLERANCE * (double)ray->hit.t);
        flown.tmax = fminf(ray->tmax, (float)((double)ray->hit.t + beyond));
    }
    ws_scene_trace_visit(trace, &flown, look, &check);
    if (ray->end == WS_RAY_IMPLICIT && !ray->has_hit)
        return check_something(&check);
    result.result = judge(&check, result.kind);
    result.has_found = check.has_found;
    result.found = check.found;
    return result;
}

const char *ws_retrace_kind_name(uint32_t kind)
{
    static const char *const names[] = {"triangle", "box", "something", "miss"};
    return kind < WS_RETRACE_KINDS ? names[kind] : "unknown";
}

const char *ws_retrace_result_name(uint32_t result)
{
    static const char *const names[] = {"agrees", "same place", "borderline", "differs"};
    return result < WS_RETRACE_RESULTS ? names[result] : "unknown";
}

const char *ws_retrace_why_name(uint32_t why)
{
    static const char *const names[] = {"which structure they flew through is not known",
                                        "whether they hit or missed is not known", "they are not finite",
                                        "they hit something that may be in an AABB"};
    return why < WS_RETRACE_WHYS ? names[why] : "unknown";
}
