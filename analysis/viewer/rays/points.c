/* points: places of a launch's rays, as a point cloud.
 *
 * Keys: launch; `kind`, see below; those of filters (ray_filter.h) but `kind`, whose place `ray_kind` takes; `count`, how many
 * points at most (20000, at most 4 million), and `first`, so many are passed over.
 *
 *   origin         where each ray starts
 *   hit            where it hit; rays whose hit is not known have none
 *   miss           where the line of a ray that missed ends (rays.h)
 *   any_hit        where each any-hit shader ran for it
 *   report         where each reportIntersection was
 *   intersection   of each intersection run: where the ray enters the box of the primitive
 *   query          of each candidate of a ray query: a triangle's hit; of a box where the ray enters it
 *
 * A binary answer (binary.h) with the magic "WSPT". `matches` are the points of the rays that fit, `total` those of the launch;
 * they come in the shuffled order of the rays (ray_store.h). Columns:
 *
 *   point          u16 x 4   x y z in `box`, which is of this answer, then 0
 *   ray            u32       number of the ray
 *   instance, geometry, primitive    u32, what was met there; 0xffffffff = nothing
 *   t              f32       of the point on its ray
 *   result         u8        enum ws_candidate_result: 0 ignored, 1 accepted, 2 terminated, 3 open; 255 = it is no candidate
 *   known          u8        1; 0 = the place is not known, as the geometry was not captured, or is not finite */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene.h"
#include "analysis/scene/scene_line.h"
#include "analysis/scene/scene_transform.h"
#include "analysis/viewer/binary.h"
#include "analysis/viewer/rays/ray_query.h"

#define USUAL UINT64_C(20000)
#define MOST  UINT64_C(4000000)

enum kind { ORIGIN, HIT, MISS, ANY_HIT, REPORT, INTERSECTION, QUERY, KINDS };

static const char *const kinds[KINDS] = {"origin", "hit",          "miss", "any_hit",
                                         "report", "intersection", "query"};

/* A point before it is written. */
struct point {
    float place[3];
    uint32_t ray;
    uint32_t instance;
    uint32_t geometry;
    uint32_t primitive;
    float t;
    uint8_t result;
    bool known;
};

struct cloud {
    const struct ws_ray_store *store;
    const struct ws_scene *scene;
    enum kind kind;
    struct point *points;
    uint32_t count;
    uint32_t most;
    uint64_t pass_over;
};

/* How many points of the kind a ray has. */
static uint32_t points_of(const struct ws_ray *ray, enum kind kind)
{
    switch (kind) {
    case ORIGIN: return 1;
    case HIT: return ray->has_hit;
    case MISS: return ray->end == WS_RAY_MISSED;
    case ANY_HIT: return ray->any_hits;
    case REPORT: return ray->reports;
    case INTERSECTION: return ray->intersections;
    default: return ray->query ? ray->candidate_count : 0;
    }
}

static bool is_of_kind(const struct ws_ray_candidate *candidate, enum kind kind)
{
    return candidate->kind == (kind == ANY_HIT        ? WS_CANDIDATE_ANY_HIT
                               : kind == REPORT       ? WS_CANDIDATE_REPORT
                               : kind == INTERSECTION ? WS_CANDIDATE_INTERSECTION
                                                      : WS_CANDIDATE_QUERY);
}

/* Where the ray enters the box of a primitive, in units of its direction. False where the box is not known. */
static bool enter_box(const struct cloud *cloud, uint32_t number, const struct ws_ray *ray,
                      const struct ws_ray_hit *hit, float *t)
{
    const uint32_t call = ws_ray_store_call(cloud->store, number);
    const uint32_t top = call < cloud->store->call_count ? cloud->store->calls[call].top : WS_NONE;
    struct ws_scene_instance instance;
    float box[6];
    float inverse[12];
    float origin[3];
    float direction[3];
    double enter = 0;
    double leave = 0;
    if (top == WS_NONE || !ws_scene_instance(cloud->scene, top, hit->instance, &instance) ||
        instance.build == WS_NONE ||
        !ws_scene_aabb(cloud->scene, instance.build, hit->geometry, hit->primitive, box) ||
        !ws_transform_invert(instance.transform, inverse))
        return false;
    ws_transform_point(inverse, ray->origin, origin);
    ws_transform_vector(inverse, ray->direction, direction);
    if (!ws_scene_cross(origin, direction, box, &enter, &leave))
        return false;
    *t = ws_to_float(fmax(enter, (double)ray->tmin));
    return true;
}

