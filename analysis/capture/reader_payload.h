/* Decodes payloads into the structs of chunks.h, by the table of chunk_members.h. Checks lengths and counts;
 * what numbers refer to is checked by reader_check.h.
 *
 * Texts and words stay in the payload's buffer: a text moves over its length, which makes room for a NUL;
 * words move back to an aligned place. Arrays of structs and of pointers are allocated, but only after their
 * count was compared with the bytes that are left. So memory is bounded by a small multiple of the
 * payload; and of words that are packed, by what the chunk's header says that they take as planes: WS_CHUNK_MAX at most. */
#ifndef WS_ANALYSIS_CAPTURE_READER_PAYLOAD_H
#define WS_ANALYSIS_CAPTURE_READER_PAYLOAD_H

#include "warpscope/reader.h"

struct ws_arena;

/* A payload. `data` must be aligned for uint32_t. */
struct ws_payload {
    uint8_t *data;
    size_t size; /* bytes, as the chunk's header says */
    size_t have; /* in `data`; other than `size` where one of the following is so */
    /* The words of PLANES are packed (packed.h). `size` is that of the payload as it would be with planes. */
    bool packed;
    bool left_out; /* the words of PLANES are to be left out */
};

/* Decodes the payload of a chunk of type `chunk->type` into `chunk`. `payload->data` is changed, and must live as long as
 * `chunk`; so must `arena`. `*known` receives whether the type is known; where it is not, nothing else happens. Where words
 * are left out, their pointer is NULL and their count is as in the file. False and `error` when the payload is malformed, or
 * when more than such words lie behind `have`. */
bool ws_payload_decode(struct ws_chunk *chunk, const struct ws_payload *payload, struct ws_arena *arena,
                       bool *known, struct ws_error *error);

#endif
