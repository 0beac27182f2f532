#include "analysis/scene/scene_trace.h"

#include <math.h>
#include <stdlib.h>

#include <embree3/rtcore.h>

#include "analysis/scene/scene_sight.h"
#include "analysis/scene/scene_state.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"

/* Embree leaves out what is larger, in silence. */
#define LARGEST 1e18f

/* Embree inverts the transform of an instance in floats: the determinant of 3 x 3 numbers up to this, and of their
 * inverse, does not overflow. */
#define LARGEST_LINEAR 1e9f

#define GROWTH 1e-5f /* of a box's coordinates: some roundings */

/* Top-level builds that are kept ready: rays of one launch fly through one or two. */
#define TOPS 4

struct content {
    RTCScene scene; /* NULL = not built yet */
    uint64_t left_out;
};

struct top {
    uint32_t build; /* WS_NONE = unused */
    RTCScene scene;
    struct ws_scene_instance *instances;
    uint32_t instance_count;
    struct ws_trace_left_out left_out;
    /* Rays with larger numbers are not traced: Embree asserts that a ray is finite in the space of each instance. */
    float largest_ray;
};

/* User data of a geometry with boxes, for its callbacks. */
struct boxes {
    const struct ws_scene *scene;
    uint32_t build;
    uint32_t geometry;
};

struct ws_scene_trace {
    const struct ws_scene *scene;
    RTCDevice device;
    struct content *contents;
    struct boxes **boxes; /* all that are in use */
    uint32_t box_count;
    uint32_t box_capacity;
    struct top tops[TOPS];
    uint32_t next; /* the top that makes room */
    const struct top *top;
};

/* One ray under way; Embree hands the context on. */
struct flight {
    struct RTCIntersectContext context; /* first */
    const struct ws_scene_trace *trace;
    const struct ws_ray *ray;
    enum ws_trace_answer (*visit)(void *user, const struct ws_trace_hit *hit);
    void *user;
};

const char *ws_scene_trace_missing(void)
{
    return NULL;
}

struct ws_scene_trace *ws_scene_trace_create(const struct ws_scene *scene)
{
    struct ws_scene_trace *trace = calloc(1, sizeof(*trace));
    if (trace == NULL)
        return NULL;
    trace->scene = scene;
    for (uint32_t i = 0; i < TOPS; ++i)
        trace->tops[i].build = WS_NONE;
    trace->device = rtcNewDevice("threads=1");
    trace->contents = calloc((size_t)scene->content_count + 1, sizeof(*trace->contents));
    if (trace->device == NULL || trace->contents == NULL) {
        ws_scene_trace_destroy(trace);
        return NULL;
    }
    return trace;
}

static void finish_top(struct top *top)
{
    if (top->scene != NULL)
        rtcReleaseScene(top->scene);
    free(top->instances);
    *top = (struct top){.build = WS_NONE};
}

void ws_scene_trace_destroy(struct ws_scene_trace *trace)
{
    if (trace == NULL)
        return;
    for (uint32_t i = 0; i < TOPS; ++i)
        finish_top(&trace->tops[i]);
    for (uint32_t i = 0; trace->contents != NULL && i < trace->scene->content_count; ++i)
        if (trace->contents[i].scene != NULL)
            rtcReleaseScene(trace->contents[i].scene);
    for (uint32_t i = 0; i < trace->box_count; ++i)
        free(trace->boxes[i]);
    if (trace->device != NULL)
        rtcReleaseDevice(trace->device);
    free(trace->boxes);
    free(trace->contents);
    free(trace);
}

static bool is_at_most(float largest, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!(fabsf(values[i]) <= largest))
            return false;
    return true;
}

/* Asks the caller about a candidate, if the ray sees it. */
static enum ws_trace_answer ask(struct flight *flight, struct ws_trace_hit *hit)
{
    const struct top *top = flight->trace->top;
    if (hit->instance >= top->instance_count ||
        !ws_scene_sees(flight->trace->scene, &top->instances[hit->instance], flight->ray, hit))
        return WS_TRACE_IGNORE;
    return ws_budget_spend(WS_STEPS_PRIMITIVE) ? flight->visit(flight->user, hit) : WS_TRACE_STOP;
}

