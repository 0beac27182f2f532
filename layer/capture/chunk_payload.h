/* Encodes the structs of chunks.h as the payloads that capture.h specifies. Knows no files.
 *
 * A payload remembers its first failure (no memory, or more than WS_CHUNK_MAX bytes): after that, puts do
 * nothing, and `failure` is looked at once, at the end. Not thread-safe. */
#ifndef WS_LAYER_CAPTURE_CHUNK_PAYLOAD_H
#define WS_LAYER_CAPTURE_CHUNK_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/capture/word_packer.h"
#include "warpscope/chunks.h"

struct ws_blocks;

struct ws_chunk_payload {
    uint8_t *data;
    size_t size;
    size_t capacity;
    struct ws_blocks *blocks; /* set by who puts: what keeps large pieces of memory; NULL = nothing */
    bool packs; /* set by who puts: words of PLANES are put packed (packed.h), which ends the payload */
    /* Bytes by which `size` is less than that of the same payload with planes; 0 = nothing is packed. */
    size_t saved;
    struct ws_packed_size packed; /* of what is packed, at the end */
    const char *failure;          /* static text, NULL while all is well */
};

/* An empty payload. Its first `reserved` bytes are the caller's to fill; `size` counts them. */
void ws_chunk_payload_init(struct ws_chunk_payload *payload, size_t reserved);
void ws_chunk_payload_finish(struct ws_chunk_payload *payload);

/* The payload of a chunk of that type (enum ws_chunk_type, one that is known); `chunk` is its struct of
 * chunks.h. */
void ws_chunk_payload_put(struct ws_chunk_payload *payload, uint32_t type, const void *chunk);

/* The same in pieces, for submissions that are split: first all that stands before the list of launches or shaders,
 * whose count is 0 for now. Each returns where that count stands. Then the elements; then the list is closed with
 * the number of elements that were put. */
size_t ws_chunk_payload_open_submission(struct ws_chunk_payload *payload,
                                        const struct ws_chunk_submission *submission);
size_t ws_chunk_payload_open_launch(struct ws_chunk_payload *payload, const struct ws_launch *launch);
void ws_chunk_payload_put_counters(struct ws_chunk_payload *payload,
                                   const struct ws_shader_counters *counters);
void ws_chunk_payload_close_list(struct ws_chunk_payload *payload, size_t count_at, uint32_t count);
/* Behind the closed list of launches: the member `weights` of the submission. */
void ws_chunk_payload_put_weights(struct ws_chunk_payload *payload, const uint32_t *weights, uint32_t count);
/* Behind these: its member `bases`. */
void ws_chunk_payload_put_bases(struct ws_chunk_payload *payload,
                                const struct ws_chunk_submission *submission);

#endif
