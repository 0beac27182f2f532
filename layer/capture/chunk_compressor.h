/* Compresses payloads of chunks, each kind of bytes in the way that costs least for what it saves. Not thread-safe: a thread
 * that compresses has one of its own. */
#ifndef WS_LAYER_CAPTURE_CHUNK_COMPRESSOR_H
#define WS_LAYER_CAPTURE_CHUNK_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/capture/chunk_payload.h"

struct ws_chunk_compressor;

/* NULL without memory. */
struct ws_chunk_compressor *ws_chunk_compressor_create(void);
/* NULL is accepted. */
void ws_chunk_compressor_destroy(struct ws_chunk_compressor *compressor);

/* Bytes that a payload of that size may be compressed to, at most. */
size_t ws_chunk_compressed_bound(size_t size);

/* Compresses what stands behind the first `reserved` bytes of the payload of a chunk of that type to `compressed`, which has
 * room for the bound of it. Returns how many bytes that are; 0 where it fails or gains nothing. */
size_t ws_chunk_compress(struct ws_chunk_compressor *compressor, uint32_t type,
                         const struct ws_chunk_payload *payload, size_t reserved, uint8_t *compressed);

/* Whether records are to be packed (packed.h): their file is hardly larger then, and they are compressed in half the time. */
bool ws_chunk_packs_well(const uint32_t *words, uint32_t count);

#endif
