#include "layer/submit/late_copy.h"

#include "layer/core/device.h"
#include "layer/process/lock.h"
#include "layer/submit/command_source.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"

void ws_late_copies_init(struct ws_late_copies *copies)
{
    pthread_rwlock_init(&copies->calls, NULL);
}

void ws_late_copies_finish(struct ws_late_copies *copies, struct ws_device *device)
{
    ws_fence_release(device, copies->fence);
    pthread_rwlock_destroy(&copies->calls);
}

void ws_late_copies_enter_call(struct ws_device *device)
{
    ws_lock_to_read(&device->submissions->late.calls);
}

void ws_late_copies_leave_call(struct ws_device *device)
{
    ws_unlock_both(&device->submissions->late.calls);
}

void ws_late_copies_allow(struct ws_device *device, struct ws_queue *queue, bool idle)
{
    device->submissions->late.queue = queue;
    device->submissions->late.idle = idle;
}

void ws_late_copies_borrow(struct ws_device *device)
{
    struct ws_submissions *submissions = device->submissions;
    struct ws_late_copies *copies = &submissions->late;
    for (struct ws_queue *queue = submissions->queues; queue != NULL; queue = queue->following) {
        if (queue->newest == NULL || !queue->newest->finished || ws_late_copies_ready(device, queue->oldest))
            continue;
        /* Only tried: another thread may hold `calls` within vkQueueWaitIdle for as long as its queue runs,
         * and this one holds the submission lock, which that queue's other work may need. */
        if (!copies->borrowed && !ws_try_lock_to_write(&copies->calls))
            return;
        copies->borrowed = true;
        ws_late_copies_allow(device, queue, false); /* there may be work on it that is not ours */
        return;
    }
}

void ws_late_copies_disallow(struct ws_device *device)
{
    struct ws_late_copies *copies = &device->submissions->late;
    ws_late_copies_allow(device, NULL, false);
    if (copies->borrowed)
        ws_unlock_both(&copies->calls);
    copies->borrowed = false;
}

struct ws_queue *ws_late_any_queue(struct ws_device *device)
{
    struct ws_queue *queue = device->submissions->queues;
    while (queue != NULL && !ws_queue_copies(queue))
        queue = queue->following;
    return queue;
}

/* A copy runs after all that was submitted to its queue before (submission order). So it ends only if all of
 * that ends without a semaphore that the application signals later: waiting for it within the application's
 * call would otherwise keep the application from ever signalling it. */
struct ws_queue *ws_late_queue(struct ws_device *device)
{
    const struct ws_late_copies *copies = &device->submissions->late;
    struct ws_queue *queue = copies->queue;
    if (queue == NULL || !ws_queue_copies(queue))
        return NULL;
    const bool will_end = copies->idle || (!queue->held_up && ws_queue_will_finish(device, queue));
    return will_end ? queue : NULL;
}

bool ws_late_copies_given_up(const struct ws_device *device)
{
    return device->submissions->device_lost || device->submissions->late.given_up;
}

bool ws_late_copies_ready(struct ws_device *device, const struct ws_submission *submission)
{
    const bool staged =
        submission->stream != NULL && !submission->records_mixed && submission->stream->mapped == NULL;
    return (!staged && !submission->late_copies) || ws_late_copies_given_up(device) ||
           ws_late_queue(device) != NULL;
}

bool ws_late_copy_run(struct ws_device *device, struct ws_queue *queue, VkCommandBuffer commands)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
    };
    struct ws_fence *fence = ws_fence_take(device);
    if (fence == NULL || device->next.EndCommandBuffer(commands) != VK_SUCCESS ||
        device->next.QueueSubmit(queue->handle, 1, &info, fence->handle) != VK_SUCCESS) {
        ws_fence_release(device, fence);
        ws_command_source_recycle(device, queue->family, commands);
        return false;
    }
    /* What does not end stays pending. A pending command buffer may not be recorded again
     * (VUID-vkBeginCommandBuffer-commandBuffer-00049) nor a pending fence be reset
     * (VUID-vkResetFences-pFences-01123), so neither goes back to its source; and what the copy writes to may
     * not be used for another. */
    if (device->next.WaitForFences(device->handle, 1, &fence->handle, VK_TRUE, WS_WAIT_LIMIT) != VK_SUCCESS) {
        device->submissions->late.given_up = true;
        fence->dropped = true;
        device->submissions->late.fence = fence;
        return false;
    }
    ws_fence_release(device, fence);
    ws_command_source_recycle(device, queue->family, commands);
    return true;
}
