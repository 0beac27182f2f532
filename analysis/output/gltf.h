/* Writes glTF 2.0: meshes of triangles or lines, and the tree of nodes that places them. Binary data goes to
 * a temporary file as it comes.
 *
 * Sticky: after a failure (no memory, or the temporary file) calls do nothing, and ws_gltf_write says so. */
#ifndef WS_ANALYSIS_OUTPUT_GLTF_H
#define WS_ANALYSIS_OUTPUT_GLTF_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "warpscope/error.h"

#define WS_GLTF_LINES     1u
#define WS_GLTF_TRIANGLES 4u

struct ws_gltf {
    FILE *binary;
    uint64_t binary_size;
    cJSON *accessors;
    cJSON *views;
    cJSON *meshes;
    cJSON *materials;
    cJSON *nodes;
    cJSON *roots;
    uint32_t accessor_count;
    uint32_t mesh_count;
    uint32_t material_count;
    uint32_t node_count;
    bool failed;
};

void ws_gltf_begin(struct ws_gltf *gltf);
void ws_gltf_finish(struct ws_gltf *gltf);

/* An opaque colour that is seen without light. Its index. */
uint32_t ws_gltf_material(struct ws_gltf *gltf, const char *name, const float colour[3]);

/* Accessors: positions of three finite floats each (at least one), and indices. */
uint32_t ws_gltf_positions(struct ws_gltf *gltf, const float *positions, uint32_t count);
uint32_t ws_gltf_indices(struct ws_gltf *gltf, const uint32_t *indices, uint32_t count);

/* An empty list of primitives; one more of them; and a mesh of at least one. */
cJSON *ws_gltf_primitives(struct ws_gltf *gltf);
void ws_gltf_add_primitive(struct ws_gltf *gltf, cJSON *primitives, uint32_t mode, uint32_t positions,
                           uint32_t indices, uint32_t material); /* indices WS_NONE = none */
uint32_t ws_gltf_mesh(struct ws_gltf *gltf, const char *name, cJSON *primitives);

/* A node. `mesh` WS_NONE = none; `transform` rows of 4, NULL = none; `children` a list of node indices, which
 * becomes the node's, or NULL. */
uint32_t ws_gltf_node(struct ws_gltf *gltf, const char *name, uint32_t mesh, const float *transform,
                      cJSON *children);
void ws_gltf_add_root(struct ws_gltf *gltf, uint32_t node);

/* Where the binary data are, for a path of the JSON: its name ends in .bin instead. False = too long. */
bool ws_gltf_binary_path(const char *path, char binary[PATH_MAX]);

/* A path that ends in .glb: one file. Else the JSON, and the binary data beside it. */
bool ws_gltf_write(struct ws_gltf *gltf, const char *path, struct ws_error *error);

#endif
