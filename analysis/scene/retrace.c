/* The analysis `retrace`: checks each ray, counts the results by call site, and keeps examples of those that
 * differ. */
#include "analysis/scene/retrace.h"
#include "warpscope/model/names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_preview.h"
#include "analysis/scene/scene_sight.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"
#include "warpscope/output/json.h"
#include "warpscope/output/table.h"
#include "warpscope/report/analysis.h"

#define ROWS_USUAL   10
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

double ws_retrace_slack(const struct ws_ray *ray, const float transform[12], double t)
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
    meeting.slack = ws_retrace_slack(check->ray, instance.transform, meeting.t);
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

static bool may_be_transparent(const struct check *check, const struct ws_trace_hit *found)
{
    struct ws_scene_instance instance;
    return ws_scene_instance(check->scene, check->top, found->instance, &instance) &&
           ws_scene_may_be_transparent(check->scene, &instance, check->ray, found);
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
    if (was_ignored(check, found) || may_be_transparent(check, found))
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
        const double slack = ws_retrace_slack(check->ray, instance.transform, (double)hit->t) / size;
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

uint64_t ws_retrace_share(uint64_t rays)
{
    const uint64_t one_in =
        rays / WS_RETRACE_LEAST < WS_RETRACE_ONE_IN ? rays / WS_RETRACE_LEAST : WS_RETRACE_ONE_IN;
    return one_in > 1 ? UINT64_MAX / one_in : UINT64_MAX;
}

/* A ray is in the sample where its number times the golden ratio has a fraction below the share (Weyl): so as many are,
 * within one or two, of any rays that follow each other, and of those that are any number apart. */
bool ws_retrace_takes(uint64_t number, uint64_t share)
{
    return number * UINT64_C(0x9e3779b97f4a7c15) <= share;
}

const char *ws_retrace_kind_name(uint32_t kind)
{
    static const char *const names[] = {"triangle", "box", "something", "miss"};
    return kind < WS_RETRACE_KINDS ? names[kind] : "unknown";
}

const char *ws_retrace_why_name(uint32_t why)
{
    static const char *const names[] = {"which structure they flew through is not known",
                                        "whether they hit or missed is not known", "they are not finite",
                                        "they hit something that may be in an AABB"};
    return why < WS_RETRACE_WHYS ? names[why] : "unknown";
}

/* What is counted of rays: of each kind and result, and the sums over either. */
struct counts {
    uint64_t rays;
    uint64_t kinds[WS_RETRACE_KINDS];
    uint64_t results[WS_RETRACE_RESULTS];
    uint64_t cells[WS_RETRACE_KINDS][WS_RETRACE_RESULTS];
    uint64_t unchecked;
};

enum { STAGE, SHADER, SITE, KIND, LAUNCH, DIMENSIONS };
enum { BY_ALL, BY_SITE, BY_KIND };

struct example {
    uint64_t launch;
    uint32_t thread[3];
    uint32_t number; /* of the ray in its thread */
    uint64_t site;   /* key of its call site */
    struct ws_ray ray;
    struct ws_retrace_check check;
};

struct retrace_report {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_scene_preview *preview;
    struct ws_scene_trace *trace;     /* NULL: no geometry */
    struct ws_scene_matcher *matcher; /* of the launch under way; NULL: none */
    uint64_t launch;
    struct ws_groups *groups;
    struct example *examples; /* the first that differ */
    uint32_t example_count;
    uint32_t example_capacity;
    uint32_t rows;
    bool is_file;                         /* the capture can be read twice */
    bool sampled;                         /* not every ray is traced */
    const struct ws_selection *selection; /* not owned; NULL = rays of all shaders */
    uint64_t launch_rays;                 /* of the launch under way, that chosen shaders trace */
    uint64_t launch_given;                /* of these, so many were given to be traced */
    uint64_t share;                       /* of 2^64: how many of them are */
    uint64_t rays_there;
    uint64_t rays_seen; /* traced, or tried to */
    uint64_t differ;
    uint64_t unchecked[WS_RETRACE_WHYS];
    struct ws_trace_left_out left_out; /* the most of any structure */
};

static void site_name(const struct ws_row *row, struct ws_value *value)
{
    const uint32_t shader = (uint32_t)(row->key >> 32);
    ws_rays_name(row->catalog, shader, ws_site_offset(row->catalog, shader, (uint32_t)row->key),
                 value->buffer, sizeof(value->buffer));
    value->kind = WS_VALUE_TEXT;
    value->text = value->buffer;
}

static void kind_name(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = row->key < WS_RETRACE_KINDS ? ws_retrace_kind_name((uint32_t)row->key) : "not checked";
}

/* The results of the rays of one kind. */
static cJSON *kind_json(const struct ws_row *row, uint32_t kind)
{
    static const char *const keys[] = {"agrees", "same_place", "borderline", "differs"};
    const struct counts *counts = row->sums;
    cJSON *object = cJSON_CreateObject();
    for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
        ws_json_integer(object, keys[result], counts->cells[kind][result]);
    return object;
}

static cJSON *triangle_json(const struct ws_row *row)
{
    return kind_json(row, WS_RETRACE_TRIANGLE);
}

static cJSON *box_json(const struct ws_row *row)
{
    return kind_json(row, WS_RETRACE_BOX);
}

static cJSON *something_json(const struct ws_row *row)
{
    return kind_json(row, WS_RETRACE_SOMETHING);
}

static cJSON *miss_json(const struct ws_row *row)
{
    return kind_json(row, WS_RETRACE_MISS);
}

static const struct ws_member result_members[] = {
    {"agrees", "integer", "the CPU meets the same at the same t"},
    {"same_place", "integer", "the CPU meets another primitive at the same t"},
    {"borderline", "integer", "rounding decides"},
    {"differs", "integer", "the CPU meets something else"},
    {NULL}};

static const struct ws_field site_fields[] = {
    {"site", "call of traceRay, or ray query", WS_TEXT, "", .value = site_name}, {NULL}};

static const struct ws_field kind_fields[] = {
    {"kind", "how rays ended: triangle, box, something, miss, or not checked", WS_TEXT, .value = kind_name},
    {NULL}};

static const struct ws_dimension dimensions[] = {
    [STAGE] = {WS_DIMENSION_STAGE},
    [SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << STAGE},
    [SITE] = {"site", "call of traceRay, or ray query", site_fields, .implies = 1u << SHADER},
    [KIND] = {"kind", "how rays ended", kind_fields},
    [LAUNCH] = {WS_DIMENSION_LAUNCH},
    [DIMENSIONS] = {NULL},
};

#define OF(member) .at = offsetof(struct counts, member), .flags = WS_BLANK_ZERO

static const struct ws_field measures[] = {
    {"rays", "traced there, and again on the CPU", WS_COUNT, .at = offsetof(struct counts, rays)},
    {"hit_triangle", "rays that hit a triangle", WS_COUNT, OF(kinds[WS_RETRACE_TRIANGLE])},
    {"hit_box", "rays that hit something in an AABB", WS_COUNT, OF(kinds[WS_RETRACE_BOX])},
    {"hit", "rays that hit, where it is not recorded what", WS_COUNT, OF(kinds[WS_RETRACE_SOMETHING])},
    {"missed", "rays that hit nothing", WS_COUNT, OF(kinds[WS_RETRACE_MISS])},
    {"agree", "the CPU meets the same at the same t", WS_COUNT, OF(results[WS_RETRACE_AGREES])},
    {"same_place", "the CPU meets another primitive at the same t", WS_COUNT,
     OF(results[WS_RETRACE_SAME_PLACE])},
    {"borderline", "rounding decides", WS_COUNT, OF(results[WS_RETRACE_BORDERLINE])},
    {"differ", "the CPU meets something else", WS_COUNT, OF(results[WS_RETRACE_DIFFERS]),
     .better = WS_BETTER_LESS},
    {"not_checked", "rays whose structure, end or numbers are not known", WS_COUNT, OF(unchecked)},
    {"triangle", "results of rays that hit a triangle", .json = triangle_json, .type = "object",
     .members = result_members},
    {"box", "of rays that hit something in an AABB", .json = box_json, .type = "object",
     .members = result_members},
    {"something", "of rays that hit, where it is not recorded what", .json = something_json, .type = "object",
     .members = result_members},
    {"miss", "of rays that missed", .json = miss_json, .type = "object", .members = result_members},
    {NULL},
};

#define COUNTS "rays hit_triangle hit_box hit missed agree same_place borderline differ not_checked"

static const struct ws_level levels[] = {
    [BY_ALL] = {"total"},
    [BY_SITE] = {"sites", "Rays traced again on the CPU", .by = 1u << SITE, .rows = UINT32_MAX,
                 .text = "site " COUNTS},
    [BY_KIND] = {"kinds", .by = 1u << SITE | 1u << KIND},
    {NULL},
};

static const struct ws_columns columns = {
    dimensions, measures, levels, sizeof(struct counts), .shown = COUNTS, .main = "differ", .weight = "rays"};

static const char words[] =
    "A ray agrees where the CPU meets the same instance, geometry and primitive at the same\n"
    "t; same place: another primitive there; borderline: rounding decides, at an edge, tmin\n"
    "or tmax; else it differs. What is in AABBs is the application's: the hit must lie there.\n"
    "A report of several analyses traces one ray in 16 of a launch, and at least 4096; the\n"
    "report of retrace alone traces all.\n";

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct retrace_report *report = user;
    report->launch = threads->launch->index;
    report->launch_rays = 0;
    report->launch_given = 0;
    if (!ws_scene_preview_begin(report->preview, report, report->catalog, threads->launch))
        return false;
    report->matcher = report->trace != NULL ? report->preview->matcher : NULL;
    return true;
}

