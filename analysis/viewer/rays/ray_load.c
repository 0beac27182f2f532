#include "analysis/viewer/rays/ray_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/ray_marks.h"
#include "analysis/scene/scene.h"
#include "analysis/scene/scene_match.h"
#include "analysis/scene/scene_transform.h"

#define LAUNCHES_MOST 64 /* that are kept */
#define TOPS_MOST     64 /* top-level structures of a launch that are looked at */

/* Reads the rays of one launch; its results, whose first member ws_rays_replay_of wants. */
struct reading {
    struct ws_rays *rays;
    const struct ws_catalog *catalog;
    struct ws_ray_store *store;
    struct ws_scene_matcher *matcher; /* NULL = one top-level structure at most is live */
    struct ws_error error;            /* why it failed */
};

static bool take_thread(void *user, const struct ws_ray_thread *thread)
{
    struct reading *reading = user;
    uint32_t place[3];
    if (thread->ray_count == 0)
        return true;
    ws_ray_thread_place(reading->catalog, thread, place);
    for (uint32_t i = 0; reading->matcher != NULL && i < thread->ray_count; ++i)
        if (!ws_scene_matcher_add(reading->matcher, &thread->rays[i]))
            return false;
    return ws_ray_store_add(reading->store, thread, place, &reading->error);
}

static const struct ws_ray_operations operations = {.thread = take_thread};

static void destroy_reading(void *pointer)
{
    struct reading *reading = pointer;
    ws_rays_destroy(reading->rays);
    reading->rays = NULL;
}

/* The reading is the caller's, given as `user`. */
static void *create_reading(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                            struct ws_error *error)
{
    struct reading *reading = options->user;
    (void)error;
    reading->catalog = catalog;
    reading->rays = ws_rays_create(catalog, &operations, reading);
    if (reading->rays == NULL)
        return NULL;
    ws_rays_choose(reading->rays, options->selection);
    return reading;
}

static void attach(void *pointer, uint32_t user)
{
    const struct reading *reading = pointer;
    ws_rays_attach(reading->rays, user);
}

static const char *const passes[] = {"ray_events", NULL};

static const struct ws_analysis analysis_rays = {
    .name = "rays",
    .summary = "rays for the viewer",
    .passes = passes,
    .create = create_reading,
    .destroy = destroy_reading,
    .replay = &ws_rays_replay_of,
    .attach = attach,
};

static bool read_rays(struct ws_viewer *viewer, struct ws_viewer_capture *capture, struct reading *reading,
                      struct ws_error *error)
{
    const uint64_t launch = reading->store->launch;
    struct ws_report_request request = {.analysis = &analysis_rays, .options = {.user = reading}};
    struct ws_viewer_launch_report read;
    if (!ws_viewer_read_launch(viewer, capture, launch, &request, &read, error)) {
        if (reading->error.message[0] != '\0' && error != NULL)
            *error = reading->error;
        return false;
    }
    const bool whole = ws_report_is_whole(&read.report);
    ws_report_finish(&read.report);
    if (reading->error.message[0] != '\0')
        return ws_error_set(error, "%s", reading->error.message);
    return whole || ws_error_set(error, "the rays of launch %" PRIu64 " could not all be read", launch);
}

/* Finds through which top-level structure the rays of each call flew, and the box of these; of all that are live where that
 * is not known. */
static void find_tops(struct ws_ray_store *store, const struct ws_scene *scene,
                      struct ws_scene_matcher *matcher, const uint32_t *tops, uint32_t count)
{
    float box[6];
    float bounds[6];
    ws_bounds_init(box);
    for (uint32_t i = 0; i < store->call_count; ++i) {
        struct ws_ray_call *call = &store->calls[i];
        struct ws_scene_match match = {.structure = WS_NONE};
        if (count == 1)
            call->top = ws_scene_build_at(scene, tops[0], store->launch);
        else if (matcher != NULL && ws_scene_matcher_find(matcher, &call->of, &match) &&
                 match.structure != WS_NONE)
            call->top = match.build;
        if (call->top != WS_NONE && ws_scene_bounds(scene, call->top, bounds)) {
            ws_bounds_add_point(box, bounds);
            ws_bounds_add_point(box, bounds + 3);
        }
    }
    for (uint32_t i = 0; i < count && box[0] > box[3]; ++i) {
        const uint32_t build = ws_scene_build_at(scene, tops[i], store->launch);
        if (build != WS_NONE && ws_scene_bounds(scene, build, bounds)) {
            ws_bounds_add_point(box, bounds);
            ws_bounds_add_point(box, bounds + 3);
        }
    }
    if (box[0] <= box[3] && ws_all_finite(box, 6))
        memcpy(store->scene, box, sizeof(box));
}

