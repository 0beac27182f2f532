/* The geometry of a capture as files for other programs: OBJ for what bottom-level structures hold, text for
 * top-level ones.
 *
 * Every different content (scene.h) of bottom-level structures is `blas_<content>.obj`: one group
 * for each geometry, `geometry_<index>` of triangles, `geometry_<index>_aabbs` of boxes; its transform is
 * applied. What is not finite, inactive, or has an index out of range is left out, and a comment says how
 * many.
 *
 * Every top-level structure that has a build for the launch is `tlas_<structure id>.txt`: comments begin
 * with #, and each instance is a line of words:
 *
 *     instance 0 custom_index 5 mask 0xff sbt_offset 0 flags 0x1 structure 3 obj blas_1.obj transform 1 0 0
 * 10 0 1 0 0 0 0 1 0
 *
 * (one line; the transform's three rows of four, object to world). `structure -` and `obj -` where the
 * instance refers to none that is known. An instance whose transform is not finite is a comment.
 *
 * Floats are printed so that they read back as the same bits. */
#ifndef WS_ANALYSIS_EXPORT_GEOMETRY_H
#define WS_ANALYSIS_EXPORT_GEOMETRY_H

#include <stdio.h>

#include "analysis/scene/scene.h"

struct ws_geometry_export {
    const char *folder; /* made where it is not there */
    uint64_t launch;
    uint32_t objs;     /* files written */
    uint32_t tops;     /* the same of top-level structures */
    uint64_t left_out; /* primitives and instances */
};

/* False and `error` when a file cannot be written. */
bool ws_export_geometry(const struct ws_scene *scene, struct ws_geometry_export *export,
                        struct ws_error *error);

/* A bottom-level build as OBJ. Adds what was left out. False = no memory; errors of the stream are the
 * caller's to find. */
bool ws_export_obj(const struct ws_scene *scene, uint32_t build, uint64_t *left_out, FILE *stream);

/* A top-level build as text. */
void ws_export_tlas(const struct ws_scene *scene, uint32_t build, uint64_t *left_out, FILE *stream);

/* The corners of a box: bit i of a corner's number chooses the largest of axis i. */
void ws_box_corners(const float bounds[6], float corners[8][3]);

/* The 12 triangles of a box, by corners, seen from outside counter-clockwise. */
extern const uint8_t ws_box_triangles[12][3];

#endif
