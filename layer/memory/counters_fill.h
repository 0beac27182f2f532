/* Zeroing new counter memory before its first use. The host could do it only where it reaches device-local
 * memory; a fill on the queue serves every device, ahead of the first submission that can use the memory:
 * a shader's counters exist before its pipeline does, hence before anything that uses it is submitted. */
#ifndef WS_LAYER_MEMORY_COUNTERS_FILL_H
#define WS_LAYER_MEMORY_COUNTERS_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* Whether there is memory that was never zeroed. */
bool ws_counters_fill_needed(const struct ws_device *device);

/* Records the zeroing of all such memory with a barrier behind it, and returns a mark for
 * ws_counters_filled, to be called once the commands are submitted. Callers hold the submission lock. */
uint32_t ws_counters_fill(struct ws_device *device, VkCommandBuffer commands);
void ws_counters_filled(struct ws_device *device, uint32_t mark);

#endif
