/* What the layer keeps of a VkQueue. Made when the application asks for the queue, and kept as long as the
 * device: queues are never destroyed. */
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
    uint32_t family;
    uint32_t index;
    struct ws_labels labels; /* open on the queue; guarded by the application, which synchronizes it */

    /* Guarded by the submission lock. */
    struct ws_submission *oldest, *newest; /* the pending ones, in order of submission */
    bool held_up;               /* a wait for one of these took WS_WAIT_LIMIT, and none has finished since */
    struct ws_queue *following; /* of the device */
};

/* What the layer keeps of `handle`; NULL when there was no memory for it. */
struct ws_queue *ws_queue_of(VkQueue handle);

/* Whether buffers can be copied on the queue. They cannot on queues that only bind sparse memory or code
 * video. */
bool ws_queue_copies(const struct ws_queue *queue);

#endif