static bool look_at_thread(void *user, const struct ws_ray_thread *thread)
{
    struct retrace_report *report = user;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        report->launch_rays += report->selection == NULL ||
                               ws_selection_runs(report->selection, thread->launch, thread->rays[i].shader);
    return ws_scene_preview_look(report->preview, report, thread);
}

static bool keep_example(struct retrace_report *report, const struct ws_ray_thread *thread, uint32_t number,
                         uint64_t site, const struct ws_retrace_check *check)
{
    if (report->example_count >= report->rows)
        return true;
    struct example *examples = ws_array_grow(report->examples, &report->example_capacity,
                                             report->example_count + 1, sizeof(*examples));
    if (examples == NULL)
        return false;
    report->examples = examples;
    struct example *example = &examples[report->example_count++];
    *example = (struct example){.launch = report->launch,
                                .number = thread->rays[number].number,
                                .site = site,
                                .ray = thread->rays[number],
                                .check = *check};
    memcpy(example->thread, thread->thread->work, sizeof(example->thread));
    return true;
}

/* The build that rays of this call flew through, made ready; WS_NONE = not known. False = no memory. */
static bool prepare(struct retrace_report *report, const struct ws_ray *ray, uint32_t *build)
{
    const struct ws_scene_call call = ws_scene_call_of(ray);
    struct ws_scene_match match;
    *build = WS_NONE;
    if (report->matcher == NULL || !ws_scene_matcher_find(report->matcher, &call, &match) ||
        match.structure == WS_NONE || match.ambiguous)
        return true;
    *build = match.build;
    if (!ws_scene_trace_use(report->trace, match.build))
        return false;
    const struct ws_trace_left_out left_out = ws_scene_trace_left_out(report->trace);
    if (left_out.instances > report->left_out.instances)
        report->left_out.instances = left_out.instances;
    if (left_out.primitives > report->left_out.primitives)
        report->left_out.primitives = left_out.primitives;
    return true;
}

