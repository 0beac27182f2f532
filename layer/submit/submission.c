#include "layer/submit/submission.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/stream_control.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/selection.h"
#include "layer/process/lock.h"
#include "layer/submit/command_source.h"
#include "layer/submit/drain.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_ring.h"
#include "warpscope/base/array.h"

void ws_submissions_enter(struct ws_device *device)
{
    ws_lock(&device->submissions->lock);
}

/* Both are taken out first and used last: saying a loss calls the application, which may call this layer
 * again in the same thread; and a queue may be used for late copies only as long as the call that brought it
 * lasts. Meanwhile no thread closes the capture, which is to have what is said. */
void ws_submissions_leave(struct ws_device *device)
{
    struct ws_losses losses;
    const bool lost = ws_losses_take(&device->submissions->losses, &losses);
    ws_late_copies_disallow(device);
    atomic_fetch_add(&device->capture->awaited, 1);
    ws_unlock(&device->submissions->lock);
    ws_capture_show_counts(device->capture);
    if (lost)
        ws_losses_say(device->instance, &losses);
    atomic_fetch_sub(&device->capture->awaited, 1);
    ws_capture_close_if_over(device->capture, device->settings);
}

uint32_t ws_executed_count(const struct ws_executed *executed)
{
    return executed->recording != NULL ? executed->recording->launch_count : 1;
}

const struct ws_recorded_launch *ws_executed_at(const struct ws_executed *executed, uint32_t index)
{
    return executed->recording != NULL ? &executed->recording->launches[index] : &executed->rendering;
}

bool ws_executed_is_selected(const struct ws_device *device, const struct ws_executed *executed,
                             uint32_t index)
{
    return executed->selected > 0 && ws_range_contains(&device->settings->launches, executed->first + index);
}

char *ws_executed_results(const struct ws_submission *submission, const struct ws_executed *executed)
{
    if (!executed->kept || executed->lost)
        return NULL;
    if (executed->in_place)
        return executed->aside != NULL ? executed->aside : ws_recording_in_place(executed->recording);
    char *results = submission->readback.mapped;
    return results != NULL ? results + executed->position : NULL;
}

VkDeviceSize ws_submission_size(const struct ws_submission *submission)
{
    return submission->readback.size + submission->in_place_size;
}

/* Who may submit it again has learned its end, by the fence as a rule, and then this finds it signalled; but it may be learned
 * by a semaphore a moment sooner, and a later batch of the submission may be what does not end. So an application that was seen
 * to learn an end is believed. One that was not may have submitted again what is still pending. From then on results of this
 * recording are copied, as those for simultaneous use are. */
void ws_executed_put_aside(struct ws_device *device, struct ws_recording *recording)
{
    struct ws_executed *executed = recording->unread;
    if (executed == NULL)
        return;
    recording->unread = NULL;
    if (!ws_submission_has_finished(device, recording->unread_in)) {
        recording->in_place = false;
        if (!recording->unread_in->seen_end) {
            executed->lost = executed->overwritten = true;
            return;
        }
    }
    executed->aside = malloc(recording->size);
    if (executed->aside == NULL)
        executed->lost = true;
    else
        memcpy(executed->aside, ws_recording_in_place(recording), recording->size);
}

uint64_t ws_submission_count_records(const struct ws_device *device, const struct ws_submission *submission)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < submission->batch_count; i++) {
        const struct ws_batch *batch = &submission->batches[i];
        for (uint32_t j = 0; j < batch->executed_count; j++) {
            const struct ws_executed *executed = &batch->executed[j];
            for (uint32_t k = 0; k < ws_executed_count(executed); k++)
                count += ws_executed_at(executed, k)->records && !ws_executed_at(executed, k)->lost &&
                         !executed->lost && ws_executed_is_selected(device, executed, k);
        }
    }
    return count;
}

/* Fence, command buffers and memory are given back here, and used again for other submissions. So the device
 * must not use them any more: the submission has finished, or the next layer never accepted it, or what is
 * still in use was taken out of it before (submit.c, ws_submissions_abandon). Else a pending command buffer
 * would be recorded again (VUID-vkBeginCommandBuffer-commandBuffer-00049), and the next submission's results
 * would be written over memory that this one still writes to. */
