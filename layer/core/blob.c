#include "layer/core/blob.h"

#include <pthread.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/core/capture.h"
#include "layer/process/lock.h"
#include "warpscope/instrument.h"

/* Someone else's process must not exit because a map cannot grow: uthash then leaves the element out. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Bytes handed to the writer at a time: it counts them in 32 bits. */
#define PIECE ((uint64_t)32 << 20)

struct key {
    uint64_t hash[2];
    uint64_t size;
};

struct blob {
    struct key key;
    uint32_t id;
    UT_hash_handle hh;
};

struct ws_blobs {
    pthread_mutex_t lock; /* held while one is written, so that nobody refers to it before */
    struct blob *map;
};

struct ws_blobs *ws_blobs_create(void)
{
    struct ws_blobs *blobs = calloc(1, sizeof(*blobs));
    if (blobs != NULL)
        ws_lock_init(&blobs->lock);
    return blobs;
}

void ws_blobs_destroy(struct ws_blobs *blobs)
{
    struct blob *blob, *next;
    if (blobs == NULL)
        return;
    HASH_ITER(hh, blobs->map, blob, next)
    {
        HASH_DEL(blobs->map, blob);
        free(blob);
    }
    pthread_mutex_destroy(&blobs->lock);
    free(blobs);
}

/* False when the file does not take them, which is the writer's to say, or there is no memory for a chunk. */
static bool write_pieces(struct ws_capture *capture, const struct blob *blob, const uint8_t *bytes)
{
    bool written = true;
    for (uint64_t offset = 0; written && offset < blob->key.size; offset += PIECE) {
        const uint64_t left = blob->key.size - offset;
        const struct ws_chunk_blob chunk = {
            .id = blob->id,
            .hash = {blob->key.hash[0], blob->key.hash[1]},
            .size = blob->key.size,
            .offset = offset,
            .bytes = bytes + offset,
            .count = (uint32_t)(left < PIECE ? left : PIECE),
        };
        struct ws_error error = {0};
        written = ws_capture_write_blob(capture->writer, &chunk, &error);
        ws_capture_check(NULL, written, &error);
    }
    return written;
}

static uint32_t put(struct ws_capture *capture, const struct key *key, const uint8_t *bytes)
{
    struct ws_blobs *blobs = capture->blobs;
    struct blob *blob;
    HASH_FIND(hh, blobs->map, key, sizeof(*key), blob);
    if (blob != NULL)
        return blob->id;
    blob = calloc(1, sizeof(*blob));
    if (blob == NULL)
        return WS_NONE;
    blob->key = *key;
    HASH_ADD(hh, blobs->map, key, sizeof(blob->key), blob);
    if (blob->hh.tbl == NULL) {
        free(blob);
        return WS_NONE;
    }
    blob->id = ws_capture_next(&capture->next_blob);
    if (!write_pieces(capture, blob, bytes)) {
        HASH_DEL(blobs->map, blob);
        free(blob);
        return WS_NONE;
    }
    return blob->id;
}

uint32_t ws_blob_put(struct ws_capture *capture, const uint8_t *bytes, uint64_t size)
{
    if (size == 0)
        return WS_NONE;
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    const struct key key = {.hash = {hash.low64, hash.high64}, .size = size};
    ws_lock(&capture->blobs->lock);
    const uint32_t id = put(capture, &key, bytes);
    ws_unlock(&capture->blobs->lock);
    return id;
}
