/* rates?launch=N&of=accesses|model|boxes&content=C: what the primitives of a content, or boxes of the model BVH, come to in
 * the caches (analysis/scene/bvh/hit_rates.h), as a table (binary.h, "WSRT"). Each row is a primitive that something asked
 * for, or a box:
 *
 *     u32 geometry, u32 primitive, u32 requests (the largest number for more), f32 l1, f32 l2: hit rates, -1 = nothing was
 * asked for
 *     of boxes: u32 depth, u32 requests, f32 l1, f32 l2, f32 bounds[6]: of nodes of the content's tree in its own space;
 * without
 *     `content` of the nodes and instances of all top levels, in the world
 *
 * What a launch has of this `scene.json` says (`rates`). The capture is read anew when the first is asked for, and the
 * results of one launch are kept. */
#include "analysis/viewer/scene/rates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/bvh/hit_rates.h"
#include "analysis/viewer/binary.h"
#include "analysis/viewer/query.h"
#include "analysis/viewer/scene/scene_shown.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

#define RAYS_OF_FILE                                                                                         \
    1000000 /* of a launch: the model of more takes a while, which a single file does not wait for */

enum of { OF_ACCESSES, OF_MODEL, OF_BOXES, OFS };

static const char *const names[OFS] = {"accesses", "model", "boxes"};

/* What is kept: of one launch the accesses and the model. */
struct kept {
    struct {
        bool is_read;
        uint64_t launch;
        struct ws_viewer_launch_report read;
    } sources[2];
};

struct rows {
    struct ws_hit_rate *list; /* their bounds are in `bounds` */
    float (*bounds)[6];
    uint32_t count;
    uint32_t capacity;
    uint32_t bounds_capacity;
    bool failed;
};

static void destroy_kept(void *data)
{
    struct kept *kept = data;
    for (int i = 0; i < 2; ++i)
        if (kept->sources[i].is_read)
            ws_report_finish(&kept->sources[i].read.report);
    free(kept);
}

static const struct ws_analysis *analysis_of(enum of of)
{
    return of == OF_ACCESSES ? &ws_analysis_face_accesses : &ws_analysis_model_elements;
}

bool ws_rates_have_accesses(const struct ws_viewer_capture *capture)
{
    return ws_report_results(&capture->report, &ws_analysis_caches) != NULL &&
           ws_built_count(&capture->report.catalog) > 0;
}

bool ws_rates_have_model(const struct ws_launch_view *view)
{
    return view->events != NULL && view->seen != NULL && view->scene->content_count > 0;
}

/* The report of a launch that has the results; NULL and `error` where it cannot be read. */
static const struct ws_report *read_source(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                           uint64_t launch, enum of of, struct ws_error *error)
{
    struct kept *kept = capture->parts[WS_VIEWER_PART_RATES].data;
    const int source = of == OF_ACCESSES ? 0 : 1;
    struct ws_report_request request = {.analysis = analysis_of(of), .options = {.whole = true}};
    if (kept == NULL) {
        kept = calloc(1, sizeof(*kept));
        if (kept == NULL)
            return NULL;
        capture->parts[WS_VIEWER_PART_RATES].data = kept;
        capture->parts[WS_VIEWER_PART_RATES].destroy = destroy_kept;
    }
    if (kept->sources[source].is_read && kept->sources[source].launch == launch)
        return &kept->sources[source].read.report;
    if (kept->sources[source].is_read)
        ws_report_finish(&kept->sources[source].read.report);
    kept->sources[source].launch = launch;
    kept->sources[source].is_read =
        ws_viewer_read_launch(viewer, capture, launch, &request, &kept->sources[source].read, error);
    return kept->sources[source].is_read ? &kept->sources[source].read.report : NULL;
}

static bool take_row(void *user, const struct ws_hit_rate *rate)
{
    struct rows *rows = user;
    struct ws_hit_rate *list = ws_array_grow(rows->list, &rows->capacity, rows->count + 1, sizeof(*list));
    rows->list = list != NULL ? list : rows->list;
    float(*bounds)[6] = rate->bounds != NULL ? ws_array_grow(rows->bounds, &rows->bounds_capacity,
                                                             rows->count + 1, sizeof(*bounds))
                                             : NULL;
    rows->bounds = bounds != NULL ? bounds : rows->bounds;
    rows->failed = list == NULL || (rate->bounds != NULL && bounds == NULL);
    if (rows->failed)
        return false;
    list[rows->count] = *rate;
    if (bounds != NULL)
        memcpy(bounds[rows->count], rate->bounds, sizeof(*bounds));
    rows->count++;
    return true;
}

static bool collect(const struct ws_report *report, const struct ws_scene *scene, enum of of,
                    uint32_t content, struct rows *rows)
{
    const void *results = ws_report_results(report, analysis_of(of));
    if (results == NULL)
        return true;
    if (of == OF_ACCESSES)
        return ws_hit_rates_of_accesses(&report->catalog, scene, results, content, take_row, rows);
    if (content == WS_NONE)
        return ws_hit_rates_of_tops(results, take_row, rows);
    return ws_hit_rates_of_model(results, content, of == OF_BOXES, take_row, rows);
}