void ws_submission_destroy(struct ws_device *device, struct ws_submission *submission)
{
    if (submission == NULL)
        return;
    ws_watch_end(&submission->watched);
    if (submission->awaited)
        atomic_fetch_sub(&device->capture->awaited, 1);
    for (uint32_t i = 0; i < submission->batch_count; i++) {
        struct ws_batch *batch = &submission->batches[i];
        for (uint32_t j = 0; j < batch->executed_count; j++) {
            struct ws_recording *recording = batch->executed[j].recording;
            if (recording != NULL && recording->unread == &batch->executed[j])
                recording->unread = NULL;
            free(batch->executed[j].aside);
            ws_recording_release(recording);
            ws_recorded_launch_finish(&batch->executed[j].rendering);
            for (uint32_t k = 0; k < batch->executed[j].late_count; k++)
                ws_recorded_launch_finish(&batch->executed[j].late[k].part);
            free(batch->executed[j].late);
            free((char *)batch->executed[j].command_buffer);
        }
        free(batch->label);
    }
    for (uint32_t i = 0; i < submission->command_count; i++)
        ws_command_source_recycle(device, submission->queue->family, submission->commands[i]);
    free(submission->commands);
    ws_heap_free(device->readback, &submission->readback);
    ws_stream_give(submission->stream);
    ws_fence_release(device, submission->fence);
    for (uint32_t i = 0; i < submission->zeroed_count; i++)
        ws_shader_release(submission->zeroed[i]);
    free(submission->zeroed);
    free(submission->signals);
    free(submission->picture);
    free(submission);
}

VkCommandBuffer ws_submission_begin_commands(struct ws_device *device, struct ws_submission *submission)
{
    VkCommandBuffer *commands = ws_array_grow(submission->commands, &submission->command_capacity,
                                              submission->command_count + 1, sizeof(*commands));
    if (commands == NULL)
        return VK_NULL_HANDLE;
    submission->commands = commands;
    VkCommandBuffer begun = ws_command_source_begin(device, submission->queue->family);
    if (begun != VK_NULL_HANDLE)
        commands[submission->command_count++] = begun;
    return begun;
}

void ws_submissions_add(struct ws_device *device, struct ws_submission *submission)
{
    struct ws_queue *queue = submission->queue;
    if (queue->newest != NULL)
        queue->newest->following = submission;
    else
        queue->oldest = submission;
    queue->newest = submission;
    device->submissions->pending++;
    WS_PROGRESS_ADD(device->capture->progress, waiting, 1);
    device->submissions->pending_size += ws_submission_size(submission);
}

static void remove_oldest(struct ws_device *device, struct ws_queue *queue)
{
    struct ws_submission *submission = queue->oldest;
    queue->oldest = submission->following;
    if (queue->oldest == NULL)
        queue->newest = NULL;
    device->submissions->pending--;
    WS_PROGRESS_SUBTRACT(device->capture->progress, waiting, 1);
    device->submissions->pending_size -= ws_submission_size(submission);
    ws_submission_destroy(device, submission);
}

VkFence ws_submission_fence(const struct ws_submission *submission)
{
    return submission->fence != NULL ? submission->fence->handle : submission->application_fence;
}

/* A signalled fence says more than that the commands have ended: it makes what the device wrote available
 * (the specification, "Fences"), which a later barrier or our own to the host stage makes visible. */
bool ws_submission_has_finished(struct ws_device *device, struct ws_submission *submission)
{
    const VkFence fence = ws_submission_fence(submission);
    if (!submission->finished && fence != VK_NULL_HANDLE)
        submission->finished = device->next.GetFenceStatus(device->handle, fence) == VK_SUCCESS;
    return submission->finished;
}

/* Finds out which submissions of a queue have finished. A fence is signalled after all that is earlier in
 * submission order on its queue (the specification, "Fences": its first synchronization scope). So what stands
 * before a finished submission has finished too. That matters for a submission without a fence, which could
 * not be submitted: it counts as finished with the next one that is. */
static void find_finished(struct ws_device *device, struct ws_queue *queue)
{
    struct ws_submission *last = NULL;
    for (struct ws_submission *submission = queue->oldest; submission != NULL;
         submission = submission->following)
        if (ws_submission_has_finished(device, submission))
            last = submission;
        else if (ws_submission_fence(submission) != VK_NULL_HANDLE)
            break;
    if (last == NULL)
        return;
    for (struct ws_submission *before = queue->oldest; before != last; before = before->following)
        before->finished = true;
    queue->held_up = false;
    queue->finished = last->sequence;
    ws_timelines_end(&device->submissions->timelines, queue, last->sequence);
}

static bool can_write(struct ws_device *device, const struct ws_queue *queue)
{
    return queue->oldest != NULL && queue->oldest->sequence <= queue->finished &&
           ws_late_copies_ready(device, queue->oldest);
}

/* Of each queue only the oldest may be written, then the next: the capture's order is the device's order, and
 * each submission's launches and builds are numbered by it. So where the oldest cannot be written now, all of
 * the queue waits. Of several queues, what was submitted first is written first. */
void ws_submissions_drain(struct ws_device *device)
{
    struct ws_queue *first;
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following)
        find_finished(device, queue);
    do {
        first = NULL;
        for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following)
            if (can_write(device, queue) &&
                (first == NULL || queue->oldest->sequence < first->oldest->sequence))
                first = queue;
        if (first != NULL) {
            ws_drain_write(device, first->oldest);
            remove_oldest(device, first);
        }
    } while (first != NULL);
}