/* Gives the columns a ray. */
static bool add_fact(struct retrace_report *report, const struct ws_ray *ray,
                     const struct ws_retrace_check *check)
{
    struct counts counts = {.rays = 1, .unchecked = !check->checked};
    const uint64_t keys[DIMENSIONS] = {
        [STAGE] = ws_key_stage(report->catalog->shaders[ray->shader].stage),
        [SHADER] = ray->shader,
        [SITE] = ws_key_in_shader(ray->shader, ray->site),
        [KIND] = check->checked ? check->kind : WS_RETRACE_KINDS,
        [LAUNCH] = report->launch,
    };
    if (check->checked) {
        counts.kinds[check->kind] = 1;
        counts.results[check->result] = 1;
        counts.cells[check->kind][check->result] = 1;
    }
    return ws_groups_add(report->groups, keys, &counts);
}

static bool add_ray(struct retrace_report *report, const struct ws_ray_thread *thread, uint32_t number)
{
    const struct ws_ray *ray = &thread->rays[number];
    uint32_t build = WS_NONE;
    if (!ws_budget_spend(WS_STEPS_RAY) || !prepare(report, ray, &build))
        return false;
    const struct ws_retrace_check check =
        ws_retrace_ray(report->trace, report->preview->scene, build, ray, thread->candidates);
    report->rays_seen++;
    if (!check.checked)
        report->unchecked[check.why]++;
    if (!add_fact(report, ray, &check))
        return false;
    if (!check.checked || check.result != WS_RETRACE_DIFFERS)
        return true;
    report->differ++;
    return keep_example(report, thread, number, ws_key_in_shader(ray->shader, ray->site), &check);
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    struct retrace_report *report = user;
    if (report->launch_given == 0)
        report->share = report->sampled ? ws_retrace_share(report->launch_rays) : UINT64_MAX;
    report->rays_there += thread->ray_count;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (ws_retrace_takes(report->launch_given++, report->share) && !add_ray(report, thread, i))
            return false;
    return true;
}

