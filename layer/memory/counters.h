/* Device memory for counter rows, and the slots of the root block that point at it. The rows are zero
 * whenever no launch is running: each launch's end copies them out and zeroes them again. */
#ifndef WS_LAYER_MEMORY_COUNTERS_H
#define WS_LAYER_MEMORY_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/memory/memory.h"
#include "warpscope/error.h"

struct ws_device;

/* Some shader's rows: `size` bytes at `offset` in `buffer`, which has TRANSFER_SRC and _DST usage. */
struct ws_counters {
    VkBuffer buffer;
    VkDeviceSize offset;
    VkDeviceSize size;
};

/* Gives `slot` of the device's root block zeroed memory for rows row_first .. row_first + row_count - 1
 * and writes the (biased, root.h) address into the root block. A slot is given memory once. Thread-safe.
 * False and `error` when there is no memory: then the shader must not be instrumented. */
bool ws_counters_allocate(struct ws_device *device, uint32_t slot, uint32_t row_first, uint32_t row_count,
                          struct ws_counters *counters, struct ws_error *error);

/* Device memory with an address, zeroed before anything that is submitted after this can use it; the device's
 * until it is destroyed. Thread-safe. False and `error` when there is none. */
bool ws_counters_reserve(struct ws_device *device, VkDeviceSize size, struct ws_memory_range *range,
                         struct ws_error *error);

/* New counter memory is zeroed before its first use by a fill on the queue, ahead of the first submission that can use
 * the memory: a shader's counters exist before its pipeline does, hence before anything that uses it is submitted.
 * The host could zero it only where it reaches device-local memory. */

/* Whether there is memory that was never zeroed. */
bool ws_counters_fill_needed(const struct ws_device *device);

/* Records the zeroing of all such memory with a barrier behind it, and returns a mark for ws_counters_filled, to be
 * called once the commands are submitted. Callers hold the submission lock. */
uint32_t ws_counters_fill(struct ws_device *device, VkCommandBuffer commands);
void ws_counters_filled(struct ws_device *device, uint32_t mark);

#endif
