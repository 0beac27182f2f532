/* Builds of acceleration structures, which do nothing in the mock driver, and the chunks that the layer
 * writes about them. */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_BUILDS_H
#define WS_TESTS_UNIT_LAYER_MOCK_BUILDS_H

#include "warpscope/chunks.h"

#define MOCK_BUILDS     32
#define MOCK_GEOMETRIES 4
#define MOCK_REFERENCES 8
#define MOCK_BLOBS      64

/* A BILD chunk. */
struct mock_build {
    struct ws_chunk_build chunk;
    struct ws_build_geometry geometries[MOCK_GEOMETRIES];
    uint32_t references[MOCK_GEOMETRIES][MOCK_REFERENCES];
    struct ws_build_micromap micromaps[MOCK_GEOMETRIES];
    struct ws_micromap_usage usages[MOCK_GEOMETRIES][MOCK_REFERENCES];
    struct ws_build_source sources[MOCK_GEOMETRIES];
    struct ws_micromap_content contents[MOCK_GEOMETRIES];
    uint32_t written; /* how many launches were written before it */
};

struct mock_blob {
    uint8_t *bytes; /* NULL = none has this id */
    uint64_t size;
};

/* Emptied by mock_init. */
struct mock_builds {
    struct mock_build builds[MOCK_BUILDS];
    uint32_t count;
    struct mock_blob blobs[MOCK_BLOBS]; /* by id */
    uint32_t pieces;                    /* BLOB chunks */
    uint32_t commands;                  /* builds that reached the driver */
};

extern struct mock_builds mock_builds;

/* The BILD chunk that was written as number `index`; checks that it has as many geometries. */
const struct mock_build *mock_build(uint32_t index, uint32_t geometries);

/* Whether the blob `id` holds just these bytes; with size 0, whether it is WS_NONE. */
void mock_assert_blob(uint32_t id, const void *bytes, uint64_t size);

#endif
