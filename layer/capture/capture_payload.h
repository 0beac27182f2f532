/* Encodes the structs of chunks.h as the payloads that capture.h specifies. Knows no files.
 *
 * A payload remembers its first failure (no memory, or more than WS_CHUNK_MAX bytes): after that, puts do
 * nothing, and `failure` is looked at once, at the end. Not thread-safe. */
#ifndef WS_LAYER_CAPTURE_CAPTURE_PAYLOAD_H
#define WS_LAYER_CAPTURE_CAPTURE_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "warpscope/chunks.h"

struct ws_payload {
    uint8_t *data;
    size_t size;
    size_t capacity;
    const char *failure; /* static text, NULL while all is well */
};

/* An empty payload. Its first `reserved` bytes are the caller's to fill; `size` counts them. */
void ws_payload_init(struct ws_payload *payload, size_t reserved);
void ws_payload_finish(struct ws_payload *payload);

void ws_payload_u32(struct ws_payload *payload, uint32_t value);
void ws_payload_u64(struct ws_payload *payload, uint64_t value);
void ws_payload_text(struct ws_payload *payload, const char *text); /* NULL = "" */
void ws_payload_words(struct ws_payload *payload, const uint32_t *words, size_t count);

/* Writes a value over four bytes put before, at `offset`. Does nothing after a failure. */
void ws_payload_patch_u32(struct ws_payload *payload, size_t offset, uint32_t value);

/* One whole payload each, except for submissions, which capture_writer.c splits. */
void ws_payload_info(struct ws_payload *payload, const struct ws_chunk_info *info);
void ws_payload_device(struct ws_payload *payload, const struct ws_chunk_device *device);
void ws_payload_module(struct ws_payload *payload, const struct ws_chunk_module *module);
void ws_payload_sites(struct ws_payload *payload, const struct ws_chunk_sites *sites);
void ws_payload_shader(struct ws_payload *payload, const struct ws_chunk_shader *shader);
void ws_payload_pipeline(struct ws_payload *payload, const struct ws_chunk_pipeline *pipeline);
void ws_payload_name(struct ws_payload *payload, const struct ws_chunk_name *name);
void ws_payload_records(struct ws_payload *payload, const struct ws_chunk_records *records);
void ws_payload_blob(struct ws_payload *payload, const struct ws_chunk_blob *blob);
void ws_payload_structure(struct ws_payload *payload, const struct ws_chunk_structure *structure);
void ws_payload_build(struct ws_payload *payload, const struct ws_chunk_build *build);
void ws_payload_copy(struct ws_payload *payload, const struct ws_chunk_copy *copy);
void ws_payload_gone(struct ws_payload *payload, const struct ws_chunk_gone *gone);
void ws_payload_groups(struct ws_payload *payload, const struct ws_chunk_groups *groups);
void ws_payload_tables(struct ws_payload *payload, const struct ws_chunk_tables *tables);
void ws_payload_skip(struct ws_payload *payload, const struct ws_chunk_skip *skip);
void ws_payload_message(struct ws_payload *payload, const struct ws_chunk_message *message);
void ws_payload_done(struct ws_payload *payload, const struct ws_chunk_done *done);

#endif
