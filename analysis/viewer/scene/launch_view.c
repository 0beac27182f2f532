#include "analysis/viewer/scene/launch_view.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/image/launch_image.h"

#define KEPT_MOST 2 /* launches of a capture */

struct kept {
    struct ws_launch_view *views[KEPT_MOST];
    uint64_t clock;
};

static void destroy_view(struct ws_launch_view *view)
{
    if (view == NULL)
        return;
    ws_gltf_tops_finish(&view->tops);
    ws_report_finish(&view->read.report);
    free(view);
}

static void destroy_kept(void *data)
{
    struct kept *kept = data;
    for (int i = 0; i < KEPT_MOST; ++i)
        destroy_view(kept->views[i]);
    free(kept);
}

static const struct ws_chunk_image *find_image(const struct ws_viewer_capture *capture, uint64_t launch)
{
    const struct ws_catalog *catalog = &capture->report.catalog;
    for (uint32_t i = 0; i < catalog->launches.count; ++i)
        if (catalog->launches.launches[i].index == launch)
            return ws_launch_image_find(catalog, &catalog->launches.launches[i]);
    return NULL;
}

static struct ws_launch_view *read_view(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                        uint64_t launch, struct ws_error *error)
{
    static const struct ws_analysis *const list[] = {&ws_analysis_ray_events, &ws_analysis_execution_trace,
                                                     &ws_analysis_launch_pixels, NULL};
    struct ws_report_request request = {.list = list, .options = {.whole = true, .plots = true}};
    struct ws_scene *scene = ws_viewer_scene(capture, error);
    struct ws_launch_view *view = scene != NULL ? calloc(1, sizeof(*view)) : NULL;
    if (view == NULL)
        return NULL;
    view->launch = launch;
    view->scene = scene;
    if (!ws_viewer_read_launch(viewer, capture, launch, &request, &view->read, error)) {
        free(view);
        return NULL;
    }
    const struct ws_report *report = &view->read.report;
    view->pixels = ws_report_results(report, &ws_analysis_launch_pixels);
    view->events = ws_report_results(report, &ws_analysis_ray_events);
    view->trace = ws_report_results(report, &ws_analysis_execution_trace);
    if (view->pixels != NULL && view->pixels->seen.rays.count > 0)
        view->seen = &view->pixels->seen.rays;
    view->image = find_image(capture, launch);
    view->path = capture->path;
    if (!ws_gltf_tops_choose(&view->tops, scene, launch, view->seen, NULL)) {
        destroy_view(view);
        return NULL;
    }
    return view;
}

const struct ws_launch_view *ws_launch_view(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                            const struct ws_viewer_query *query, struct ws_error *error)
{
    const struct ws_launch_record *launch = ws_viewer_launch(capture, query, error);
    return launch != NULL ? ws_launch_view_of(viewer, capture, launch->index, error) : NULL;
}

const struct ws_launch_view *ws_launch_view_of(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                               uint64_t launch, struct ws_error *error)
{
    struct kept *kept = capture->parts[WS_VIEWER_PART_SCENE].data;
    if (kept == NULL) {
        kept = calloc(1, sizeof(*kept));
        if (kept == NULL)
            return NULL;
        capture->parts[WS_VIEWER_PART_SCENE].data = kept;
        capture->parts[WS_VIEWER_PART_SCENE].destroy = destroy_kept;
    }
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < KEPT_MOST; ++i) {
        if (kept->views[i] != NULL && kept->views[i]->launch == launch) {
            kept->views[i]->used = ++kept->clock;
            return kept->views[i];
        }
        if (kept->views[i] == NULL ||
            (kept->views[oldest] != NULL && kept->views[i]->used < kept->views[oldest]->used))
            oldest = i;
    }
    struct ws_launch_view *view = read_view(viewer, capture, launch, error);
    if (view == NULL)
        return NULL;
    destroy_view(kept->views[oldest]);
    kept->views[oldest] = view;
    view->used = ++kept->clock;
    return view;
}

const struct ws_trace_picture *ws_launch_view_trace(const struct ws_launch_view *view)
{
    for (uint32_t i = 0; view->trace != NULL && i < view->trace->picture_count; ++i)
        if (view->trace->pictures[i].kind != WS_LAUNCH_RENDER_PASS ||
            view->trace->pictures[i].stage == WS_STAGE_FRAGMENT)
            return &view->trace->pictures[i];
    return NULL;
}
