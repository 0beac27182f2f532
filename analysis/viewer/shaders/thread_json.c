/* thread.json: what one thread did, its rays, and its warp beside it.
 *
 * Keys: launch; thread, "x,y,z" as --thread takes it: a launch id, global invocation id, or pixel.
 *
 *     {
 *       "launch": 3, "thread": [64, 64, 0],
 *       "traces":  [...],    as `warpscope report execution_trace --thread` has them: of each thread of that id, and behind it
 *                            of its warp. A trace keeps the first STEPS_MOST steps; `cut` says when there are more
 *       "stories": [{        one for each thread in `traces`
 *           "story": ["Launch id 64,64 is ...", ...],
 *           "shaders": [{shader_id, shader, stage, executions}],     what it ran
 *           "partings": [{step, before, lanes}]                      thread_story.h; `step` counts steps as they stand, with
 *                                                                    those that are repeated
 *       }],
 *       "traces_missing": null | TEXT,     why there are no traces
 *       "traces_left_out": 0,
 *       "rays": [{ray, depth, parent, end, text}],     in the order of tracing; the first RAYS_MOST; numbers of the launch
 *       "ray_count": 12,
 *       "rays_missing": null | TEXT        why there are no rays
 *     }
 *
 * A launch is replayed for each thread that is asked for; the last answers are kept. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/viewer/launches_shown.h"
#include "analysis/viewer/links.h"
#include "analysis/viewer/rays/ray_load.h"
#include "analysis/viewer/scene/launch_view.h"
#include "analysis/viewer/shaders/thread_story.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"

#define STEPS_MOST    4000
#define RAYS_MOST     2000
#define EVIDENCE_TOLD 2  /* threads of each rule of advice that the single file has */
#define LINKS_ALWAYS  8  /* threads that lists lead to which it has of any capture */
#define EMBEDDED_MOST 64 /* threads that it has, */
#define EMBEDDED_READING                                                                                     \
    (UINT64_C(256) << 20) /* or as many as are found by reading so many bytes: some seconds */
#define KEPT_MOST  24
#define KEPT_BYTES (16u << 20) /* of one answer; larger ones are not kept */

struct kept {
    char *keys[KEPT_MOST];
    char *answers[KEPT_MOST];
    uint32_t next;
};

static void destroy(void *data)
{
    struct kept *kept = data;
    for (uint32_t i = 0; i < KEPT_MOST; ++i) {
        free(kept->keys[i]);
        free(kept->answers[i]);
    }
    free(kept);
}

static struct kept *kept_of(struct ws_viewer_capture *capture)
{
    if (capture->parts[WS_VIEWER_PART_THREADS].data == NULL) {
        capture->parts[WS_VIEWER_PART_THREADS].data = calloc(1, sizeof(struct kept));
        capture->parts[WS_VIEWER_PART_THREADS].destroy = destroy;
    }
    return capture->parts[WS_VIEWER_PART_THREADS].data;
}

/* Reads "64,64,0"; what is left out is 0. */
static bool take_thread(const struct ws_viewer_query *query, uint32_t thread[3], struct ws_error *error)
{
    const char *text = ws_viewer_query_text(query, "thread");
    const char *at = text;
    int axis = 0;
    memset(thread, 0, 3 * sizeof(thread[0]));
    for (; at != NULL && axis < 3; ++axis) {
        char *end = NULL;
        const unsigned long long value = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : UINT64_MAX;
        if (end == NULL || value > UINT32_MAX || (*end != '\0' && *end != ','))
            break;
        thread[axis] = (uint32_t)value;
        at = end + 1;
        if (*end == '\0')
            return true;
    }
    if (text == NULL)
        return ws_error_set(error, "thread.json needs thread=X,Y,Z");
    return ws_error_set(error, "thread is X,Y,Z, not '%.64s'", text);
}

static cJSON *shader_list(const struct ws_catalog *catalog, const struct ws_trace_path *path)
{
    uint32_t count = 0;
    struct ws_thread_shader *shaders = ws_thread_shaders(path, &count);
    cJSON *list = shaders != NULL ? cJSON_CreateArray() : NULL;
    for (uint32_t i = 0; list != NULL && i < count; ++i) {
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "shader_id", catalog->shaders[shaders[i].shader].id);
        cJSON_AddStringToObject(object, "shader", ws_shader_name(catalog, shaders[i].shader));
        cJSON_AddStringToObject(object, "stage", ws_stage_name(catalog->shaders[shaders[i].shader].stage));
        ws_json_integer(object, "executions", shaders[i].executions);
        ws_json_append(list, object);
    }
    free(shaders);
    return list;
}