static const struct ws_ray_operations operations = {
    .begin = begin, .look = look_at_thread, .thread = add_thread};

static void destroy(void *user)
{
    struct retrace_report *report = user;
    if (report == NULL)
        return;
    ws_rays_destroy(report->rays);
    ws_scene_trace_destroy(report->trace);
    ws_scene_preview_release(report->preview);
    ws_groups_destroy(report->groups);
    free(report->examples);
    free(report);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct retrace_report *report = calloc(1, sizeof(*report));
    if (report == NULL)
        return NULL;
    report->catalog = catalog;
    report->is_file = options->path != NULL;
    report->sampled = options->several;
    report->selection = ws_selection_has_shaders(options->selection) ? options->selection : NULL;
    report->rows = options->rows > 0 ? options->rows : ROWS_USUAL;
    report->preview = ws_scene_preview_open(options->preview, options->path, options->selection, error);
    if (report->preview == NULL)
        goto error;
    const struct ws_scene *scene = report->preview->scene;
    report->rays = ws_rays_create(catalog, &operations, report);
    report->groups = ws_groups_create(&columns, catalog, report, &options->view, error);
    if (report->rays == NULL || report->groups == NULL)
        goto error;
    ws_rays_choose(report->rays, options->selection);
    if (scene != NULL && scene->structure_count > 0) {
        report->trace = ws_scene_trace_create(scene);
        if (report->trace == NULL)
            goto error;
    }
    return report;
error:
    destroy(report);
    return NULL;
}

static void attach(void *user, uint32_t number)
{
    struct retrace_report *report = user;
    ws_rays_attach(report->rays, number);
}

/* What the device says of the ray. */
static void hit_text(const struct ws_ray *ray, char *text, size_t size)
{
    if (ray->end == WS_RAY_MISSED)
        snprintf(text, size, "nothing");
    else if (!ray->has_hit)
        snprintf(text, size, "something");
    else
        snprintf(text, size, "%" PRIu32 ":%" PRIu32 ":%" PRIu32 " at %.7g", ray->hit.instance,
                 ray->hit.geometry, ray->hit.primitive, (double)ray->hit.t);
}

/* What the CPU says: what it met that the device did not, or that it did not meet what the device did. */
static void found_text(const struct ws_retrace_check *check, char *text, size_t size)
{
    const struct ws_trace_hit *found = &check->found;
    if (check->has_found)
        snprintf(text, size, "%" PRIu32 ":%" PRIu32 ":%" PRIu32 " at %.7g", found->instance, found->geometry,
                 found->primitive, (double)found->t);
    else
        snprintf(text, size, "no such hit");
}

static bool print_examples(const struct retrace_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {{"launch", true},
                                               {"thread", false},
                                               {"ray", true},
                                               {"the device hit\n(instance:geometry:primitive)", false},
                                               {"the CPU found", false},
                                               {"origin", false},
                                               {"direction", false}};
    struct ws_table table;
    if (report->example_count == 0)
        return true;
    fputs("\nRays that differ\n", stream);
    ws_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < report->example_count; ++i) {
        const struct example *example = &report->examples[i];
        const struct ws_ray *ray = &example->ray;
        char text[128];
        ws_table_add(&table, "%" PRIu64, example->launch);
        ws_table_add(&table, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, example->thread[0], example->thread[1],
                     example->thread[2]);
        ws_table_add(&table, "%" PRIu32, example->number);
        hit_text(ray, text, sizeof(text));
        ws_table_add(&table, "%s", text);
        found_text(&example->check, text, sizeof(text));
        ws_table_add(&table, "%s", text);
        ws_table_add(&table, "%g,%g,%g", (double)ray->origin[0], (double)ray->origin[1],
                     (double)ray->origin[2]);
        ws_table_add(&table, "%g,%g,%g", (double)ray->direction[0], (double)ray->direction[1],
                     (double)ray->direction[2]);
    }
    const bool printed = !table.failed;
    ws_table_print(&table, 2, stream);
    ws_table_finish(&table);
    if (report->differ > report->example_count)
        fprintf(stream, "  ... and %" PRIu64 " more: --rows 0 shows all\n",
                report->differ - report->example_count);
    return printed;
}

