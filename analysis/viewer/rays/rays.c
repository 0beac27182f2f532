#include "analysis/viewer/rays/rays.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/model/catalog.h"
#include "analysis/rays/ray_events.h"
#include "analysis/scene/scene_line.h"
#include "analysis/scene/scene_transform.h"
#include "analysis/viewer/binary.h"
#include "analysis/viewer/rays/ray_load.h"

#define USUAL UINT64_C(20000)
#define MOST  UINT64_C(4000000)
#define FAR   8.0

/* Of the single file: launches whose rays come before everything else but what is always there, and rays of each rule that
 * are told of in words. */
#define FIRST 8
#define TOLD  12

/* The rays of the answer: numbers, in their order. NULL = no memory. */
static uint32_t *pick(const struct ws_ray_question *question, uint64_t first, uint64_t most, uint32_t *count)
{
    const uint64_t left = question->matches > first ? question->matches - first : 0;
    uint32_t *picked = malloc((size_t)((left < most ? left : most) + 1) * sizeof(*picked));
    *count = 0;
    if (picked == NULL)
        return NULL;
    for (uint32_t i = 0; i < question->store->count && *count < most && *count < left; ++i) {
        const uint32_t ray = question->store->order[i];
        if (!ws_ray_question_has(question, ray))
            continue;
        if (first > 0)
            first--;
        else
            picked[(*count)++] = ray;
    }
    return picked;
}

/* Moves a start that is too far away, and an end that is: hits of damaged captures. */
static void draw_in(const float scene[6], float ends[6])
{
    const double size = FAR * ws_scene_diagonal(scene);
    float bounds[6];
    for (int i = 0; i < 3; ++i) {
        bounds[i] = ws_to_float((double)scene[i] - size);
        bounds[3 + i] = ws_to_float((double)scene[3 + i] + size);
    }
    double enter = 0;
    double leave = 0;
    float along[3];
    float moved[6];
    for (int i = 0; i < 3; ++i)
        along[i] = ends[3 + i] - ends[i];
    if (!ws_scene_cross(ends, along, bounds, &enter, &leave))
        leave = 0;
    leave = fmin(leave, 1);
    for (int i = 0; i < 3; ++i) {
        moved[i] = ws_to_float((double)ends[i] + enter * (double)along[i]);
        moved[3 + i] = ws_to_float((double)ends[i] + leave * (double)along[i]);
    }
    for (int i = 0; i < 6; ++i)
        ends[i] = fmaxf(fminf(moved[i], bounds[3 + i % 3]), bounds[i % 3]);
}

static bool find_line(const struct ws_ray_store *store, uint32_t number, float ends[6])
{
    const struct ws_ray *ray = ws_ray_store_ray(store, number);
    if (!ws_scene_line(ray->origin, ray->direction, ray->has_hit ? ray->hit.t : ray->tmax, ray->has_hit,
                       store->scene, ends))
        return false;
    if (store->scene[0] <= store->scene[3])
        draw_in(store->scene, ends);
    return ws_all_finite(ends, 6);
}

/* Fills the lines, and the box that they are in. False = no memory. */
static bool fill_lines(const struct ws_ray_store *store, const uint32_t *picked, struct ws_binary *binary,
                       uint16_t (*lines)[8])
{
    float(*ends)[6] = malloc(((size_t)binary->count + 1) * sizeof(*ends));
    if (ends == NULL)
        return false;
    ws_bounds_init(binary->box);
    for (uint32_t i = 0; i < binary->count; ++i) {
        if (!find_line(store, picked[i], ends[i])) {
            ends[i][0] = NAN;
            continue;
        }
        ws_bounds_add_point(binary->box, ends[i]);
        ws_bounds_add_point(binary->box, ends[i] + 3);
    }
    if (binary->box[0] > binary->box[3])
        memset(binary->box, 0, sizeof(binary->box));
    for (uint32_t i = 0; i < binary->count; ++i) {
        lines[i][7] = 1;
        if (isnan(ends[i][0]))
            continue;
        ws_binary_quantise(binary->box, ends[i], lines[i]);
        ws_binary_quantise(binary->box, ends[i] + 3, lines[i] + 4);
    }
    free(ends);
    return true;
}

