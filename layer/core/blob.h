/* Bytes of the application in the capture, each sequence once: BLOB chunks. Thread-safe. */
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

/* The id of these bytes; writes them when they are met for the first time. WS_NONE for no bytes, when
 * there is no memory, and when the file does not take them. */
uint32_t ws_blob_put(struct ws_capture *capture, const uint8_t *bytes, uint64_t size);

#endif