/* Adds a point at t of the ray. */
static void add(struct cloud *cloud, uint32_t number, const struct ws_ray *ray, float t, bool known,
                const struct ws_ray_hit *hit, uint8_t result)
{
    double place[3];
    if (cloud->pass_over > 0) {
        cloud->pass_over--;
        return;
    }
    if (cloud->count == cloud->most)
        return;
    struct point *point = &cloud->points[cloud->count++];
    *point = (struct point){.ray = number,
                            .instance = hit != NULL ? hit->instance : WS_NONE,
                            .geometry = hit != NULL ? hit->geometry : WS_NONE,
                            .primitive = hit != NULL ? hit->primitive : WS_NONE,
                            .t = t,
                            .result = result};
    ws_ray_position(ray, t, place);
    for (int i = 0; i < 3; ++i)
        point->place[i] = ws_to_float(place[i]);
    point->known = known && ws_all_finite(point->place, 3);
}

#define NO_CANDIDATE 255

/* Where the line of a ray that missed ends. */
static void add_miss(struct cloud *cloud, uint32_t number, const struct ws_ray *ray)
{
    float ends[6];
    const bool known =
        ws_scene_line(ray->origin, ray->direction, ray->tmax, false, cloud->store->scene, ends);
    const double length = ws_vector_length(ray->direction);
    const double t = known ? ws_vector_distance(ends, ends + 3) / length : NAN;
    add(cloud, number, ray, ws_to_float(t), known, NULL, NO_CANDIDATE);
}

static void add_candidates(struct cloud *cloud, uint32_t number)
{
    const struct ws_ray_owner *owner = ws_ray_store_owner(cloud->store, number);
    struct ws_ray_thread thread;
    ws_ray_store_thread(cloud->store, owner, &thread);
    const struct ws_ray *ray = &thread.rays[number - owner->ray_first];
    for (uint32_t i = 0; i < ray->candidate_count; ++i) {
        const struct ws_ray_candidate *candidate = &thread.candidates[ray->candidate_first + i];
        if (!is_of_kind(candidate, cloud->kind))
            continue;
        float t = candidate->hit.t;
        const bool known =
            ws_ray_candidate_has_t(candidate) || enter_box(cloud, number, ray, &candidate->hit, &t);
        add(cloud, number, ray, t, known, &candidate->hit, (uint8_t)candidate->result);
    }
}

static void add_ray(struct cloud *cloud, uint32_t number)
{
    const struct ws_ray *ray = ws_ray_store_ray(cloud->store, number);
    if (points_of(ray, cloud->kind) == 0)
        return;
    if (cloud->kind == ORIGIN)
        add(cloud, number, ray, 0, true, NULL, NO_CANDIDATE);
    else if (cloud->kind == HIT)
        add(cloud, number, ray, ray->hit.t, true, &ray->hit, NO_CANDIDATE);
    else if (cloud->kind == MISS)
        add_miss(cloud, number, ray);
    else
        add_candidates(cloud, number);
}

static bool write_cloud(const struct cloud *cloud, struct ws_binary *binary, FILE *stream,
                        struct ws_error *error)
{
    binary->count = cloud->count;
    uint16_t(*place)[4] = ws_binary_add(binary, "point", WS_BINARY_U16, 4);
    uint32_t *ray = ws_binary_add(binary, "ray", WS_BINARY_U32, 1);
    uint32_t *instance = ws_binary_add(binary, "instance", WS_BINARY_U32, 1);
    uint32_t *geometry = ws_binary_add(binary, "geometry", WS_BINARY_U32, 1);
    uint32_t *primitive = ws_binary_add(binary, "primitive", WS_BINARY_U32, 1);
    float *t = ws_binary_add(binary, "t", WS_BINARY_F32, 1);
    uint8_t *result = ws_binary_add(binary, "result", WS_BINARY_U8, 1);
    uint8_t *known = ws_binary_add(binary, "known", WS_BINARY_U8, 1);
    if (binary->failed)
        return ws_error_set(error, "no memory for points");
    ws_bounds_init(binary->box);
    for (uint32_t i = 0; i < cloud->count; ++i)
        if (cloud->points[i].known)
            ws_bounds_add_point(binary->box, cloud->points[i].place);
    if (binary->box[0] > binary->box[3])
        memset(binary->box, 0, sizeof(binary->box));
    for (uint32_t i = 0; i < cloud->count; ++i) {
        const struct point *point = &cloud->points[i];
        if (point->known)
            ws_binary_quantise(binary->box, point->place, place[i]);
        ray[i] = point->ray;
        instance[i] = point->instance;
        geometry[i] = point->geometry;
        primitive[i] = point->primitive;
        t[i] = point->t;
        result[i] = point->result;
        known[i] = point->known;
    }
    ws_binary_write(binary, stream);
    return true;
}

