/* What the rays of one launch show at each of its pixels (work_grid.h): an analysis that the viewer reads a launch with
 * (launch_view.h). It is no report: it has no columns, and nothing to print.
 *
 * Of the threads at a pixel (one; of fragments several):
 *   rays           that they traced
 *   any_hits       any-hit runs of these rays
 *   intersections  intersection runs of them
 *   depth          largest depth of them (rays.h)
 *   first hit      the hit of the first ray of the first of these threads, where it has a known one:
 *     distance     t times the length of the direction
 *     instance, geometry, primitive
 *
 * The words are those of ray_events: their sums over all pixels are its totals of the launch.
 *
 * MEMORY: 56 bytes a pixel, and a sample of the rays (gltf_seen.h). */
#ifndef WS_ANALYSIS_VIEWER_SCENE_LAUNCH_PIXELS_H
#define WS_ANALYSIS_VIEWER_SCENE_LAUNCH_PIXELS_H

#include "analysis/export/gltf_seen.h"
#include "analysis/scene/scene_match.h"
#include "warpscope/model/work_grid.h"
#include "warpscope/report/analysis.h"

#define WS_LAUNCH_PIXELS_MOST (UINT64_C(4096) * 2304)

struct ws_launch_pixel {
    uint32_t rays; /* 0 = no thread traced here, and nothing else is known */
    uint32_t any_hits;
    uint32_t intersections;
    uint16_t depth;
    uint16_t call; /* of the first hit: index in `calls`, + 1; 0 = there is none */
    float distance;
    uint32_t instance;
    uint32_t geometry;
    uint32_t primitive;
    float point[3];     /* of the first hit */
    float direction[3]; /* of its ray */
};

/* A call site that traced first rays. */
#define WS_LAUNCH_CALLS_MOST 1024

struct ws_launch_pixels {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_gltf_seen seen;
    struct ws_work_grid grid; /* width 0 = there are no pixels: no thread traced, or they are too many */
    struct ws_launch_pixel *pixels;
    struct ws_scene_call calls[WS_LAUNCH_CALLS_MOST];
    uint32_t call_count;
    uint64_t outside; /* threads whose work ids are not shown */
    bool too_large;
    bool begun;                              /* the grid is made, or cannot be */
    const struct ws_replay_threads *threads; /* of the launch; during the replay */
};

/* Its results are a struct ws_launch_pixels. One launch must have been chosen. */
extern const struct ws_analysis ws_analysis_launch_pixels;

#endif
