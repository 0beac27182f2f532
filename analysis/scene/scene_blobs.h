/* The blobs of a capture, kept in a temporary file without a name, so that they take no memory.
 *
 * Feed it the BLOB chunks of one reader in order, then map them. Not thread-safe until they are mapped. */
#ifndef WS_ANALYSIS_SCENE_SCENE_BLOBS_H
#define WS_ANALYSIS_SCENE_SCENE_BLOBS_H

#include "warpscope/base/id_map.h"
#include "warpscope/chunks.h"
#include "warpscope/error.h"

struct ws_scene_blob_entry {
    uint64_t size;  /* of the whole */
    uint64_t have;  /* bytes that came, from its beginning */
    uint64_t place; /* in the file, once they are mapped */
    uint32_t id;
    uint32_t uses; /* in builds, as counted by ws_scene_blobs_use */
};

/* A run of bytes of one blob in the file. */
struct ws_scene_blob_piece {
    uint32_t blob; /* index */
    uint64_t size;
};

struct ws_scene_blobs {
    int file; /* -1 = none yet */
    uint64_t file_size;
    struct ws_id_map ids;
    struct ws_scene_blob_entry *entries;
    uint32_t count;
    uint32_t capacity;
    struct ws_scene_blob_piece *pieces; /* in the order of the file */
    uint32_t piece_count;
    uint32_t piece_capacity;
    const uint8_t *mapping;
    uint64_t mapping_size;
};

void ws_scene_blobs_init(struct ws_scene_blobs *blobs);
void ws_scene_blobs_finish(struct ws_scene_blobs *blobs);

bool ws_scene_blobs_add(struct ws_scene_blobs *blobs, const struct ws_chunk_blob *piece,
                        struct ws_error *error);

/* Puts every blob in one piece and makes them readable. */
bool ws_scene_blobs_map(struct ws_scene_blobs *blobs, struct ws_error *error);

/* The bytes that came; NULL where there are none of that id. */
const uint8_t *ws_scene_blobs_get(const struct ws_scene_blobs *blobs, uint32_t id, size_t *size);

/* Counts a use. WS_NONE is none. */
void ws_scene_blobs_use(struct ws_scene_blobs *blobs, uint32_t id);

#endif