static void filter(const struct RTCFilterFunctionNArguments *arguments)
{
    struct flight *flight = (struct flight *)arguments->context;
    struct RTCRay *ray = (struct RTCRay *)arguments->ray;
    const struct RTCHit *found = (const struct RTCHit *)arguments->hit;
    const float n[3] = {found->Ng_x, found->Ng_y, found->Ng_z};
    const float d[3] = {ray->dir_x, ray->dir_y, ray->dir_z};
    const double lengths = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]) *
                           sqrt((double)d[0] * d[0] + (double)d[1] * d[1] + (double)d[2] * d[2]);
    const double dot = (double)n[0] * d[0] + (double)n[1] * d[1] + (double)n[2] * d[2];
    struct ws_trace_hit hit = {
        .t = ray->tfar,
        .t_exit = ray->tfar,
        .instance = found->instID[0],
        .geometry = found->geomID,
        .primitive = found->primID,
        .barycentrics = {found->u, found->v},
        .facing = lengths > 0 ? (float)(dot / lengths) : 0,
    };
    const enum ws_trace_answer answer = ask(flight, &hit);
    if (answer == WS_TRACE_IGNORE)
        arguments->valid[0] = 0;
    else if (answer == WS_TRACE_STOP)
        ray->tfar = ray->tnear;
}

/* Three vertices for each triangle: those that cannot be had are not numbers, which Embree leaves out. */
static bool fill_triangles(struct ws_scene_trace *trace, struct content *content, uint32_t build,
                           uint32_t geometry, uint32_t count, RTCGeometry made)
{
    float(*vertices)[3] = rtcSetNewGeometryBuffer(made, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                  sizeof(float[3]), 3 * (size_t)count);
    uint32_t *indices =
        rtcSetNewGeometryBuffer(made, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof(uint32_t[3]), count);
    if (vertices == NULL || indices == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        float(*corners)[3] = vertices + 3 * (size_t)i;
        const bool good = ws_scene_triangle(trace->scene, build, geometry, i, corners) &&
                          is_at_most(LARGEST, corners[0], 9);
        content->left_out += !good;
        for (uint32_t j = 0; j < 3; ++j) {
            indices[3 * (size_t)i + j] = 3 * i + j;
            for (uint32_t k = 0; k < 3 && !good; ++k)
                corners[j][k] = NAN;
        }
    }
    rtcSetGeometryIntersectFilterFunction(made, filter);
    return true;
}

static bool box_of(const struct boxes *boxes, uint32_t primitive, float box[6])
{
    return ws_scene_aabb(boxes->scene, boxes->build, boxes->geometry, primitive, box) &&
           is_at_most(LARGEST, box, 6) && box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5];
}

/* A little larger than the box, so that none is missed that a ray just touches. */
static void bound_box(const struct RTCBoundsFunctionArguments *arguments)
{
    const struct boxes *boxes = arguments->geometryUserPtr;
    struct RTCBounds *bounds = arguments->bounds_o;
    float box[6];
    if (!box_of(boxes, arguments->primID, box))
        for (int i = 0; i < 6; ++i)
            box[i] = NAN;
    for (int i = 0; i < 3; ++i) {
        const float room = GROWTH * fmaxf(fabsf(box[i]), fabsf(box[3 + i]));
        box[i] -= room;
        box[3 + i] += room;
    }
    *bounds = (struct RTCBounds){.lower_x = box[0],
                                 .lower_y = box[1],
                                 .lower_z = box[2],
                                 .upper_x = box[3],
                                 .upper_y = box[4],
                                 .upper_z = box[5]};
}

/* The part of a ray between `first` and `last` that is in a box; false = none. */
static bool cut_box(const float origin[3], const float direction[3], const float box[6], double *first,
                    double *last)
{
    for (int i = 0; i < 3; ++i) {
        const double low = (double)box[i] - origin[i];
        const double high = (double)box[3 + i] - origin[i];
        if (direction[i] == 0) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        const double a = low / direction[i];
        const double b = high / direction[i];
        *first = fmax(*first, fmin(a, b));
        *last = fmin(*last, fmax(a, b));
    }
    return *first <= *last;
}

static void pass_box(const struct RTCIntersectFunctionNArguments *arguments)
{
    struct flight *flight = (struct flight *)arguments->context;
    const struct boxes *boxes = arguments->geometryUserPtr;
    struct RTCRay *ray = &((struct RTCRayHit *)arguments->rayhit)->ray;
    double first = (double)ray->tnear;
    double last = (double)ray->tfar;
    const float origin[3] = {ray->org_x, ray->org_y, ray->org_z};
    const float direction[3] = {ray->dir_x, ray->dir_y, ray->dir_z};
    float box[6];
    if (arguments->valid[0] == 0 || !box_of(boxes, arguments->primID, box) ||
        !cut_box(origin, direction, box, &first, &last))
        return;
    struct ws_trace_hit hit = {
        .t = (float)first,
        .t_exit = (float)last,
        .instance = flight->context.instID[0],
        .geometry = arguments->geomID,
        .primitive = arguments->primID,
        .box = true,
    };
    if (ask(flight, &hit) == WS_TRACE_STOP)
        ray->tfar = ray->tnear;
}

