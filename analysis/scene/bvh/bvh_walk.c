#include "analysis/scene/bvh/bvh_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_sight.h"
#include "warpscope/capture/budget.h"

/* A way down has one entry a node on it, in each of the two levels. */
#define STACK (2 * WS_BVH_DEPTH + 2)

struct entry {
    uint32_t first; /* as in struct ws_bvh_child */
    uint32_t count;
    double t; /* where the ray enters its box */
};

/* A ray in the world, or in object space. */
struct line {
    double origin[3];
    double direction[3];
    double inverse[3]; /* 1 / direction; infinite where that is 0 */
};

struct state {
    struct ws_bvh_lane *lane;
    bool over;
    struct line world;
    struct line line; /* where it is now */
    double tmin;
    double tmax;                            /* what it has hit, else its own */
    const struct ws_bvh_instance *instance; /* that it is in; NULL = in the top level */
    uint32_t first;                         /* where it is: as in struct ws_bvh_child */
    uint32_t count;
    uint32_t height; /* of the stack */
    uint32_t floor;  /* height where it entered the instance */
    struct entry stack[STACK];
};

struct ws_bvh_walk {
    const struct ws_bvh_scene *bvh;
    bool (*request)(void *user, const struct ws_bvh_request *request);
    void *user;
    struct state states[WS_BVH_LANES];
    struct ws_bvh_element elements[WS_BVH_LANES];
    uint32_t count; /* of states that are in use */
};

struct ws_bvh_walk *ws_bvh_walk_create(const struct ws_bvh_scene *bvh,
                                       bool (*request)(void *user, const struct ws_bvh_request *request),
                                       void *user)
{
    struct ws_bvh_walk *walk = calloc(1, sizeof(*walk));
    if (walk == NULL)
        return NULL;
    walk->bvh = bvh;
    walk->request = request;
    walk->user = user;
    return walk;
}

void ws_bvh_walk_destroy(struct ws_bvh_walk *walk)
{
    free(walk);
}

const char *ws_bvh_part_name(uint32_t part)
{
    static const char *const names[] = {"top nodes", "instances", "bottom nodes", "triangles", "boxes"};
    return part < WS_BVH_PARTS ? names[part] : "unknown";
}

/* ---- where a ray goes next ---- */

static void set_inverse(struct line *line)
{
    for (int i = 0; i < 3; ++i)
        line->inverse[i] = line->direction[i] != 0 ? 1 / line->direction[i] : INFINITY;
}

/* The ray in the space of an instance. */
static void enter_space(struct line *to, const struct line *from, const float inverse[12])
{
    for (int i = 0; i < 3; ++i) {
        const float *row = inverse + 4 * i;
        to->origin[i] = (double)row[3];
        to->direction[i] = 0;
        for (int j = 0; j < 3; ++j) {
            to->origin[i] += (double)row[j] * from->origin[j];
            to->direction[i] += (double)row[j] * from->direction[j];
        }
    }
    set_inverse(to);
}

/* Goes on with what lies on the stack, and is not behind what the ray has hit. */
static void pop(struct state *state)
{
    for (;;) {
        if (state->instance != NULL && state->height == state->floor) {
            state->instance = NULL;
            state->line = state->world;
        }
        if (state->height == 0) {
            state->over = true;
            return;
        }
        const struct entry *entry = &state->stack[--state->height];
        if (entry->t > state->tmax)
            continue;
        state->first = entry->first;
        state->count = entry->count;
        return;
    }
}

static void push(struct state *state, const struct ws_bvh_child *child, double t)
{
    state->stack[state->height++] = (struct entry){child->first, child->count, t};
}

/* Whether the ray meets the box; `*t` is where it enters. */
static bool meets(const struct state *state, const float bounds[6], double *t)
{
    double first = state->tmin;
    double last = state->tmax;
    for (int i = 0; i < 3; ++i) {
        const double low = (double)bounds[i] - state->line.origin[i];
        const double high = (double)bounds[3 + i] - state->line.origin[i];
        if (state->line.direction[i] == 0) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        const double a = low * state->line.inverse[i];
        const double b = high * state->line.inverse[i];
        first = fmax(first, fmin(a, b));
        const double far = fmax(a, b);
        last = fmin(last, far + 1e-12 * fabs(far)); /* roundings lose no box of no thickness */
    }
    *t = first;
    return first <= last;
}

