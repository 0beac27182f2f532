/* What copies of acceleration structures mean for the capture: COPY chunks. For those on the device
 * (structure_copy.c) and on the host (structure_host.c). */
#ifndef WS_LAYER_RAY_TRACING_STRUCTURE_COPY_H
#define WS_LAYER_RAY_TRACING_STRUCTURE_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct ws_chunk_copy;
struct ws_device;

/* The hash of a serialized structure, of which `available` bytes are at hand; its own header tells how many
 * it has. False when that are not all. */
bool ws_structure_hash_serialized(const uint8_t *bytes, uint64_t available, uint64_t hash[2]);

/* A copy was executed: writes it. Where ids that it needs, or the hash of serialized bytes, are not known it
 * is counted as skipped; what then is in the destination is not known. With the submission lock entered. */
void ws_structure_write_copy(struct ws_device *device, const struct ws_chunk_copy *copy, bool hashed);

#endif
