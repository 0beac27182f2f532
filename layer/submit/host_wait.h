/* When the layer itself waits for the device, on the host, within a call of the application.
 *
 * The application does not expect vkQueueSubmit or vkDestroyAccelerationStructureKHR to wait, so each wait
 * here must be sure to end by what has been submitted already. timeline.h decides that for semaphores. What
 * it cannot see (an event that the host is to set, a swapchain image that is not presented) is found out
 * once, after WS_WAIT_LIMIT: from then on nothing on that queue is waited for (`held_up`) until something on
 * it has finished.
 *
 * All with the submission lock entered. */
#ifndef WS_LAYER_SUBMIT_HOST_WAIT_H
#define WS_LAYER_SUBMIT_HOST_WAIT_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "layer/submit/timeline.h"

struct ws_device;
struct ws_queue;
struct ws_submission;

/* A wait that takes longer than this is taken to be one that never ends. In nanoseconds. */
#define WS_WAIT_LIMIT UINT64_C(20000000000)

/* Bytes of readback memory that may be pending before a submission waits for the oldest. */
#define WS_PENDING_LIMIT ((VkDeviceSize)256 << 20)

/* A clock that asks the device's timeline semaphores for their values. Valid as long as the device. */
struct ws_timeline_clock ws_timeline_clock_of(struct ws_device *device);

/* Whether all that is on a queue is sure to finish by itself. */
bool ws_queue_will_finish(struct ws_device *device, const struct ws_queue *queue);

/* Waits until our fence has come, at most WS_WAIT_LIMIT, unless the queue is held up. True when the
 * submission has finished. */
bool ws_submission_wait(struct ws_device *device, struct ws_submission *submission);

/* The same, but does not begin a wait that by the timeline semaphores may take for ever. */
bool ws_submission_wait_surely(struct ws_device *device, struct ws_submission *submission);

/* Waits for what is pending on other queues than `queue`, and writes what has finished. True when it could
 * not wait for all: then what is submitted next overlaps them, and they are marked as overlapped. */
bool ws_wait_for_other_queues(struct ws_device *device, const struct ws_queue *queue);

/* Waits for the oldest submissions until `size` more bytes of readback memory are within WS_PENDING_LIMIT, or
 * nothing can be waited for. */
void ws_wait_for_readback(struct ws_device *device, VkDeviceSize size);

/* Waits for the oldest submission that holds a record buffer, unless that might never finish. */
void ws_wait_for_record_buffer(struct ws_device *device);

#endif
