#include "layer/submit/host_wait.h"

#include "layer/core/device.h"
#include "layer/submit/losses.h"
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

/* The submission lock stays entered while this waits. A thread that is to signal what the device waits for
 * must not need that lock, then: vkSignalSemaphore and vkSetEvent are not hooked. */
bool ws_submission_wait(struct ws_device *device, struct ws_submission *submission)
{
    if (ws_submission_has_finished(device, submission) || submission->fence == VK_NULL_HANDLE ||
        submission->queue->held_up)
        return submission->finished;
    const VkResult result =
        device->next.WaitForFences(device->handle, 1, &submission->fence, VK_TRUE, WS_WAIT_LIMIT);
    submission->finished = result == VK_SUCCESS;
    submission->queue->held_up = result == VK_TIMEOUT;
    return submission->finished;
}

bool ws_submission_wait_surely(struct ws_device *device, struct ws_submission *submission)
{
    const struct ws_timeline_clock clock = ws_timeline_clock_of(device);
    return ws_submission_has_finished(device, submission) ||
           (ws_timelines_will_finish(&device->submissions->timelines, submission->queue, submission->sequence,
                                     &clock) &&
            ws_submission_wait(device, submission));
}

/* The counter rows and the control block of the record stream are one for the whole device. Each launch ends
 * by copying its rows and clearing them; what another queue ran meanwhile would be counted as its own.
 * Barriers do not reach other queues, and a semaphore would have to be waited for by the other queue's work,
 * which is submitted already. So the host waits. */
bool ws_wait_for_other_queues(struct ws_device *device, const struct ws_queue *queue)
{
    bool overlaps = false;
    for (struct ws_queue *other = device->submissions->queues; other != NULL; other = other->following) {
        if (other == queue || other->newest == NULL || ws_submission_wait_surely(device, other->newest))
            continue;
        overlaps = true;
        for (struct ws_submission *pending = other->oldest; pending != NULL; pending = pending->following)
            pending->overlapped = pending->overlapped || !pending->finished;
    }
    ws_submissions_drain(device);
    return overlaps;
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

void ws_wait_for_readback(struct ws_device *device, VkDeviceSize size)
{
    struct ws_submissions *submissions = device->submissions;
    while (submissions->pending_size > 0 && submissions->pending_size + size > WS_PENDING_LIMIT) {
        const uint32_t before = submissions->pending;
        struct ws_submission *oldest = ws_submissions_oldest(submissions);
        if (oldest == NULL || !ws_submission_wait_surely(device, oldest))
            return;
        ws_submissions_drain(device);
        /* A finished submission stays where its late copies need a queue that is held up itself. Nothing
         * frees its memory before the application's next call then, and this loop would not end. */
        if (submissions->pending == before)
            give_up_copies(device, oldest);
    }
}

void ws_wait_for_record_buffer(struct ws_device *device)
{
    struct ws_submission *holder = NULL;
    for (const struct ws_queue *queue = device->submissions->queues; queue != NULL;
         queue = queue->following) {
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following)
            if (pending->stream != NULL && (holder == NULL || pending->sequence < holder->sequence))
                holder = pending;
    }
    if (holder != NULL && ws_submission_wait_surely(device, holder))
        ws_submissions_drain(device);
}
