#include "analysis/scene/scene_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_state.h"
#include "analysis/scene/scene_transform.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"

#define TOLERANCE 1e-3

/* Past so many hits of a site, one in SPARSE is as good as all. */
#define HITS_DENSE 4096u
#define SPARSE     16u

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] - b[i];
}

static double length(const double a[3])
{
    return sqrt(dot(a, a));
}

/* Distance of a point from the segment a, b. */
static double segment_distance(const double point[3], const double a[3], const double b[3])
{
    double along[3], from[3];
    subtract(b, a, along);
    subtract(point, a, from);
    const double square = dot(along, along);
    double share = square > 0 ? dot(from, along) / square : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    for (int i = 0; i < 3; ++i)
        from[i] -= share * along[i];
    return length(from);
}

/* Distance of a point from a triangle: from its plane where it stands over it, else from its nearest edge. */
static double triangle_distance(const double point[3], const double v[3][3])
{
    double edges[2][3], from[3];
    subtract(v[1], v[0], edges[0]);
    subtract(v[2], v[0], edges[1]);
    subtract(point, v[0], from);
    const double aa = dot(edges[0], edges[0]), ab = dot(edges[0], edges[1]), bb = dot(edges[1], edges[1]);
    const double pa = dot(from, edges[0]), pb = dot(from, edges[1]);
    const double determinant = aa * bb - ab * ab;
    if (determinant > 0) {
        const double s = (bb * pa - ab * pb) / determinant, t = (aa * pb - ab * pa) / determinant;
        if (s >= 0 && t >= 0 && s + t <= 1) {
            for (int i = 0; i < 3; ++i)
                from[i] -= s * edges[0][i] + t * edges[1][i];
            return length(from);
        }
    }
    return fmin(segment_distance(point, v[0], v[1]),
                fmin(segment_distance(point, v[1], v[2]), segment_distance(point, v[2], v[0])));
}