/* The columns that are not lines; NULL where one is not wanted. */
struct columns {
    uint32_t *ray;
    uint32_t *parent;
    uint32_t (*thread)[3];
    uint32_t *warp;
    uint32_t *instance;
    uint32_t *geometry;
    uint32_t *primitive;
    float *t;
    uint16_t *depth;
    uint8_t *kind;
    uint8_t *end;
    uint16_t *any_hits;
    uint16_t *intersections;
    uint32_t *shader;
    uint16_t *site;
    uint32_t *rules;
};

static void add_columns(struct ws_binary *binary, struct columns *columns)
{
    columns->ray = ws_binary_add(binary, "ray", WS_BINARY_U32, 1);
    columns->parent = ws_binary_add(binary, "parent", WS_BINARY_U32, 1);
    columns->thread = ws_binary_add(binary, "thread", WS_BINARY_U32, 3);
    columns->warp = ws_binary_add(binary, "warp", WS_BINARY_U32, 1);
    columns->instance = ws_binary_add(binary, "instance", WS_BINARY_U32, 1);
    columns->geometry = ws_binary_add(binary, "geometry", WS_BINARY_U32, 1);
    columns->primitive = ws_binary_add(binary, "primitive", WS_BINARY_U32, 1);
    columns->t = ws_binary_add(binary, "t", WS_BINARY_F32, 1);
    columns->depth = ws_binary_add(binary, "depth", WS_BINARY_U16, 1);
    columns->kind = ws_binary_add(binary, "kind", WS_BINARY_U8, 1);
    columns->end = ws_binary_add(binary, "end", WS_BINARY_U8, 1);
    columns->any_hits = ws_binary_add(binary, "any_hits", WS_BINARY_U16, 1);
    columns->intersections = ws_binary_add(binary, "intersections", WS_BINARY_U16, 1);
    columns->shader = ws_binary_add(binary, "shader", WS_BINARY_U32, 1);
    columns->site = ws_binary_add(binary, "site", WS_BINARY_U16, 1);
    columns->rules = ws_binary_add(binary, "rules", WS_BINARY_U32, 1);
}

#define SET(name, value)                                                                                     \
    do {                                                                                                     \
        if (columns->name != NULL)                                                                           \
            columns->name[row] = (value);                                                                    \
    } while (0)

static void fill_row(const struct ws_catalog *catalog, const struct ws_ray_store *store,
                     const struct columns *columns, uint32_t row, uint32_t ray)
{
    const struct ws_ray_block *block = ws_ray_store_block(store, ray / WS_RAY_BLOCK);
    const uint32_t i = ray % WS_RAY_BLOCK;
    SET(ray, ray);
    SET(parent, block->parent[i]);
    for (int axis = 0; axis < 3 && columns->thread != NULL; ++axis)
        columns->thread[row][axis] = block->place[axis][i];
    SET(warp, block->warp[i]);
    SET(instance, block->instance[i]);
    SET(geometry, block->geometry[i]);
    SET(primitive, block->primitive[i]);
    SET(t, block->t[i]);
    SET(depth, block->depth[i]);
    SET(kind, block->kind[i]);
    SET(end, block->end[i]);
    SET(any_hits, block->any_hits[i]);
    SET(intersections, block->intersections[i]);
    SET(shader, catalog->shaders[block->shader[i]].id);
    SET(site, block->site[i]);
    SET(rules, store->rules != NULL ? store->rules[ray] : 0);
}

static bool fill(const struct ws_catalog *catalog, const struct ws_ray_store *store, const uint32_t *picked,
                 struct ws_binary *binary, struct ws_error *error)
{
    struct columns columns;
    const char *unknown = NULL;
    int length = 0;
    uint16_t(*lines)[8] = ws_binary_add(binary, "line", WS_BINARY_U16, 8);
    add_columns(binary, &columns);
    if (binary->failed || (lines != NULL && !fill_lines(store, picked, binary, lines)))
        return ws_error_set(error, "no memory for rays");
    if (!ws_binary_knows(binary, &unknown, &length))
        return ws_error_set(error, "rays have no column '%.*s'", length, unknown);
    for (uint32_t row = 0; row < binary->count; ++row)
        fill_row(catalog, store, &columns, row, picked[row]);
    return true;
}

