/* Late copies: submissions of our own, outside of what the application submits.
 *
 * The commands that the layer adds to the application's submissions copy what is known when they are
 * recorded. Two things are known only when a submission has finished: how many words its record stream holds,
 * and where the pointers of a build's instances point. They are copied late, when the finished submission is
 * written to the capture: the layer records a command buffer, submits it and waits for it.
 *
 * Such a submission needs a queue, and the application synchronizes its queues externally (the specification,
 * "Threading Behavior", vkQueueSubmit). So there are two ways to a queue, and without one of them the
 * finished submission stays unwritten until a later call brings one:
 * - The call under way was given the queue (vkQueueSubmit, vkQueueWaitIdle), or may use all of them
 *   (vkDeviceWaitIdle): ws_late_copies_allow.
 * - No other call is using any queue: ws_late_copies_borrow. Calls that use queues without the submission
 *   lock hold `calls` for reading, so that this can be known.
 *
 * Guarded by the submission lock, but for `calls`. */
#ifndef WS_LAYER_SUBMIT_LATE_COPY_H
#define WS_LAYER_SUBMIT_LATE_COPY_H

#include <pthread.h>
#include <stdbool.h>

#include <vulkan/vulkan.h>

struct ws_device;
struct ws_queue;
struct ws_submission;

struct ws_late_copies {
    struct ws_queue *queue; /* the one that may be used until the submission lock is left; NULL = none */
    bool idle;              /* all that was submitted to it has finished */
    bool borrowed;          /* `calls` is held for writing until the submission lock is left */
    pthread_rwlock_t calls; /* held for reading around calls that use queues without the submission lock */
    bool given_up;          /* no copy is made any more: one did not end, or the process is ending */
    VkFence fence;          /* of the copy that did not end; VK_NULL_HANDLE = there is none */
};

void ws_late_copies_init(struct ws_late_copies *copies);

/* The device must have finished, or be lost. */
void ws_late_copies_finish(struct ws_late_copies *copies, struct ws_device *device);

/* Around a call of the next layer that uses queues, without the submission lock. */
void ws_late_copies_enter_call(struct ws_device *device);
void ws_late_copies_leave_call(struct ws_device *device);

/* All below: with the submission lock entered. */

/* The application's call under way may use `queue` (NULL: no queue); with `idle`, all that was submitted to
 * it has finished. Until the lock is left. */
void ws_late_copies_allow(struct ws_device *device, struct ws_queue *queue, bool idle);

/* Takes a queue for a call that was given none: one whose oldest submission has finished and waits for a late
 * copy, if all of ours on it has finished and no other call is using any queue. Until the lock is left. */
void ws_late_copies_borrow(struct ws_device *device);

/* Gives the queue back: when the submission lock is about to be left. */
void ws_late_copies_disallow(struct ws_device *device);

/* Any queue that copies, for a call that may use all of them; NULL when there is none. */
struct ws_queue *ws_late_any_queue(struct ws_device *device);

/* The queue for a late copy; NULL when there is none now, or when the copy might never end there. */
struct ws_queue *ws_late_queue(struct ws_device *device);

/* Whether no late copy will ever be made again. */
bool ws_late_copies_given_up(const struct ws_device *device);

/* Whether a finished submission can be written now. False when it needs late copies and no queue is there for
 * them now. True when there never will be one: then it is written without. */
bool ws_late_copies_ready(struct ws_device *device, const struct ws_submission *submission);

/* Ends `commands` (of command_source.h), submits it to `queue` and waits for it. False when it was not
 * executed, or when it did not end within WS_WAIT_LIMIT: then late copies are given up. */
bool ws_late_copy_run(struct ws_device *device, struct ws_queue *queue, VkCommandBuffer commands);

#endif