static cJSON *parting_list(const struct ws_trace_path *path)
{
    uint32_t count = 0;
    struct ws_thread_parting *partings = ws_thread_partings(path, &count);
    cJSON *list = partings != NULL ? cJSON_CreateArray() : NULL;
    for (uint32_t i = 0; list != NULL && i < count && partings[i].step < path->limit; ++i) {
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "step", partings[i].step);
        ws_json_integer(object, "before", partings[i].before);
        ws_json_integer(object, "lanes", partings[i].lanes);
        ws_json_append(list, object);
    }
    free(partings);
    return list;
}

static void write_traces(const struct ws_trace_results *trace, struct ws_json *json)
{
    ws_json_open_list(json, "traces");
    for (uint32_t i = 0; trace != NULL && i < trace->path_count; ++i)
        ws_trace_json_path(trace->catalog, trace->paths[i], json);
    ws_json_close_list(json);
    ws_json_open_list(json, "stories");
    for (uint32_t i = 0; trace != NULL && i < trace->path_count; ++i) {
        if (trace->paths[i]->is_warp)
            continue;
        cJSON *object = cJSON_CreateObject();
        json->failed |=
            ws_json_add(object, "story", ws_thread_story(trace, trace->paths[i])) == NULL ||
            ws_json_add(object, "shaders", shader_list(trace->catalog, trace->paths[i])) == NULL ||
            ws_json_add(object, "partings", parting_list(trace->paths[i])) == NULL;
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

/* "Ray 118 of traceRay at raygen.rgen:19 hits instance 3, geometry 0, primitive 17 at t 2.4; mesh.rchit:main runs." */
static void tell_ray(const struct ws_catalog *catalog, const struct ws_ray *ray, uint32_t number, char *text,
                     size_t size)
{
    char call[256];
    char end[256];
    const char *shader =
        ray->first_hit_shader != WS_NONE ? ws_shader_name(catalog, ray->first_hit_shader) : "";
    ws_call_name(catalog, ray->shader, ws_site_offset(catalog, ray->shader, ray->site), call, sizeof(call));
    if (ray->has_hit)
        snprintf(end, sizeof(end),
                 "hits instance %" PRIu32 ", geometry %" PRIu32 ", primitive %" PRIu32 " at t %.6g",
                 ray->hit.instance, ray->hit.geometry, ray->hit.primitive, (double)ray->hit.t);
    else if (ray->end == WS_RAY_UNKNOWN)
        snprintf(end, sizeof(end), "has no end that was recorded");
    else if (ray->end == WS_RAY_MISSED)
        snprintf(end, sizeof(end), "misses everything");
    else
        snprintf(end, sizeof(end), "hits something; what it is, was not recorded");
    snprintf(text, size, "Ray %" PRIu32 " of %s %s%s%.200s%s.", number, call, end,
             shader[0] != '\0' ? "; " : "", shader, shader[0] != '\0' ? " runs" : "");
}

static cJSON *ray_object(const struct ws_catalog *catalog, const struct ws_ray_store *store,
                         const struct ws_ray_owner *owner, uint32_t number)
{
    const struct ws_ray *ray = ws_ray_store_ray(store, number);
    char text[1024];
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "ray", number);
    ws_json_integer(object, "depth", ray->depth);
    if (ray->parent != WS_NONE)
        ws_json_integer(object, "parent", (uint64_t)owner->ray_first + ray->parent);
    else
        cJSON_AddNullToObject(object, "parent");
    cJSON_AddStringToObject(object, "end", ws_ray_end_name(ray->end));
    tell_ray(catalog, ray, number, text, sizeof(text));
    cJSON_AddStringToObject(object, "text", text);
    return object;
}

/* The rays of all threads at that place: of a pixel also those of several layers. */
static void write_rays(const struct ws_catalog *catalog, const struct ws_ray_store *store, bool pixels,
                       const uint32_t thread[3], struct ws_json *json)
{
    uint64_t count = 0;
    ws_json_open_list(json, "rays");
    for (uint32_t i = 0; store != NULL && i < store->count;) {
        const struct ws_ray_owner *owner = ws_ray_store_owner(store, i);
        const bool fits = owner->place[0] == thread[0] && owner->place[1] == thread[1] &&
                          (pixels || owner->place[2] == thread[2]);
        for (uint32_t j = 0; fits && j < owner->ray_count; ++j, ++count)
            if (count < RAYS_MOST)
                ws_json_element(json, ray_object(catalog, store, owner, owner->ray_first + j));
        i = owner->ray_first + owner->ray_count;
    }
    ws_json_close_list(json);
    ws_json_member(json, "ray_count", ws_json_integer_item(count));
}

static bool write_thread(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                         const struct ws_launch_record *launch, const uint32_t thread[3], FILE *stream,
                         struct ws_error *error)
{
    static const struct ws_analysis *const list[] = {&ws_analysis_execution_trace, NULL};
    struct ws_report_request request = {
        .list = list, .options = {.has_thread = true, .with_warp = true, .rows = STEPS_MOST}};
    struct ws_viewer_launch_report read;
    struct ws_error missing = {{0}};
    struct ws_error no_rays = {{0}};
    struct ws_json json;
    const bool traced = ws_analysis_is_served(&ws_analysis_execution_trace, &capture->report.overview,
                                              capture->path, &missing);
    memcpy(request.options.thread, thread, sizeof(request.options.thread));
    if (traced && !ws_viewer_read_launch(viewer, capture, launch->index, &request, &read, error))
        return false;
    const struct ws_trace_results *trace =
        traced ? ws_report_results(&read.report, &ws_analysis_execution_trace) : NULL;
    const struct ws_ray_store *rays = ws_viewer_rays(viewer, capture, launch, &no_rays);
    cJSON *place = cJSON_CreateArray();
    for (int i = 0; i < 3; ++i)
        ws_json_append(place, ws_json_integer_item(thread[i]));
    ws_json_begin(&json, stream);
    ws_json_member(&json, "launch", ws_json_integer_item(launch->index));
    ws_json_member(&json, "thread", place);
    write_traces(trace, &json);
    ws_json_member(&json, "traces_missing",
                   traced ? cJSON_CreateNull() : cJSON_CreateString(missing.message));
    ws_json_member(&json, "traces_left_out", ws_json_integer_item(trace != NULL ? trace->paths_left_out : 0));
    write_rays(&capture->report.catalog, rays, launch->kind == WS_LAUNCH_RENDER_PASS, thread, &json);
    ws_json_member(&json, "rays_missing",
                   rays != NULL ? cJSON_CreateNull() : cJSON_CreateString(no_rays.message));
    if (traced)
        ws_report_finish(&read.report);
    return ws_json_end(&json) || ws_error_set(error, "no memory for the thread");
}

/* The answer for that key, which was given before; else makes it. NULL and `error` where there is none. */
static char *make_answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                         const struct ws_launch_record *launch, const uint32_t thread[3],
                         struct ws_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    const bool written = stream != NULL ? write_thread(viewer, capture, launch, thread, stream, error)
                                        : ws_error_set(error, "no memory for the thread");
    if (stream != NULL && fclose(stream) == 0 && written)
        return text;
    free(text);
    return NULL;
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    const struct ws_launch_record *launch = ws_viewer_launch(capture, query, error);
    struct kept *kept = kept_of(capture);
    uint32_t thread[3];
    char key[96];
    if (launch == NULL || kept == NULL || !take_thread(query, thread, error))
        return false;
    snprintf(key, sizeof(key), "%" PRIu64 " %" PRIu32 ",%" PRIu32 ",%" PRIu32, launch->index, thread[0],
             thread[1], thread[2]);
    for (uint32_t i = 0; i < KEPT_MOST; ++i)
        if (kept->keys[i] != NULL && strcmp(kept->keys[i], key) == 0) {
            fputs(kept->answers[i], stream);
            return true;
        }
    char *text = make_answer(viewer, capture, launch, thread, error);
    if (text == NULL)
        return false;
    fputs(text, stream);
    char *name = strlen(text) <= KEPT_BYTES ? strdup(key) : NULL;
    if (name == NULL) {
        free(text);
        return true;
    }
    free(kept->keys[kept->next]);
    free(kept->answers[kept->next]);
    kept->keys[kept->next] = name;
    kept->answers[kept->next] = text;
    kept->next = (kept->next + 1) % KEPT_MOST;
    return true;
}

