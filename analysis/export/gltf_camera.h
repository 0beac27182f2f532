/* The camera of a launch: what its primary rays, the first ray of each thread, show of it.
 *
 * A pixel's place runs from -1 to 1 on each axis: of `extent` pixels, pixel i is at (2 i + 1) / extent - 1.
 *
 *   PERSPECTIVE   all rays begin at one point, and the direction at x, y is, up to a positive factor, c + x u + y v.
 *                 The nine numbers are those with the least sum of squares of sines between the directions and theirs.
 *   ORTHOGRAPHIC  all directions are one, and the ray at x, y begins at c + x u + y v: the least squares.
 *
 * The camera looks along the normal of the picture's plane, x to the right. What is not so, such as rays from a
 * G-buffer, all around a point or of one row of pixels, has no camera. Random places in a pixel and of a small lens do
 * no harm. Of a picture that is not centred (lens shift) the camera sees all, and more on the other side. */
#ifndef WS_ANALYSIS_EXPORT_GLTF_CAMERA_H
#define WS_ANALYSIS_EXPORT_GLTF_CAMERA_H

#include "analysis/export/gltf_rays.h"
#include "analysis/output/gltf.h"

struct ws_gltf_view {
    float transform[12]; /* camera to world, rows of 4: the columns are right, up, back and the place */
    bool orthographic;
    double yfov; /* as of struct ws_gltf_camera */
    double aspect;
    double magnify_x;
    double magnify_y;
};

/* False where the rays are of no camera. */
bool ws_gltf_view_fit(const struct ws_gltf_rays *rays, const uint32_t extent[2], struct ws_gltf_view *view);

/* A view from `direction`, which need not have length 1, at all of a box; up is y unless that is the direction. */
void ws_gltf_view_look(const float bounds[6], const double direction[3], struct ws_gltf_view *view);

/* A direction, turned to the side and down, so that depth is seen: `aside` and `down` are sines, about. */
void ws_gltf_view_turn(const double mean[3], double aside, double down, double direction[3]);

/* The view `all` of a box: from about the direction of primary rays. */
void ws_gltf_view_all(const float bounds[6], const double mean[3], struct ws_gltf_view *view);

/* The mean of the directions of primary rays, of length 1; 0, 0, -1 where there are none. */
void ws_gltf_view_mean(const struct ws_gltf_rays *rays, double direction[3]);

#endif
