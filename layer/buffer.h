/* VkBuffer: where in device memory buffers with addresses lie, and that they can be copied from. Only where
 * geometry is captured. Thread-safe. */
#ifndef WS_LAYER_BUFFER_H
#define WS_LAYER_BUFFER_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

struct ws_buffers; /* of a device: device->buffers */

/* What an address means. */
struct ws_buffer_range {
    VkBuffer buffer;
    VkDeviceSize offset; /* of the address in the buffer */
    VkDeviceSize size;   /* bytes from there to the buffer's end */
    const char *reason;  /* why it cannot be copied from; static; NULL = it can be */
};

/* The buffer at `address`: of several that overlap there the one that reaches furthest. False when there is
 * none whose address the application has asked for, which it must have done to know it. */
bool ws_buffers_find(struct ws_buffers *buffers, VkDeviceAddress address, struct ws_buffer_range *range);

#endif