static bool print_text(const void *user, FILE *stream)
{
    const struct retrace_report *report = user;
    if (report->rays_seen == 0) {
        fputs("\nRays traced again on the CPU: no ray was recorded\n", stream);
        return true;
    }
    if (!ws_groups_text(report->groups, BY_SITE, stream))
        return false;
    if (report->rays_seen < report->rays_there)
        fprintf(stream,
                "  These are %" PRIu64 " of %" PRIu64
                " rays, spread evenly over each launch. The report of retrace alone traces all.\n",
                report->rays_seen, report->rays_there);
    if (report->trace == NULL)
        fprintf(stream, "  Nothing could be checked: %s.\n",
                report->is_file ? "no acceleration structure was made, or none was captured"
                                : "the geometry is read first, so the capture must be a file");
    for (uint32_t why = 0; why < WS_RETRACE_WHYS; ++why)
        if (report->unchecked[why] > 0)
            fprintf(stream, "  Not checked: %" PRIu64 " ray%s: %s.\n", report->unchecked[why],
                    ws_plural(report->unchecked[why], "s"), ws_retrace_why_name(why));
    if (report->left_out.instances + report->left_out.primitives > 0)
        fprintf(stream,
                "  Of the geometry %" PRIu64 " instance%s and %" PRIu64
                " primitives were left out (see report geometry).\n",
                report->left_out.instances, ws_plural(report->left_out.instances, "s"),
                report->left_out.primitives);
    return print_examples(report, stream);
}

static const struct ws_member example_members[] = {
    {"thread", "string", "id of the thread, as --thread takes it"},
    {"launch", "integer", "number of the launch"},
    {"ray", "integer", "number of the ray among those of the thread"},
    {"site", "string", "the call of traceRay, or ray query"},
    {"kind", "string", "how the ray ended"},
    {NULL}};

static const struct ws_member members[] = {
    {"rays_there", "integer", "rays of the capture; a report of several analyses traces a sample of them"},
    {"has_geometry", "boolean", "the capture has geometry to trace through"},
    {"instances_left_out", "integer", "instances of the geometry that cannot be traced"},
    {"primitives_left_out", "integer", "primitives of the geometry that cannot be traced"},
    {"differing", "object[]", "some rays for which the CPU meets something else", example_members},
    {NULL}};

static cJSON *example_json(const struct retrace_report *report, const struct example *example)
{
    const struct ws_row row = {.catalog = report->catalog, .user = report, .key = example->site};
    struct ws_value site = {.kind = WS_VALUE_NONE};
    char thread[40];
    cJSON *object = cJSON_CreateObject();
    snprintf(thread, sizeof(thread), "%" PRIu32 ",%" PRIu32 ",%" PRIu32, example->thread[0],
             example->thread[1], example->thread[2]);
    site_name(&row, &site);
    cJSON_AddStringToObject(object, "thread", thread);
    ws_json_integer(object, "launch", example->launch);
    ws_json_integer(object, "ray", example->number);
    cJSON_AddStringToObject(object, "site", site.text);
    cJSON_AddStringToObject(object, "kind", ws_retrace_kind_name(example->check.kind));
    return object;
}

static bool write_json(const void *user, struct ws_json *json)
{
    const struct retrace_report *report = user;
    ws_json_member(json, "rays_there", ws_json_integer_item(report->rays_there));
    ws_json_member(json, "has_geometry", cJSON_CreateBool(report->trace != NULL));
    ws_json_member(json, "instances_left_out", ws_json_integer_item(report->left_out.instances));
    ws_json_member(json, "primitives_left_out", ws_json_integer_item(report->left_out.primitives));
    ws_json_open_list(json, "differing");
    for (uint32_t i = 0; i < report->example_count; ++i)
        ws_json_element(json, example_json(report, &report->examples[i]));
    ws_json_close_list(json);
    return !json->failed;
}

static const struct ws_groups *groups(const void *user)
{
    const struct retrace_report *report = user;
    return report->groups;
}

static const char *const passes[] = {"ray_events", NULL};

extern const struct ws_analysis ws_analysis_retrace;

const struct ws_analysis ws_analysis_retrace = {
    .name = "retrace",
    .summary = "rays traced again on the CPU through the captured geometry: how many agree",
    .passes = passes,
    .columns = &columns,
    .words = words,
    .missing = ws_scene_trace_missing,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .groups = groups,
    .text = print_text,
    .members = members,
    .json = write_json,
};
