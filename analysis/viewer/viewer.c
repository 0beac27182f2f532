#include "analysis/viewer/viewer.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/ray_marks.h"
#include "analysis/scene/scene_preview.h"
#include "warpscope/capture/budget.h"

static void finish_capture(struct ws_viewer_capture *capture)
{
    for (uint32_t i = 0; i < WS_VIEWER_PARTS; ++i)
        if (capture->parts[i].data != NULL)
            capture->parts[i].destroy(capture->parts[i].data);
    ws_scene_destroy(capture->own_scene);
    ws_report_finish(&capture->report);
    ws_ray_marks_destroy(capture->marks);
}

static bool read_capture(struct ws_viewer *viewer, const struct ws_viewer_capture *capture,
                         struct ws_report_request *request, struct ws_report *report, struct ws_error *error)
{
    request->times = capture->number == 0 ? viewer->options.times : NULL;
    viewer->has_read = true;
    return viewer->options.read(viewer->options.user, report, capture->path, request, error);
}

/* What a reading has freed goes back to the system, which else waits for the next one: of ten million rays, 3 GB. */
static void give_back(struct ws_viewer *viewer)
{
#ifdef __GLIBC__
    if (viewer->has_read)
        malloc_trim(0);
#endif
    viewer->has_read = false;
}

static bool init_capture(struct ws_viewer *viewer, const char *path, struct ws_error *error)
{
    static const char *const keys[WS_VIEWER_CAPTURES_MAX] = {"a", "b"};
    struct ws_viewer_capture *capture = &viewer->captures[viewer->capture_count];
    *capture = (struct ws_viewer_capture){.key = keys[viewer->capture_count],
                                          .path = path,
                                          .number = viewer->capture_count,
                                          .marks = ws_ray_marks_create()};
    struct ws_report_request request = {.all = true, .options = {.whole = true, .marks = capture->marks}};
    if (capture->marks == NULL || !ws_viewer_read(viewer, capture, &request, &capture->report, error)) {
        ws_ray_marks_destroy(capture->marks);
        return ws_error_set(error, "no memory for the viewer");
    }
    ws_ray_marks_settle(capture->marks);
    viewer->capture_count++;
    return true;
}

bool ws_viewer_init(struct ws_viewer *viewer, const struct ws_viewer_options *options, struct ws_error *error)
{
    *viewer = (struct ws_viewer){.options = *options};
    for (uint32_t i = 0; i < WS_VIEWER_CAPTURES_MAX && options->paths[i] != NULL; ++i)
        if (!init_capture(viewer, options->paths[i], error)) {
            ws_viewer_finish(viewer);
            return false;
        }
    give_back(viewer);
    return true;
}

void ws_viewer_finish(struct ws_viewer *viewer)
{
    while (viewer->capture_count > 0)
        finish_capture(&viewer->captures[--viewer->capture_count]);
}

bool ws_viewer_read(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                    struct ws_report_request *request, struct ws_report *report, struct ws_error *error)
{
    request->options.selection = viewer->options.selection;
    return read_capture(viewer, capture, request, report, error);
}

bool ws_viewer_read_launch(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t launch,
                           struct ws_report_request *request, struct ws_viewer_launch_report *report,
                           struct ws_error *error)
{
    struct ws_selection selection = {.counts = {0}};
    if (viewer->options.selection != NULL)
        selection = *viewer->options.selection;
    selection.counts[WS_SELECT_LAUNCH] = 0;
    selection.counts[WS_SELECT_FRAME] = 0;
    selection.counts[WS_SELECT_LABEL] = 0;
    snprintf(report->launch, sizeof(report->launch), "%" PRIu64, launch);
    if (!ws_selection_add(&selection, WS_SELECT_LAUNCH, report->launch, error))
        return false;
    request->options.selection = &selection;
    return read_capture(viewer, capture, request, &report->report, error);
}