static void fill(struct ws_binary *binary, const struct rows *rows, enum of of)
{
    uint32_t *geometry = of != OF_BOXES ? ws_binary_add(binary, "geometry", WS_BINARY_U32, 1) : NULL;
    uint32_t *primitive = of != OF_BOXES ? ws_binary_add(binary, "primitive", WS_BINARY_U32, 1) : NULL;
    uint32_t *depth = of == OF_BOXES ? ws_binary_add(binary, "depth", WS_BINARY_U32, 1) : NULL;
    uint32_t *requests = ws_binary_add(binary, "requests", WS_BINARY_U32, 1);
    float *l1 = ws_binary_add(binary, "l1", WS_BINARY_F32, 1);
    float *l2 = ws_binary_add(binary, "l2", WS_BINARY_F32, 1);
    float *bounds = of == OF_BOXES ? ws_binary_add(binary, "bounds", WS_BINARY_F32, 6) : NULL;
    for (uint32_t i = 0; !binary->failed && i < rows->count; ++i) {
        const struct ws_hit_rate *rate = &rows->list[i];
        if (of != OF_BOXES) {
            geometry[i] = rate->geometry;
            primitive[i] = rate->primitive;
        } else {
            depth[i] = rate->depth;
            memcpy(&bounds[6 * (size_t)i], rows->bounds[i], sizeof(rows->bounds[i]));
        }
        requests[i] = rate->requests < UINT32_MAX ? (uint32_t)rate->requests : UINT32_MAX;
        l1[i] = (float)ws_hit_rate_l1(rate);
        l2[i] = (float)ws_hit_rate_l2(rate);
    }
}

static bool take_of(const struct ws_viewer_query *query, enum of *of, struct ws_error *error)
{
    const char *text = ws_viewer_query_text(query, "of");
    for (int i = 0; i < OFS && text != NULL; ++i)
        if (strcmp(text, names[i]) == 0) {
            *of = (enum of)i;
            return true;
        }
    return ws_error_set(error, "rates needs of=accesses, of=model or of=boxes");
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    const struct ws_launch_record *launch = ws_viewer_launch(capture, query, error);
    const bool has_content = ws_viewer_query_text(query, "content") != NULL;
    struct rows rows = {.count = 0};
    uint64_t content = WS_NONE;
    enum of of = OF_ACCESSES;
    if (launch == NULL || !take_of(query, &of, error) ||
        (has_content && !ws_viewer_query_number(query, "content", 0, WS_NONE - 1, &content, error)))
        return false;
    if (!has_content && of != OF_BOXES)
        return ws_error_set(error, "rates of primitives need content=N");
    const struct ws_scene *scene = ws_viewer_scene(capture, error);
    if (scene == NULL)
        return false;
    const struct ws_report *report = read_source(viewer, capture, launch->index, of, error);
    const bool collected = report != NULL && collect(report, scene, of, (uint32_t)content, &rows);
    struct ws_binary binary = {
        .magic = "WSRT", .count = rows.count, .matches = rows.count, .total = rows.count};
    if (collected)
        fill(&binary, &rows, of);
    const bool filled = collected && !binary.failed;
    if (filled)
        ws_binary_write(&binary, stream);
    else if (report != NULL && !ws_budget_spend(0))
        ws_budget_exceeded(error);
    ws_binary_finish(&binary);
    free(rows.list);
    free(rows.bounds);
    return filled;
}

/* Rays of the launch that were recorded. */
static uint64_t rays_of(const struct ws_launch_view *view)
{
    const struct ws_ray_events_counts *all = ws_groups_find(view->events->groups, WS_RAY_EVENTS_BY_ALL, NULL);
    return all != NULL ? all->rays : 0;
}

/* Of each content of a launch: accesses, and the model where it is soon made. */
static bool embed_of(const struct ws_viewer_capture *capture, const struct ws_scene_shown *shown, bool opened,
                     ws_viewer_embed *embed, void *user)
{
    const enum ws_viewer_rank rank = opened ? WS_RANK_BESIDE : WS_RANK_FARTHER;
    const struct ws_launch_view *view = shown->view;
    const bool has_model = ws_rates_have_model(view) && rays_of(view) <= RAYS_OF_FILE;
    bool embedded = true;
    char query[96];
    for (int of = 0; of < OFS; ++of) {
        if (of == OF_ACCESSES ? !ws_rates_have_accesses(capture) : !has_model)
            continue;
        for (uint32_t i = 0; embedded && i < view->scene->content_count; ++i) {
            snprintf(query, sizeof(query), "rates?content=%" PRIu32 "&launch=%" PRIu64 "&of=%s", i,
                     view->launch, names[of]);
            embedded = shown->contents[i].build == WS_NONE || embed(user, query, rank);
        }
        snprintf(query, sizeof(query), "rates?launch=%" PRIu64 "&of=%s", view->launch, names[of]);
        embedded = embedded && (of != OF_BOXES || embed(user, query, rank));
    }
    return embedded;
}

static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *embed, void *user)
{
    (void)budget;
    return ws_scenes_shown_embed(viewer, capture, embed_of, embed, user);
}

const struct ws_viewer_resource ws_viewer_resource_rates = {
    .name = "rates",
    .help = "hit rates of the primitives of a content, and of boxes of the model BVH",
    .keys = "launch of content",
    .answer = answer,
    .embed = embed,
};
