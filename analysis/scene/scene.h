/* The geometry of a capture: every acceleration structure, what it was built of, and which of it was live for
 * which launch. Read in a pass of its own over the file, before the rays.
 *
 * A BUILD is one chunk BILD; a copy makes its destination have the build of its source at that moment (clone,
 * compact, and deserialization of equal bytes), from the copy's moment on. So at every moment a structure has
 * at most one build. Identity: builds whose geometries are equal in every blob, stride, format, count and
 * flag are the same CONTENT (`content`, numbered in the order in which they appear); top-level ones refer to
 * the same contents, too.
 *
 * The file is untrusted. What is wrong with it is kept as problems, each named once with how often: instances
 * that refer to no known structure, or to one without a build at that moment (gone, or its chunk is missing);
 * NaN or infinite vertices, AABBs, transforms; indices outside the vertices; clipped or missing blobs;
 * unknown formats; builds without geometry or without primitives (no error: listed as empty). Nothing of that
 * crashes or is dropped in silence: getters return false for what cannot be had.
 *
 * MEMORY: descriptions; the bytes of blobs are in a temporary file without a name, mapped. Read-only and
 * thread-safe once loaded. */
#ifndef WS_ANALYSIS_SCENE_SCENE_H
#define WS_ANALYSIS_SCENE_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/chunks.h"
#include "warpscope/error.h"

enum ws_geometry_kind {
    WS_GEOMETRY_TRIANGLES = 0,
    WS_GEOMETRY_AABBS = 1,
    WS_GEOMETRY_INSTANCES = 2
}; /* VkGeometryTypeKHR */

struct ws_scene_geometry {
    struct ws_build_geometry info; /* references point into the scene */
    bool identity;                 /* triangles: no transform, or one that is the identity */
    float transform[12];           /* triangles: rows of 4 */
    uint32_t vertex_count;         /* whole vertices in the blob */
};

struct ws_scene_build {
    uint32_t structure; /* index in structures: where it was built */
    uint64_t moment;    /* from which on */
    uint32_t flags;     /* WS_BUILD_* */
    uint32_t build_flags;
    uint32_t content; /* number of its content */
    bool top;         /* of instances */
    const struct ws_scene_geometry *geometries;
    uint32_t geometry_count;
    uint64_t primitives; /* in all geometries */
};

struct ws_scene_structure {
    uint32_t id;
    uint32_t device;
    uint32_t type; /* VkAccelerationStructureTypeKHR */
    uint64_t size;
    uint64_t address;
    const char *name;
    uint64_t gone; /* moment; UINT64_MAX = never */
    uint32_t builds;
    uint32_t updates;    /* builds that are updates, counted in `builds` too */
    uint32_t copies;     /* to it */
    uint32_t last_build; /* the last that it had; WS_NONE = none */
};

struct ws_scene_instance {
    float transform[12]; /* object to world, rows of 4 */
    uint32_t custom_index;
    uint32_t mask;
    uint32_t sbt_offset;
    uint32_t flags;     /* VkGeometryInstanceFlagsKHR */
    uint32_t structure; /* index in structures; WS_NONE */
    uint32_t build;     /* its build at the moment of the top-level build; WS_NONE = unknown */
};

struct ws_scene_problem {
    const char *text; /* one clause, naming structure, geometry or instance of the first */
    uint64_t count;   /* how often */
};

struct ws_scene {
    const struct ws_scene_structure *structures;
    uint32_t structure_count;
    const struct ws_scene_build *builds; /* in the order of the file */
    uint32_t build_count;
    uint32_t content_count;
    const struct ws_scene_problem *problems;
    uint32_t problem_count;
    uint64_t last;                /* highest index of a launch */
    uint64_t blob_bytes;          /* stored of what was built from, not of binding tables */
    uint64_t shared_bytes;        /* that further uses of the same blobs would have taken */
    struct ws_scene_state *state; /* private */
};

/* Reads the geometry of the capture at `path`; without any, an empty scene. NULL and `error` when the file
 * cannot be read or there is no memory. */
struct ws_scene *ws_scene_create(const char *path, struct ws_error *error);

/* The same of what a reader has yet to give. */
struct ws_reader;
struct ws_scene *ws_scene_read(struct ws_reader *reader, struct ws_error *error);

/* The same chunk by chunk: an empty scene (NULL = no memory), which is fed every chunk of a capture in order,
 * and can be asked once it has been ended. `summary`: how the reading went; NULL where somebody else tells of
 * it. */
struct ws_chunk;
struct ws_reader_summary;
struct ws_scene *ws_scene_begin(void);
bool ws_scene_record(struct ws_scene *scene, const struct ws_chunk *chunk, struct ws_error *error);
bool ws_scene_end(struct ws_scene *scene, const struct ws_reader_summary *summary, struct ws_error *error);
void ws_scene_destroy(struct ws_scene *scene);

/* The build that a structure (index) has for launch `moment`; WS_NONE = none. */
uint32_t ws_scene_build_at(const struct ws_scene *scene, uint32_t structure, uint64_t moment);

/* Top-level structures (indices) of `device` (the chunk's id) that have a build for launch `moment`: up
 * to `capacity` of them in `tops`; returns how many there are. */
uint32_t ws_scene_tops(const struct ws_scene *scene, uint32_t device, uint64_t moment, uint32_t *tops,
                       uint32_t capacity);

/* How many instances a top-level build has. */
uint32_t ws_scene_instance_count(const struct ws_scene *scene, uint32_t build);
bool ws_scene_instance(const struct ws_scene *scene, uint32_t build, uint32_t index,
                       struct ws_scene_instance *instance);

/* Object space, the geometry's own transform applied. False where there is none such, or it is not finite: an
 * inactive primitive (a vertex' x is NaN) too. */
bool ws_scene_triangle(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint32_t primitive,
                       float vertices[3][3]);
/* Its vertices' indices within the blob; equal positions may have several. */
bool ws_scene_triangle_indices(const struct ws_scene *scene, uint32_t build, uint32_t geometry,
                               uint32_t primitive, uint32_t indices[3]);
/* minimum x, y, z, maximum x, y, z. */
bool ws_scene_aabb(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint32_t primitive,
                   float bounds[6]);

/* Bounds of a build's primitives in its own space (a top level's: of its instances' boxes, in world space).
 * False when it has none. Computed once. */
bool ws_scene_bounds(const struct ws_scene *scene, uint32_t build, float bounds[6]);

/* The bytes of a blob; NULL where it is missing. */
const uint8_t *ws_scene_blob(const struct ws_scene *scene, uint32_t blob, size_t *size);

#endif
