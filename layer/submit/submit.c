/* vkQueueSubmit, vkQueueSubmit2 and vkQueueBindSparse.
 *
 * The lock of submission.h is held from before the plan until the next layer has the submission. So
 * submissions reach the device in the order of their indices in the capture, and nothing that is planned here
 * becomes untrue in between: which command buffers' results were copied, which buffer the record stream has,
 * what other queues run. */
#include <stdlib.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/memory/counters.h"
#include "layer/submit/command_source.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/plan.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/submission.h"
#include "layer/submit/submit_request.h"
#include "layer/submit/wait.h"
#include "warpscope/instrument.h"

/* Puts the timeline semaphores that a batch waits for, or signals, into `values`, which has room for all. */
static uint32_t gather(struct ws_device *device, const struct ws_submit_request *request, uint32_t batch,
                       bool signals, struct ws_semaphore_value *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ws_request_semaphore_count(request, batch, signals); i++)
        if (ws_request_timeline(device, request, batch, signals, i, &values[count]))
            count++;
    return count;
}

/* Notes the timeline semaphores of what was just submitted as the latest queue operation: timeline.h decides
 * by them what may be waited for. Those that it signals are kept in `submission` too, when there is one:
 * their values tell that a batch has ended (wait.c). Most applications have no such semaphores. */
static void note_timelines(struct ws_device *device, const struct ws_queue *queue,
                           const struct ws_submit_request *request, struct ws_submission *submission)
{
    struct ws_submissions *submissions = device->submissions;
    if (submissions->timelines.semaphores == 0)
        return;
    size_t most = 1;
    for (uint32_t i = 0; i < request->count; i++)
        most += (size_t)ws_request_semaphore_count(request, i, false) +
                ws_request_semaphore_count(request, i, true);
    struct ws_semaphore_value *values = calloc(most, sizeof(*values));
    if (submission != NULL)
        submission->signals = calloc(most, sizeof(*submission->signals));
    if (values == NULL)
        submissions->timelines.incomplete = true;

    for (uint32_t i = 0; values != NULL && i < request->count; i++) {
        const uint32_t waits = gather(device, request, i, false, values);
        const uint32_t signals = gather(device, request, i, true, values + waits);
        if (waits + signals > 0)
            ws_timelines_add(&submissions->timelines, queue, submissions->sequence, values, waits,
                             values + waits, signals);
        for (uint32_t j = 0; submission != NULL && submission->signals != NULL && j < signals; j++)
            submission->signals[submission->signal_count++] = values[waits + j];
    }
    free(values);
    const struct ws_timeline_clock clock = ws_timeline_clock_of(device);
    ws_timelines_prune_sometimes(&submissions->timelines, &clock);
}

/* A copy of the application's batches with our command buffers in them; its own structs are never written. */
struct planned_request {
    struct ws_submit_request request;
    VkSubmitInfo *infos;
    VkSubmitInfo2 *infos2;
    VkCommandBuffer *commands;
    VkCommandBufferSubmitInfo *commands2;
    uint32_t *masks;         /* of the commands, for a chained VkDeviceGroupSubmitInfo */
    struct ws_chain *chains; /* of the infos */
};

/* Puts a command buffer at `place`: number `source` of the application's, or one of ours (WS_NONE). Ours have
 * a mask of 1, the first device: batches that address others are not changed (ws_request_unsupported). */
static void copy_step(struct planned_request *planned, uint32_t batch, uint32_t place,
                      VkCommandBuffer commands, uint32_t source)
{
    planned->commands[place] = commands;
    if (planned->infos != NULL) {
        const VkDeviceGroupSubmitInfo *group = ws_request_masks(&planned->infos[batch]);
        planned->masks[place] = group != NULL && source < group->commandBufferCount
                                    ? group->pCommandBufferDeviceMasks[source]
                                    : 1;
        return;
    }
    planned->commands2[place] = (VkCommandBufferSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
        .commandBuffer = commands,
    };
    if (source != WS_NONE)
        planned->commands2[place] = planned->infos2[batch].pCommandBufferInfos[source];
}

/* Gives a batch its new command buffers. A chained VkDeviceGroupSubmitInfo must have as many masks
 * (VUID-VkDeviceGroupSubmitInfo-commandBufferCount-00083), so it is replaced too. False when there is no
 * memory. */
static bool replace(struct planned_request *planned, uint32_t batch, uint32_t first, uint32_t count)
{
    if (planned->infos2 != NULL) {
        planned->infos2[batch].pCommandBufferInfos = &planned->commands2[first];
        planned->infos2[batch].commandBufferInfoCount = count;
        return true;
    }
    VkSubmitInfo *info = &planned->infos[batch];
    info->pCommandBuffers = &planned->commands[first];
    info->commandBufferCount = count;
    if (ws_request_masks(info) == NULL)
        return true;
    VkDeviceGroupSubmitInfo *group =
        ws_chain_edit(&planned->chains[batch], VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, NULL);
    if (group == NULL)
        return false;
    group->commandBufferCount = count;
    group->pCommandBufferDeviceMasks = &planned->masks[first];
    info->pNext = planned->chains[batch].head;
    return true;
}

