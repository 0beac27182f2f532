#include "layer/submit/submission.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/stream_control.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/selection.h"
#include "layer/submit/command_source.h"
#include "layer/submit/drain.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_ring.h"

void ws_submissions_enter(struct ws_device *device)
{
    pthread_mutex_lock(&device->submissions->lock);
}

void ws_submissions_leave(struct ws_device *device)
{
    const struct ws_losses losses = ws_losses_take(&device->submissions->losses);
    ws_late_copies_disallow(device);
    pthread_mutex_unlock(&device->submissions->lock);
    ws_losses_say(device->instance, &losses);
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

void ws_submission_destroy(struct ws_device *device, struct ws_submission *submission)
{
    if (submission == NULL)
        return;
    for (uint32_t i = 0; i < submission->batch_count; i++) {
        struct ws_batch *batch = &submission->batches[i];
        for (uint32_t j = 0; j < batch->executed_count; j++) {
            ws_recording_release(batch->executed[j].recording);
            ws_recorded_launch_finish(&batch->executed[j].rendering);
            free((char *)batch->executed[j].command_buffer);
        }
        free(batch->executed);
        free(batch->label);
    }
    free(submission->batches);
    for (uint32_t i = 0; i < submission->command_count; i++)
        ws_command_source_recycle(device, submission->queue->family, submission->commands[i]);
    free(submission->commands);
    ws_heap_free(device->readback, &submission->readback);
    ws_stream_give(submission->stream);
    ws_fence_recycle(device, submission->fence);
    free(submission->signals);
    free(submission);
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
    device->submissions->pending_size += submission->readback.size;
}

static void remove_oldest(struct ws_device *device, struct ws_queue *queue)
{
    struct ws_submission *submission = queue->oldest;
    queue->oldest = submission->following;
    if (queue->oldest == NULL)
        queue->newest = NULL;
    device->submissions->pending--;
    device->submissions->pending_size -= submission->readback.size;
    ws_submission_destroy(device, submission);
}

bool ws_submission_has_finished(struct ws_device *device, struct ws_submission *submission)
{
    if (!submission->finished && submission->fence != VK_NULL_HANDLE)
        submission->finished = device->next.GetFenceStatus(device->handle, submission->fence) == VK_SUCCESS;
    return submission->finished;
}

/* A fence comes after all that its queue was given before, so what has a later finished one has finished
 * too: only one without a fence needs that. */
static void drain_queue(struct ws_device *device, struct ws_queue *queue)
{
    const struct ws_submission *last = NULL;
    for (struct ws_submission *submission = queue->oldest; submission != NULL;
         submission = submission->following)
        if (ws_submission_has_finished(device, submission))
            last = submission;
        else if (submission->fence != VK_NULL_HANDLE)
            break;
    if (last != NULL)
        queue->held_up = false;
    while (last != NULL && ws_drain_is_possible(device, queue->oldest)) {
        const bool more = queue->oldest != last;
        ws_drain_write(device, queue->oldest);
        remove_oldest(device, queue);
        if (!more)
            break;
    }
}

void ws_submissions_drain(struct ws_device *device)
{
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following)
        drain_queue(device, queue);
}

/* Gives up what has been submitted and not written. */
static void lose_pending(struct ws_device *device, const char *reason)
{
    const struct ws_submissions *submissions = device->submissions;
    uint64_t launches = 0;
    uint64_t readbacks = 0;
    for (const struct ws_queue *queue = submissions->queues; queue != NULL; queue = queue->following) {
        for (const struct ws_submission *pending = queue->oldest; pending != NULL;
             pending = pending->following) {
            for (uint32_t i = 0; i < pending->batch_count; i++) {
                for (uint32_t j = 0; j < pending->batches[i].executed_count; j++) {
                    const struct ws_executed *executed = &pending->batches[i].executed[j];
                    launches += executed->selected;
                    if (executed->recording != NULL && executed->kept)
                        readbacks += executed->recording->readback_count;
                }
            }
        }
    }
    ws_lose_launches(device, launches, reason);
    ws_lose_geometry(device, WS_NONE, readbacks, reason);
}

void ws_submissions_abandon(struct ws_device *device, const char *reason)
{
    lose_pending(device, reason);
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following) {
        while (queue->oldest != NULL) {
            /* A fence that has not come cannot be reset; that of a lost device can be destroyed. */
            device->next.DestroyFence(device->handle, queue->oldest->fence, NULL);
            queue->oldest->fence = VK_NULL_HANDLE;
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

/* The application must have made the device idle, so every fence has come or is about to. */
static void finish(struct ws_device *device)
{
    struct ws_submissions *submissions = device->submissions;
    if (submissions == NULL)
        return;
    ws_submissions_enter(device);
    ws_late_copies_allow(device, ws_late_any_queue(device), true);
    for (struct ws_queue *queue = submissions->queues; queue != NULL; queue = queue->following) {
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following)
            if (pending->fence == VK_NULL_HANDLE)
                pending->finished = true;
            else
                ws_submission_wait(device, pending);
    }
    ws_submissions_drain(device);
    ws_submissions_abandon(device, "the device was destroyed before they had finished");
    ws_submissions_leave(device);
    ws_command_source_destroy(device, submissions->source);
    ws_timelines_finish(&submissions->timelines);
    ws_stream_ring_finish(device);
    ws_late_copies_finish(&submissions->late, device);
    pthread_mutex_destroy(&submissions->lock);
    free(submissions);
    device->submissions = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    struct ws_submissions *submissions = calloc(1, sizeof(*submissions));
    if (submissions == NULL)
        return ws_error_set(error, "out of memory");
    pthread_mutex_init(&submissions->lock, NULL);
    ws_late_copies_init(&submissions->late);
    device->submissions = submissions;
    submissions->source = ws_command_source_create(device, error);
    if (submissions->source == NULL) {
        finish(device);
        return false;
    }
    return true;
}

/* A thread that the end of the process stopped may hold the lock for ever. Fences are asked, not waited
 * for. */
static void flush(struct ws_device *device)
{
    if (pthread_mutex_trylock(&device->submissions->lock) != 0)
        return;
    if (device->submissions->pending > 0) {
        device->submissions->late.given_up = true; /* nothing may be submitted any more */
        ws_submissions_drain(device);
        lose_pending(device, "the program ended before they had finished");
    }
    pthread_mutex_unlock(&device->submissions->lock);
}

static const struct ws_hook hooks[] = {WS_HOOK_END};

const struct ws_interception ws_submission_interception = {
    .hooks = hooks,
    .device_init = init,
    .device_finish = finish,
    .device_flush = flush,
};
