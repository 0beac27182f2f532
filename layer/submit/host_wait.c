#include "layer/submit/host_wait.h"

#include "layer/core/device.h"
#include "layer/submit/command_source.h"
#include "layer/submit/losses.h"
#include "layer/submit/order.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/submission.h"

static bool reached(void *context, VkSemaphore semaphore, uint64_t value)
{
    const struct ws_device *device = context;
    uint64_t current = 0;
    return device->next.GetSemaphoreCounterValue != NULL &&
           device->next.GetSemaphoreCounterValue(device->handle, semaphore, &current) == VK_SUCCESS &&
           current >= value;
}

struct ws_timeline_clock ws_timeline_clock_of(struct ws_device *device)
{
    return (struct ws_timeline_clock){.reached = reached, .context = device};
}

bool ws_queue_will_finish(struct ws_device *device, const struct ws_queue *queue)
{
    const struct ws_timeline_clock clock = ws_timeline_clock_of(device);
    return ws_timelines_will_finish(&device->submissions->timelines, queue, device->submissions->sequence,
                                    &clock);
}

bool ws_submission_will_finish(struct ws_device *device, const struct ws_submission *submission)
{
    const struct ws_timeline_clock clock = ws_timeline_clock_of(device);
    return !submission->queue->held_up &&
           ws_timelines_will_finish(&device->submissions->timelines, submission->queue, submission->sequence,
                                    &clock);
}

/* The submission lock stays entered while this waits. A thread that is to signal what the device waits for
 * must not need that lock, then: vkSignalSemaphore and vkSetEvent are not hooked. */
bool ws_submission_wait(struct ws_device *device, struct ws_submission *submission)
{
    const VkFence fence = ws_submission_fence(submission);
    if (ws_submission_has_finished(device, submission) || fence == VK_NULL_HANDLE ||
        submission->queue->held_up)
        return submission->finished;
    const VkResult result = device->next.WaitForFences(device->handle, 1, &fence, VK_TRUE, WS_WAIT_LIMIT);
    submission->finished = result == VK_SUCCESS;
    submission->queue->held_up = result == VK_TIMEOUT;
    return submission->finished;
}

bool ws_submission_wait_surely(struct ws_device *device, struct ws_submission *submission)
{
    return ws_submission_has_finished(device, submission) ||
           (ws_submission_will_finish(device, submission) && ws_submission_wait(device, submission));
}

/* Gives up what only late copies would bring of a submission, so that the rest of it can be written. */
static void give_up_copies(struct ws_device *device, struct ws_submission *submission)
{
    submission->late_copies = false;
    if (submission->stream != NULL)
        ws_lose_records(device, ws_submission_count_records(device, submission),
                        "no queue was free to copy them to the host");
    ws_stream_give(submission->stream);
    submission->stream = NULL;
    ws_submissions_drain(device);
}

static bool holds_too_much(const struct ws_device *device)
{
    return device->submissions->pending_size >= WS_PENDING_LIMIT;
}

/* The first submission from this one on, on its queue, whose fence is ours. That may be waited for without the lock;
 * the application may reset or destroy its own then. NULL = there is none. */
static struct ws_submission *first_fenced(struct ws_submission *submission)
{
    while (submission != NULL && submission->fence == NULL)
        submission = submission->following;
    return submission;
}

static bool holds_results(const struct ws_submission *submission)
{
    return ws_submission_size(submission) > 0;
}

static bool holds_record_buffer(const struct ws_submission *submission)
{
    return submission->stream != NULL;
}

/* The oldest submission that holds such a thing; NULL = none does. */
static struct ws_submission *oldest_holder(const struct ws_device *device,
                                           bool (*holds)(const struct ws_submission *submission))
{
    struct ws_submission *holder = NULL;
    for (const struct ws_queue *queue = device->submissions->queues; queue != NULL;
         queue = queue->following) {
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following)
            if (holds(pending) && first_fenced(pending) != NULL &&
                (holder == NULL || pending->sequence < holder->sequence))
                holder = pending;
    }
    return holder;
}

/* The submission that must be written before there is room; NULL = there is room. */
static struct ws_submission *in_the_way(const struct ws_device *device, bool records)
{
    if (holds_too_much(device))
        return oldest_holder(device, holds_results);
    return records && !ws_stream_any_free(device) ? oldest_holder(device, holds_record_buffer) : NULL;
}

/* Waits without the lock. The submission may be freed by another thread meanwhile, but not its fence. Other
 * calls that look for a queue to borrow may take `queue`, which this thread does not use while it waits. */
static bool wait_outside(struct ws_device *device, struct ws_queue *queue, struct ws_submission *submission)
{
    submission = first_fenced(submission);
    if (submission == NULL)
        return false;
    struct ws_queue *waited = submission->queue;
    struct ws_fence *fence = ws_fence_hold(submission->fence);
    ws_submissions_leave(device);
    const VkResult result =
        device->next.WaitForFences(device->handle, 1, &fence->handle, VK_TRUE, WS_WAIT_LIMIT);
    ws_submissions_enter(device);
    ws_late_copies_allow(device, queue, false);
    ws_fence_release(device, fence);
    waited->held_up = waited->held_up || result == VK_TIMEOUT;
    return result == VK_SUCCESS;
}

void ws_make_room(struct ws_device *device, struct ws_queue *queue, bool records)
{
    struct ws_submission *first;
    while ((first = in_the_way(device, records)) != NULL) {
        if (!ws_submission_has_finished(device, first)) {
            if (!ws_submission_will_finish(device, first) || !wait_outside(device, queue, first))
                return;
            ws_submissions_drain(device); /* without a fence, it is known to have finished only now */
            continue;                     /* it may be freed, and others may have been added */
        }
        ws_submissions_drain(device);
        if (in_the_way(device, records) != first)
            continue;
        /* It has finished and stays, because its late copies need a queue that is held up itself. Nothing
         * frees its memory before the application's next call then, and this loop would not end. */
        if (!holds_too_much(device))
            return;
        give_up_copies(device, first);
        if (in_the_way(device, records) == first)
            return;
    }
}

/* The application's fence may be waited for with the lock only, so one of ours follows what has none. It needs the queue, which
 * this call may use if it is its own. */
static void fence_late(struct ws_device *device, struct ws_submission *submission)
{
    submission->fence = ws_fence_take(device);
    if (submission->fence != NULL && !ws_order_end(device, submission)) {
        ws_fence_release(device, submission->fence);
        submission->fence = NULL;
    }
}

void ws_wait_before_again(struct ws_device *device, struct ws_queue *queue, struct ws_recording *recording)
{
    struct ws_submission *pending = recording->unread != NULL ? recording->unread_in : NULL;
    if (pending == NULL || ws_submission_has_finished(device, pending))
        return;
    recording->in_place = false; /* once is enough: the next results are copied */
    if (!ws_submission_will_finish(device, pending))
        return;
    if (first_fenced(pending) == NULL && pending->queue == queue)
        fence_late(device, pending);
    if (wait_outside(device, queue, pending))
        ws_submissions_drain(device);
}
