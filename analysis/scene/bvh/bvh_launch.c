#include "analysis/scene/bvh/bvh_launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/retrace.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"

#define LEAST_COSINE 1e-3 /* rays along a plane: t means little there */

struct ws_bvh_flown {
    struct ws_ray ray; /* its candidates are the launch's */
    uint32_t build;
    uint64_t group;
};

void ws_bvh_launch_init(struct ws_bvh_launch *launch, struct ws_bvh_scene *bvh,
                        const struct ws_cache_shape *shape)
{
    *launch = (struct ws_bvh_launch){.bvh = bvh, .shape = shape};
}

void ws_bvh_launch_finish(struct ws_bvh_launch *launch)
{
    for (uint32_t i = 0; i < launch->site_count; ++i) {
        free(launch->sites[i]->depths[0]);
        free(launch->sites[i]->depths[1]);
        free(launch->sites[i]);
    }
    free(launch->sites);
    free(launch->flown);
    free(launch->candidates);
    free(launch->rows);
    ws_id_map_finish(&launch->row_ids);
    ws_id_map_finish(&launch->site_ids);
    ws_id_map_finish(&launch->groups);
    ws_hierarchy_destroy(launch->hierarchy);
    *launch = (struct ws_bvh_launch){0};
}

/* Whether the walk asks for it: what was ignored, ended the ray, or was hit in an AABB. */
static bool matters(const struct ws_ray_candidate *candidate)
{
    if (candidate->kind == WS_CANDIDATE_INTERSECTION || candidate->result == WS_CANDIDATE_OPEN)
        return false;
    return candidate->kind != WS_CANDIDATE_ANY_HIT || candidate->result != WS_CANDIDATE_ACCEPTED;
}

bool ws_bvh_launch_add(struct ws_bvh_launch *launch, const struct ws_ray *ray,
                       const struct ws_ray_candidate *candidates, uint32_t build, uint64_t group)
{
    if (launch->flown_count == UINT32_MAX || launch->candidate_count > UINT32_MAX - ray->candidate_count)
        return false;
    struct ws_bvh_flown *flown =
        ws_array_grow(launch->flown, &launch->flown_capacity, launch->flown_count + 1, sizeof(*flown));
    if (flown == NULL)
        return false;
    launch->flown = flown;
    struct ws_ray_candidate *list =
        ws_array_grow(launch->candidates, &launch->candidate_capacity,
                      launch->candidate_count + ray->candidate_count, sizeof(*list));
    if (list == NULL)
        return false;
    launch->candidates = list;
    struct ws_bvh_flown *added = &flown[launch->flown_count++];
    *added = (struct ws_bvh_flown){.ray = *ray, .build = build, .group = group};
    added->ray.candidate_first = launch->candidate_count;
    for (uint32_t i = 0; i < ray->candidate_count; ++i)
        if (matters(&candidates[ray->candidate_first + i]))
            list[launch->candidate_count++] = candidates[ray->candidate_first + i];
    added->ray.candidate_count = launch->candidate_count - added->ray.candidate_first;
    return true;
}

/* ---- what is counted ---- */

static struct ws_bvh_site *site_of(struct ws_bvh_launch *launch, const struct ws_ray *ray)
{
    const uint64_t key = (uint64_t)ray->shader << 32 | ray->site;
    uint32_t index = 0;
    if (ws_id_map_get(&launch->site_ids, key, &index))
        return launch->sites[index];
    struct ws_bvh_site **sites = ws_array_grow(launch->sites, &launch->site_capacity, launch->site_count + 1,
                                               sizeof(struct ws_bvh_site *));
    if (sites == NULL)
        return NULL;
    launch->sites = sites;
    struct ws_bvh_site *site = calloc(1, sizeof(*site));
    if (site == NULL)
        return NULL;
    site->shader = ray->shader;
    site->site = ray->site;
    sites[launch->site_count++] = site;
    return ws_id_map_put(&launch->site_ids, key, launch->site_count - 1) ? site : NULL;
}

