/* The root block (root.h) of a device: one host-visible buffer. Every instrumented shader has its address as
 * two specialization constants. The address should be the same in every run, because with another address
 * every shader is new to the driver's shader cache. In order of preference the layer takes
 *   - on a software device, host memory that is mapped at a fixed address and imported;
 *   - where the driver replays addresses, the address of an earlier run (address_cache.h);
 *   - the address that the driver gives. */
#ifndef WS_LAYER_MEMORY_ROOT_BLOCK_H
#define WS_LAYER_MEMORY_ROOT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* The root block's device address, as it enters WS_SPEC_ROOT_LO and _HI. */
uint64_t ws_root_address(const struct ws_device *device);

/* Writes the (biased) address of a shader's counter rows into `slot`. Everything that is submitted later
 * reads it: a queue submission makes all earlier host writes to coherent memory available to the device (the
 * specification, "Host Write Ordering Guarantees"). Thread-safe for different slots. */
void ws_root_set_counters(struct ws_device *device, uint32_t slot, uint64_t address);

/* Writes the (biased) address of a shader's yield words into `slot`, 0 = none; visible in the same way. */
void ws_root_set_yields(struct ws_device *device, uint32_t slot, uint64_t address);

/* The buffer with the root block, which begins at offset 0, if there the control block of the record stream may be at
 * WS_ROOT_CONTROL: the device has it in memory of its own. Else VK_NULL_HANDLE. */
VkBuffer ws_root_control_buffer(const struct ws_device *device);

/* That room, as the host reaches it: coherent memory. Only where ws_root_control_buffer has a buffer. */
void *ws_root_control_mapped(const struct ws_device *device);

/* Writes the address of the control block of the record stream (records.h); visible in the same way. */
void ws_root_set_records(struct ws_device *device, uint64_t address);

/* `size` bytes (a multiple of the page size) of zeroed private memory at the first of a fixed list of places
 * that nothing else occupies; NULL when all are taken. Unmap with munmap. For tests; init calls it on
 * software devices. */
void *ws_root_placement_map(size_t size);

#endif
