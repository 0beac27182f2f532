/* The geometry of a capture: every acceleration structure, what it was built of, and which build of it was
 * live for which launch. It is read from the file before the rays are.
 *
 * A BUILD is one chunk BILD. A copy (clone, compaction, deserialization of equal bytes) gives its destination
 * the build that its source has at that moment. So a structure has at most one build at any moment.
 *
 * CONTENT: builds whose geometries are equal in every blob, stride, format, count and flag have the same
 * content. Contents are numbered in the order in which they appear. Top-level builds with the same content
 * refer to the same contents, too. Example: 40 chairs, each with a structure of its own built of the same
 * vertices, are 40 builds with one content.
 *
 * The file is untrusted. What is wrong with it is kept as problems, each named once with how often it was
 * found: instances that refer to no known structure, or to one that has no build at that moment (it was
 * destroyed, or its chunk is missing); vertices, AABBs and transforms that are not finite; indices beyond the
 * vertices; clipped or missing blobs; unknown formats; builds without geometry or primitives (no error:
 * listed as empty). None of that crashes, and nothing is dropped without a word: getters return false for
 * what is not there.
 *
 * MEMORY: the descriptions. The bytes of blobs are in a temporary file without a name, which is mapped. Once
 * loaded, a scene is read-only and thread-safe. */
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

/* What a triangle is by its opacity micromap (struct ws_build_micromap). */
enum ws_micromap_state {
    WS_MICROMAP_TRANSPARENT,         /* all of it is: it is not there */
    WS_MICROMAP_OPAQUE,              /* all of it is: no any-hit shader runs */
    WS_MICROMAP_UNKNOWN_TRANSPARENT, /* the any-hit shader is asked; with two states it is not there */
    WS_MICROMAP_UNKNOWN_OPAQUE,      /* the any-hit shader is asked; with two states it is opaque */
    WS_MICROMAP_MIXED,               /* its parts differ: it has a micromap that says several of these */
    WS_MICROMAP_MAPPED,              /* it has a micromap, whose content is not captured */
    WS_MICROMAP_NOT_KNOWN,           /* its index was not captured */
    WS_MICROMAP_STATES
};
#define WS_MICROMAP_VALUES 4 /* the first of them: what a part can be */

/* What the triangles of a geometry are by their micromaps. By hand: one with the index -2, and one with a micromap of level 1
 * whose four parts are opaque, opaque, transparent, unknown opaque. Then states has 1 opaque and 1 mixed; with has 2 opaque, 1
 * transparent, 1 unknown opaque; asking is 1; parts has 2 opaque, 1 transparent, 1 unknown opaque. */
struct ws_micromap_counts {
    uint64_t states[WS_MICROMAP_STATES]; /* how many triangles are what */
    uint64_t with[WS_MICROMAP_VALUES];   /* triangles that are that, whole or in part, as far as is known */
    uint64_t asking;                     /* triangles with unknown parts, where any-hit shaders run */
    uint64_t
        parts[WS_MICROMAP_VALUES]; /* microtriangles of those that have a micromap whose content is known */
};

struct ws_scene_geometry {
    struct ws_build_geometry info; /* references point into the scene */
    /* Where info.capture_flags have WS_GEOMETRY_MICROMAP. Usages point into the scene. Of a capture from before these were
     * kept, there are no indices, and the type is not that of no indices. */
    struct ws_build_micromap micromap;
    /* What a micromap held (struct ws_micromap_content); both blobs WS_NONE where that is not known. */
    struct ws_micromap_content content;
    struct ws_micromap_counts micromap_counts; /* all 0 without micromaps */
    bool identity;                             /* triangles: no transform, or one that is the identity */
    float transform[12];                       /* triangles: rows of 4 */
    uint32_t vertex_count;                     /* whole vertices in the blob */
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

/* The same, from the chunks that a reader has not given yet. */
struct ws_reader;
struct ws_scene *ws_scene_read(struct ws_reader *reader, struct ws_error *error);

/* The same chunk by chunk. ws_scene_begin gives an empty scene (NULL = no memory). Feed it every chunk of a
 * capture in order, then end it; the getters work after that. `summary`: how the reading went, for the
 * problems; NULL where the caller reports that itself. */
struct ws_chunk;
struct ws_reader_summary;
struct ws_scene *ws_scene_begin(void);
bool ws_scene_record(struct ws_scene *scene, const struct ws_chunk *chunk, struct ws_error *error);
bool ws_scene_end(struct ws_scene *scene, const struct ws_reader_summary *summary, struct ws_error *error);
void ws_scene_destroy(struct ws_scene *scene);

/* The index of the structure with that id; WS_NONE = there is none. */
uint32_t ws_scene_structure_of(const struct ws_scene *scene, uint32_t id);

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

/* A triangle's vertices in object space, with the geometry's own transform applied. False where there is no
 * such triangle or it is not finite; so too for an inactive one (the x of a vertex is NaN). */
bool ws_scene_triangle(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint32_t primitive,
                       float vertices[3][3]);
/* The indices of its vertices within the blob. Vertices at equal positions may have different indices. */
bool ws_scene_triangle_indices(const struct ws_scene *scene, uint32_t build, uint32_t geometry,
                               uint32_t primitive, uint32_t indices[3]);
/* What a triangle is by its micromap, and in `number`, of a mapped one, the number of its micromap. False where there is no
 * such triangle, or its geometry has no micromaps. */
bool ws_scene_micromap(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint32_t primitive,
                       enum ws_micromap_state *state, uint32_t *number);
const char *ws_micromap_state_name(enum ws_micromap_state state);
/* A box: minimum x, y, z, then maximum x, y, z. */
bool ws_scene_aabb(const struct ws_scene *scene, uint32_t build, uint32_t geometry, uint32_t primitive,
                   float bounds[6]);

/* The box around a build's primitives, in its own space; of a top-level build, around the boxes of its
 * instances, in the world. False when it has none. */
bool ws_scene_bounds(const struct ws_scene *scene, uint32_t build, float bounds[6]);

/* The bytes of a blob; NULL where it is missing. */
const uint8_t *ws_scene_blob(const struct ws_scene *scene, uint32_t blob, size_t *size);

#endif