void ws_bvh_sums_add(struct ws_bvh_sums *to, const struct ws_bvh_sums *from)
{
    for (uint32_t i = 0; i < WS_BVH_PARTS; ++i)
        to->parts[i] += from->parts[i];
    to->nodes += from->nodes;
    to->visits += from->visits;
    to->requests += from->requests;
    to->slots += from->slots;
    to->elements += from->elements;
    to->bytes += from->bytes;
    to->l1_sectors += from->l1_sectors;
    to->l1_hits += from->l1_hits;
    to->l2_sectors += from->l2_sectors;
    to->l2_hits += from->l2_hits;
    to->memory_bytes += from->memory_bytes;
}

/* What fetching an element comes to. */
static struct ws_bvh_sums fetch(struct ws_bvh_launch *launch, enum ws_bvh_part part,
                                const struct ws_bvh_element *element)
{
    struct ws_hierarchy_counts counts = {0};
    const struct ws_hierarchy_request request = {.multiprocessor = launch->multiprocessor,
                                                 .kind = WS_CACHE_LOAD,
                                                 .addresses = &element->address,
                                                 .lanes = 1,
                                                 .size = element->bytes};
    ws_hierarchy_run(launch->hierarchy, &request, &counts);
    struct ws_bvh_sums sums = {
        .nodes = part == WS_BVH_TOP_NODE || part == WS_BVH_BOTTOM_NODE ? element->lanes : 0,
        .visits = element->lanes,
        .elements = 1,
        .bytes = element->bytes,
        .l1_sectors = counts.l1_hits + counts.l1_misses,
        .l1_hits = counts.l1_hits,
        .l2_sectors = counts.l2_hits[WS_CACHE_LOAD] + counts.l2_misses[WS_CACHE_LOAD],
        .l2_hits = counts.l2_hits[WS_CACHE_LOAD],
        .memory_bytes = counts.memory_bytes,
    };
    sums.parts[part] = element->lanes;
    return sums;
}

/* The box of a node is around those of its children. */
static void bound_node(const struct ws_bvh_node *node, float bounds[6])
{
    for (int i = 0; i < 3; ++i) {
        bounds[i] = fminf(node->children[0].bounds[i], node->children[1].bounds[i]);
        bounds[3 + i] = fmaxf(node->children[0].bounds[3 + i], node->children[1].bounds[3 + i]);
    }
}

/* Says what an element is. */
static void describe(struct ws_bvh_row *row, const struct ws_bvh_element *element)
{
    row->number = element->index;
    row->depth = element->depth;
    if (row->part == WS_BVH_TOP_NODE) {
        bound_node(&element->top->tree.nodes[element->index], row->bounds);
    } else if (row->part == WS_BVH_INSTANCE) {
        row->number = element->top->instances[element->index].index;
        memcpy(row->bounds, element->top->instances[element->index].bounds, sizeof(row->bounds));
    } else if (row->part == WS_BVH_BOTTOM_NODE) {
        bound_node(&element->bottom->tree.nodes[element->index], row->bounds);
    } else {
        const struct ws_bvh_primitive *primitive = &element->bottom->primitives[element->index];
        row->geometry = primitive->geometry;
        row->number = primitive->primitive;
        ws_bounds_init(row->bounds);
        for (int i = 0; i < (primitive->box ? 2 : 3); ++i)
            ws_bounds_add_point(row->bounds, &primitive->corners[3 * i]);
    }
}

/* Adds what an element came to in a request. */
static bool add_row(struct ws_bvh_launch *launch, enum ws_bvh_part part, const struct ws_bvh_element *element,
                    const struct ws_bvh_sums *sums)
{
    const uint32_t build = element->bottom != NULL ? element->bottom->build : element->top->build;
    const uint64_t key = ws_bvh_row_key(part, build, element->index);
    uint32_t index = 0;
    if (!ws_id_map_get(&launch->row_ids, key, &index)) {
        struct ws_bvh_row *rows =
            ws_array_grow(launch->rows, &launch->row_capacity, launch->row_count + 1, sizeof(*rows));
        if (rows == NULL)
            return false;
        launch->rows = rows;
        index = launch->row_count;
        if (!ws_id_map_put(&launch->row_ids, key, index))
            return false;
        launch->row_count++;
        rows[index] = (struct ws_bvh_row){.part = part, .build = build, .index = element->index};
        describe(&rows[index], element);
    }
    ws_bvh_sums_add(&launch->rows[index].sums, sums);
    launch->rows[index].sums.requests++;
    launch->rows[index].sums.slots += launch->slots;
    return true;
}

