/* Waits of the layer for the device, on the host, within calls of the application.
 *
 * The application does not expect vkQueueSubmit or vkDestroyAccelerationStructureKHR to wait. So a wait may
 * begin only if the work that has already been submitted is enough to end it: timeline.h decides that. What
 * it cannot see, such as a shader that looks for a word that the host writes, ends the wait after
 * WS_WAIT_LIMIT. Then the queue is `held_up` (queue.h): the layer does not wait for that queue again until
 * something on it has finished.
 *
 * Call all functions with the submission lock entered. */
#ifndef WS_LAYER_SUBMIT_HOST_WAIT_H
#define WS_LAYER_SUBMIT_HOST_WAIT_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "layer/submit/timeline.h"

struct ws_device;
struct ws_queue;
struct ws_recording;
struct ws_submission;

/* The layer ends a wait after this time, and assumes that it would never end. In nanoseconds. */
#define WS_WAIT_LIMIT UINT64_C(20000000000)

/* From so many bytes of results of pending submissions on, a new one waits for the oldest first. So a
 * program that is far ahead of the device needs no more than that, and what one submission needs. */
#define WS_PENDING_LIMIT ((VkDeviceSize)256 << 20)

/* Up to so many bytes the application's fence is trusted to tell a submission's end (submit.c). What is waited for to
 * make room has a fence of ours. */
#define WS_PENDING_TRUSTED (WS_PENDING_LIMIT / 4)

/* Returns a clock that reads the values of the device's timeline semaphores. Valid as long as the device. */
struct ws_timeline_clock ws_timeline_clock_of(struct ws_device *device);

/* Returns whether everything on a queue is certain to finish by itself. */
bool ws_queue_will_finish(struct ws_device *device, const struct ws_queue *queue);

/* Returns whether a submission is certain to finish by itself. */
bool ws_submission_will_finish(struct ws_device *device, const struct ws_submission *submission);

/* Waits for the layer's fence of a submission, at most WS_WAIT_LIMIT. Does not wait if the queue is held
 * up. Returns whether the submission has finished. */
bool ws_submission_wait(struct ws_device *device, struct ws_submission *submission);

/* Does the same, but does not wait if something may keep the submission from ever finishing. */
bool ws_submission_wait_surely(struct ws_device *device, struct ws_submission *submission);

/* Makes room for a submission to `queue`, within vkQueueSubmit to it: waits for the oldest submissions until
 * less than WS_PENDING_LIMIT bytes of results are pending, and with `records` until a record buffer
 * is free. Writes what has finished. Waits for nothing that might never finish. It waits without the
 * submission lock, which it leaves and enters again: other threads may submit and write meanwhile. */
void ws_make_room(struct ws_device *device, struct ws_queue *queue, bool records);

/* A command buffer with this recording is about to be submitted to `queue`, within vkQueueSubmit to it. If its last execution
 * left results that are read in place, and is not known to have ended, this waits for it, and writes what has finished. The
 * application must not do that, but many programs do. Like ws_make_room it waits without the submission lock, so nobody else
 * waits for that program's error, and for nothing that might never finish. */
void ws_wait_before_again(struct ws_device *device, struct ws_queue *queue, struct ws_recording *recording);

#endif
