/* What the layer keeps of a VkQueue. */
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
    struct ws_labels labels; /* open on the queue; the application synchronizes the queue */

    /* Guarded by the submission lock. */
    struct ws_submission *oldest, *newest; /* not yet written, in order of submission */
    bool held_up;               /* a wait for one of these was in vain, and none has finished since */
    struct ws_queue *following; /* of the device */
};

/* What the layer knows of `handle`; NULL when there was no memory to remember it. */
struct ws_queue *ws_queue_of(VkQueue handle);

/* Whether buffers can be copied on the queue: not on those that only bind sparse memory or code video. */
bool ws_queue_copies(const struct ws_queue *queue);

#endif
