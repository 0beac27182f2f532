#include "layer/submit/wait.h"

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/submission.h"

void ws_wait_check(struct ws_device *device, VkResult result)
{
    if (result != VK_ERROR_DEVICE_LOST)
        return;
    ws_submissions_enter(device);
    if (!device->submissions->device_lost) {
        device->submissions->device_lost = true;
        ws_capture_message(device->capture, WS_ERROR, "the device was lost");
    }
    /* On a lost device fences may never be signalled, and no wait may be for ever (the specification, "Lost
     * Device"): what is not known to be finished now is given up. Late copies are no longer made. */
    ws_submissions_drain(device);
    ws_submissions_abandon(device, "the device was lost");
    ws_submissions_leave(device);
}

/* Which submissions the application has learned to be finished: one of the first four members says so. */
struct finished {
    VkFence fence;                            /* those with this fence, which is signalled */
    const struct ws_semaphore_value *reached; /* the batches that signal this value of a timeline semaphore */
    struct ws_queue *queue;                   /* all of this queue, which the call may also use */
    bool all;                                 /* all of all queues, which the call may also use */
    /* Of a queue or of all: `sequence` of the latest queue operation when the wait began. What came later is
     * not meant. Another thread may submit to an internally synchronized queue during the wait. */
    uint64_t until;
    bool waited; /* the call was to wait: a late copy may make it longer, but not a query */
};

/* Whether one of its signals from `first` on is among those that have been reached. */
static bool is_reached(const struct ws_submission *submission, uint32_t first,
                       const struct ws_semaphore_value *reached)
{
    for (uint32_t i = first; i < submission->signal_count; i++)
        if (submission->signals[i].semaphore == reached->semaphore &&
            submission->signals[i].value <= reached->value)
            return true;
    return false;
}

static bool is_meant(const struct ws_submission *submission, const struct finished *finished)
{
    if (finished->all || finished->queue == submission->queue)
        return submission->sequence <= finished->until;
    if (finished->fence != VK_NULL_HANDLE && submission->application_fence == finished->fence)
        return true;
    return finished->reached != NULL && is_reached(submission, 0, finished->reached);
}

/* Our fence is not the application's, so when the application learns of an end ours may not be signalled yet.
 * - After the application's fence ours is the next operation on the queue, without batches between
 *   (submit.c): the wait for it is short, also on a queue that was held up before.
 * - A semaphore tells of its own batch, and of those before. So ours is waited for only if the batch is the submission's
 *   last. Later batches may take long, or wait for a value that this very thread is going to signal next. */
static void note_finished(struct ws_device *device, const struct finished *finished)
{
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following) {
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following) {
            if (!is_meant(pending, finished))
                continue;
            pending->seen_end = true;
            if (finished->reached != NULL) {
                if (is_reached(pending, pending->signals_end, finished->reached))
                    ws_submission_wait_surely(device, pending);
            } else if (pending->fence == NULL) {
                pending->finished = true;
            } else {
                queue->held_up = false; /* its end is known, so what came before it has ended too */
                ws_submission_wait(device, pending);
            }
        }
    }
}

/* `pending` is read without the lock first: most calls of most programs find nothing, and take no lock. A
 * submission that another thread adds meanwhile cannot be one that this call tells of. */
static void write_finished(struct ws_device *device, const struct finished *finished, uint32_t count)
{
    if (device->submissions->pending == 0)
        return;
    ws_submissions_enter(device);
    for (uint32_t i = 0; i < count; i++) {
        note_finished(device, &finished[i]);
        struct ws_queue *queue = finished[i].all ? ws_late_any_queue(device) : finished[i].queue;
        const bool idle = finished[i].until == device->submissions->sequence;
        ws_late_copies_allow(device, queue, idle); /* NULL for a fence or a semaphore */
    }
    ws_submissions_drain(device);
    if (count > 0 && finished[0].waited && device->submissions->pending > 0) {
        ws_late_copies_borrow(device);
        ws_submissions_drain(device);
    }
    ws_submissions_leave(device);
}

void ws_wait_write_finished(struct ws_device *device)
{
    write_finished(device, NULL, 0);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                      VkBool32 wait_all, uint64_t timeout)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.WaitForFences(handle, count, fences, wait_all, timeout);
    for (uint32_t i = 0; result == VK_SUCCESS && device->submissions->pending > 0 && i < count; i++)
        if (wait_all || count == 1 || device->next.GetFenceStatus(handle, fences[i]) == VK_SUCCESS)
            write_finished(device, &(struct finished){.fence = fences[i], .waited = true}, 1);
    ws_wait_check(device, result);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_fence_status(VkDevice handle, VkFence fence)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.GetFenceStatus(handle, fence);
    if (result == VK_SUCCESS)
        write_finished(device, &(struct finished){.fence = fence}, 1);
    ws_wait_check(device, result);
    return result;
}

/* A fence that is pending may not be reset or destroyed (VUID-vkResetFences-pFences-01123,
 * VUID-vkDestroyFence-fence-01120): that the application does so tells that what it was submitted with has
 * finished. Afterwards the same handle may stand for another submission, so the earlier ones must forget it.
 */