static bool copy_batch(struct planned_request *planned, const struct ws_batch_plan *plan, uint32_t batch,
                       uint32_t *used)
{
    const uint32_t first = *used;
    if (plan->open != VK_NULL_HANDLE)
        copy_step(planned, batch, (*used)++, plan->open, WS_NONE);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct ws_step *step = &plan->steps[i];
        if (step->commands != VK_NULL_HANDLE)
            copy_step(planned, batch, (*used)++, step->commands, step->source);
    }
    if (plan->close != VK_NULL_HANDLE)
        copy_step(planned, batch, (*used)++, plan->close, WS_NONE);
    return replace(planned, batch, first, *used - first);
}

static bool allocate(struct planned_request *planned, const struct ws_submit_request *request,
                     const struct ws_submit_plan *plan)
{
    size_t steps = 1;
    for (uint32_t i = 0; i < request->count; i++)
        steps += (size_t)plan->batches[i].step_count + 2;
    planned->commands = calloc(steps, sizeof(*planned->commands));
    if (request->infos2 != NULL) {
        planned->infos2 = calloc(request->count, sizeof(*planned->infos2));
        planned->commands2 = calloc(steps, sizeof(*planned->commands2));
        return planned->commands != NULL && planned->infos2 != NULL && planned->commands2 != NULL;
    }
    planned->infos = calloc(request->count, sizeof(*planned->infos));
    planned->chains = calloc(request->count, sizeof(*planned->chains));
    planned->masks = calloc(steps, sizeof(*planned->masks));
    return planned->commands != NULL && planned->infos != NULL && planned->chains != NULL &&
           planned->masks != NULL;
}

/* False when there is no memory. Finish in any case. */
static bool planned_request_init(struct planned_request *planned, const struct ws_submit_request *request,
                                 const struct ws_submit_plan *plan)
{
    *planned = (struct planned_request){.request.count = request->count};
    if (!allocate(planned, request, plan))
        return false;
    uint32_t used = 0;
    bool copied = true;
    for (uint32_t i = 0; i < request->count; i++) {
        if (request->infos != NULL) {
            planned->infos[i] = request->infos[i];
            ws_chain_init(&planned->chains[i], request->infos[i].pNext);
        } else {
            planned->infos2[i] = request->infos2[i];
        }
        if (plan->batches[i].changed)
            copied = copy_batch(planned, &plan->batches[i], i, &used) && copied;
    }
    planned->request.infos = planned->infos;
    planned->request.infos2 = planned->infos2;
    return copied;
}

static void planned_request_finish(struct planned_request *planned)
{
    for (uint32_t i = 0; planned->chains != NULL && i < planned->request.count; i++)
        ws_chain_finish(&planned->chains[i]);
    free(planned->chains);
    free(planned->masks);
    free(planned->infos);
    free(planned->infos2);
    free(planned->commands);
    free(planned->commands2);
}

/* Our fence tells the layer that the batches have ended. Where the application gives no fence, ours takes its
 * place. Else it follows in a submission without batches: a fence is signalled after all that is earlier in
 * submission order (the specification, "Fences"). The application's own is of no use for that, since the
 * application may reset or destroy it as soon as it is signalled. A fence must be unsignalled and of no other
 * pending submission (VUID-vkQueueSubmit-fence-00063, -00064): command_source.c gives only such ones.
 *
 * If the second call fails, the batches run nevertheless. Then the submission has no fence, and counts as
 * finished when a later one on its queue has, or when the application learns it (wait.c). */
static VkResult submit_with_fences(struct ws_device *device, struct ws_submission *submission,
                                   const struct ws_submit_request *request, VkFence fence)
{
    VkQueue queue = submission->queue->handle;
    submission->application_fence = fence;
    submission->fence = ws_fence_take(device);
    if (fence == VK_NULL_HANDLE)
        return ws_request_submit(device, queue, request, submission->fence);

    const VkResult result = ws_request_submit(device, queue, request, fence);
    if (result == VK_SUCCESS && submission->fence != VK_NULL_HANDLE &&
        device->next.QueueSubmit(queue, 0, NULL, submission->fence) != VK_SUCCESS) {
        ws_fence_recycle(device, submission->fence);
        submission->fence = VK_NULL_HANDLE;
    }
    return result;
}

/* None of its results can be had. Its launches are still written, as lost. */
static void lose_all(struct ws_submission *submission)
{
    for (uint32_t i = 0; i < submission->batch_count; i++)
        for (uint32_t j = 0; j < submission->batches[i].executed_count; j++)
            submission->batches[i].executed[j].lost = true;
}

/* Zeroes new counter memory, in a submission of its own before the application's, so that no batch of these
 * changes for it. What is submitted to the queue later needs no semaphore to find the zeroes: the last
 * barrier of the fill reaches all that is later in submission order. */
static bool submit_fill(struct ws_device *device, VkQueue queue, VkCommandBuffer fill)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &fill,
    };
    return device->next.QueueSubmit(queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS;
}