static void step_node(struct state *state, const struct ws_bvh_node *node)
{
    double t[2];
    const bool met[2] = {meets(state, node->children[0].bounds, &t[0]),
                         meets(state, node->children[1].bounds, &t[1])};
    if (!met[0] && !met[1]) {
        pop(state);
        return;
    }
    const uint32_t near = met[0] && (!met[1] || t[0] <= t[1]) ? 0 : 1;
    if (met[0] && met[1])
        push(state, &node->children[1 - near], t[1 - near]);
    state->first = node->children[near].first;
    state->count = node->children[near].count;
}

static void step_instance(struct state *state)
{
    const struct ws_bvh_instance *instance = &state->lane->top->instances[state->first];
    const struct ws_bvh_bottom *bottom = instance->bottom;
    const uint32_t flags = state->lane->ray->flags;
    const uint64_t seen = ((flags & WS_RAY_FLAG_SKIP_TRIANGLES) == 0 ? bottom->triangles : 0) +
                          ((flags & WS_RAY_FLAG_SKIP_AABBS) == 0 ? bottom->boxes : 0);
    if ((instance->instance.mask & state->lane->ray->cull_mask & 0xff) == 0 || seen == 0) {
        pop(state);
        return;
    }
    state->instance = instance;
    state->floor = state->height;
    enter_space(&state->line, &state->world, instance->inverse);
    state->first = bottom->tree.root.first;
    state->count = bottom->tree.root.count;
}

/* ---- what a ray meets ---- */

/* Whether it is nearer than what the ray has hit, or not behind its end. */
static bool is_nearer(const struct state *state, double t)
{
    return state->lane->found ? t < state->tmax : t <= state->tmax;
}

static bool is_of(const struct ws_ray_candidate *candidate, const struct ws_trace_hit *hit)
{
    return candidate->hit.instance == hit->instance && candidate->hit.geometry == hit->geometry &&
           candidate->hit.primitive == hit->primitive;
}

/* Whether the shaders let the triangle be hit, and whether that ended the ray. */
static bool accepts_triangle(const struct state *state, const struct ws_trace_hit *hit, bool *ends)
{
    const struct ws_ray *ray = state->lane->ray;
    const bool is_its_hit = ray->has_hit && ray->hit.instance == hit->instance &&
                            ray->hit.geometry == hit->geometry && ray->hit.primitive == hit->primitive;
    ws_budget_spend(hit->opaque ? 0 : ray->candidate_count);
    for (uint32_t i = 0; i < ray->candidate_count && !hit->opaque; ++i) {
        const struct ws_ray_candidate *candidate = &state->lane->candidates[ray->candidate_first + i];
        if ((candidate->kind != WS_CANDIDATE_ANY_HIT && candidate->kind != WS_CANDIDATE_QUERY) ||
            !is_of(candidate, hit))
            continue;
        if (candidate->result == WS_CANDIDATE_IGNORED)
            return false;
        *ends = *ends || candidate->result == WS_CANDIDATE_TERMINATED;
    }
    return is_its_hit ||
           !ws_scene_may_be_transparent(state->lane->top->scene, &state->instance->instance, ray, hit);
}

/* Whether the capture has an accepted hit in the AABB, nearer than what the ray has: at hit->t. */
static bool accepts_box(const struct state *state, struct ws_trace_hit *hit, bool *ends)
{
    const struct ws_ray *ray = state->lane->ray;
    bool found = false;
    ws_budget_spend(ray->candidate_count);
    for (uint32_t i = 0; i < ray->candidate_count; ++i) {
        const struct ws_ray_candidate *candidate = &state->lane->candidates[ray->candidate_first + i];
        if ((candidate->kind != WS_CANDIDATE_REPORT && candidate->kind != WS_CANDIDATE_QUERY) ||
            (candidate->result != WS_CANDIDATE_ACCEPTED && candidate->result != WS_CANDIDATE_TERMINATED) ||
            !is_of(candidate, hit) || !is_nearer(state, (double)candidate->hit.t) ||
            (found && candidate->hit.t >= hit->t))
            continue;
        found = true;
        hit->t = candidate->hit.t;
        *ends = candidate->result == WS_CANDIDATE_TERMINATED;
    }
    return found;
}

/* Six times the volume between the origin, the direction and an edge: its sign says on which side of the edge the ray is.
 * Exchanged corners give exactly its opposite, so that no ray passes between two triangles that share an edge. */
