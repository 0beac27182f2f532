/* The root block (root.h) of a device: one host-visible buffer whose address every instrumented shader
 * has as two specialization constants, hence best the same in every run: an address that moves makes
 * every shader new to the driver's cache. In order of preference:
 *   - on a software device, host memory mapped at a fixed place and imported;
 *   - where the driver replays addresses, the one it gave in an earlier run (address_cache.h);
 *   - whatever address the driver gives. */
#ifndef WS_LAYER_MEMORY_ROOT_BLOCK_H
#define WS_LAYER_MEMORY_ROOT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct ws_device;

/* The root block's device address, as it enters WS_SPEC_ROOT_LO and _HI. */
uint64_t ws_root_address(const struct ws_device *device);

/* Points `slot` at its (biased) counter rows. The write is visible to whatever is submitted later: a queue
 * submission makes all earlier host writes to coherent memory available to the device (the specification,
 * "Host Write Ordering Guarantees"). Thread-safe for different slots. */
void ws_root_set_counters(struct ws_device *device, uint32_t slot, uint64_t address);

/* Points the root block at the stream control block (records.h); visible likewise. */
void ws_root_set_records(struct ws_device *device, uint64_t address);

/* `size` bytes (a multiple of the page size) of zeroed private memory at the first of a fixed list of places that
 * nothing else occupies; NULL when all are taken. Unmap with munmap. For tests; init calls it on software devices. */
void *ws_root_placement_map(size_t size);

#endif
