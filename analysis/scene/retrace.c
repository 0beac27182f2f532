#include "analysis/scene/retrace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/catalog.h"
#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/output/table.h"
#include "analysis/report/analysis.h"
#include "analysis/scene/scene_preview.h"
#include "analysis/scene/scene_transform.h"
#include "passes/base/array.h"

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

struct site {
    uint32_t shader;
    uint32_t site;
    uint64_t rays;
    uint64_t counts[WS_RETRACE_KINDS][WS_RETRACE_RESULTS];
    uint64_t unchecked;
};

struct example {
    uint64_t launch;
    uint32_t thread[3];
    uint32_t number; /* of the ray in its thread */
    uint32_t site;   /* index in sites */
    struct ws_ray ray;
    struct ws_retrace_check check;
};

struct retrace_report {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_scene_preview preview;
    struct ws_scene_trace *trace;     /* NULL: no geometry */
    struct ws_scene_matcher *matcher; /* of the launch under way; NULL: none */
    uint64_t launch;
    struct ws_id_map site_of; /* shader << 32 | site -> index */
    struct site *sites;
    uint32_t site_count;
    uint32_t site_capacity;
    struct example *examples; /* the first that differ */
    uint32_t example_count;
    uint32_t example_capacity;
    uint32_t rows;
    uint64_t differ;
    uint64_t unchecked[WS_RETRACE_WHYS];
    struct ws_trace_left_out left_out; /* the most of any structure */
};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct retrace_report *report = user;
    report->launch = threads->launch->index;
    report->matcher =
        report->trace != NULL ? ws_scene_preview_matcher(&report->preview, threads->launch->index) : NULL;
    return true;
}

/* The call site's counts, new where there were none; NULL = no memory. */
static struct site *find_site(struct retrace_report *report, const struct ws_ray *ray)
{
    const uint64_t key = (uint64_t)ray->shader << 32 | ray->site;
    uint32_t index = 0;
    if (ws_id_map_get(&report->site_of, key, &index))
        return &report->sites[index];
    struct site *sites =
        ws_array_grow(report->sites, &report->site_capacity, report->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return NULL;
    report->sites = sites;
    if (!ws_id_map_put(&report->site_of, key, report->site_count))
        return NULL;
    sites[report->site_count] = (struct site){.shader = ray->shader, .site = ray->site};
    return &sites[report->site_count++];
}

static bool keep_example(struct retrace_report *report, const struct ws_ray_thread *thread, uint32_t number,
                         uint32_t site, const struct ws_retrace_check *check)
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
                                .number = number,
                                .site = site,
                                .ray = thread->rays[number],
                                .check = *check};
    memcpy(example->thread, thread->thread->work, sizeof(example->thread));
    return true;
}

/* The build that rays of this call flew through, made ready; WS_NONE = not known. False = no memory. */
static bool prepare(struct retrace_report *report, const struct ws_ray *ray, uint32_t *build)
{
    struct ws_scene_match match;
    *build = WS_NONE;
    if (report->matcher == NULL || !ws_scene_matcher_find(report->matcher, ray->shader, ray->site, &match) ||
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

static bool add_ray(struct retrace_report *report, const struct ws_ray_thread *thread, uint32_t number)
{
    const struct ws_ray *ray = &thread->rays[number];
    struct site *site = find_site(report, ray);
    uint32_t build = WS_NONE;
    if (site == NULL || !prepare(report, ray, &build))
        return false;
    const struct ws_retrace_check check =
        ws_retrace_ray(report->trace, report->preview.scene, build, ray, thread->candidates);
    site->rays++;
    if (!check.checked) {
        site->unchecked++;
        report->unchecked[check.why]++;
        return true;
    }
    site->counts[check.kind][check.result]++;
    if (check.result != WS_RETRACE_DIFFERS)
        return true;
    report->differ++;
    return keep_example(report, thread, number, (uint32_t)(site - report->sites), &check);
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (!add_ray(user, thread, i))
            return false;
    return true;
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = add_thread};

static void destroy(void *user)
{
    struct retrace_report *report = user;
    if (report == NULL)
        return;
    ws_rays_destroy(report->rays);
    ws_scene_trace_destroy(report->trace);
    ws_scene_preview_finish(&report->preview);
    ws_id_map_finish(&report->site_of);
    free(report->sites);
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
    report->rows = options->rows > 0 ? options->rows : ROWS_USUAL;
    if (!ws_scene_preview_read(&report->preview, options->path, error))
        goto error;
    const struct ws_scene *scene = report->preview.scene;
    report->rays = ws_rays_create(catalog, &operations, report);
    if (report->rays == NULL)
        goto error;
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

static uint64_t sum_result(const struct site *site, uint32_t result)
{
    uint64_t sum = 0;
    for (uint32_t kind = 0; kind < WS_RETRACE_KINDS; ++kind)
        sum += site->counts[kind][result];
    return sum;
}

static uint64_t sum_kind(const struct site *site, uint32_t kind)
{
    uint64_t sum = 0;
    for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
        sum += site->counts[kind][result];
    return sum;
}

/* Nothing where there is nothing, so that columns of which nobody has anything are left out. */
static void add_number(struct ws_table *table, uint64_t number)
{
    if (number > 0)
        ws_table_add(table, "%" PRIu64, number);
    else
        ws_table_add(table, "%s", "");
}

static bool print_sites(const struct retrace_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"", false},          {"rays", true},   {"hit a\ntriangle", true}, {"hit in\nAABB", true},
        {"hit", true},        {"missed", true}, {"agree", true},           {"same\nplace", true},
        {"borderline", true}, {"differ", true}, {"not\nchecked", true}};
    struct ws_table table;
    ws_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < report->site_count; ++i) {
        const struct site *site = &report->sites[i];
        char name[512];
        ws_catalog_trace_name(report->catalog, site->shader, site->site, name, sizeof(name));
        ws_table_add(&table, "%s", name);
        ws_table_add(&table, "%" PRIu64, site->rays);
        for (uint32_t kind = 0; kind < WS_RETRACE_KINDS; ++kind)
            add_number(&table, sum_kind(site, kind));
        for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
            add_number(&table, sum_result(site, result));
        add_number(&table, site->unchecked);
    }
    const bool printed = !table.failed;
    ws_table_print(&table, 2, stream);
    ws_table_finish(&table);
    return printed;
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
        snprintf(text, size, "not that");
}

