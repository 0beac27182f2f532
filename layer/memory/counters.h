/* Device memory for counter rows and yield words (yields.h), and the slots of the root block that point at it. A sampled shader
 * has one set of rows for each group (root.h). A shader's yield words stand behind its rows, so that one command copies or
 * zeroes both. While no launch of a shader runs, they are zero: at its end each launch copies them to another buffer and
 * zeroes them.
 *
 * New memory holds anything. It is zeroed on the device, before the first submission that uses them
 * (submit/order.h): the host could do it only where it reaches device-local memory. */
#ifndef WS_LAYER_MEMORY_COUNTERS_H
#define WS_LAYER_MEMORY_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/memory/memory.h"
#include "warpscope/error.h"

struct ws_device;
struct ws_entry_info;

/* The rows and yield words of one shader: `size` bytes at `offset` in `buffer`, which has TRANSFER_SRC and _DST
 * usage. */
struct ws_counters {
    VkBuffer buffer;
    VkDeviceSize offset;
    VkDeviceSize size;
    VkDeviceSize yields; /* bytes before the yield words: those of the rows */
    struct ws_memory_range range;
};

/* Allocates memory, with undefined content, for the rows and yield words of an entry point, and writes the (biased,
 * root.h) addresses of both into `slot` of the root block. Once per slot. Thread-safe. False and `error` without
 * memory: then the shader must not be instrumented. */
bool ws_counters_allocate(struct ws_device *device, uint32_t slot, const struct ws_entry_info *entry,
                          struct ws_counters *counters, struct ws_error *error);

/* Frees them and clears the struct and the slot. The device must have finished with them. Thread-safe. */
void ws_counters_free(struct ws_device *device, uint32_t slot, struct ws_counters *counters);

/* Allocates device memory with an address and undefined content, which lives as long as the device.
 * Thread-safe. False and `error` without memory. */
bool ws_counters_reserve(struct ws_device *device, VkDeviceSize size, struct ws_memory_range *range,
                         struct ws_error *error);

#endif
