/* vkQueueSubmit, vkQueueSubmit2 and vkQueueBindSparse.
 *
 * The lock of submission.h is held from before the plan until the next layer has the submission. So
 * submissions reach the device in the order of their indices in the capture, and nothing that is planned here
 * becomes untrue in between: which command buffers' results were copied, which buffer the record stream has,
 * what other queues run. A wait for room comes before the plan, without the lock. */
#include <stdlib.h>

#include "layer/commands/command_buffer.h"
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/memory/control_block.h"
#include "layer/submit/command_source.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/order.h"
#include "layer/submit/plan.h"
#include "layer/submit/queue.h"
#include "layer/submit/semaphore.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/submission.h"
#include "layer/submit/submit_request.h"
#include "layer/submit/wait.h"
#include "warpscope/instrument.h"

/* Whether a batch waits for something that no submission tells of (timeline.h). */
static bool is_open(struct ws_device *device, const struct ws_submit_request *request, uint32_t batch)
{
    for (uint32_t i = 0; i < ws_request_command_count(request, batch); i++)
        if (ws_command_buffer_of(ws_request_command(request, batch, i))->waits_for_host)
            return true;
    if (device->submissions->timelines.semaphores == 0)
        return false;
    for (uint32_t i = 0; i < ws_request_semaphore_count(request, batch, false); i++)
        if (ws_semaphore_kind_of(device, ws_request_semaphore(request, batch, false, i)) ==
            WS_SEMAPHORE_FOREIGN)
            return true;
    return false;
}

static bool any_open(struct ws_device *device, const struct ws_submit_request *request)
{
    for (uint32_t i = 0; i < request->count; i++)
        if (is_open(device, request, i))
            return true;
    return false;
}

/* Puts the timeline semaphores that a batch waits for, or signals, into `values`, which has room for all; and
 * with `binary` the others too. */
static uint32_t gather(struct ws_device *device, const struct ws_submit_request *request, uint32_t batch,
                       bool signals, bool binary, struct ws_semaphore_value *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ws_request_semaphore_count(request, batch, signals); i++) {
        if (ws_request_timeline(device, request, batch, signals, i, &values[count]))
            count++;
        else if (binary)
            values[count++] =
                (struct ws_semaphore_value){ws_request_semaphore(request, batch, signals, i), WS_BINARY};
    }
    return count;
}

/* Notes what was just submitted as the latest queue operation: timeline.h decides by that what may be waited
 * for. The timeline semaphores that it signals are kept in `submission` too, when there is one: their values
 * tell that a batch has ended (wait.c). Most applications have no such semaphores. */
static void note_timelines(struct ws_device *device, const struct ws_queue *queue,
                           const struct ws_submit_request *request, struct ws_submission *submission)
{
    struct ws_submissions *submissions = device->submissions;
    struct ws_timelines *timelines = &submissions->timelines;
    if (timelines->semaphores == 0 && timelines->open == 0 && !any_open(device, request))
        return;
    size_t most = 1;
    for (uint32_t i = 0; i < request->count; i++)
        most += (size_t)ws_request_semaphore_count(request, i, false) +
                ws_request_semaphore_count(request, i, true);
    struct ws_semaphore_value *values = calloc(most, sizeof(*values));
    if (submission != NULL)
        submission->signals = calloc(most, sizeof(*submission->signals));
    if (values == NULL)
        timelines->incomplete = true;

    for (uint32_t i = 0; values != NULL && i < request->count; i++) {
        const bool open = is_open(device, request, i);
        const bool binary = open || timelines->open > 0;
        const uint32_t waits = gather(device, request, i, false, binary, values);
        const uint32_t signals = gather(device, request, i, true, binary, values + waits);
        if (open || waits + signals > 0)
            ws_timelines_add(timelines, queue, submissions->sequence, open, values, waits, values + waits,
                             signals);
        if (submission != NULL)
            submission->signals_end = submission->signal_count;
        for (uint32_t j = 0; submission != NULL && submission->signals != NULL && j < signals; j++)
            if (values[waits + j].value != WS_BINARY)
                submission->signals[submission->signal_count++] = values[waits + j];
    }
    free(values);
    const struct ws_timeline_clock clock = ws_timeline_clock_of(device);
    ws_timelines_prune_sometimes(timelines, &clock);
}

