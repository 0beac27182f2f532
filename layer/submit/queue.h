/* The layer's record of a VkQueue. It is made when the application first asks for the queue. It is freed
 * with the device, because Vulkan never destroys a queue. */
#ifndef WS_LAYER_SUBMIT_QUEUE_H
#define WS_LAYER_SUBMIT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/labels.h"

struct ws_device;
struct ws_submission;

struct ws_queue {
    VkQueue handle;
    struct ws_device *device;
    uint32_t family; /* index of its queue family */
    uint32_t index;  /* its index in the family */

    /* The submission lock guards these. Vulkan lets only one thread at a time use a queue, but several where
     * the queue is internally synchronized (VK_KHR_internally_synchronized_queues). */
    struct ws_labels labels;               /* the debug labels that are open on the queue */
    VkSemaphore order;                     /* order.h; VK_NULL_HANDLE = none was made yet */
    uint64_t ordered;                      /* the value that the latest submission signals it to */
    struct ws_submission *oldest, *newest; /* list of the pending submissions in their order; NULL = none */
    uint64_t finished;                     /* `sequence` of the latest one that has finished */
    /* A wait for one of these submissions took WS_WAIT_LIMIT, and none of them has finished since then. */
    bool held_up;
    struct ws_queue *following; /* the next queue of the device; NULL = the last */
};

/* Returns the record of `handle`; NULL if there was no memory to make one. The device owns it. */
struct ws_queue *ws_queue_of(VkQueue handle);

/* Returns whether the queue can run shaders. Such a queue can copy, too. */
bool ws_queue_runs_shaders(const struct ws_queue *queue);

/* Returns whether the queue can copy buffers. A queue that only binds sparse memory, or only decodes or
 * encodes video, cannot. */
bool ws_queue_copies(const struct ws_queue *queue);

#endif
