/* VkBuffer: where in device memory buffers with addresses lie, and that they can be copied from. Only where
 * geometry is captured. Thread-safe. */
#ifndef WS_LAYER_RAY_TRACING_BUFFER_H
#define WS_LAYER_RAY_TRACING_BUFFER_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

struct ws_buffers; /* of a device: device->buffers */

/* While somebody holds them, none of the buffers that can be found is destroyed by the application, nor is
 * its memory freed: from looking for one to the end of a command about it, or of a copy of our own, of which
 * the application knows nothing. Not twice by one thread. */
void ws_buffers_hold(struct ws_buffers *buffers);
void ws_buffers_let_go(struct ws_buffers *buffers);

/* What an address means. */
struct ws_buffer_range {
    VkBuffer buffer;
    VkDeviceSize offset; /* of the address in the buffer */
    VkDeviceSize size;   /* bytes from there to the buffer's end */
    const char *reason;  /* why it cannot be copied from; static; NULL = it can be */
};

/* The buffer at `address`: of several that overlap there the one that reaches furthest. False when there is
 * none whose address the application has asked for, which it must have done to know it, and whose memory it
 * has not freed. While they are held. */
bool ws_buffers_find(struct ws_buffers *buffers, VkDeviceAddress address, struct ws_buffer_range *range);

#endif
