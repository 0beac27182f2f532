/* The application's VkBuffers that may have an address: at which addresses they lie, and that they can be
 * copied from.
 *
 * A build reads its inputs by device address. The layer copies them from the buffer at that address, so it
 * must know all buffers that have one, and each must have been created for copies from it
 * (VUID-vkCmdCopyBuffer-srcBuffer-00118). The usage for that is added when the application creates a buffer,
 * and when it asks what memory such a buffer needs. Only where geometry is captured; where it is followed what is bound, what
 * the application makes is only handed to layer/resources. Thread-safe. */
#ifndef WS_LAYER_RAY_TRACING_BUFFER_H
#define WS_LAYER_RAY_TRACING_BUFFER_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

struct ws_buffers; /* of a device: device->buffers */

/* Keeps all buffers that can be found from being destroyed, and their memory from being freed: an
 * application's call that would do so waits. To be held from the search for a buffer until the command that
 * copies from it is recorded; or, for a submission of our own, of which the application knows nothing, until
 * that has finished (VUID-vkDestroyBuffer-buffer-00922). Any number of threads may hold; one thread not
 * twice. */
void ws_buffers_hold(struct ws_buffers *buffers);
void ws_buffers_let_go(struct ws_buffers *buffers);

/* What is at an address. */
struct ws_buffer_range {
    VkBuffer buffer;
    VkDeviceSize offset; /* of the address in the buffer */
    VkDeviceSize size;   /* bytes from there to the buffer's end */
    const char *reason;  /* why the buffer cannot be copied from; static; NULL = it can be */
};

/* The buffer at `address`; of several that share the memory there, the one that reaches furthest. False when
 * there is none. Only buffers are found whose address the application has asked for, as it must to use it,
 * and whose memory it has not freed. To be called while they are held. */
bool ws_buffers_find(struct ws_buffers *buffers, VkDeviceAddress address, struct ws_buffer_range *range);

#endif