static void end_fences(struct ws_device *device, uint32_t count, const VkFence *fences)
{
    if (device->submissions->pending == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        write_finished(device, &(struct finished){.fence = fences[i]}, 1);
    ws_submissions_enter(device);
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following) {
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following) {
            for (uint32_t i = 0; i < count; i++)
                if (pending->application_fence == fences[i])
                    pending->application_fence = VK_NULL_HANDLE;
        }
    }
    ws_submissions_leave(device);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_fences(VkDevice handle, uint32_t count, const VkFence *fences)
{
    struct ws_device *device = ws_device_of(handle);
    end_fences(device, count, fences);
    return device->next.ResetFences(handle, count, fences);
}

/* The fence gets another payload, which other processes and calls signal: it tells of no submission of ours
 * any more. What it was submitted with has finished, since the payload of a fence that is pending may not be
 * replaced (the specification, "Importing Fence Payloads"). Resetting a fence drops a payload that was
 * imported temporarily, and is hooked above. */
static VKAPI_ATTR VkResult VKAPI_CALL import_fence(VkDevice handle, const VkImportFenceFdInfoKHR *info)
{
    struct ws_device *device = ws_device_of(handle);
    end_fences(device, 1, &info->fence);
    return device->next.ImportFenceFdKHR(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL destroy_fence(VkDevice handle, VkFence fence,
                                                const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    if (fence != VK_NULL_HANDLE)
        end_fences(device, 1, &fence);
    device->next.DestroyFence(handle, fence, allocator);
}

static void write_reached(struct ws_device *device, VkSemaphore semaphore, uint64_t value, bool waited)
{
    const struct ws_semaphore_value reached = {.semaphore = semaphore, .value = value};
    write_finished(device, &(struct finished){.reached = &reached, .waited = waited}, 1);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                      uint64_t timeout)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.WaitSemaphores(handle, info, timeout);
    const bool any = (info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0;
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->semaphoreCount; i++) {
        uint64_t value = info->pValues[i];
        if (any && device->next.GetSemaphoreCounterValue(handle, info->pSemaphores[i], &value) != VK_SUCCESS)
            continue;
        write_reached(device, info->pSemaphores[i], value, true);
    }
    ws_wait_check(device, result);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_semaphore_value(VkDevice handle, VkSemaphore semaphore,
                                                          uint64_t *value)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.GetSemaphoreCounterValue(handle, semaphore, value);
    if (result == VK_SUCCESS)
        write_reached(device, semaphore, *value, false);
    ws_wait_check(device, result);
    return result;
}

static uint64_t latest_operation(struct ws_device *device)
{
    ws_submissions_enter(device);
    const uint64_t sequence = device->submissions->sequence;
    ws_submissions_leave(device);
    return sequence;
}

/* The application synchronizes the queue for the length of this call (the specification, "vkQueueWaitIdle",
 * Host Synchronization), so a late copy within it may use that queue. The lock is not held while the next
 * layer waits: another thread may have to submit what this queue waits for. */
static VKAPI_ATTR VkResult VKAPI_CALL queue_wait_idle(VkQueue handle)
{
    struct ws_device *device = ws_device_of(handle);
    struct ws_queue *queue = ws_queue_of(handle);
    const uint64_t until = latest_operation(device);
    ws_late_copies_enter_call(device);
    const VkResult result = device->next.QueueWaitIdle(handle);
    ws_late_copies_leave_call(device);
    if (result == VK_SUCCESS && queue != NULL)
        write_finished(device, &(struct finished){.queue = queue, .until = until}, 1);
    ws_wait_check(device, result);
    return result;
}

static void note_idle(struct ws_device *device, uint64_t until)
{
    ws_submissions_enter(device);
    ws_stream_note_idle(device, until);
    ws_submissions_leave(device);
}

/* The same for all queues of the device. */
static VKAPI_ATTR VkResult VKAPI_CALL device_wait_idle(VkDevice handle)
{
    struct ws_device *device = ws_device_of(handle);
    const uint64_t until = latest_operation(device);
    ws_late_copies_enter_call(device);
    const VkResult result = device->next.DeviceWaitIdle(handle);
    ws_late_copies_leave_call(device);
    if (result == VK_SUCCESS) {
        note_idle(device, until);
        write_finished(device, &(struct finished){.all = true, .until = until}, 1);
    }
    ws_wait_check(device, result);
    return result;
}

static const struct ws_hook hooks[] = {
    WS_HOOK(WaitForFences, wait_for_fences),
    WS_HOOK(GetFenceStatus, get_fence_status),
    WS_HOOK(ResetFences, reset_fences),
    WS_HOOK(DestroyFence, destroy_fence),
    WS_HOOK(ImportFenceFdKHR, import_fence),
    WS_HOOK(WaitSemaphores, wait_semaphores),
    WS_HOOK(GetSemaphoreCounterValue, get_semaphore_value),
    WS_HOOK(QueueWaitIdle, queue_wait_idle),
    WS_HOOK(DeviceWaitIdle, device_wait_idle),
    WS_HOOK_END,
};

const struct ws_interception ws_wait_interception = {.hooks = hooks};