bool ws_viewer_rays_write(const struct ws_catalog *catalog, const struct ws_ray_question *question,
                          const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    struct ws_binary binary = {.magic = "WSRY",
                               .matches = question->matches,
                               .total = question->store->count,
                               .only = ws_viewer_query_text(query, "columns")};
    uint64_t first = 0;
    uint64_t count = 0;
    if (!ws_ray_question_page(query, USUAL, MOST, &first, &count, error))
        return false;
    uint32_t *picked = pick(question, first, count, &binary.count);
    const bool filled = picked != NULL ? fill(catalog, question->store, picked, &binary, error)
                                       : ws_error_set(error, "no memory for rays");
    if (filled)
        ws_binary_write(&binary, stream);
    ws_binary_finish(&binary);
    free(picked);
    return filled;
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    struct ws_ray_question question;
    return ws_ray_question_read(viewer, capture, query, &question, error) &&
           ws_viewer_rays_write(&capture->report.catalog, &question, query, stream, error);
}

/* Which launches matter most: those with most rays, as the report counts them. Ranks are 1 for the first FIRST, then 3. */
static unsigned rank_of(const struct ws_ray_events *events, uint32_t launch)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < events->launch_count && before < FIRST; ++i)
        before += events->launches[i].rays > events->launches[launch].rays ||
                  (events->launches[i].rays == events->launches[launch].rays && i < launch);
    return before < FIRST ? 1 : 3;
}

/* One ray in words, with all rays of its thread, each thread once. */
static bool embed_ray(const struct ws_ray_store *store, uint32_t ray, struct ws_id_map *threads,
                      ws_viewer_embed *give, void *user)
{
    const struct ws_ray_owner *owner = ws_ray_store_owner(store, ray);
    uint32_t ignored;
    char query[160];
    snprintf(query, sizeof(query), "ray.json?launch=%" PRIu64 "&ray=%" PRIu32, store->launch, ray);
    if (!give(user, query, 2))
        return false;
    if (ws_id_map_get(threads, owner->ray_first, &ignored))
        return true;
    snprintf(query, sizeof(query), "rays?launch=%" PRIu64 "&thread=%" PRIu32 ",%" PRIu32 ",%" PRIu32,
             store->launch, owner->place[0], owner->place[1], owner->place[2]);
    return ws_id_map_put(threads, owner->ray_first, 1) && give(user, query, 2);
}

/* The rays that the advice of a launch is about, by rule, with the rays that led to them; and some of them in words, with all
 * rays of their threads. */
static bool embed_evidence(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t launch,
                           ws_viewer_embed *give, void *user)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    const struct ws_launch_record *record = ws_catalog_launch(&capture->report.catalog, launch);
    const struct ws_ray_store *store =
        record != NULL ? ws_viewer_rays(viewer, capture, record, &(struct ws_error){{0}}) : NULL;
    uint32_t told[WS_MARK_RULES] = {0};
    struct ws_id_map threads = {.count = 0};
    bool given = true;
    char query[160];
    for (uint32_t i = 0; store != NULL && store->rules != NULL && i < store->count && given; ++i) {
        const uint32_t ray = store->order[i];
        bool wanted = false;
        for (uint32_t rule = 0; store->rules[ray] != 0 && rules[rule] != NULL; ++rule)
            if ((store->rules[ray] >> rule & 1) != 0)
                wanted = told[rule]++ < TOLD || wanted;
        given = !wanted || embed_ray(store, ray, &threads, give, user);
    }
    for (uint32_t rule = 0; rules[rule] != NULL && given; ++rule) {
        snprintf(query, sizeof(query), "rays?launch=%" PRIu64 "&parents=1&rule=%s", launch,
                 rules[rule]->name);
        given = told[rule] == 0 || give(user, query, 2);
    }
    ws_id_map_finish(&threads);
    return given;
}

/* Of each launch with rays their counts and a sample; of the first also what advice is about. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *give, void *user)
{
    const struct ws_ray_events *events = ws_report_results(&capture->report, &ws_analysis_ray_events);
    (void)budget;
    for (uint32_t i = 0; events != NULL && i < events->launch_count; ++i) {
        const uint64_t launch = events->launches[i].index;
        const unsigned rank = rank_of(events, i);
        char counts[64];
        char query[64];
        snprintf(counts, sizeof(counts), "rays.json?launch=%" PRIu64, launch);
        snprintf(query, sizeof(query), "rays?launch=%" PRIu64, launch);
        if (events->launches[i].rays > 0 &&
            (!give(user, counts, rank) || !give(user, query, rank) ||
             (rank == 1 && !embed_evidence(viewer, capture, launch, give, user))))
            return false;
    }
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_rays = {
    .name = "rays",
    .help = "rays of a launch that fit a filter: a uniform sample of them, with lines to draw",
    .keys = "launch first count columns " WS_RAY_FILTER_KEYS,
    .answer = answer,
    .embed = embed,
};
