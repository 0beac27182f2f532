/* Decodes payloads into the structs of chunks.h. Checks lengths and counts; what the numbers refer to is
 * checked by reader_known.h.
 *
 * The payload is decoded in its own buffer where that is possible: a text loses its length word and gains
 * a NUL, words move back to where they are aligned. Only arrays of structs are allocated, and only after
 * their count was held against the bytes that are left. */
#ifndef WS_ANALYSIS_CAPTURE_READER_PAYLOAD_H
#define WS_ANALYSIS_CAPTURE_READER_PAYLOAD_H

#include "warpscope/reader.h"

struct ws_arena;

/* Decodes the payload of a chunk of `chunk->type` into `chunk`. `data` is written to, must be aligned for
 * uint32_t, and must live as long as `chunk`, like `arena`. Sets `*known` to false, and nothing else, when
 * the type is not known. False and `error` when the payload is malformed. */
bool ws_payload_decode(struct ws_chunk *chunk, uint8_t *data, size_t size, struct ws_arena *arena,
                       bool *known, struct ws_error *error);

#endif
