/* Stores bytes of the application in the capture as BLOB chunks. Equal bytes are stored once: two buffers
 * with the same vertices have the same blob id. Thread-safe. */
#ifndef WS_LAYER_CORE_BLOB_H
#define WS_LAYER_CORE_BLOB_H

#include <stddef.h>
#include <stdint.h>

struct ws_blobs; /* of a capture: capture->blobs */
struct ws_capture;

/* NULL when there is no memory. */
struct ws_blobs *ws_blobs_create(void);

/* NULL is accepted. */
void ws_blobs_destroy(struct ws_blobs *blobs);

/* Returns the id of these bytes, and writes them when they are new. WS_NONE for size 0, without memory, and
 * where the capture cannot be written. `bytes` is only read during the call. */
uint32_t ws_blob_put(struct ws_capture *capture, const uint8_t *bytes, uint64_t size);

#endif