/* The sums of nodes of that depth. NULL = no memory. */
static struct ws_bvh_sums *depth_of(struct ws_bvh_site *site, uint32_t level, uint32_t depth)
{
    struct ws_bvh_sums *list =
        ws_array_grow(site->depths[level], &site->depth_capacities[level], depth + 1, sizeof(*list));
    if (list == NULL)
        return NULL;
    site->depths[level] = list;
    for (; site->depth_counts[level] <= depth; site->depth_counts[level]++)
        list[site->depth_counts[level]] = (struct ws_bvh_sums){.rays = 0};
    return &list[depth];
}

static bool take_request(void *user, const struct ws_bvh_request *request)
{
    struct ws_bvh_launch *launch = user;
    struct ws_bvh_sums *part = &launch->site->parts[request->part];
    const bool nodes = request->part == WS_BVH_TOP_NODE || request->part == WS_BVH_BOTTOM_NODE;
    bool touched[WS_BVH_DEPTH + 1] = {false};
    part->requests++;
    part->slots += launch->slots;
    for (uint32_t i = 0; i < request->element_count; ++i) {
        const struct ws_bvh_element *element = &request->elements[i];
        const struct ws_bvh_sums sums = fetch(launch, request->part, element);
        ws_bvh_sums_add(part, &sums);
        if (launch->has_rows && !add_row(launch, request->part, element, &sums))
            return false;
        if (!nodes)
            continue;
        struct ws_bvh_sums *depth =
            depth_of(launch->site, request->part == WS_BVH_BOTTOM_NODE, element->depth);
        if (depth == NULL)
            return false;
        ws_bvh_sums_add(depth, &sums);
        depth->requests += !touched[element->depth];
        depth->slots += touched[element->depth] ? 0 : launch->slots;
        touched[element->depth] = true;
    }
    return true;
}

/* ---- what the capture says ---- */

static bool ends_with_any(const struct ws_bvh_launch *launch, const struct ws_ray *ray)
{
    for (uint32_t i = 0; i < ray->candidate_count; ++i)
        if (launch->candidates[ray->candidate_first + i].result == WS_CANDIDATE_TERMINATED)
            return true;
    return (ray->flags & WS_RAY_FLAG_TERMINATE_FIRST) != 0;
}

/* The tolerance of t at something in an instance; 0 where there is no such instance. */
static double slack_of(const struct ws_bvh_lane *lane, uint32_t index, double t, double cosine)
{
    const struct ws_ray *ray = lane->ray;
    struct ws_scene_instance instance;
    double length = 0;
    if (!ws_scene_instance(lane->top->scene, lane->top->build, index, &instance))
        return 0;
    for (int i = 0; i < 3; ++i)
        length += (double)ray->direction[i] * (double)ray->direction[i];
    return ws_retrace_slack(ray, instance.transform, t) / (sqrt(length) * fmax(cosine, LEAST_COSINE));
}

static double slack_of_found(const struct ws_bvh_lane *lane)
{
    const struct ws_trace_hit *hit = &lane->hit;
    return slack_of(lane, hit->instance, (double)hit->t, hit->box ? 1 : fabs((double)hit->facing));
}

static bool is_at_end(const struct ws_ray *ray, double t, double slack)
{
    return fabs(t - (double)ray->tmin) <= slack || fabs(t - (double)ray->tmax) <= slack;
}

/* What differs: whether rounding decides. */
static enum ws_bvh_check judge(const struct ws_bvh_lane *lane)
{
    const struct ws_ray *ray = lane->ray;
    const bool has_hit = ray->end == WS_RAY_HIT && ray->has_hit;
    const double t = (double)ray->hit.t;
    if (lane->found && is_at_end(ray, (double)lane->hit.t, slack_of_found(lane)))
        return WS_BVH_BORDERLINE;
    return has_hit && is_at_end(ray, t, slack_of(lane, ray->hit.instance, t, 1)) ? WS_BVH_BORDERLINE
                                                                                 : WS_BVH_DIFFERS;
}

