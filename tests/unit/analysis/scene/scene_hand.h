/* Captures of geometry that a test makes up. */
#ifndef WS_TESTS_UNIT_ANALYSIS_SCENE_SCENE_HAND_H
#define WS_TESTS_UNIT_ANALYSIS_SCENE_SCENE_HAND_H

#include "tests/unit/analysis/capture/capture_test.h"

#include "analysis/scene/scene.h"
#include "layer/capture/capture_writer.h"

enum { TOP_LEVEL = 0, BOTTOM_LEVEL = 1 };
enum { FORMAT_FLOAT3 = 106, INDEX_16 = 0, INDEX_32 = 1, INDEX_8 = 1000265000, INDEX_NONE = 1000165000 };
enum { COPY_CLONE, COPY_COMPACT, COPY_SERIALIZE, COPY_DESERIALIZE };

/* A capture that is being written, with device 0. */
struct scene_file {
    struct ws_capture_writer *writer;
    char path[64];
    uint32_t blobs;
    uint32_t structures;
};

/* An instance with its reference. */
struct hand_instance {
    float transform[12];
    uint32_t custom_index;
    uint32_t mask;
    uint32_t sbt_offset;
    uint32_t flags;
    uint64_t address;
    uint32_t structure;
};

#define HAND_AT(x, y, z)                                                                                     \
    {                                                                                                        \
        1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z                                                                   \
    }

void scene_begin(struct scene_file *file);

/* Reads what was written; the scene must be destroyed. */
struct ws_scene *scene_end(struct scene_file *file);

/* Closes the file, which is left; the caller unlinks it. */
void scene_close(struct scene_file *file);

uint32_t hand_blob(struct scene_file *file, const void *bytes, size_t size);

/* The next structure id: 0, 1, ..., at the address 0x1000 * (id + 1). */
uint32_t hand_structure(struct scene_file *file, uint32_t type, const char *name);

/* Triangles of `count` vertices, three floats each, not indexed. */
struct ws_build_geometry hand_triangles(struct scene_file *file, const float *vertices, uint32_t count);
struct ws_build_geometry hand_aabbs(struct scene_file *file, const float *boxes, uint32_t count);

/* `references` has room for `count`. */
struct ws_build_geometry hand_instances(struct scene_file *file, const struct hand_instance *instances,
                                        uint32_t count, uint32_t *references);

void hand_build(struct scene_file *file, uint32_t structure, uint64_t moment,
                const struct ws_build_geometry *geometries, uint32_t count);
/* The same; the first geometry has micromaps with these indices, one for each triangle, to which 100 is added. Number 100 has
 * level 1 and four states: its four parts are in the byte `opacities`; NULL = what micromaps hold is not captured. */
void hand_build_mapped(struct scene_file *file, uint32_t structure,
                       const struct ws_build_geometry *geometries, uint32_t count, const int32_t *indices,
                       const uint8_t *opacities);
void hand_copy(struct scene_file *file, uint32_t source, uint32_t destination, uint64_t moment, uint32_t mode,
               uint64_t hash);
void hand_gone(struct scene_file *file, uint32_t structure, uint64_t moment);

/* Fails unless the scene has a problem whose text contains `text`, that often. */
void expect_problem(const struct ws_scene *scene, const char *text, uint64_t count);
void expect_no_problems(const struct ws_scene *scene);
void expect_floats(const float *found, const float *expected, size_t count);

#endif