static bool print_examples(const struct retrace_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {
        {"launch", true},       {"thread", false},
        {"ray", true},          {"the device hit\n(instance:geometry:primitive)", false},
        {"the CPU met", false}, {"origin", false},
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
    fputs("\nRays traced again on the CPU\n", stream);
    if (report->trace == NULL)
        fputs("  No geometry was captured, or the capture cannot be read twice: nothing can be checked.\n",
              stream);
    if (report->site_count == 0)
        fputs("  There are no rays.\n", stream);
    else if (!print_sites(report, stream))
        return false;
    for (uint32_t why = 0; why < WS_RETRACE_WHYS; ++why)
        if (report->unchecked[why] > 0)
            fprintf(stream, "  Not checked: %" PRIu64 " rays: %s.\n", report->unchecked[why],
                    ws_retrace_why_name(why));
    if (report->left_out.instances + report->left_out.primitives > 0)
        fprintf(stream,
                "  Of the geometry %" PRIu64 " instances and %" PRIu64
                " primitives were left out (see report geometry).\n",
                report->left_out.instances, report->left_out.primitives);
    return print_examples(report, stream);
}

static cJSON *site_json(const struct retrace_report *report, const struct site *site)
{
    cJSON *object = cJSON_CreateObject();
    char name[512];
    ws_catalog_trace_name(report->catalog, site->shader, site->site, name, sizeof(name));
    cJSON_AddStringToObject(object, "name", name);
    ws_json_integer(object, "rays", site->rays);
    ws_json_integer(object, "not_checked", site->unchecked);
    for (uint32_t kind = 0; kind < WS_RETRACE_KINDS; ++kind) {
        static const char *const keys[] = {"agrees", "same_place", "borderline", "differs"};
        cJSON *counts = cJSON_AddObjectToObject(object, ws_retrace_kind_name(kind));
        for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
            ws_json_integer(counts, keys[result], site->counts[kind][result]);
    }
    return object;
}

static cJSON *example_json(const struct example *example)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *thread = cJSON_AddArrayToObject(object, "thread");
    for (int i = 0; i < 3; ++i)
        cJSON_AddItemToArray(thread, ws_json_integer_item(example->thread[i]));
    ws_json_integer(object, "launch", example->launch);
    ws_json_integer(object, "ray", example->number);
    ws_json_integer(object, "site", example->site);
    cJSON_AddStringToObject(object, "kind", ws_retrace_kind_name(example->check.kind));
    return object;
}

static bool add_json(const void *user, cJSON *object)
{
    const struct retrace_report *report = user;
    cJSON_AddBoolToObject(object, "geometry", report->trace != NULL);
    ws_json_integer(object, "instances_left_out", report->left_out.instances);
    ws_json_integer(object, "primitives_left_out", report->left_out.primitives);
    cJSON *sites = cJSON_AddArrayToObject(object, "sites");
    for (uint32_t i = 0; i < report->site_count; ++i)
        cJSON_AddItemToArray(sites, site_json(report, &report->sites[i]));
    cJSON *examples = cJSON_AddArrayToObject(object, "differing");
    for (uint32_t i = 0; i < report->example_count; ++i)
        cJSON_AddItemToArray(examples, example_json(&report->examples[i]));
    return true;
}

static bool write_csv(const void *user, FILE *stream)
{
    const struct retrace_report *report = user;
    fputs("site,kind,rays,agree,same_place,borderline,differ\n", stream);
    for (uint32_t i = 0; i < report->site_count; ++i) {
        const struct site *site = &report->sites[i];
        char name[512];
        ws_catalog_trace_name(report->catalog, site->shader, site->site, name, sizeof(name));
        for (uint32_t kind = 0; kind < WS_RETRACE_KINDS; ++kind) {
            ws_csv_text(stream, name);
            fprintf(stream, ",%s,%" PRIu64, ws_retrace_kind_name(kind), sum_kind(site, kind));
            for (uint32_t result = 0; result < WS_RETRACE_RESULTS; ++result)
                fprintf(stream, ",%" PRIu64, site->counts[kind][result]);
            fputc('\n', stream);
        }
        ws_csv_text(stream, name);
        fprintf(stream, ",not checked,%" PRIu64 ",,,,\n", site->unchecked);
    }
    return true;
}

static const char *const passes[] = {"ray_events", NULL};

extern const struct ws_analysis ws_analysis_retrace;

const struct ws_analysis ws_analysis_retrace = {
    .name = "retrace",
    .summary = "rays traced again on the CPU through the captured geometry: how many agree",
    .passes = passes,
    .csv_help =
        "site, kind (how the ray ended: triangle, box, something, miss, or not checked), rays, agree,\n"
        "same_place (another primitive at the same t), borderline (rounding decides), differ",
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .text = print_text,
    .json = add_json,
    .csv = write_csv,
};
