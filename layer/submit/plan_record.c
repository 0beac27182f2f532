/* The command buffers of ours in a queue submission: they bring results to memory that the host reads. */
#include <stdlib.h>

#include "layer/commands/barrier.h"
#include "layer/commands/launch.h"
#include "layer/commands/stream_control.h"
#include "layer/core/device.h"
#include "layer/memory/counters_fill.h"
#include "layer/submit/command_source.h"
#include "layer/submit/plan.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_drain.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/submission.h"
#include "passes/base/array.h"
#include "warpscope/instrument.h"

static void copy_results(struct ws_device *device, VkCommandBuffer commands,
                         const struct ws_recording *recording, VkBuffer target, VkDeviceSize offset)
{
    for (uint32_t i = 0; i < recording->chunk_count; i++) {
        const struct ws_results_chunk *chunk = &recording->chunks[i];
        const VkBufferCopy region = {
            .srcOffset = chunk->range.offset, .dstOffset = offset, .size = chunk->used};
        if (chunk->used > 0)
            device->next.CmdCopyBuffer(commands, chunk->range.buffer, target, 1, &region);
        offset += chunk->used;
    }
}

static void record_step(struct ws_device *device, VkCommandBuffer commands,
                        const struct ws_submission *submission, const struct ws_batch *batch,
                        const struct ws_step *step)
{
    const struct ws_memory_range *readback = &submission->readback;
    /* The command buffers' own copies into their results, earlier in submission order. */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    for (uint32_t i = 0; i < step->count; i++) {
        const struct ws_executed *executed = &batch->executed[step->first + i];
        const bool copied = executed->kept && !executed->lost;
        const VkDeviceSize offset = readback->offset + executed->position;
        if (executed->recording == NULL)
            ws_launch_harvest(device, commands, &executed->rest.command, executed->rest.shaders,
                              executed->rest.shader_count, copied ? readback->buffer : VK_NULL_HANDLE,
                              offset);
        else if (copied)
            copy_results(device, commands, executed->recording, readback->buffer, offset);
    }
    /* A fence makes no writes visible to the host by itself: that takes a dependency to its stage (the
     * specification, "Fences"). */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

/* A command buffer that goes back when the submission has finished. */
static VkCommandBuffer begin(struct ws_device *device, struct ws_submission *submission)
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

static void make_step(struct ws_device *device, struct ws_submission *submission, struct ws_batch *batch,
                      struct ws_step *step)
{
    VkCommandBuffer commands = begin(device, submission);
    if (commands != VK_NULL_HANDLE) {
        record_step(device, commands, submission, batch, step);
        if (device->next.EndCommandBuffer(commands) == VK_SUCCESS) {
            step->commands = commands;
            return;
        }
    }
    for (uint32_t i = 0; i < step->count; i++)
        batch->executed[step->first + i].lost = true;
}

/* One command buffer that opens the stream, or closes it. */
static VkCommandBuffer make_gate(struct ws_device *device, struct ws_submission *submission, bool opens)
{
    VkCommandBuffer commands = begin(device, submission);
    if (commands == VK_NULL_HANDLE)
        return VK_NULL_HANDLE;
    if (opens)
        ws_stream_open(device, commands, submission->stream);
    else
        ws_stream_close(device, commands, submission->stream);
    return device->next.EndCommandBuffer(commands) == VK_SUCCESS ? commands : VK_NULL_HANDLE;
}

/* Never the one without the other. */
static bool make_gates(struct ws_submit_plan *plan, struct ws_device *device)
{
    VkCommandBuffer open = make_gate(device, plan->submission, true);
    VkCommandBuffer close = make_gate(device, plan->submission, false);
    if (open == VK_NULL_HANDLE || close == VK_NULL_HANDLE)
        return false;
    for (uint32_t i = 0; i < plan->batch_count; i++) {
        struct ws_batch_plan *batch = &plan->batches[i];
        batch->open = batch->opens ? open : VK_NULL_HANDLE;
        batch->close = batch->closes ? close : VK_NULL_HANDLE;
        batch->changed = batch->changed || batch->opens || batch->closes;
    }
    return true;
}

/* Without a stream the submission's records are lost, and it appends nothing. */
static void add_stream(struct ws_submit_plan *plan, struct ws_device *device)
{
    struct ws_submission *submission = plan->submission;
    const char *reason = "another queue's submission runs at the same time";
    if (!submission->overlapped)
        submission->stream = ws_stream_take(device, &reason);
    if (submission->stream != NULL && !make_gates(plan, device)) {
        ws_stream_give(submission->stream);
        submission->stream = NULL;
        reason = "no command buffer for their stream";
    }
    if (submission->stream == NULL)
        ws_submissions_lose_records(device, ws_stream_count(device, submission), reason);
}

bool ws_submit_plan_record(struct ws_submit_plan *plan, struct ws_device *device, VkCommandBuffer *fill,
                           uint32_t *mark)
{
    struct ws_submission *submission = plan->submission;
    const bool needed = ws_counters_fill_needed(device);
    *fill = VK_NULL_HANDLE;
    if (needed) {
        VkCommandBuffer commands = begin(device, submission);
        if (commands != VK_NULL_HANDLE) {
            *mark = ws_counters_fill(device, commands);
            if (device->next.EndCommandBuffer(commands) == VK_SUCCESS)
                *fill = commands;
        }
    }
    if (plan->records)
        add_stream(plan, device);
    for (uint32_t i = 0; i < plan->batch_count; i++) {
        for (uint32_t j = 0; j < plan->batches[i].step_count; j++) {
            struct ws_step *step = &plan->batches[i].steps[j];
            if (step->source == WS_NONE)
                make_step(device, submission, &submission->batches[i], step);
        }
    }
    return !needed || *fill != VK_NULL_HANDLE;
}