/* Submits with our command buffers; or, for want of memory, as the application asked, and its results are
 * lost. */
static VkResult submit_planned(struct ws_device *device, struct ws_submit_plan *plan,
                               const struct ws_submit_request *request, VkFence fence)
{
    struct ws_submission *submission = plan->submission;
    struct planned_request planned;
    VkCommandBuffer fill = VK_NULL_HANDLE;
    uint32_t mark = 0;

    submission->overlapped = ws_wait_for_other_queues(device, submission->queue);
    const bool recorded = ws_submit_plan_record(plan, device, &fill, &mark);
    const bool filled = fill != VK_NULL_HANDLE && submit_fill(device, submission->queue->handle, fill);
    if (filled)
        ws_counters_filled(device, mark);
    else if (!recorded || fill != VK_NULL_HANDLE)
        lose_all(submission); /* what new memory holds are no counts */

    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (planned_request_init(&planned, request, plan))
        result = submit_with_fences(device, submission, &planned.request, fence);
    planned_request_finish(&planned);
    /* A submission that fails for want of memory has no effect on anything it refers to (the specification,
     * "vkQueueSubmit"), so the application's own may still be tried. Our buffer for records goes back first:
     * without our command buffers nothing opens the stream. */
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
        lose_all(submission);
        ws_stream_give(submission->stream);
        submission->stream = NULL;
        ws_fence_recycle(device, submission->fence);
        result = submit_with_fences(device, submission, request, fence);
    }
    if (result != VK_SUCCESS) {
        /* The zeroing was submitted before and may still run. Its command buffer is pending, without a fence
         * that would tell when no longer, so none of them goes back: they are freed with their pool. */
        if (filled)
            submission->command_count = 0;
        return result;
    }
    submission->sequence = device->submissions->sequence;
    note_timelines(device, submission->queue, request, submission);
    ws_submissions_add(device, submission);
    plan->submission = NULL;
    return VK_SUCCESS;
}

static VkResult submit_locked(struct ws_device *device, struct ws_queue *queue,
                              const struct ws_submit_request *request, VkFence fence)
{
    struct ws_submit_plan plan = {0};
    VkResult result;
    device->submissions->sequence++;
    ws_late_copies_allow(device, queue, false);
    ws_submissions_drain(device);
    if (ws_submit_plan_init(&plan, device, queue, request)) {
        result = submit_planned(device, &plan, request, fence);
    } else {
        result = ws_request_submit(device, queue->handle, request, fence);
        if (result == VK_SUCCESS)
            note_timelines(device, queue, request, NULL);
    }
    ws_submit_plan_finish(&plan, device);
    return result;
}

static VkResult submit(VkQueue handle, const struct ws_submit_request *request, VkFence fence)
{
    struct ws_device *device = ws_device_of(handle);
    struct ws_queue *queue = ws_queue_of(handle);
    if (queue == NULL || request->count == 0) {
        ws_late_copies_enter_call(device);
        const VkResult result = ws_request_submit(device, handle, request, fence);
        ws_late_copies_leave_call(device);
        return result;
    }
    ws_submissions_enter(device);
    const VkResult result = submit_locked(device, queue, request, fence);
    ws_submissions_leave(device);
    ws_wait_check(device, result);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                                   VkFence fence)
{
    return submit(queue, &(struct ws_submit_request){.count = count, .infos = infos}, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *infos,
                                                    VkFence fence)
{
    return submit(queue, &(struct ws_submit_request){.count = count, .infos2 = infos}, fence);
}

/* Handed on as it is. Its semaphores are noted: a wait holds up what is submitted to the queue later, and a
 * signal may be what another queue waits for. */
static VKAPI_ATTR VkResult VKAPI_CALL queue_bind_sparse(VkQueue handle, uint32_t count,
                                                        const VkBindSparseInfo *infos, VkFence fence)
{
    struct ws_device *device = ws_device_of(handle);
    struct ws_queue *queue = ws_queue_of(handle);
    ws_submissions_enter(device);
    const VkResult result = device->next.QueueBindSparse(handle, count, infos, fence);
    device->submissions->sequence++;
    for (uint32_t i = 0; result == VK_SUCCESS && queue != NULL && i < count; i++) {
        const VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .pNext = infos[i].pNext, /* holds the same struct of values */
            .waitSemaphoreCount = infos[i].waitSemaphoreCount,
            .pWaitSemaphores = infos[i].pWaitSemaphores,
            .signalSemaphoreCount = infos[i].signalSemaphoreCount,
            .pSignalSemaphores = infos[i].pSignalSemaphores,
        };
        note_timelines(device, queue, &(struct ws_submit_request){.count = 1, .infos = &info}, NULL);
    }
    ws_submissions_leave(device);
    ws_wait_check(device, result);
    return result;
}

static const struct ws_hook hooks[] = {
    WS_HOOK(QueueSubmit, queue_submit),
    WS_HOOK(QueueSubmit2, queue_submit2),
    WS_HOOK(QueueBindSparse, queue_bind_sparse),
    WS_HOOK_END,
};

const struct ws_interception ws_submit_interception = {.hooks = hooks};
