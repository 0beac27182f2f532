/* Memory of this process that a device works in (VK_EXT_external_memory_host). Only software devices are asked: for them
 * it is as near as any, and the host's address is the device's. */
#ifndef WS_LAYER_MEMORY_HOST_MEMORY_H
#define WS_LAYER_MEMORY_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ws_device;

/* Whether the device is one to ask. */
bool ws_host_memory_is_offered(const struct ws_device *device);

/* Of how many bytes imported memory begins and ends at multiples: a power of two, whole pages. */
size_t ws_host_memory_alignment(const struct ws_device *device);

/* The memory types by which the device imports memory that begins there. False: it does not. */
bool ws_host_memory_types(struct ws_device *device, const void *memory, uint32_t *type_bits);

/* Maps `size` bytes, a multiple of the alignment, which take memory as they are written. They begin at a page, which need not
 * be so aligned. Freed by munmap. NULL: none.
 *
 * Why not the driver's memory: it may be shared between processes, and the first touch of such a page costs the kernel twice
 * as much. These were a fifth of the time that a kernel of random branches took with execution_trace. No large pages are asked
 * for: where a virtual machine gives free ones back to its host, their first touch may cost more (0.85 to 1.2 times what the
 * whole run took with the driver's memory). */
void *ws_host_memory_map(size_t size);

#endif