/* Picks the points, once all are counted. */
static bool collect(struct cloud *cloud, const struct ws_ray_question *question, uint64_t most,
                    struct ws_binary *binary)
{
    const struct ws_ray_store *store = question->store;
    for (uint32_t i = 0; i < store->count; ++i) {
        const uint32_t count = points_of(ws_ray_store_ray(store, i), cloud->kind);
        binary->total += count;
        binary->matches += ws_ray_question_has(question, i) ? count : 0;
    }
    const uint64_t left = binary->matches > cloud->pass_over ? binary->matches - cloud->pass_over : 0;
    cloud->most = (uint32_t)(left < most ? left : most);
    cloud->points = malloc(((size_t)cloud->most + 1) * sizeof(*cloud->points));
    for (uint32_t i = 0; cloud->points != NULL && i < store->count && cloud->count < cloud->most; ++i)
        if (ws_ray_question_has(question, store->order[i]))
            add_ray(cloud, store->order[i]);
    return cloud->points != NULL;
}

static bool read_kind(const struct ws_viewer_query *query, enum kind *kind, struct ws_error *error)
{
    const char *name = ws_viewer_query_text(query, "kind");
    for (*kind = 0; *kind < KINDS && name != NULL; ++*kind)
        if (strcmp(name, kinds[*kind]) == 0)
            return true;
    return ws_error_set(
        error, "points needs kind=origin, hit, miss, any_hit, report, intersection or query, not '%.32s'",
        name != NULL ? name : "");
}

/* The key `kind` of filters is called `ray_kind` here. */
static void rename_kind(const struct ws_viewer_query *query, struct ws_viewer_query *filter)
{
    memcpy(filter, query, offsetof(struct ws_viewer_query, decoded));
    filter->count = 0;
    for (uint32_t i = 0; i < query->count; ++i) {
        if (strcmp(query->names[i], "kind") == 0)
            continue;
        filter->names[filter->count] = strcmp(query->names[i], "ray_kind") == 0 ? "kind" : query->names[i];
        filter->values[filter->count++] = query->values[i];
    }
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    struct ws_ray_question question;
    struct ws_binary binary = {.magic = "WSPT"};
    struct cloud cloud = {.scene = NULL};
    uint64_t most = 0;
    struct ws_viewer_query *filter = malloc(sizeof(*filter));
    bool answered = filter != NULL && read_kind(query, &cloud.kind, error) &&
                    ws_ray_question_page(query, USUAL, MOST, &cloud.pass_over, &most, error);
    if (answered) {
        rename_kind(query, filter);
        cloud.scene = ws_viewer_scene(capture, error);
        answered = cloud.scene != NULL && ws_ray_question_read(viewer, capture, filter, &question, error);
    }
    if (answered) {
        cloud.store = question.store;
        answered =
            (collect(&cloud, &question, most, &binary) || ws_error_set(error, "no memory for points")) &&
            write_cloud(&cloud, &binary, stream, error);
    }
    ws_binary_finish(&binary);
    free(cloud.points);
    free(filter);
    return answered;
}

/* The single file has none: its rays show where they start and end. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *give, void *user)
{
    (void)viewer, (void)capture, (void)budget, (void)give, (void)user;
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_points = {
    .name = "points",
    .help = "where rays start and hit, and where shaders ran for them",
    .keys = "launch first count ray_kind " WS_RAY_FILTER_KEYS,
    .answer = answer,
    .embed = embed,
};