static bool fill_boxes(struct ws_scene_trace *trace, struct content *content, uint32_t build,
                       uint32_t geometry, uint32_t count, RTCGeometry made)
{
    struct boxes **all =
        ws_array_grow(trace->boxes, &trace->box_capacity, trace->box_count + 1, sizeof(*all));
    struct boxes *boxes = malloc(sizeof(*boxes));
    if (all != NULL)
        trace->boxes = all;
    if (all == NULL || boxes == NULL) {
        free(boxes);
        return false;
    }
    all[trace->box_count++] = boxes;
    *boxes = (struct boxes){trace->scene, build, geometry};
    for (uint32_t i = 0; i < count; ++i) {
        float box[6];
        content->left_out += !box_of(boxes, i, box);
    }
    rtcSetGeometryUserPrimitiveCount(made, count);
    rtcSetGeometryUserData(made, boxes);
    rtcSetGeometryBoundsFunction(made, bound_box, NULL);
    rtcSetGeometryIntersectFunction(made, pass_box);
    return true;
}

static bool add_geometry(struct ws_scene_trace *trace, struct content *content, uint32_t build,
                         uint32_t geometry)
{
    const struct ws_scene_view *view = &trace->scene->state->build_states[build].views[geometry];
    const struct ws_build_geometry *info = &trace->scene->builds[build].geometries[geometry].info;
    const uint32_t count = view->drawable ? view->primitives : 0;
    const bool boxes = info->type == WS_GEOMETRY_AABBS;
    content->left_out += info->primitive_count > count ? info->primitive_count - count : 0;
    if (count == 0 || (!boxes && info->type != WS_GEOMETRY_TRIANGLES))
        return true;
    if (!ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count))
        return false;
    RTCGeometry made =
        rtcNewGeometry(trace->device, boxes ? RTC_GEOMETRY_TYPE_USER : RTC_GEOMETRY_TYPE_TRIANGLE);
    if (made == NULL)
        return false;
    const bool filled = boxes ? fill_boxes(trace, content, build, geometry, count, made)
                              : fill_triangles(trace, content, build, geometry, count, made);
    if (filled) {
        rtcCommitGeometry(made);
        rtcAttachGeometryByID(content->scene, made, geometry);
    }
    rtcReleaseGeometry(made);
    return filled;
}

/* An empty scene that is watertight along shared edges. */
static RTCScene new_scene(struct ws_scene_trace *trace)
{
    RTCScene scene = rtcNewScene(trace->device);
    if (scene != NULL) {
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_COMPACT);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
    }
    return scene;
}

/* The content of a bottom-level build, made where it is not there yet. NULL = no memory. */
static const struct content *content_of(struct ws_scene_trace *trace, uint32_t build)
{
    struct content *content = &trace->contents[trace->scene->builds[build].content];
    if (content->scene != NULL)
        return content;
    content->scene = new_scene(trace);
    if (content->scene == NULL)
        return NULL;
    for (uint32_t i = 0; i < trace->scene->builds[build].geometry_count; ++i)
        if (!add_geometry(trace, content, build, i))
            return NULL;
    rtcCommitScene(content->scene);
    return content;
}

/* Whether Embree can invert a transform, rows of 4, without an overflow. */
static bool is_moderate(const float transform[12])
{
    for (uint32_t row = 0; row < 3; ++row)
        if (!is_at_most(LARGEST_LINEAR, &transform[4 * (size_t)row], 3) ||
            !is_at_most(LARGEST / 4, &transform[4 * (size_t)row + 3], 1))
            return false;
    return true;
}

/* The ray in object space is a sum of three products and a translation, which must stay below LARGEST. */
static void limit_rays(struct top *top, const float inverse[12])
{
    for (uint32_t i = 0; i < 12; ++i)
        if (i % 4 != 3 && fabsf(inverse[i]) > 1)
            top->largest_ray = fminf(top->largest_ray, LARGEST / 4 / fabsf(inverse[i]));
}

static bool add_instance(struct ws_scene_trace *trace, struct top *top, bool *counted, uint32_t index)
{
    const struct ws_scene *scene = trace->scene;
    const struct ws_scene_instance *instance = &top->instances[index];
    float inverse[12];
    if (instance->build == WS_NONE || scene->builds[instance->build].top ||
        !is_moderate(instance->transform) || !ws_transform_invert(instance->transform, inverse) ||
        !is_moderate(inverse)) {
        top->left_out.instances++;
        return true;
    }
    const struct content *content = content_of(trace, instance->build);
    RTCGeometry made = content != NULL ? rtcNewGeometry(trace->device, RTC_GEOMETRY_TYPE_INSTANCE) : NULL;
    if (made == NULL)
        return false;
    const uint32_t number = scene->builds[instance->build].content;
    top->left_out.primitives += counted[number] ? 0 : content->left_out;
    counted[number] = true;
    limit_rays(top, inverse);
    rtcSetGeometryInstancedScene(made, content->scene);
    rtcSetGeometryTransform(made, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, instance->transform);
    rtcCommitGeometry(made);
    rtcAttachGeometryByID(top->scene, made, index);
    rtcReleaseGeometry(made);
    return true;
}

