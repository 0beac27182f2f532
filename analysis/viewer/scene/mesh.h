/* The resource `mesh`: the primitives of one bottom-level content (scene.h), as a page draws them.
 *
 *     mesh?content=C            all of them
 *     mesh?content=C&detail=N   fewer of them, for while a camera moves
 *
 * DETAIL N, from 2 to 128: the vertices in one cell of a grid become one, N cells along the longest side of the content
 * (Rossignac and Borrel, "Multi-resolution 3D approximations for rendering complex scenes", 1993). A triangle whose
 * corners fall into one cell or two is left out, and so is one that is there already; of a cell with nothing but such
 * triangles the largest stays as it is. Of the boxes whose middles are in one cell, the box around them is left. What
 * is outermost along an axis stays there, unless both ends of a geometry are in one cell.
 *
 * FORMAT, version 1, little endian. Offsets are bytes from the beginning; everything begins at a multiple of 4.
 *
 *     u32 magic "WSMH"   u32 version   u32 content   u32 parts   u32 detail (0 = all)   u32 bytes of the whole
 *     f32 bounds[6]      smallest x y z, largest x y z; NaN where nothing can be drawn
 *     parts times:
 *       u32 geometry     index in the content
 *       u32 kind         0 triangles, 1 boxes
 *       u32 flags        1: opaque (VK_GEOMETRY_OPAQUE_BIT_KHR)
 *       u32 primitives   that the geometry has
 *       u32 left_out     of these: not finite, inactive, not in the capture, or indices out of range
 *       u32 vertices     in `positions`; of boxes 0
 *       u32 drawn        triangles or boxes here
 *       u32 positions    offset of 3 f32 a vertex; of boxes 6 f32 a box: smallest x y z, largest x y z
 *       u32 indices      offset of 3 u32 a triangle; of boxes 0
 *       u32 numbers      offset of a u32 for each that is drawn: the primitive that it is, of several the first;
 *                        0 = the i-th is primitive i
 *       f32 bounds[6]    of what is drawn with all detail; NaN where that is nothing
 *
 * Positions are in the space of the content: the geometry's own transform is applied. Triangles share vertices where
 * the application's do: so a mesh of a million triangles has about 18 MB, with a vertex for each corner 36. */
#ifndef WS_ANALYSIS_VIEWER_SCENE_MESH_H
#define WS_ANALYSIS_VIEWER_SCENE_MESH_H

#include <stdio.h>

#include "analysis/scene/scene.h"

#define WS_MESH_VERSION     1u
#define WS_MESH_DETAIL_MOST 128u
#define WS_MESH_BYTES_MOST  (UINT64_C(1) << 30)

struct ws_mesh_part {
    uint32_t geometry;
    uint32_t kind; /* enum ws_geometry_kind */
    uint32_t flags;
    uint32_t primitives;
    uint32_t left_out;
    uint32_t vertices;
    uint32_t drawn;
    float *positions;
    uint32_t *indices; /* NULL of boxes */
    uint32_t *numbers;
    float bounds[6];
};

struct ws_mesh {
    uint32_t content;
    uint32_t detail;
    float bounds[6];
    struct ws_mesh_part *parts;
    uint32_t part_count;
};

/* A bottom-level build with that content; WS_NONE where there is none. */
uint32_t ws_mesh_build(const struct ws_scene *scene, uint32_t content);

/* Bytes that the mesh of a build takes at most, before anything is known of its primitives. */
uint64_t ws_mesh_bytes(const struct ws_scene *scene, uint32_t build);

/* Makes the mesh of a content. `detail`: as above, 0 = all. False and `error`: there is no such content, it has more
 * than WS_MESH_BYTES_MOST, there is no memory or the budget is spent. Then nothing is to be finished. */
bool ws_mesh_make(struct ws_mesh *mesh, const struct ws_scene *scene, uint32_t content, uint32_t detail,
                  struct ws_error *error);
void ws_mesh_finish(struct ws_mesh *mesh);

/* Writes it in the format above. Errors of the stream are for the caller to find. */
void ws_mesh_write(const struct ws_mesh *mesh, FILE *stream);

/* mesh_reduce.c: leaves the detail that cells of this size have. False = no memory. */
bool ws_mesh_reduce(struct ws_mesh_part *part, double cell);

#endif
