/* The geometry of a capture as files for other programs: bottom-level structures as OBJ, top-level structures
 * as text.
 *
 * Each different content (scene.h) of bottom-level structures is one file, `blas_<content>.obj`. It has one
 * group for each geometry: `geometry_<index>` of triangles, `geometry_<index>_aabbs` of boxes. The transform
 * of the geometry is applied. A primitive that is not finite, is inactive, or has an index out of range is
 * left out; a comment says how many were. In geometries with opacity micromaps a material says what triangles are by
 * them: `micromap_opaque`, `micromap_transparent`, `micromap_mapped` for those that have one (ws_micromap_state_name).
 *
 * Each top-level structure that has a build for the launch is one file, `tlas_<structure id>.txt`. Comments
 * begin with #. Each instance is one line:
 *
 *     instance 0 custom_index 5 mask 0xff sbt_offset 0 flags 0x1 structure 3 obj blas_1.obj transform 1 0 0
 *     ...
 *
 * The transform is object to world, three rows of four. `structure -` and `obj -`: the instance refers to no
 * structure that is known. An instance whose transform is not finite is a comment.
 *
 * Floats are printed so that they read back as the same bits. */
#ifndef WS_ANALYSIS_EXPORT_GEOMETRY_H
#define WS_ANALYSIS_EXPORT_GEOMETRY_H

#include <stdio.h>

#include "analysis/scene/scene.h"

struct ws_geometry_export {
    const char *folder; /* it is made if it does not exist */
    uint64_t launch;
    uint32_t objs;     /* bottom-level structures written */
    uint32_t tops;     /* top-level structures written */
    uint64_t left_out; /* primitives and instances that are not in the files */
};

/* False and `error` when a file cannot be written. */
bool ws_export_geometry(const struct ws_scene *scene, struct ws_geometry_export *export,
                        struct ws_error *error);

/* Writes a bottom-level build as OBJ, and adds the primitives that were left out. False = no memory; the
 * caller checks the stream for errors. */
bool ws_export_obj(const struct ws_scene *scene, uint32_t build, uint64_t *left_out, FILE *stream);

/* Writes a top-level build as text, and adds the instances that were left out. */
void ws_export_tlas(const struct ws_scene *scene, uint32_t build, uint64_t *left_out, FILE *stream);

/* The corners of a box. Bit i of a corner's number says whether it has the largest value of axis i. */
void ws_box_corners(const float bounds[6], float corners[8][3]);

/* The 12 triangles of a box, by numbers of corners; counter-clockwise as seen from outside. */
extern const uint8_t ws_box_triangles[12][3];

#endif
