/* Device memory for counter rows, and the slots of the root block that point at it. While no launch runs, all
 * rows are zero: at its end each launch copies its rows to another buffer and zeroes them. */
#ifndef WS_LAYER_MEMORY_COUNTERS_H
#define WS_LAYER_MEMORY_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/memory/memory.h"
#include "warpscope/error.h"

struct ws_device;

/* The rows of one shader: `size` bytes at `offset` in `buffer`, which has TRANSFER_SRC and _DST usage. */
struct ws_counters {
    VkBuffer buffer;
    VkDeviceSize offset;
    VkDeviceSize size;
};

/* Allocates zeroed memory for rows row_first .. row_first + row_count - 1 of a shader and writes its (biased,
 * root.h) address into `slot` of the root block. Once per slot. Thread-safe. False and `error` without
 * memory: then the shader must not be instrumented. */
bool ws_counters_allocate(struct ws_device *device, uint32_t slot, uint32_t row_first, uint32_t row_count,
                          struct ws_counters *counters, struct ws_error *error);

/* Allocates device memory with an address, which lives as long as the device. It is zeroed before anything
 * that is submitted later can use it. Thread-safe. False and `error` without memory. */
bool ws_counters_reserve(struct ws_device *device, VkDeviceSize size, struct ws_memory_range *range,
                         struct ws_error *error);

/* New counter memory is zeroed before its first use by a fill on the queue, ahead of the first submission
 * that can use the memory: a shader's counters exist before its pipeline does, hence before anything that
 * uses it is submitted. The host could zero it only where it reaches device-local memory. */

/* Whether there is memory that was never zeroed. */
bool ws_counters_fill_needed(const struct ws_device *device);

/* Records the zeroing of all such memory with a barrier behind it, and returns a mark for ws_counters_filled,
 * to be called once the commands are submitted. Callers hold the submission lock. */
uint32_t ws_counters_fill(struct ws_device *device, VkCommandBuffer commands);
void ws_counters_filled(struct ws_device *device, uint32_t mark);

#endif