static enum ws_bvh_check check_hit(const struct ws_bvh_lane *lane)
{
    const struct ws_ray *ray = lane->ray;
    const struct ws_trace_hit *hit = &lane->hit;
    if (!lane->found || !(fabs((double)hit->t - (double)ray->hit.t) <= slack_of_found(lane)))
        return judge(lane);
    return hit->instance == ray->hit.instance && hit->geometry == ray->hit.geometry &&
                   hit->primitive == ray->hit.primitive
               ? WS_BVH_AGREES
               : WS_BVH_SAME_PLACE;
}

static enum ws_bvh_check check(const struct ws_bvh_launch *launch, const struct ws_bvh_lane *lane)
{
    const struct ws_ray *ray = lane->ray;
    switch (ray->end) {
    case WS_RAY_MISSED: return lane->found ? judge(lane) : WS_BVH_AGREES;
    case WS_RAY_HIT:
        if (!ray->has_hit)
            return WS_BVH_UNKNOWN;
        if (lane->found && ends_with_any(launch, ray))
            return WS_BVH_AGREES;
        return check_hit(lane);
    case WS_RAY_IMPLICIT:
        if (lane->found)
            return WS_BVH_AGREES;
        return lane->top->boxes ? WS_BVH_UNKNOWN : WS_BVH_DIFFERS;
    default: return WS_BVH_UNKNOWN;
    }
}

/* ---- the walk ---- */

/* By call, then by lane. */
static int compare(const void *left, const void *right)
{
    const struct ws_ray *a = &((const struct ws_bvh_flown *)left)->ray;
    const struct ws_ray *b = &((const struct ws_bvh_flown *)right)->ray;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return (a->lane > b->lane) - (a->lane < b->lane);
}

static bool find_multiprocessor(struct ws_bvh_launch *launch, uint64_t group)
{
    if (ws_id_map_get(&launch->groups, group, &launch->multiprocessor))
        return true;
    launch->multiprocessor = launch->begun++ % launch->shape->multiprocessors;
    return ws_id_map_put(&launch->groups, group, launch->multiprocessor);
}

/* Walks with the rays of one call. */
static bool run_call(struct ws_bvh_launch *launch, struct ws_bvh_walk *walk, const struct ws_bvh_flown *flown,
                     uint32_t count)
{
    struct ws_bvh_lane lanes[WS_BVH_LANES];
    launch->site = site_of(launch, &flown[0].ray);
    if (launch->site == NULL || !find_multiprocessor(launch, flown[0].group))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        lanes[i] = (struct ws_bvh_lane){.ray = &flown[i].ray,
                                        .candidates = launch->candidates,
                                        .top = ws_bvh_scene_top(launch->bvh, flown[i].build)};
        if (lanes[i].top == NULL)
            return false;
    }
    if (!ws_bvh_walk_run(walk, lanes, count))
        return false;
    launch->site->rays.calls++;
    launch->site->rays.rays += count;
    for (uint32_t i = 0; i < count; ++i)
        launch->site->rays.checks[check(launch, &lanes[i])]++;
    return true;
}

bool ws_bvh_launch_run(struct ws_bvh_launch *launch, uint32_t lanes)
{
    struct ws_error unsaid;
    struct ws_bvh_walk *walk = ws_bvh_walk_create(launch->bvh, take_request, launch);
    launch->hierarchy = ws_hierarchy_create(launch->shape, &unsaid);
    launch->slots = lanes;
    bool run = walk != NULL && launch->hierarchy != NULL;
    if (launch->flown_count > 0)
        qsort(launch->flown, launch->flown_count, sizeof(*launch->flown), compare);
    for (uint32_t i = 0, next = 0; run && i < launch->flown_count; i = next) {
        const struct ws_ray *first = &launch->flown[i].ray;
        for (next = i + 1; next < launch->flown_count && next - i < WS_BVH_LANES; ++next)
            if (launch->flown[next].ray.call != first->call)
                break;
        run = run_call(launch, walk, &launch->flown[i], next - i);
    }
    ws_bvh_walk_destroy(walk);
    ws_bvh_scene_trim(launch->bvh);
    return run;
}
