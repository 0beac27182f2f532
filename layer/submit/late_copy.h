/* Late copies: submissions that the layer makes itself, in addition to those of the application.
 *
 * The layer adds commands to the application's submissions, which copy results to readback memory. They can
 * copy only what is known when they are recorded. Two things are known only when the submission has
 * finished: how many words its record stream holds, and where the pointers to a build's instances point.
 * These are copied late, when the finished submission is written to the capture. Then the layer records a
 * command buffer, submits it and waits for it.
 *
 * A late copy needs a queue that no other thread is using: queues are externally synchronized (Vulkan
 * specification, "Threading Behavior", vkQueueSubmit). There are two ways to get one:
 *   - The application's current call was given the queue (vkQueueSubmit, vkQueueWaitIdle), or may use all
 *     queues (vkDeviceWaitIdle): ws_late_copies_allow.
 *   - No other call is using any queue: ws_late_copies_borrow. Calls that use queues without the submission
 *     lock hold `calls` for reading, which shows that they are under way.
 * Without a queue, the finished submission stays unwritten until a later call has one.
 *
 * The submission lock guards everything here except `calls`. */
#ifndef WS_LAYER_SUBMIT_LATE_COPY_H
#define WS_LAYER_SUBMIT_LATE_COPY_H

#include <pthread.h>
#include <stdbool.h>

#include <vulkan/vulkan.h>

struct ws_device;
struct ws_fence;
struct ws_queue;
struct ws_submission;

struct ws_late_copies {
    struct ws_queue *queue; /* the queue that may be used until the submission lock is left; NULL = none */
    bool idle;              /* everything submitted to `queue` has finished */
    bool borrowed;          /* `calls` is held for writing until the submission lock is left */
    pthread_rwlock_t calls; /* held for reading around calls that use queues without the submission lock */
    bool given_up;          /* no copy is made any more, because one did not end or the process is ending */
    struct ws_fence *fence; /* fence of the copy that did not end; NULL = every copy has ended */
};

/* No queue may be used yet. */
void ws_late_copies_init(struct ws_late_copies *copies);

/* Frees what the struct owns. The device must have finished, or be lost. */
void ws_late_copies_finish(struct ws_late_copies *copies, struct ws_device *device);

/* Call these before and after a call of the next layer that uses queues, without the submission lock. */
void ws_late_copies_enter_call(struct ws_device *device);
void ws_late_copies_leave_call(struct ws_device *device);

/* Call all functions below with the submission lock entered. */

/* Allows late copies on `queue`, which the application's current call may use, until the lock is left. NULL
 * = that call may use no queue. `idle`: everything submitted to the queue has finished. */
void ws_late_copies_allow(struct ws_device *device, struct ws_queue *queue, bool idle);

/* Chooses a queue for a call that was given none, until the lock is left. It chooses a queue that waits for
 * a late copy and whose pending submissions have all finished. It chooses none if another call is using any
 * queue. */
void ws_late_copies_borrow(struct ws_device *device);

/* Gives the queue back. Called when the submission lock is about to be left. */
void ws_late_copies_disallow(struct ws_device *device);

/* Returns any queue that can copy, for a call that may use all queues; NULL if the device has none. */
struct ws_queue *ws_late_any_queue(struct ws_device *device);

/* Returns the queue for a late copy; NULL if no queue may be used now, or the copy might never end on it. */
struct ws_queue *ws_late_queue(struct ws_device *device);

/* Returns whether no late copy will be made any more: they are given up, or the device is lost. */
bool ws_late_copies_given_up(const struct ws_device *device);

/* Returns whether a finished submission can be written now. False if it needs late copies and there is no
 * queue for them now. True if late copies are given up or the device is lost: then the submission is
 * written without them. */
bool ws_late_copies_ready(struct ws_device *device, const struct ws_submission *submission);

/* Ends the recording of `commands` (from command_source.h), submits it to `queue` and waits for it. False
 * if it was not executed. Also false if it did not end within WS_WAIT_LIMIT; then late copies are given
 * up. */
bool ws_late_copy_run(struct ws_device *device, struct ws_queue *queue, VkCommandBuffer commands);

#endif