struct ws_scene *ws_viewer_scene(struct ws_viewer_capture *capture, struct ws_error *error)
{
    const struct ws_scene_preview *preview = capture->report.preview;
    if (preview != NULL && preview->scene != NULL)
        return preview->scene;
    if (capture->own_scene == NULL)
        capture->own_scene = ws_scene_create(capture->path, error);
    return capture->own_scene;
}

const struct ws_launch_record *ws_viewer_launch(const struct ws_viewer_capture *capture,
                                                const struct ws_viewer_query *query, struct ws_error *error)
{
    uint64_t index = UINT64_MAX;
    if (ws_viewer_query_text(query, "launch") == NULL) {
        ws_error_set(error, "%.64s needs launch=N", query->resource);
        return NULL;
    }
    if (!ws_viewer_query_number(query, "launch", 0, UINT64_MAX, &index, error))
        return NULL;
    const struct ws_launch_record *launch = ws_catalog_launch(&capture->report.catalog, index);
    if (launch == NULL)
        ws_error_set(error, "'%s' has no launch %" PRIu64, capture->path, index);
    return launch;
}

static struct ws_viewer_capture *find_capture(struct ws_viewer *viewer, const struct ws_viewer_query *query,
                                              struct ws_error *error)
{
    const char *key = ws_viewer_query_text(query, "capture");
    for (uint32_t i = 0; i < viewer->capture_count; ++i)
        if (key == NULL || strcmp(key, viewer->captures[i].key) == 0)
            return &viewer->captures[i];
    ws_error_set(error, "there is no capture '%.64s'", key);
    return NULL;
}

/* An answer may cost what reading its captures may. */
static void begin_budget(const struct ws_viewer *viewer)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < viewer->capture_count; ++i)
        bytes += viewer->captures[i].report.overview.reading.bytes;
    ws_budget_begin(0);
    ws_budget_reach(bytes);
}

/* What was decided, worked out: the answer in memory. */
static enum ws_viewer_result answer_into(struct ws_viewer *viewer, const struct ws_viewer_resource *resource,
                                         struct ws_viewer_capture *capture,
                                         const struct ws_viewer_query *query, char **answer, size_t *size,
                                         struct ws_error *error)
{
    FILE *stream = open_memstream(answer, size);
    if (stream == NULL) {
        ws_error_set(error, "no memory for %s", resource->name);
        return WS_VIEWER_FAILED;
    }
    begin_budget(viewer);
    const bool answered = resource->answer(viewer, capture, query, stream, error);
    give_back(viewer);
    const bool written = !ferror(stream);
    if (fclose(stream) == 0 && answered && written)
        return WS_VIEWER_ANSWERED;
    free(*answer);
    *answer = NULL;
    if (!answered && error->message[0] != '\0' && !ws_error_is_memory(error))
        return WS_VIEWER_REFUSED;
    ws_error_set(error, "no memory for %s", resource->name);
    return WS_VIEWER_FAILED;
}

enum ws_viewer_result ws_viewer_answer(struct ws_viewer *viewer, const char *text, char **answer,
                                       size_t *size, struct ws_error *error)
{
    *answer = NULL;
    *size = 0;
    struct ws_viewer_query *query = malloc(sizeof(*query));
    if (query == NULL) {
        ws_error_set(error, "no memory for a query");
        return WS_VIEWER_FAILED;
    }
    enum ws_viewer_result result = WS_VIEWER_REFUSED;
    if (ws_viewer_query_parse(query, text, error)) {
        const struct ws_viewer_resource *resource = ws_viewer_resource_find(query->resource);
        struct ws_viewer_capture *capture = NULL;
        if (resource == NULL) {
            ws_error_set(error, "there is no '%.64s'", query->resource);
            result = WS_VIEWER_UNKNOWN;
        } else if (ws_viewer_query_check(query, resource->keys, error) &&
                   (capture = find_capture(viewer, query, error)) != NULL) {
            result = answer_into(viewer, resource, capture, query, answer, size, error);
        }
    }
    free(query);
    return result;
}
