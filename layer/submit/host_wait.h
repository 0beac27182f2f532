/* Waits of the layer for the device, on the host, within calls of the application.
 *
 * The application does not expect vkQueueSubmit or vkDestroyAccelerationStructureKHR to wait. So a wait may
 * begin only if the work that has already been submitted is enough to end it. For semaphores, timeline.h
 * decides that. Other reasons it cannot see, such as an event that the host has yet to set, or a swapchain
 * image that is not presented. Then the wait ends after WS_WAIT_LIMIT, and the queue is `held_up`
 * (queue.h): the layer does not wait for that queue again until something on it has finished.
 *
 * Call all functions with the submission lock entered. */
#ifndef WS_LAYER_SUBMIT_HOST_WAIT_H
#define WS_LAYER_SUBMIT_HOST_WAIT_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "layer/submit/timeline.h"

struct ws_device;
struct ws_queue;
struct ws_submission;

/* The layer ends a wait after this time, and assumes that it would never end. In nanoseconds. */
#define WS_WAIT_LIMIT UINT64_C(20000000000)

/* The most bytes of readback memory that pending submissions may have. A submission that needs more waits
 * for the oldest first. */
#define WS_PENDING_LIMIT ((VkDeviceSize)256 << 20)

/* Returns a clock that reads the values of the device's timeline semaphores. Valid as long as the device. */
struct ws_timeline_clock ws_timeline_clock_of(struct ws_device *device);

/* Returns whether everything on a queue is certain to finish by itself. */
bool ws_queue_will_finish(struct ws_device *device, const struct ws_queue *queue);

/* Waits for the layer's fence of a submission, at most WS_WAIT_LIMIT. Does not wait if the queue is held
 * up. Returns whether the submission has finished. */
bool ws_submission_wait(struct ws_device *device, struct ws_submission *submission);

/* Does the same, but does not wait if timeline semaphores may keep the submission from ever finishing. */
bool ws_submission_wait_surely(struct ws_device *device, struct ws_submission *submission);

/* Waits for the pending submissions of all queues except `queue`, and writes those that have finished.
 * Returns true if it could not wait for all of them. Then they are marked as overlapped, because the next
 * submission overlaps them. */
bool ws_wait_for_other_queues(struct ws_device *device, const struct ws_queue *queue);

/* Waits for the oldest submissions until `size` more bytes of readback memory are within WS_PENDING_LIMIT.
 * Stops earlier if it can wait for none of them. */
void ws_wait_for_readback(struct ws_device *device, VkDeviceSize size);

/* Waits for the oldest submission that holds a record buffer, and writes it. Does not wait if that
 * submission might never finish. */
void ws_wait_for_record_buffer(struct ws_device *device);

#endif
