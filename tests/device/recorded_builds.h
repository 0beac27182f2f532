/* The builds and copies of acceleration structures in a capture, with the bytes that they read; the groups
 * and binding tables of ray tracing pipelines. */
#ifndef WS_TESTS_DEVICE_RECORDED_BUILDS_H
#define WS_TESTS_DEVICE_RECORDED_BUILDS_H

#include <stdbool.h>

#include "warpscope/chunks.h"

#define RECORDED_BUILDS     32
#define RECORDED_GEOMETRIES 8
#define RECORDED_REFERENCES 8
#define RECORDED_BLOBS      64
#define RECORDED_STRUCTURES 32
#define RECORDED_COPIES     16
#define RECORDED_TABLES     16
#define RECORDED_PIPELINES  8
#define RECORDED_GROUPS     16
#define RECORDED_HANDLE     64 /* bytes */
#define RECORDED_SHADERS    32

struct recorded_build {
    struct ws_chunk_build chunk;
    struct ws_build_geometry geometries[RECORDED_GEOMETRIES];
    uint32_t references[RECORDED_GEOMETRIES][RECORDED_REFERENCES];
};

/* A GRUP chunk. */
struct recorded_groups {
    uint32_t pipeline;
    uint32_t handle_size;
    uint32_t count;
    struct ws_shader_group groups[RECORDED_GROUPS]; /* without handles */
    uint8_t handles[RECORDED_GROUPS][RECORDED_HANDLE];
};

struct recorded_builds {
    struct recorded_build builds[RECORDED_BUILDS];
    uint32_t count;
    struct {
        uint8_t *bytes;
        uint64_t size;
    } blobs[RECORDED_BLOBS];
    uint64_t addresses[RECORDED_STRUCTURES]; /* of structures, by id */
    uint32_t structure_count;
    uint32_t builds_before_gone[RECORDED_STRUCTURES]; /* builds that stood before its GONE chunk */
    uint64_t skipped;                                 /* of SKIP chunks about geometry */
    char names[RECORDED_STRUCTURES][32];
    struct ws_chunk_copy copies[RECORDED_COPIES];
    uint32_t copy_count;
    struct ws_chunk_tables tables[RECORDED_TABLES];
    uint32_t table_count;
    struct recorded_groups groups[RECORDED_PIPELINES];
    uint32_t group_count;
    uint32_t stages[RECORDED_SHADERS]; /* by shader id */
};

/* False with a message on stderr when it cannot be read. */
bool recorded_builds_read(struct recorded_builds *builds, const char *path);
void recorded_builds_finish(struct recorded_builds *builds);

/* Whether blob `id` holds just these bytes; with size 0, whether it is WS_NONE. */
bool recorded_blob_is(const struct recorded_builds *builds, uint32_t id, const void *bytes, uint64_t size);

#endif
