/* Copies of acceleration structures in the capture: COPY chunks. structure_copy.c hooks the copies on the
 * device, structure_host.c those on the host.
 *
 * A serialized structure is opaque bytes, which the application may store and deserialize later, also in
 * another run. The hash of the bytes tells which serialization a deserialization undoes. */
#ifndef WS_LAYER_RAY_TRACING_STRUCTURE_COPY_H
#define WS_LAYER_RAY_TRACING_STRUCTURE_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct ws_chunk_copy;
struct ws_device;

/* The hash of a serialized structure. Its header tells how many bytes it has; false when that is more than
 * `available`. */
bool ws_structure_hash_serialized(const uint8_t *bytes, uint64_t available, uint64_t hash[2]);

/* Writes a copy that was executed. Where a structure that it needs, or (`hashed` is false) the hash of
 * serialized bytes, is not known, it is counted as lost: then it is not known what the destination holds.
 * With the submission lock entered. */
void ws_structure_write_copy(struct ws_device *device, const struct ws_chunk_copy *copy, bool hashed);

#endif
