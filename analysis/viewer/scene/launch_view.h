/* What the resources of scene and pictures know of one launch: read when it is first asked for, and kept for the
 * questions that follow. Figures are those of the analyses, as `warpscope report --launch N` has them. */
#ifndef WS_ANALYSIS_VIEWER_SCENE_LAUNCH_VIEW_H
#define WS_ANALYSIS_VIEWER_SCENE_LAUNCH_VIEW_H

#include "analysis/export/gltf_tops.h"
#include "analysis/rays/ray_events.h"
#include "analysis/trace/execution_trace.h"
#include "analysis/viewer/scene/launch_pixels.h"
#include "analysis/viewer/viewer.h"

struct ws_launch_view {
    uint64_t launch;
    uint64_t used; /* when it was last asked for */
    struct ws_viewer_launch_report read;
    const struct ws_scene *scene;          /* of the whole capture; not owned */
    const struct ws_launch_pixels *pixels; /* NULL: the capture has no rays, or they could not be read */
    const struct ws_ray_events *events;    /* likewise */
    const struct ws_trace_results *trace;  /* NULL: the capture has no traces */
    const struct ws_gltf_rays *seen;       /* rays of the launch; NULL = it has none */
    const struct ws_chunk_image *image;    /* that it made; NULL = the capture has none */
    const char *path;                      /* of the capture; not owned */
    struct ws_gltf_tops tops;
};

/* NULL and `error` when the launch is not given or not there, or cannot be read. It is the capture's, and valid until the
 * next call. */
const struct ws_launch_view *ws_launch_view(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                            const struct ws_viewer_query *query, struct ws_error *error);

/* The same by the launch's index, which the capture has. */
const struct ws_launch_view *ws_launch_view_of(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                                               uint64_t launch, struct ws_error *error);

/* The picture of the launch in which its threads are, as the trace shows them; NULL = none. Of a render pass that of its
 * first fragment shader. */
const struct ws_trace_picture *ws_launch_view_trace(const struct ws_launch_view *view);

#endif
