/* The semaphores that the layer must know of: timeline semaphores, and those that another process may signal.
 * All others are binary, and this process signals them by its own submissions. */
#ifndef WS_LAYER_SUBMIT_SEMAPHORE_H
#define WS_LAYER_SUBMIT_SEMAPHORE_H

#include <vulkan/vulkan.h>

struct ws_device;

enum ws_semaphore_kind {
    WS_SEMAPHORE_BINARY,
    WS_SEMAPHORE_TIMELINE,
    /* Binary, and its payload is or was imported, or may be exported. Nobody knows when it is signalled. It
     * stays foreign after a temporary import has ended: that costs no more than some order (order.h). */
    WS_SEMAPHORE_FOREIGN,
};

/* Returns the kind of a semaphore. Thread-safe. */
enum ws_semaphore_kind ws_semaphore_kind_of(struct ws_device *device, VkSemaphore semaphore);

#endif
