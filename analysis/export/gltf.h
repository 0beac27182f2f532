/* The scene of one launch as glTF 2.0: top-level structures, their instances, and rays as lines.
 *
 * Those top-level structures are drawn in which the rays of the launch hit (scene_match.h). Where no hit
 * tells, all different ones are drawn that have a build for the launch. Instances are nodes; instances of one
 * structure share its meshes. Meshes are called blas_<content>, as the files of geometry.h are; AABBs are
 * boxes.
 *
 * A node's matrix in glTF must be a translation, rotation and scale. An instance with another transform gets
 * a mesh of its own, already transformed. What is not finite is left out and counted.
 *
 * Rays are drawn as gltf_lines.h says.
 *
 * CAMERAS: "primary rays" (gltf_camera.h), where the launch has one, and "all", which sees the whole scene from about the
 * same direction. Where few rays are drawn "rays" sees them from the side, and comes first: viewers open with the first.
 *
 * MATERIALS tell how rays see a geometry (gltf_sides.h):
 *   one side   hidden from the other: so walls do not hide what is between them
 *   both sides
 *   no hit     no ray hit it; what is behind it shines through. Where no hit at all is known, all is as "both sides"
 *   aabbs      boxes, through which one sees, with their edges */
#ifndef WS_ANALYSIS_EXPORT_GLTF_H
#define WS_ANALYSIS_EXPORT_GLTF_H

#include "analysis/export/gltf_rays.h"
#include "analysis/scene/scene.h"

struct ws_gltf_export {
    const char *path;
    uint64_t launch;
    const struct ws_gltf_rays
        *seen;          /* rays of all threads, for cameras and sides; NULL = those that are drawn */
    uint32_t extent[2]; /* of the launch: its pixels */
    bool near;          /* few rays were chosen: they are what is to be seen first */
    uint32_t tops;      /* top-level structures drawn */
    uint32_t live;      /* with different contents, that have a build for the launch */
    uint64_t unplaced;  /* rays whose top-level structure is not known */
    uint64_t instances; /* drawn */
    uint64_t baked;     /* of these, with a mesh of their own */
    uint64_t left_out;  /* instances and primitives */
    bool has_view;      /* a camera was found for the primary rays */
};

/* `rays` NULL: none are drawn. */
bool ws_export_gltf(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                    struct ws_gltf_export *export, struct ws_error *error);

#endif