static double side_of(const double d[3], const double a[3], const double b[3])
{
    return d[0] * (a[1] * b[2] - a[2] * b[1]) + d[1] * (a[2] * b[0] - a[0] * b[2]) +
           d[2] * (a[0] * b[1] - a[1] * b[0]);
}

/* Whether the ray goes through the triangle between tmin and what it has hit: at hit->t. */
static bool meets_triangle(const struct state *state, const float corners[9], struct ws_trace_hit *hit)
{
    const double *d = state->line.direction;
    double v[3][3], normal[3], edges[2][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            v[i][j] = (double)corners[3 * i + j] - state->line.origin[j];
    const double u[3] = {side_of(d, v[1], v[2]), side_of(d, v[2], v[0]), side_of(d, v[0], v[1])};
    if ((u[0] < 0 || u[1] < 0 || u[2] < 0) && (u[0] > 0 || u[1] > 0 || u[2] > 0))
        return false;
    for (int j = 0; j < 3; ++j) {
        edges[0][j] = v[1][j] - v[0][j];
        edges[1][j] = v[2][j] - v[0][j];
    }
    for (int j = 0; j < 3; ++j)
        normal[j] =
            edges[0][(j + 1) % 3] * edges[1][(j + 2) % 3] - edges[0][(j + 2) % 3] * edges[1][(j + 1) % 3];
    const double along = normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2];
    const double sum = u[0] + u[1] + u[2];
    if (along == 0 || sum == 0)
        return false;
    const double t = (normal[0] * v[0][0] + normal[1] * v[0][1] + normal[2] * v[0][2]) / along;
    const double lengths = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) *
                           sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    hit->t = (float)t;
    hit->t_exit = hit->t;
    hit->barycentrics[0] = (float)(u[1] / sum);
    hit->barycentrics[1] = (float)(u[2] / sum);
    hit->facing = (float)(along / lengths);
    return t >= state->tmin && is_nearer(state, t);
}

static void commit(struct state *state, const struct ws_trace_hit *hit, double t, bool ends)
{
    state->lane->found = true;
    state->lane->hit = *hit;
    state->tmax = t;
    state->over = ends || (state->lane->ray->flags & WS_RAY_FLAG_TERMINATE_FIRST) != 0;
}

static void step_primitive(struct state *state, const struct ws_bvh_primitive *primitive)
{
    struct ws_trace_hit hit = {.instance = state->instance->index,
                               .geometry = primitive->geometry,
                               .primitive = primitive->primitive,
                               .box = primitive->box};
    bool ends = false;
    const bool met = primitive->box || meets_triangle(state, primitive->corners, &hit);
    if (met && ws_scene_sees(state->lane->top->scene, &state->instance->instance, state->lane->ray, &hit) &&
        (primitive->box ? accepts_box(state, &hit, &ends) : accepts_triangle(state, &hit, &ends)))
        commit(state, &hit, (double)hit.t, ends);
    state->first++;
    state->count--;
    if (state->count == 0 && !state->over)
        pop(state);
}

/* ---- the warp ---- */

static enum ws_bvh_part part_of(const struct state *state)
{
    if (state->instance == NULL)
        return state->count > 0 ? WS_BVH_INSTANCE : WS_BVH_TOP_NODE;
    if (state->count == 0)
        return WS_BVH_BOTTOM_NODE;
    return state->instance->bottom->primitives[state->first].box ? WS_BVH_BOX : WS_BVH_TRIANGLE;
}

/* What a ray reads where it is. */
static struct ws_bvh_element element_of(const struct ws_bvh_settings *settings, const struct state *state,
                                        enum ws_bvh_part part)
{
    const struct ws_bvh_top *top = state->lane->top;
    const struct ws_bvh_bottom *bottom = state->instance != NULL ? state->instance->bottom : NULL;
    struct ws_bvh_element element = {.lanes = 1, .index = state->first, .top = top, .bottom = bottom};
    uint64_t base = 0;
    uint32_t stride = settings->node_bytes;
    element.bytes = stride;
    switch (part) {
    case WS_BVH_TOP_NODE:
        base = top->nodes_at;
        element.depth = top->tree.depths[state->first];
        break;
    case WS_BVH_INSTANCE:
        base = top->instances_at;
        element.bytes = stride = settings->instance_bytes;
        break;
    case WS_BVH_BOTTOM_NODE:
        base = bottom->nodes_at;
        element.depth = bottom->tree.depths[state->first];
        break;
    default:
        base = bottom->primitives_at;
        stride = bottom->primitive_bytes;
        element.bytes = part == WS_BVH_BOX ? settings->box_bytes : settings->triangle_bytes;
    }
    element.address = base + (uint64_t)stride * state->first;
    return element;
}

