#include "analysis/viewer/rays/rays.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/rays/ray_events.h"
#include "analysis/scene/scene_line.h"
#include "analysis/scene/scene_transform.h"
#include "analysis/viewer/binary.h"
#include "analysis/viewer/launches_shown.h"
#include "analysis/viewer/links.h"
#include "analysis/viewer/rays/ray_load.h"
#include "warpscope/model/catalog.h"

#define USUAL UINT64_C(20000)
#define MOST  UINT64_C(4000000)
#define FAR   8.0

#define SHORTEST_MOST 4096

/* Of the single file. */
#define TOLD       20 /* rays of each list that are told of in words; the page steps through so many */
#define PART       UINT64_C(16384) /* rays of a further answer */
#define PART_BYTES 4096            /* that further answers take at least */

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

struct nearest {
    float t;
    uint32_t ray;
};

static bool is_nearer(const struct nearest *a, const struct nearest *b)
{
    return a->t < b->t || (!(a->t > b->t) && a->ray < b->ray);
}

/* The `most` rays that fit and hit nearest to where they start, the nearest first. NULL = no memory. */
static uint32_t *pick_shortest(const struct ws_ray_question *question, uint32_t most, uint32_t *count)
{
    struct nearest *list = malloc(((size_t)most + 1) * sizeof(*list));
    uint32_t *picked = malloc(((size_t)most + 1) * sizeof(*picked));
    *count = 0;
    for (uint32_t i = 0; list != NULL && picked != NULL && i < question->store->count; ++i) {
        const struct ws_ray_block *block = ws_ray_store_block(question->store, i / WS_RAY_BLOCK);
        const struct nearest one = {block->t[i % WS_RAY_BLOCK], i};
        if (block->end[i % WS_RAY_BLOCK] != WS_RAY_HIT || isnan(one.t) || !ws_ray_question_has(question, i) ||
            (*count == most && (most == 0 || !is_nearer(&one, &list[most - 1]))))
            continue;
        uint32_t at = *count < most ? (*count)++ : most - 1;
        for (; at > 0 && is_nearer(&one, &list[at - 1]); --at)
            list[at] = list[at - 1];
        list[at] = one;
    }
    for (uint32_t i = 0; picked != NULL && i < *count; ++i)
        picked[i] = list[i].ray;
    if (list == NULL) {
        free(picked);
        picked = NULL;
    }
    free(list);
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
    uint64_t shortest = 0;
    if (!ws_viewer_query_number(query, "shortest", 0, SHORTEST_MOST, &shortest, error))
        return false;
    uint32_t *picked = shortest > 0 ? pick_shortest(question, (uint32_t)shortest, &binary.count)
                                    : pick(question, first, count, &binary.count);
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

/* What the single file gets of a launch. */
struct embedding {
    const struct ws_ray_store *store;
    ws_viewer_embed *give;
    void *user;
    struct ws_id_map told;    /* ray -> 1: given in words */
    struct ws_id_map threads; /* first ray -> 1: all rays of the thread are given */
};

__attribute__((format(printf, 3, 4))) static bool give(const struct embedding *embedding, unsigned rank,
                                                       const char *format, ...)
{
    char query[160];
    va_list values;
    va_start(values, format);
    vsnprintf(query, sizeof(query), format, values);
    va_end(values);
    return embedding->give(embedding->user, query, rank);
}

/* All rays of a thread, each thread once. */
static bool embed_thread(struct embedding *embedding, const struct ws_ray_owner *owner)
{
    uint32_t ignored;
    return ws_id_map_get(&embedding->threads, owner->ray_first, &ignored) ||
           (ws_id_map_put(&embedding->threads, owner->ray_first, 1) &&
            give(embedding, WS_RANK_LINKED, "rays?launch=%" PRIu64 "&thread=%" PRIu32 ",%" PRIu32 ",%" PRIu32,
                 embedding->store->launch, owner->place[0], owner->place[1], owner->place[2]));
}

/* One ray in words, with all rays of its thread. */
static bool embed_ray(struct embedding *embedding, uint32_t ray)
{
    uint32_t ignored;
    if (ws_id_map_get(&embedding->told, ray, &ignored))
        return true;
    return ws_id_map_put(&embedding->told, ray, 1) &&
           give(embedding, WS_RANK_LINKED, "ray.json?launch=%" PRIu64 "&ray=%" PRIu32,
                embedding->store->launch, ray) &&
           embed_thread(embedding, ws_ray_store_owner(embedding->store, ray));
}

/* The rays that the advice of a launch is about, by rule, with the rays that led to them; and some of them in words. */
static bool embed_evidence(struct embedding *embedding)
{
    const struct ws_ray_store *store = embedding->store;
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    uint32_t told[WS_MARK_RULES] = {0};
    bool given = true;
    for (uint32_t i = 0; store->rules != NULL && i < store->count && given; ++i) {
        const uint32_t ray = store->order[i];
        bool wanted = false;
        for (uint32_t rule = 0; store->rules[ray] != 0 && rules[rule] != NULL; ++rule)
            if ((store->rules[ray] >> rule & 1) != 0)
                wanted = told[rule]++ < TOLD || wanted;
        given = !wanted || embed_ray(embedding, ray);
    }
    for (uint32_t rule = 0; rules[rule] != NULL && given; ++rule)
        given =
            told[rule] == 0 || give(embedding, WS_RANK_LINKED, "rays?launch=%" PRIu64 "&parents=1&rule=%s",
                                    store->launch, rules[rule]->name);
    return given;
}

/* The shortest rays that hit, which the page steps through. */
static bool embed_shortest(struct embedding *embedding)
{
    uint32_t count = 0;
    uint32_t *shortest = pick_shortest(&(struct ws_ray_question){.store = embedding->store}, TOLD, &count);
    bool given = shortest != NULL &&
                 (count == 0 || give(embedding, WS_RANK_LINKED, "rays?launch=%" PRIu64 "&shortest=%d",
                                     embedding->store->launch, TOLD));
    for (uint32_t i = 0; i < count && given; ++i)
        given = embed_ray(embedding, shortest[i]);
    free(shortest);
    return given;
}

/* Rays of the threads and warps that the page's lists lead to; those of advice in words. */
static bool embed_links(struct embedding *embedding, const struct ws_viewer_links *links)
{
    const struct ws_ray_store *store = embedding->store;
    bool given = true;
    for (uint32_t i = 0; i < links->count && given; ++i) {
        const struct ws_viewer_link *link = &links->links[i];
        if (link->launch != store->launch)
            continue;
        given =
            give(embedding, WS_RANK_LINKED, "rays?launch=%" PRIu64 "&thread=%" PRIu32 ",%" PRIu32 ",%" PRIu32,
                 store->launch, link->thread[0], link->thread[1], link->thread[2]) &&
            (link->warp == WS_NONE || give(embedding, WS_RANK_LINKED, "rays?launch=%" PRIu64 "&warp=%" PRIu32,
                                           store->launch, link->warp));
        const struct ws_ray_owner *owner = link->advice ? ws_ray_store_find(store, link->thread) : NULL;
        for (uint32_t ray = 0; owner != NULL && ray < owner->ray_count && ray < TOLD && given; ++ray)
            given = embed_ray(embedding, owner->ray_first + ray);
    }
    return given;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* All rays of the launch in parts, in the order of the sample, which is the first part; then all in words. Parts of the words
 * are spread over the launch, so that a budget that ends early is no part of the picture. */
static bool embed_all(const struct embedding *embedding, uint64_t budget)
{
    const struct ws_ray_store *store = embedding->store;
    const uint64_t most = budget / PART_BYTES + 1;
    const uint64_t parts = ((uint64_t)store->count + WS_RAYS_TOLD - 1) / WS_RAYS_TOLD;
    bool given = true;
    for (uint64_t first = USUAL; first < store->count && first < most * PART && given; first += PART)
        given = give(embedding, WS_RANK_RAYS, "rays?count=%" PRIu64 "&first=%" PRIu64 "&launch=%" PRIu64,
                     PART, first, store->launch);
    uint64_t step = parts * 618 / 1000 | 1;
    while (parts > 1 && greatest_common_divisor(step, parts) > 1)
        step += 2;
    for (uint64_t i = 0; i < parts && i < most && given; ++i)
        given = give(embedding, WS_RANK_TOLD, "ray.json?count=%d&first=%" PRIu64 "&launch=%" PRIu64,
                     WS_RAYS_TOLD, i * step % parts * WS_RAYS_TOLD, store->launch);
    return given;
}

static bool embed_launch(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t launch,
                         struct embedding *embedding, uint64_t budget)
{
    const struct ws_launch_record *record = ws_catalog_launch(&capture->report.catalog, launch);
    const struct ws_viewer_links *links = ws_viewer_links(capture);
    embedding->store =
        record != NULL ? ws_viewer_rays(viewer, capture, record, &(struct ws_error){{0}}) : NULL;
    if (links == NULL || !give(embedding, WS_RANK_FIRST, "rays.json?launch=%" PRIu64, launch) ||
        !give(embedding, WS_RANK_FIRST, "rays?launch=%" PRIu64, launch))
        return false;
    /* What cannot be read says so in these two answers. */
    const bool given =
        embedding->store == NULL || (embed_evidence(embedding) && embed_shortest(embedding) &&
                                     embed_links(embedding, links) && embed_all(embedding, budget));
    ws_id_map_finish(&embedding->told);
    ws_id_map_finish(&embedding->threads);
    return given;
}

/* Of the launches that are shown: their counts, a sample, what a click leads to, and as much as fits of the rest. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *give_answer, void *user)
{
    const struct ws_ray_events *events = ws_report_results(&capture->report, &ws_analysis_ray_events);
    uint64_t shown[WS_LAUNCHES_SHOWN];
    const uint32_t count = ws_launches_shown(capture, shown);
    uint32_t with_rays = 0;
    for (uint32_t i = 0; i < count; ++i) {
        struct embedding embedding = {.give = give_answer, .user = user};
        if (ws_ray_events_of(events, shown[i]) == 0)
            continue;
        with_rays++;
        if (!embed_launch(viewer, capture, shown[i], &embedding, budget))
            return false;
    }
    for (uint32_t i = with_rays; events != NULL && i < events->launch_count; ++i)
        if (!give_answer(user, "rays", WS_RANK_NEVER))
            return false;
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_rays = {
    .name = "rays",
    .help = "rays of a launch that fit a filter: a uniform sample of them, with lines to draw",
    .keys = "launch first count columns shortest " WS_RAY_FILTER_KEYS,
    .answer = answer,
    .embed = embed,
};
