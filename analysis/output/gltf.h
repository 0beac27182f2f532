/* Writes glTF 2.0: meshes of triangles or lines, cameras, lights, and the tree of nodes that places them. Binary data
 * goes to a temporary file as it comes.
 *
 * Sticky: after a failure (no memory, or the temporary file) calls do nothing, and ws_gltf_write says so. */
#ifndef WS_ANALYSIS_OUTPUT_GLTF_H
#define WS_ANALYSIS_OUTPUT_GLTF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "analysis/output/file_kind.h"
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
    cJSON *cameras;
    cJSON *lights;
    cJSON *nodes;
    cJSON *roots;
    uint32_t accessor_count;
    uint32_t mesh_count;
    uint32_t material_count;
    uint32_t camera_count;
    uint32_t light_count;
    uint32_t node_count;
    bool unlit; /* a material is */
    bool failed;
};

void ws_gltf_begin(struct ws_gltf *gltf);
void ws_gltf_finish(struct ws_gltf *gltf);

struct ws_gltf_material {
    const char *name;
    float colour[4]; /* red, green, blue, opacity; less than 1 lets what is behind shine through */
    bool
        unlit; /* it looks the same in any light (KHR_materials_unlit); else it is lit, and never quite dark */
    bool one_sided; /* not seen from behind */
};

/* Its index. */
uint32_t ws_gltf_material(struct ws_gltf *gltf, const struct ws_gltf_material *material);

/* Accessors: positions of three finite floats each (at least one), and indices. */
uint32_t ws_gltf_positions(struct ws_gltf *gltf, const float *positions, uint32_t count);
uint32_t ws_gltf_indices(struct ws_gltf *gltf, const uint32_t *indices, uint32_t count);
/* Three numbers of our own for each vertex. */
uint32_t ws_gltf_numbers(struct ws_gltf *gltf, const float *numbers, uint32_t count);

/* An empty list of primitives; one more of them; and a mesh of at least one. */
cJSON *ws_gltf_primitives(struct ws_gltf *gltf);
/* `indices` WS_NONE = none. Returns the primitive's attributes, for ws_gltf_attribute; NULL after a failure. */
cJSON *ws_gltf_add_primitive(struct ws_gltf *gltf, cJSON *primitives, uint32_t mode, uint32_t positions,
                             uint32_t indices, uint32_t material);
/* An attribute of three numbers: COLOR_0, or one of our own, whose name begins with "_" (glTF 2.0, 3.7.2.1). */
void ws_gltf_attribute(cJSON *attributes, const char *name, uint32_t numbers);
uint32_t ws_gltf_mesh(struct ws_gltf *gltf, const char *name, cJSON *primitives);

struct ws_gltf_camera {
    const char *name;
    bool orthographic;
    double yfov;      /* of a perspective one, in radians */
    double aspect;    /* width / height */
    double magnify_x; /* of an orthographic one: half of what it sees */
    double magnify_y;
    double near;
    double far;
};

/* Cameras and directional lights (KHR_lights_punctual) look along -z of their nodes. Their index. */
uint32_t ws_gltf_camera(struct ws_gltf *gltf, const struct ws_gltf_camera *camera);
uint32_t ws_gltf_light(struct ws_gltf *gltf, const char *name, double lux);

enum ws_gltf_content { WS_GLTF_NOTHING, WS_GLTF_MESH, WS_GLTF_CAMERA, WS_GLTF_LIGHT };

struct ws_gltf_node {
    const char *name;
    enum ws_gltf_content content;
    uint32_t index;         /* of the content */
    const float *transform; /* rows of 4; NULL = none */
    cJSON *children;        /* indices of nodes; NULL = none. It becomes the node's */
    cJSON *extras;          /* what else is to be said, or NULL. It becomes the node's */
};

/* Its index. */
uint32_t ws_gltf_add_node(struct ws_gltf *gltf, const struct ws_gltf_node *node);
void ws_gltf_add_root(struct ws_gltf *gltf, uint32_t node);

extern const struct ws_file_kind ws_gltf_kind;

/* One file: binary where its path ends in .glb, else JSON, with the binary data in base64. */
bool ws_gltf_write(struct ws_gltf *gltf, const char *path, struct ws_error *error);

#endif