void ws_submissions_drain_for_host(struct ws_device *device)
{
    ws_submissions_drain(device);
    ws_late_copies_borrow(device);
    ws_submissions_drain(device);
}

/* Counts what is pending as lost, once for all. Nothing is freed. */
static void lose_pending(struct ws_device *device, const char *reason)
{
    const struct ws_submissions *submissions = device->submissions;
    uint64_t launches = 0;
    uint64_t readbacks = 0;
    uint64_t images = 0;
    for (const struct ws_queue *queue = submissions->queues; queue != NULL; queue = queue->following) {
        for (const struct ws_submission *pending = queue->oldest; pending != NULL;
             pending = pending->following) {
            images += pending->picture != NULL;
            for (uint32_t i = 0; i < pending->batch_count; i++) {
                for (uint32_t j = 0; j < pending->batches[i].executed_count; j++) {
                    const struct ws_executed *executed = &pending->batches[i].executed[j];
                    launches += executed->selected;
                    if (executed->recording == NULL || !executed->kept)
                        continue;
                    const uint32_t of_images = ws_recording_count_images(executed->recording);
                    images += of_images;
                    readbacks += executed->recording->readback_count - of_images;
                }
            }
        }
    }
    ws_lose_launches(device, launches, reason);
    ws_lose_geometry(device, WS_NONE, readbacks, reason);
    ws_lose_images(device, images, reason);
}

void ws_submissions_abandon(struct ws_device *device, const char *reason)
{
    lose_pending(device, reason);
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following) {
        while (queue->oldest != NULL) {
            /* A fence that is not signalled may be pending. */
            if (queue->oldest->fence != NULL)
                queue->oldest->fence->dropped = true;
            remove_oldest(device, queue);
        }
    }
}

struct ws_submission *ws_submissions_oldest(const struct ws_submissions *submissions)
{
    struct ws_submission *oldest = NULL;
    for (const struct ws_queue *queue = submissions->queues; queue != NULL; queue = queue->following)
        if (queue->oldest != NULL && (oldest == NULL || queue->oldest->sequence < oldest->sequence))
            oldest = queue->oldest;
    return oldest;
}

/* Before vkDestroyDevice the application ensures that no work is active on the device (the specification,
 * "Device Destruction"). So each fence has been signalled or is about to be, a submission without a fence has
 * finished, and since no other call may use a queue now, any queue may be used for late copies. The order of
 * freeing: first what refers to fences and command buffers, then their source and the buffers. */
static void finish(struct ws_device *device)
{
    struct ws_submissions *submissions = device->submissions;
    if (submissions == NULL)
        return;
    ws_submissions_enter(device);
    ws_late_copies_allow(device, ws_late_any_queue(device), true);
    for (struct ws_queue *queue = submissions->queues; queue != NULL; queue = queue->following) {
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following)
            if (pending->fence == NULL)
                pending->finished = true;
            else
                ws_submission_wait(device, pending);
    }
    ws_submissions_drain(device);
    ws_submissions_abandon(device, "the device was destroyed before they had finished");
    ws_submissions_leave(device);
    ws_late_copies_finish(&submissions->late, device);
    ws_command_source_destroy(device, submissions->source);
    ws_timelines_finish(&submissions->timelines);
    ws_stream_ring_finish(device);
    for (struct ws_queue *queue = submissions->queues; queue != NULL; queue = queue->following)
        device->next.DestroySemaphore(device->handle, queue->order, NULL);
    pthread_mutex_destroy(&submissions->lock);
    free(submissions);
    device->submissions = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    struct ws_submissions *submissions = calloc(1, sizeof(*submissions));
    if (submissions == NULL)
        return ws_error_set(error, "out of memory");
    ws_lock_init(&submissions->lock);
    ws_late_copies_init(&submissions->late);
    submissions->zeroing = 1;
    device->submissions = submissions;
    submissions->source = ws_command_source_create(device, error);
    if (submissions->source == NULL) {
        finish(device);
        return false;
    }
    return true;
}

/* The process ends without vkDestroyDevice. A thread that was stopped in the middle may hold the lock for
 * ever, so the lock is only tried; the driver's threads may be gone, so fences are asked and not waited for,
 * and nothing is submitted. What has finished is written without its late copies; the rest is counted as
 * lost. */
static void flush(struct ws_device *device)
{
    if (!ws_try_lock(&device->submissions->lock))
        return;
    if (device->submissions->pending > 0) {
        device->submissions->late.given_up = true;
        ws_submissions_drain(device);
        lose_pending(device, "the program ended before they had finished");
    }
    ws_unlock(&device->submissions->lock);
}

static const struct ws_hook hooks[] = {WS_HOOK_END};

const struct ws_interception ws_submission_interception = {
    .hooks = hooks,
    .device_init = init,
    .device_finish = finish,
    .device_flush = flush,
};
