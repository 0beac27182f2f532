/* The control block of a device's record stream (records.h), and the bitmap of chosen threads: their memory.
 * What command buffers write to them is in commands/stream_control.h.
 *
 * Nothing is allocated before the first shader with record sites is made. Then: a few hundred bytes, and with
 * sampling the bitmap (16 MiB). Both lie in the heap of the counters and go with it. */
#ifndef WS_LAYER_MEMORY_CONTROL_BLOCK_H
#define WS_LAYER_MEMORY_CONTROL_BLOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/memory/memory.h"
#include "warpscope/error.h"

struct ws_device;

/* Found as device->control. Once made it stays as it is. Others than the making thread read it without the lock: after `made`,
 * or for a shader with record sites, which its maker's thread gave the application after the making. */
struct ws_control_block {
    pthread_mutex_t lock; /* guards the making */
    _Atomic bool made;
    VkBuffer buffer;
    VkDeviceSize offset; /* of the block in `buffer` */
    VkDeviceAddress address;
    uint32_t *mapped;              /* its words, in coherent memory; NULL = the host does not reach them */
    struct ws_memory_range bitmap; /* without a block where no sampling needs it */
    bool shown; /* the root block points at the control block; guarded by the submission lock */
};

/* Makes the control block unless that is done. To be called before a shader with record sites is given to the
 * driver; shaders do not see the block yet. False and `error` when there is no memory. Thread-safe. */
bool ws_control_block_require(struct ws_device *device, struct ws_error *error);

/* Points the root block at the control block unless that is done. Shaders that find none append nothing. With
 * the submission lock held, once what ws_stream_zero records has been executed. */
void ws_control_block_show(struct ws_device *device);

#endif