/* A copy of the application's batches with our command buffers in them; its own structs are never written. */
struct planned_request {
    struct ws_submit_request request;
    void *memory; /* of all that follow: one piece, for this is done for every submission */
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

static void *take(char **at, size_t count, size_t size)
{
    char *taken = *at;
    *at += (count * size + 7) / 8 * 8;
    return taken;
}

static bool allocate(struct planned_request *planned, const struct ws_submit_request *request,
                     const struct ws_submit_plan *plan)
{
    const size_t per_batch = request->infos2 != NULL ? sizeof(*planned->infos2)
                                                     : sizeof(*planned->infos) + sizeof(*planned->chains);
    const size_t per_step = sizeof(*planned->commands) +
                            (request->infos2 != NULL ? sizeof(*planned->commands2) : sizeof(*planned->masks));
    size_t steps = 1;
    for (uint32_t i = 0; i < request->count; i++)
        steps += (size_t)plan->batches[i].step_count + 2;
    planned->memory = calloc(1, request->count * per_batch + steps * per_step + 8);
    char *at = planned->memory;
    if (at == NULL)
        return false;
    planned->commands = take(&at, steps, sizeof(*planned->commands));
    if (request->infos2 != NULL) {
        planned->infos2 = take(&at, request->count, sizeof(*planned->infos2));
        planned->commands2 = take(&at, steps, sizeof(*planned->commands2));
        return true;
    }
    planned->infos = take(&at, request->count, sizeof(*planned->infos));
    planned->chains = take(&at, request->count, sizeof(*planned->chains));
    planned->masks = take(&at, steps, sizeof(*planned->masks));
    return true;
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
    free(planned->memory);
}

/* Whether the application's fence does to tell the end. The layer looks at it with the lock entered only; a thread that
 * resets or destroys it enters the lock before, and the submission has ended then (wait.c). So it does not where the
 * layer may have to wait without the lock: for a record buffer, or for room for results (host_wait.c); but it does for a
 * program that never had two with record buffers pending so far. Nor where other processes may get or change its payload. */
static bool may_trust_fence(const struct ws_device *device, const struct ws_submission *submission)
{
    const bool waits =
        submission->stream != NULL && (!submission->opened || device->submissions->ring.overlapped);
    return !waits && !submission->late_copies && device->next.ImportFenceFdKHR == NULL &&
           device->submissions->pending_size + ws_submission_size(submission) <= WS_PENDING_TRUSTED;
}

/* A fence tells the layer that the batches have ended. Where the application gives no fence, and no order
 * semaphore is to be signalled, ours takes its place. Where the application's does not do, ours follows in a
 * submission without command buffers (order.h): a fence is signalled after all that is earlier in submission
 * order (the specification, "Fences"). A fence must be unsignalled and of no other pending submission
 * (VUID-vkQueueSubmit-fence-00063, -00064): command_source.c gives only such ones.
 *
 * If the second call fails, the batches run nevertheless. Then the submission has no fence, and counts as
 * finished when a later one on its queue has, or when the application learns it (wait.c). */
static VkResult submit_with_end(struct ws_device *device, struct ws_submission *submission,
                                const struct ws_submit_request *request, VkFence fence)
{
    VkQueue queue = submission->queue->handle;
    const bool signals = ws_order_signals(device, submission);
    const bool trusted = fence != VK_NULL_HANDLE && !signals && may_trust_fence(device, submission);
    submission->application_fence = fence;
    submission->fence = trusted ? NULL : ws_fence_take(device);
    if (fence == VK_NULL_HANDLE && !signals)
        return ws_request_submit(device, queue, request,
                                 submission->fence != NULL ? submission->fence->handle : VK_NULL_HANDLE);

    const VkResult result = ws_request_submit(device, queue, request, fence);
    if (result == VK_SUCCESS && (submission->fence != NULL || signals) && !ws_order_end(device, submission)) {
        ws_fence_release(device, submission->fence);
        submission->fence = NULL;
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

/* Without our command buffers what only these clear is not cleared. */
static void leave_counts(struct ws_device *device, const struct ws_submission *submission)
{
    for (uint32_t i = 0; i < submission->batch_count; i++)
        for (uint32_t j = 0; j < submission->batches[i].executed_count; j++)
            if (ws_executed_clears_rows(&submission->batches[i].executed[j]))
                device->submissions->left_counts = true;
}

/* The host may not close the stream that it left open, since what may append to it is pending. So the device does, before what
 * is submitted next to `queue`. */
static void close_left_open(struct ws_device *device, struct ws_queue *queue)
{
    struct ws_stream_ring *ring = &device->submissions->ring;
    if (ring->left_open == NULL)
        return;
    if (ws_queue_copies(queue) && ws_order_close_stream(device, queue))
        ring->left_open = NULL;
    else
        ring->unclosed = true;
}

/* Submits with our command buffers; or, for want of memory, as the application asked, and its results are
 * lost. */
static VkResult submit_planned(struct ws_device *device, struct ws_submit_plan *plan,
                               const struct ws_submit_request *request, VkFence fence)
{
    struct ws_submission *submission = plan->submission;
    struct planned_request planned = {0};
    if (!ws_order_begin(device, submission, plan->records))
        lose_all(submission); /* what its rows hold are no counts */
    ws_submit_plan_record(plan, device);
    if (device->submissions->left_counts)
        lose_all(submission); /* launches behind the one that leaves them may take them */
    struct ws_stream_ring *ring = &device->submissions->ring;
    /* By a command buffer of ours, before all of it: it closes what was open. */
    bool opens = submission->stream != NULL && !submission->opened && submission->stream_first == 0;
    if (submission->appends && !submission->opened && !opens)
        close_left_open(device, submission->queue);
    submission->sequence = device->submissions->sequence;

    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (!ws_submit_plan_changes(plan))
        result = submit_with_end(device, submission, request, fence);
    else if (planned_request_init(&planned, request, plan))
        result = submit_with_end(device, submission, &planned.request, fence);
    planned_request_finish(&planned);
    /* A submission that fails for want of memory has no effect on anything it refers to (the specification,
     * "vkQueueSubmit"), so the application's own may still be tried. Our buffer for records goes back first:
     * without our command buffers nothing opens the stream. */
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
        leave_counts(device, submission);
        lose_all(submission);
        opens = submission->opened = false;
        ws_stream_close_left_open(device);
        if (submission->appends)
            close_left_open(device, submission->queue);
        submission->sequence = device->submissions->sequence;
        ws_stream_give(submission->stream);
        submission->stream = NULL;
        ws_fence_release(device, submission->fence);
        result = submit_with_end(device, submission, request, fence);
    }
    if (result != VK_SUCCESS)
        return result;
    if (opens)
        ring->left_open = NULL;
    note_timelines(device, submission->queue, request, submission);
    ws_submissions_add(device, submission);
    plan->submission = NULL;
    return VK_SUCCESS;
}

/* The end of strays is not seen from here on. What is pending may have their records among its own. */
static void lose_sight(struct ws_device *device)
{
    struct ws_submissions *submissions = device->submissions;
    submissions->ring.strays = submissions->sequence;
    submissions->ring.unclosed |= submissions->ring.left_open != NULL;
    for (struct ws_queue *queue = submissions->queues; queue != NULL; queue = queue->following)
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following)
            if (pending->stream != NULL && !ws_submission_has_finished(device, pending))
                pending->records_mixed = true;
}

/* Puts a submission that is not planned, and has strays, in its place among what appends to the record stream. */
static void begin_plain(struct ws_device *device, struct ws_submission *submission)
{
    submission->appends = submission->strays = true;
    ws_order_begin(device, submission, false);
    close_left_open(device, submission->queue);
}

/* Submits what is not planned: what executes no launches, as a rule. If it waits for something that no submission tells of, its
 * end is watched by a submission of ours without command buffers: until then nothing on the queue is sure to end. So it is with
 * strays. Without memory for that, the end of a later submission tells it; but not that strays have ended. */
static VkResult submit_plain(struct ws_device *device, struct ws_queue *queue,
                             const struct ws_submit_request *request, VkFence fence, bool strays)
{
    const bool watches = strays || any_open(device, request);
    struct ws_submission *watched = watches ? calloc(1, sizeof(*watched)) : NULL;
    if (watched != NULL)
        watched->queue = queue;
    if (watched != NULL && strays)
        begin_plain(device, watched);
    const VkResult result = ws_request_submit(device, queue->handle, request, fence);
    if (result == VK_SUCCESS)
        note_timelines(device, queue, request, NULL);
    if (watched != NULL) {
        watched->sequence = device->submissions->sequence;
        watched->fence = ws_fence_take(device);
    }
    if (result == VK_SUCCESS && watched != NULL && watched->fence != NULL && ws_order_end(device, watched)) {
        ws_submissions_add(device, watched);
        return result;
    }
    if (result == VK_SUCCESS && strays)
        lose_sight(device);
    ws_submission_destroy(device, watched);
    return result;
}

/* Calls `is_such` for each batch and command buffer. */
static bool any_recording(const struct ws_submit_request *request,
                          bool (*is_such)(const struct ws_recording *recording, bool followed))
{
    for (uint32_t i = 0; i < request->count; i++) {
        const bool followed = ws_request_unsupported(request, i) == NULL;
        for (uint32_t j = 0; j < ws_request_command_count(request, i); j++)
            if (is_such(ws_command_buffer_of(ws_request_command(request, i, j))->recording, followed))
                return true;
    }
    return false;
}

static bool has_records(const struct ws_recording *recording, bool followed)
{
    (void)followed;
    return recording != NULL && (recording->records || recording->carried.records);
}

/* What a launch chooses from may record, too. */
static bool may_append(const struct ws_recording *recording, bool followed)
{
    return has_records(recording, followed) ||
           (recording != NULL && (recording->chooses || recording->carried.set_count > 0));
}

/* Whether launches of it may append that the layer does not know, or that it does not follow. */
static bool is_stray(const struct ws_recording *recording, bool followed)
{
    return recording == NULL || recording->lost > 0 || (!followed && may_append(recording, followed));
}

/* Before the control block is made no shader appends. */
static bool may_stray(const struct ws_device *device, const struct ws_queue *queue,
                      const struct ws_submit_request *request, bool planned)
{
    return device->control->made && ws_queue_runs_shaders(queue) &&
           (any_recording(request, is_stray) || (!planned && any_recording(request, may_append)));
}

/* Before all else that is done with a request: also what is handed on as it is, for whatever reason, overwrites results that
 * are read in place. */
static void put_aside(struct ws_device *device, const struct ws_submit_request *request)
{
    for (uint32_t i = 0; i < request->count; i++) {
        for (uint32_t j = 0; j < ws_request_command_count(request, i); j++) {
            struct ws_recording *recording =
                ws_command_buffer_of(ws_request_command(request, i, j))->recording;
            if (recording != NULL)
                ws_executed_put_aside(device, recording);
        }
    }
}

/* Before a record buffer is looked for, since others may take it meanwhile. */
static void wait_before_again(struct ws_device *device, struct ws_queue *queue,
                              const struct ws_submit_request *request)
{
    for (uint32_t i = 0; i < request->count; i++) {
        for (uint32_t j = 0; j < ws_request_command_count(request, i); j++) {
            struct ws_recording *recording =
                ws_command_buffer_of(ws_request_command(request, i, j))->recording;
            if (recording != NULL)
                ws_wait_before_again(device, queue, recording);
        }
    }
}

static VkResult submit_locked(struct ws_device *device, struct ws_queue *queue,
                              const struct ws_submit_request *request, VkFence fence)
{
    struct ws_submissions *submissions = device->submissions;
    struct ws_submit_plan plan = {0};
    VkResult result;
    submissions->left_counts = false;
    ws_late_copies_allow(device, queue, false);
    ws_submissions_drain(device);
    if (submissions->pending > 0)
        wait_before_again(device, queue, request);
    ws_make_room(device, queue, any_recording(request, has_records));
    if (submissions->pending > 0)
        put_aside(device, request);
    submissions->sequence++;
    ws_stream_close_left_open(device);
    const bool planned = ws_submit_plan_init(&plan, device, queue, request);
    const bool stray = may_stray(device, queue, request, planned);
    if (planned && stray)
        plan.submission->appends = plan.submission->strays = true;
    if (planned)
        result = submit_planned(device, &plan, request, fence);
    else
        result = submit_plain(device, queue, request, fence, stray);
    submissions->zeroing += result == VK_SUCCESS && submissions->left_counts;
    ws_submit_plan_finish(&plan, device);
    return result;
}

static VkResult submit(VkQueue handle, const struct ws_submit_request *request, VkFence fence)
{
    struct ws_device *device = ws_device_of(handle);
    struct ws_queue *queue = ws_queue_of(handle);
    if (queue == NULL || request->count == 0) {
        if (queue == NULL) {
            ws_submissions_enter(device);
            put_aside(device, request);
            ws_stream_close_left_open(device);
            device->submissions->sequence++;
            lose_sight(device);
            ws_submissions_leave(device);
        }
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
