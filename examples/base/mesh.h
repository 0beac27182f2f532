/* Triangle meshes: read from Wavefront OBJ files, or made. */
#ifndef WS_EXAMPLES_BASE_MESH_H
#define WS_EXAMPLES_BASE_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

/* Indexed triangles, counter-clockwise seen from outside. A zeroed struct is an empty mesh. */
struct ws_mesh {
    float *positions;  /* 3 * vertex_count */
    float *normals;    /* 3 * vertex_count, of length 1 */
    uint32_t *indices; /* 3 * triangle_count */
    uint32_t vertex_count;
    uint32_t triangle_count;
    size_t vertex_room; /* allocated */
    size_t triangle_room;
};

/* Reads the positions and faces of an OBJ file (untrusted); polygons become fans of triangles. Normals are
 * made from the faces, smooth over shared vertices. On failure the mesh is empty and `error` names file,
 * line and reason. */
bool ws_mesh_load(struct ws_mesh *mesh, const char *path, struct ws_error *error);

/* The mesh of that name: "knot", which every build has, a file, or one that came with the build, in the folder meshes
 * beside the program. Otherwise as ws_mesh_load. */
bool ws_mesh_find(struct ws_mesh *mesh, const char *name, struct ws_error *error);

/* A torus knot of some thousand triangles. */
bool ws_mesh_knot(struct ws_mesh *mesh, struct ws_error *error);

/* A closed box between two corners, its sides seen from outside, or from inside as those of a room. */
bool ws_mesh_box(struct ws_mesh *mesh, const float low[3], const float high[3], bool inside,
                 struct ws_error *error);

/* A closed ball of radius 1 around the origin, of flat triangles. */
bool ws_mesh_ball(struct ws_mesh *mesh, struct ws_error *error);

/* Moves and scales a mesh so that it stands on y = 0 above the origin, and is 1 high or wide, whichever
 * is more. */
void ws_mesh_fit(struct ws_mesh *mesh);

/* Changes the order of the triangles so that near ones stand near each other, halves beside halves. A driver
 * that builds its tree in the order of the input, as Mesa's software device does, then traces several times
 * as fast; to others it is all one. */
bool ws_mesh_order(struct ws_mesh *mesh, struct ws_error *error);

/* Appends the two triangles of a parallelogram. */
bool ws_mesh_append_quad(struct ws_mesh *mesh, const float corner[3], const float u[3], const float v[3],
                         struct ws_error *error);

/* Appends all of `other`; its indices count from its own first vertex, as before. */
bool ws_mesh_append(struct ws_mesh *mesh, const struct ws_mesh *other, struct ws_error *error);

void ws_mesh_finish(struct ws_mesh *mesh);

#endif