static void to_doubles(const float in[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = (double)in[i];
}

/* How far apart the corners of an instance are in the world. */
static double instance_size(const struct ws_scene *scene, const struct ws_scene_instance *instance)
{
    float bounds[6], world[6];
    double low[3], high[3], diagonal[3];
    if (!ws_scene_bounds(scene, instance->build, bounds))
        return 0;
    ws_bounds_init(world);
    ws_bounds_add_box(world, instance->transform, bounds);
    to_doubles(world, low);
    to_doubles(world + 3, high);
    subtract(high, low, diagonal);
    return length(diagonal);
}

static bool meets_triangle(const struct ws_scene *scene, const struct ws_scene_instance *instance,
                           const struct ws_ray_hit *hit, const double point[3], double tolerance)
{
    float vertices[3][3], moved[3];
    double world[3][3];
    if (!ws_scene_triangle(scene, instance->build, hit->geometry, hit->primitive, vertices))
        return false;
    for (int i = 0; i < 3; ++i) {
        ws_transform_point(instance->transform, vertices[i], moved);
        to_doubles(moved, world[i]);
    }
    return triangle_distance(point, (const double(*)[3])world) <= tolerance;
}

/* The nearest point of the box is sought in the box's own space, its distance measured in the world. */
static bool meets_aabb(const struct ws_scene *scene, const struct ws_scene_instance *instance,
                       const struct ws_ray_hit *hit, const double point[3], double tolerance)
{
    float box[6], inverse[12], world[3], object[3], nearest[3];
    double found[3], apart[3];
    if (!ws_scene_aabb(scene, instance->build, hit->geometry, hit->primitive, box) ||
        !ws_transform_invert(instance->transform, inverse))
        return false;
    for (int i = 0; i < 3; ++i)
        world[i] = ws_to_float(point[i]);
    ws_transform_point(inverse, world, object);
    for (int i = 0; i < 3; ++i)
        nearest[i] = fminf(fmaxf(object[i], box[i]), box[3 + i]);
    ws_transform_point(instance->transform, nearest, world);
    to_doubles(world, found);
    subtract(point, found, apart);
    return length(apart) <= tolerance;
}

bool ws_scene_hit_is_true(const struct ws_scene *scene, uint32_t top_build, const struct ws_ray *ray,
                          const struct ws_ray_hit *hit)
{
    struct ws_scene_instance instance;
    double origin[3], direction[3], point[3];
    if (!ws_scene_instance(scene, top_build, hit->instance, &instance) || instance.build == WS_NONE ||
        instance.custom_index != hit->custom_index ||
        hit->geometry >= scene->builds[instance.build].geometry_count)
        return false;
    to_doubles(ray->origin, origin);
    to_doubles(ray->direction, direction);
    for (int i = 0; i < 3; ++i)
        point[i] = origin[i] + (double)hit->t * direction[i];
    const double far = fmax(fabs((double)hit->t) * length(direction), length(origin));
    const double tolerance = TOLERANCE * fmax(far, instance_size(scene, &instance));
    if (!isfinite(tolerance) || !isfinite(length(point)))
        return false;
    const uint32_t type = scene->builds[instance.build].geometries[hit->geometry].info.type;
    return type == WS_GEOMETRY_AABBS ? meets_aabb(scene, &instance, hit, point, tolerance)
                                     : meets_triangle(scene, &instance, hit, point, tolerance);
}

/* A structure that rays may have flown through: the first of those with equal content. */
struct candidate {
    uint32_t structure;
    uint32_t build;
};

struct site {
    uint64_t seen;
    uint64_t hits;
    uint64_t *trues; /* of each candidate */
    bool decided;    /* `match` is what its hits say */
    struct ws_scene_match match;
};

#define INSTANCES 64 /* a power of two */

struct known_instance {
    bool known;
    uint32_t build;
    uint32_t index;
    struct ws_scene_instance instance;
};

struct ws_scene_matcher {
    const struct ws_scene *scene;
    uint64_t launch;
    bool has_said; /* the structure that was said last, and what it is */
    struct ws_ray_structure said;
    struct ws_scene_match said_match;
    struct candidate *candidates;
    uint32_t candidate_count;
    struct ws_id_map ids; /* shader << 32 | site -> index */
    uint64_t recent;      /* the key that was found last, and its index; UINT64_MAX = none */
    uint32_t recent_index;
    struct site *sites;
    uint32_t site_count;
    uint32_t site_capacity;
    struct known_instance instances[INSTANCES]; /* by the lowest bits of their index */
};

static void add_candidate(struct ws_scene_matcher *matcher, uint32_t structure, uint64_t launch)
{
    const struct ws_scene *scene = matcher->scene;
    const uint32_t build = ws_scene_build_at(scene, structure, launch);
    for (uint32_t i = 0; i < matcher->candidate_count; ++i)
        if (scene->builds[matcher->candidates[i].build].content == scene->builds[build].content)
            return;
    matcher->candidates[matcher->candidate_count++] = (struct candidate){structure, build};
}

struct ws_scene_matcher *ws_scene_matcher_create(const struct ws_scene *scene, uint32_t device,
                                                 uint64_t launch)
{
    struct ws_scene_matcher *matcher = calloc(1, sizeof(*matcher));
    uint32_t *tops = NULL;
    if (matcher == NULL)
        return NULL;
    matcher->scene = scene;
    matcher->launch = launch;
    matcher->recent = UINT64_MAX;
    const uint32_t count = ws_scene_tops(scene, device, launch, NULL, 0);
    tops = calloc((size_t)count + 1, sizeof(*tops));
    matcher->candidates = calloc((size_t)count + 1, sizeof(*matcher->candidates));
    const uint64_t compared = scene->structure_count + (uint64_t)count * count;
    if (tops == NULL || matcher->candidates == NULL || !ws_budget_spend(WS_STEPS_ENTRY * compared))
        goto error;
    ws_scene_tops(scene, device, launch, tops, count);
    for (uint32_t i = 0; i < count; ++i)
        add_candidate(matcher, tops[i], launch);
    free(tops);
    return matcher;
error:
    free(tops);
    ws_scene_matcher_destroy(matcher);
    return NULL;
}

void ws_scene_matcher_destroy(struct ws_scene_matcher *matcher)
{
    if (matcher == NULL)
        return;
    for (uint32_t i = 0; i < matcher->site_count; ++i)
        free(matcher->sites[i].trues);
    free(matcher->sites);
    free(matcher->candidates);
    ws_id_map_finish(&matcher->ids);
    free(matcher);
}

/* The site's evidence, new where there was none; NULL = no memory. */
static struct site *find_site(struct ws_scene_matcher *matcher, uint32_t shader, uint32_t number)
{
    const uint64_t key = (uint64_t)shader << 32 | number;
    uint32_t index = 0;
    if (ws_id_map_get(&matcher->ids, key, &index))
        return &matcher->sites[index];
    struct site *sites =
        ws_array_grow(matcher->sites, &matcher->site_capacity, matcher->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return NULL;
    matcher->sites = sites;
    struct site *site = &sites[matcher->site_count];
    *site = (struct site){.trues = calloc((size_t)matcher->candidate_count + 1, sizeof(*site->trues))};
    if (site->trues == NULL)
        return NULL;
    if (!ws_id_map_put(&matcher->ids, key, matcher->site_count)) {
        free(site->trues);
        return NULL;
    }
    matcher->site_count++;
    return site;
}

bool ws_scene_matcher_add(struct ws_scene_matcher *matcher, const struct ws_ray *ray)
{
    if (ray->structure.source != WS_STRUCTURE_UNSAID)
        return true;
    struct site *site = find_site(matcher, ray->shader, ray->site);
    if (site == NULL)
        return false;
    if (!ray->has_hit || (site->seen++ >= HITS_DENSE && site->seen % SPARSE != 0))
        return true;
    site->hits++;
    site->decided = false;
    if (!ws_budget_spend(WS_STEPS_RAY * (uint64_t)matcher->candidate_count))
        return false;
    for (uint32_t i = 0; i < matcher->candidate_count; ++i)
        site->trues[i] +=
            ws_scene_hit_is_true(matcher->scene, matcher->candidates[i].build, ray, &ray->hit) ? 1 : 0;
    return true;
}

/* Whether so many true hits are enough. Where there is no other structure, half of them is: the rest may be
 * of vertices that moved since. */
static bool is_enough(const struct ws_scene_matcher *matcher, uint64_t trues, uint64_t hits)
{
    return matcher->candidate_count == 1 ? 2 * trues >= hits : 100 * trues >= 99 * hits;
}

static double diagonal_of(const struct ws_scene *scene, uint32_t build)
{
    float bounds[6];
    double low[3], high[3], diagonal[3];
    if (build == WS_NONE || !ws_scene_bounds(scene, build, bounds))
        return 0;
    to_doubles(bounds, low);
    to_doubles(bounds + 3, high);
    subtract(high, low, diagonal);
    const double size = length(diagonal);
    return isfinite(size) ? size : 0;
}

/* What a site's hits say; none without hits, where there is a choice. */
static void decide(const struct ws_scene_matcher *matcher, const struct site *site,
                   struct ws_scene_match *match)
{
    uint32_t fitting = 0;
    *match = (struct ws_scene_match){.structure = WS_NONE, .build = WS_NONE, .hits = site->hits};
    if (site->hits == 0 && matcher->candidate_count != 1)
        return;
    for (uint32_t i = 0; i < matcher->candidate_count; ++i) {
        const bool most = site->trues[i] > match->true_hits || i == 0;
        const bool enough = is_enough(matcher, site->trues[i], site->hits);
        match->true_hits = most ? site->trues[i] : match->true_hits;
        fitting += enough ? 1 : 0;
        if (enough && (most || match->structure == WS_NONE)) {
            match->structure = matcher->candidates[i].structure;
            match->build = matcher->candidates[i].build;
        }
    }
    match->ambiguous = fitting > 1;
    match->size = diagonal_of(matcher->scene, match->build);
}

/* The structure that was said. */
static void find_said(struct ws_scene_matcher *matcher, const struct ws_ray_structure *said)
{
    const struct ws_scene *scene = matcher->scene;
    const uint32_t structure = ws_scene_structure_of(scene, said->id);
    uint32_t build = structure != WS_NONE ? ws_scene_build_at(scene, structure, matcher->launch) : WS_NONE;
    if (build != WS_NONE && !scene->builds[build].top)
        build = WS_NONE; /* a capture is untrusted: nothing flies through a bottom level alone */
    matcher->has_said = true;
    matcher->said = *said;
    matcher->said_match = (struct ws_scene_match){.structure = build != WS_NONE ? structure : WS_NONE,
                                                  .build = build,
                                                  .source = said->source,
                                                  .size = diagonal_of(scene, build)};
}

bool ws_scene_matcher_find(struct ws_scene_matcher *matcher, const struct ws_scene_call *call,
                           struct ws_scene_match *match)
{
    const uint64_t key = (uint64_t)call->shader << 32 | call->site;
    uint32_t index = matcher->recent_index;
    if (call->structure.source != WS_STRUCTURE_UNSAID) {
        if (!matcher->has_said || !ws_ray_structure_equals(&matcher->said, &call->structure))
            find_said(matcher, &call->structure);
        *match = matcher->said_match;
        return true;
    }
    /* Of one ray it is asked many times. */
    if ((key != matcher->recent || index >= matcher->site_count) &&
        !ws_id_map_get(&matcher->ids, key, &index))
        return false;
    matcher->recent = key;
    matcher->recent_index = index;
    struct site *found = &matcher->sites[index];
    if (!found->decided)
        decide(matcher, found, &found->match);
    found->decided = true;
    *match = found->match;
    return true;
}

bool ws_scene_matcher_instance(struct ws_scene_matcher *matcher, uint32_t build, uint32_t index,
                               struct ws_scene_instance *instance)
{
    struct known_instance *known = &matcher->instances[index & (INSTANCES - 1)];
    if (!known->known || known->build != build || known->index != index) {
        known->known = ws_scene_instance(matcher->scene, build, index, &known->instance);
        known->build = build;
        known->index = index;
    }
    if (known->known)
        *instance = known->instance;
    return known->known;
}