/* Threads that the single file gets. */
struct embedding {
    struct ws_id_map known; /* those that were given */
    ws_viewer_embed *embed;
    void *user;
    uint32_t count;
    uint32_t most; /* so many; those of advice always */
};

/* Gives a thread once. */
static bool embed_thread(struct embedding *embedding, uint64_t launch, const uint32_t place[3],
                         enum ws_viewer_rank rank, bool always)
{
    char query[128];
    uint32_t ignored = 0;
    uint64_t key = launch;
    for (int i = 0; i < 3; ++i)
        key = key * UINT64_C(0x9e3779b97f4a7c15) + place[i];
    if (ws_id_map_get(&embedding->known, key, &ignored) || (embedding->count >= embedding->most && !always))
        return true;
    snprintf(query, sizeof(query), "thread.json?launch=%" PRIu64 "&thread=%" PRIu32 ",%" PRIu32 ",%" PRIu32,
             launch, place[0], place[1], place[2]);
    embedding->count++;
    return ws_id_map_put(&embedding->known, key, 1) && embedding->embed(embedding->user, query, rank);
}

/* Threads of rays: of each rule of advice EVIDENCE_TOLD, the shortest apart; and those of a uniform sample of all rays. */
static bool embed_of_rays(struct embedding *embedding, const struct ws_ray_store *store)
{
    uint32_t told[32] = {0};
    for (uint32_t i = 0; store->rules != NULL && i < store->count; ++i) {
        const uint32_t ray = store->order[i];
        bool wanted = false;
        for (uint32_t rule = 0; store->rules[ray] >> rule != 0; ++rule) {
            if ((store->rules[ray] >> rule & 1) != 0)
                wanted = told[rule]++ < EVIDENCE_TOLD || wanted;
            if (rule == 31)
                break;
        }
        if (wanted && !embed_thread(embedding, store->launch, ws_ray_store_owner(store, ray)->place,
                                    WS_RANK_LINKED, true))
            return false;
    }
    for (uint32_t i = 0; i < store->count && embedding->count < embedding->most; ++i)
        if (!embed_thread(embedding, store->launch, ws_ray_store_owner(store, store->order[i])->place,
                          WS_RANK_THREADS, false))
            return false;
    return true;
}