/* Adds what a lane reads to the elements of the request. */
static void ask(struct ws_bvh_walk *walk, struct ws_bvh_request *request,
                const struct ws_bvh_element *element)
{
    uint32_t i = 0;
    while (i < request->element_count && walk->elements[i].address != element->address)
        i++;
    request->lanes++;
    if (i < request->element_count) {
        walk->elements[i].lanes++;
        return;
    }
    walk->elements[request->element_count++] = *element;
}

static void step(struct state *state, enum ws_bvh_part part)
{
    switch (part) {
    case WS_BVH_TOP_NODE: step_node(state, &state->lane->top->tree.nodes[state->first]); break;
    case WS_BVH_INSTANCE: step_instance(state); break;
    case WS_BVH_BOTTOM_NODE: step_node(state, &state->instance->bottom->tree.nodes[state->first]); break;
    default: step_primitive(state, &state->instance->bottom->primitives[state->first]);
    }
}

/* A step of all rays that are at such a place. `*any`: there was one. */
static bool step_all(struct ws_bvh_walk *walk, enum ws_bvh_part part, bool *any)
{
    struct ws_bvh_request request = {.part = part, .elements = walk->elements};
    bool active[WS_BVH_LANES];
    for (uint32_t i = 0; i < walk->count; ++i) {
        const struct state *state = &walk->states[i];
        active[i] = !state->over && part_of(state) == part;
        if (!active[i])
            continue;
        const struct ws_bvh_element element = element_of(&walk->bvh->settings, state, part);
        ask(walk, &request, &element);
        state->lane->visits[part]++;
    }
    *any = request.lanes > 0;
    if (!*any)
        return true;
    if (!ws_budget_spend((uint64_t)WS_STEPS_PRIMITIVE * request.lanes) ||
        !walk->request(walk->user, &request))
        return false;
    for (uint32_t i = 0; i < walk->count; ++i)
        if (active[i])
            step(&walk->states[i], part);
    return true;
}

static bool run_phase(struct ws_bvh_walk *walk, enum ws_bvh_part part)
{
    bool any = true;
    while (any)
        if (!step_all(walk, part, &any))
            return false;
    return true;
}

static bool run_primitives(struct ws_bvh_walk *walk)
{
    bool triangles = true;
    bool boxes = true;
    while (triangles || boxes)
        if (!step_all(walk, WS_BVH_TRIANGLE, &triangles) || !step_all(walk, WS_BVH_BOX, &boxes))
            return false;
    return true;
}

static void begin(struct state *state, struct ws_bvh_lane *lane)
{
    const struct ws_ray *ray = lane->ray;
    state->lane = lane;
    state->over = lane->top->tree.item_count == 0;
    for (int i = 0; i < 3; ++i) {
        state->world.origin[i] = (double)ray->origin[i];
        state->world.direction[i] = (double)ray->direction[i];
    }
    set_inverse(&state->world);
    state->line = state->world;
    state->tmin = (double)ray->tmin;
    state->tmax = (double)ray->tmax;
    state->instance = NULL;
    state->first = lane->top->tree.root.first;
    state->count = lane->top->tree.root.count;
    state->height = 0;
    state->floor = 0;
    lane->found = false;
    memset(lane->visits, 0, sizeof(lane->visits));
}

static bool is_over(const struct ws_bvh_walk *walk)
{
    for (uint32_t i = 0; i < walk->count; ++i)
        if (!walk->states[i].over)
            return false;
    return true;
}

bool ws_bvh_walk_run(struct ws_bvh_walk *walk, struct ws_bvh_lane *lanes, uint32_t count)
{
    walk->count = count < WS_BVH_LANES ? count : WS_BVH_LANES;
    for (uint32_t i = 0; i < walk->count; ++i)
        begin(&walk->states[i], &lanes[i]);
    while (!is_over(walk))
        if (!run_phase(walk, WS_BVH_TOP_NODE) || !run_phase(walk, WS_BVH_INSTANCE) ||
            !run_phase(walk, WS_BVH_BOTTOM_NODE) || !run_primitives(walk))
            return false;
    return true;
}