static bool fill_top(struct ws_scene_trace *trace, struct top *top, uint32_t build)
{
    const struct ws_scene *scene = trace->scene;
    const uint32_t count =
        build < scene->build_count && scene->builds[build].top ? ws_scene_instance_count(scene, build) : 0;
    bool *counted = calloc((size_t)scene->content_count + 1, sizeof(*counted));
    *top = (struct top){.build = build,
                        .scene = new_scene(trace),
                        .instances = calloc((size_t)count + 1, sizeof(*top->instances)),
                        .instance_count = count,
                        .largest_ray = LARGEST / 4};
    bool filled = counted != NULL && top->scene != NULL && top->instances != NULL &&
                  ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count);
    for (uint32_t i = 0; i < count && filled; ++i) {
        if (!ws_scene_instance(scene, build, i, &top->instances[i]))
            top->instances[i].build = WS_NONE;
        filled = add_instance(trace, top, counted, i);
    }
    free(counted);
    if (filled)
        rtcCommitScene(top->scene);
    const enum RTCError failure = rtcGetDeviceError(trace->device);
    if (filled && failure != RTC_ERROR_NONE && failure != RTC_ERROR_OUT_OF_MEMORY) {
        rtcReleaseScene(top->scene); /* Embree does not take it: all is left out */
        top->scene = NULL;
        top->left_out.instances = count;
    }
    return filled && failure != RTC_ERROR_OUT_OF_MEMORY;
}

bool ws_scene_trace_use(struct ws_scene_trace *trace, uint32_t top_build)
{
    for (uint32_t i = 0; i < TOPS; ++i)
        if (trace->tops[i].build == top_build && top_build != WS_NONE) {
            trace->top = &trace->tops[i];
            return true;
        }
    struct top *top = &trace->tops[trace->next];
    trace->next = (trace->next + 1) % TOPS;
    trace->top = top;
    finish_top(top);
    if (fill_top(trace, top, top_build))
        return true;
    finish_top(top);
    return false;
}

struct ws_trace_left_out ws_scene_trace_left_out(const struct ws_scene_trace *trace)
{
    return trace->top != NULL ? trace->top->left_out : (struct ws_trace_left_out){0};
}

static bool is_sound(const struct top *top, const struct ws_ray *ray)
{
    return is_at_most(top->largest_ray, ray->origin, 3) && is_at_most(top->largest_ray, ray->direction, 3) &&
           isfinite(ray->tmin) && ray->tmin <= ray->tmax &&
           (ray->direction[0] != 0 || ray->direction[1] != 0 || ray->direction[2] != 0);
}

void ws_scene_trace_visit(struct ws_scene_trace *trace, const struct ws_ray *ray,
                          enum ws_trace_answer (*visit)(void *user, const struct ws_trace_hit *hit),
                          void *user)
{
    struct flight flight = {.trace = trace, .ray = ray, .visit = visit, .user = user};
    if (trace->top == NULL || trace->top->scene == NULL || !is_sound(trace->top, ray))
        return;
    rtcInitIntersectContext(&flight.context);
    struct RTCRayHit rayhit = {
        .ray = {.org_x = ray->origin[0],
                .org_y = ray->origin[1],
                .org_z = ray->origin[2],
                .tnear = fmaxf(ray->tmin, 0),
                .dir_x = ray->direction[0],
                .dir_y = ray->direction[1],
                .dir_z = ray->direction[2],
                .tfar = ray->tmax,
                .mask = UINT32_MAX},
        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}},
    };
    rtcIntersect1(trace->top->scene, &flight.context, &rayhit);
}

/* What closest and is_occluded look for. */
struct search {
    struct ws_trace_hit hit;
    bool found;
    enum ws_trace_answer answer; /* to a triangle */
};

static enum ws_trace_answer keep(void *user, const struct ws_trace_hit *hit)
{
    struct search *search = user;
    if (hit->box)
        return WS_TRACE_IGNORE;
    search->hit = *hit;
    search->found = true;
    return search->answer;
}

bool ws_scene_trace_closest(struct ws_scene_trace *trace, const struct ws_ray *ray, struct ws_trace_hit *hit)
{
    struct search search = {.answer = WS_TRACE_ACCEPT};
    ws_scene_trace_visit(trace, ray, keep, &search);
    *hit = search.hit;
    return search.found;
}

bool ws_scene_trace_is_occluded(struct ws_scene_trace *trace, const struct ws_ray *ray)
{
    struct search search = {.answer = WS_TRACE_STOP};
    ws_scene_trace_visit(trace, ray, keep, &search);
    return search.found;
}