/* Finds which rules of advice each ray is evidence for. False = no memory. */
static bool find_rules(struct ws_ray_store *store, const struct ws_ray_marks *marks)
{
    uint32_t *rules = calloc((size_t)store->count + 1, sizeof(*rules));
    if (rules == NULL)
        return false;
    if (ws_ray_marks_read(marks, store->launch, rules, store->count) > 0)
        store->rules = rules;
    else
        free(rules);
    return true;
}

static struct ws_ray_store *load(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                 const struct ws_launch_record *launch, struct ws_error *error)
{
    const struct ws_scene *scene = ws_viewer_scene(capture, error);
    const uint32_t device = capture->report.catalog.devices[launch->device].id;
    struct reading reading = {.store = ws_ray_store_create(launch->index)};
    uint32_t tops[TOPS_MOST];
    uint32_t count = 0;
    bool loaded = scene != NULL && reading.store != NULL;
    if (loaded) {
        count = ws_scene_tops(scene, device, launch->index, tops, TOPS_MOST);
        count = count < TOPS_MOST ? count : TOPS_MOST;
    }
    if (count > 1) {
        reading.matcher = ws_scene_matcher_create(scene, device, launch->index);
        loaded = reading.matcher != NULL;
    }
    loaded = loaded && read_rays(viewer, capture, &reading, error) &&
             ws_ray_store_end(reading.store, error) && find_rules(reading.store, capture->marks);
    if (loaded) {
        reading.store->top_count = count;
        find_tops(reading.store, scene, reading.matcher, tops, count);
    } else {
        ws_error_set(error, "no memory for the rays of launch %" PRIu64, launch->index);
        ws_ray_store_destroy(reading.store);
        reading.store = NULL;
    }
    ws_scene_matcher_destroy(reading.matcher);
    return reading.store;
}

/* The launches that are kept, the one that was asked for last in front. */
struct kept {
    struct ws_ray_store *stores[LAUNCHES_MOST];
    uint32_t count;
};

static void destroy_kept(void *data)
{
    struct kept *kept = data;
    for (uint32_t i = 0; i < kept->count; ++i)
        ws_ray_store_destroy(kept->stores[i]);
    free(kept);
}

static struct kept *kept_of(struct ws_viewer_capture *capture)
{
    if (capture->parts[WS_VIEWER_PART_RAYS].data == NULL) {
        capture->parts[WS_VIEWER_PART_RAYS].data = calloc(1, sizeof(struct kept));
        capture->parts[WS_VIEWER_PART_RAYS].destroy = destroy_kept;
    }
    return capture->parts[WS_VIEWER_PART_RAYS].data;
}

/* Drops those that were asked for longest ago, but never the first. */
static void make_room(struct kept *kept)
{
    uint64_t bytes = 0;
    uint32_t fit = 0;
    for (; fit < kept->count && fit < LAUNCHES_MOST - 1; ++fit) {
        bytes += ws_ray_store_file(kept->stores[fit]);
        if (fit > 0 && bytes > WS_RAY_LOAD_FILES)
            break;
    }
    while (kept->count > fit)
        ws_ray_store_destroy(kept->stores[--kept->count]);
}

const struct ws_ray_store *ws_viewer_rays(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                          const struct ws_launch_record *launch, struct ws_error *error)
{
    struct kept *kept = kept_of(capture);
    uint32_t at = 0;
    if (kept == NULL) {
        ws_error_set(error, "no memory for rays");
        return NULL;
    }
    while (at < kept->count && kept->stores[at]->launch != launch->index)
        ++at;
    struct ws_ray_store *store = at < kept->count ? kept->stores[at] : NULL;
    if (store == NULL) {
        make_room(kept);
        store = load(viewer, capture, launch, error);
        at = kept->count;
        kept->count += store != NULL;
    }
    if (store == NULL)
        return NULL;
    memmove(&kept->stores[1], &kept->stores[0], at * sizeof(kept->stores[0]));
    kept->stores[0] = store;
    return store;
}