/* Whether threads left records: of some launch a thread can be shown. Without the pass each shows its rays. */
static bool has_threads(const struct ws_viewer_capture *capture)
{
    const struct ws_trace_results *trace = ws_report_results(&capture->report, &ws_analysis_execution_trace);
    return (trace != NULL && trace->stage_count > 0) ||
           !ws_analysis_is_served(&ws_analysis_execution_trace, &capture->report.overview, capture->path,
                                  &(struct ws_error){{0}});
}

/* The threads with the longest lives; those that lists of the page lead to; those that advice is about; and of the launch that
 * the page opens with a sample. Each costs a reading of its launch, so there are as many as reading is quick. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *embed, void *user)
{
    const struct ws_viewer_links *links = ws_viewer_links(capture);
    const uint64_t bytes = capture->report.overview.reading.bytes;
    uint64_t launches[WS_LAUNCHES_SHOWN];
    const uint64_t affordable = bytes > 0 ? EMBEDDED_READING / bytes : EMBEDDED_MOST;
    struct embedding embedding = {.embed = embed,
                                  .user = user,
                                  .most = affordable < EMBEDDED_MOST ? (uint32_t)affordable : EMBEDDED_MOST};
    const struct ws_launch_record *opened = ws_launches_shown(capture, launches) > 0
                                                ? ws_catalog_launch(&capture->report.catalog, launches[0])
                                                : NULL;
    bool given = links != NULL;
    (void)budget;
    if (given && !has_threads(capture))
        return true;
    for (uint32_t i = 0; given && i < links->count; ++i)
        given = ws_catalog_launch(&capture->report.catalog, links->links[i].launch) == NULL ||
                embed_thread(&embedding, links->links[i].launch, links->links[i].thread, WS_RANK_LINKED,
                             links->links[i].advice || i < LINKS_ALWAYS);
    const struct ws_ray_store *store =
        given && opened != NULL ? ws_viewer_rays(viewer, capture, opened, &(struct ws_error){{0}}) : NULL;
    given = given && (store == NULL || embed_of_rays(&embedding, store));
    ws_id_map_finish(&embedding.known);
    return given;
}

const struct ws_viewer_resource ws_viewer_resource_thread = {
    .name = "thread.json",
    .help = "what one thread did, its rays, and its warp beside it",
    .keys = "launch thread",
    .answer = answer,
    .embed = embed,
};
